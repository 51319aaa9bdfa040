"""The journal from 1,000 to 1,000,000 memories: time and memory of each command.

    python -m eval.bench.journal [--most 1000000] [--repeat 9] [--folder DIR]

Builds a whole journal of each size, every summary included, and runs the real
commands as processes of their own, best of ``--repeat`` wall times beside the
bare interpreter's, with the peak memory of each. `recall` is given as
megabytes of log a second, for a pattern found nowhere, one in a thousand
lines, and every line. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from manent import record

WORDS = (
    "a thing that happened, was weighed against the rest of the week, turned out to matter "
    "more than anyone guessed at the time, and left its mark on every plan that followed it"
)


def build(folder: Path, memories: int) -> None:
    """Write a journal of so many memories with all its summaries."""
    (folder / "TREE").mkdir(parents=True)
    (folder / "config").write_text("")
    with open(folder / "LOG.txt", "wb") as log:
        for start in range(0, memories, 4096):
            numbers = range(start, min(start + 4096, memories))
            log.write(
                b"".join(record.log_record(i, _day(i), f"memory {i}: {WORDS}") for i in numbers)
            )
    size = 2
    while size <= memories:
        with open(folder / "TREE" / str(size), "wb") as level:
            for k in range(memories // size):
                level.write(record.tree_record(f"summary {k} of {size}: {WORDS}"))
        size *= 2


def _day(i: int) -> str:
    return f"{2000 + i // 44640:04}-{i // 3720 % 12 + 1:02}-{i // 133 % 28 + 1:02}"


def run(argv: list[str]) -> tuple[float, float]:
    """Run a process; return its wall time in seconds and its peak memory in MB."""
    started = time.perf_counter()
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.execv(argv[0], argv)
    _, status, used = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) > 1:
        raise SystemExit(f"failed: {' '.join(argv)}")
    return seconds, used.ru_maxrss / 1024


def best(argv: list[str], repeat: int) -> tuple[float, float]:
    """Return the best wall time in milliseconds, and the worst peak memory in MB."""
    runs = [run(argv) for _ in range(repeat)]
    return min(seconds for seconds, _ in runs) * 1000, max(peak for _, peak in runs)


def measure(folder: Path, memories: int, repeat: int) -> list[str]:
    """Return one row of the table."""
    journal = [sys.executable, "-m", "manent", "journal", "--dir", str(folder)]
    size = 1 << (memories.bit_length() - 2)
    cells = [f"{memories:,}"]
    for command in (["wake"], ["note", "one more thing happened"], ["zoom", f"0-{size - 1}"]):
        wall, peak = best([*journal, *command], repeat)
        cells.append(f"{wall:.0f} ms, {peak:.0f} MB")
    megabytes = memories * record.LOG_BYTES / 1e6
    start, _ = best([*journal, "zoom", "0-1"], 3)
    for pattern in ("nowhere at all", "memory [0-9]*777:", "plan"):
        wall, peak = best([*journal, "recall", pattern], min(repeat, 3))
        speed = megabytes / max(wall - start, 0.001) * 1000
        cells.append(f"{wall:.0f} ms, {speed:.0f} MB/s, {peak:.0f} MB")
    wall, peak = best([*journal, "verify"], 1)
    return [*cells, f"{wall / 1000:.1f} s, {peak:.0f} MB"]


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--most", type=int, default=1_000_000)
    options.add_argument("--repeat", type=int, default=9)
    options.add_argument("--folder", type=Path, help="build the journals here, not in /tmp")
    chosen = options.parse_args()
    bare, _ = best([sys.executable, "-c", "pass"], chosen.repeat)
    print(
        f"bare interpreter {bare:.0f} ms, best of {chosen.repeat}; recall: none, 1 in 1,000, all\n"
    )
    print("| memories | wake | note | zoom | recall none | recall some | recall all | verify |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as scratch:
        memories = 1000
        while memories <= chosen.most:
            folder = Path(scratch) / str(memories)
            build(folder, memories)
            print(f"| {' | '.join(measure(folder, memories, chosen.repeat))} |", flush=True)
            memories *= 10


if __name__ == "__main__":
    main()
