"""The journal from 1,000 to 1,000,000 memories: time and memory of each command.

    python -m eval.bench.journal [--most 1000000] [--repeat 9] [--folder DIR]

Builds a whole journal of each size, every summary included, and runs the real
commands as processes of their own: best of ``--repeat``, wall and (processor)
time beside the bare interpreter's, and the peak memory. `recall` is given as
megabytes of log a second of processor time, for a pattern found nowhere, in one
of a thousand lines, and in every line. Prints a Markdown table. On a busy
machine trust the processor times: the waiting is somebody else's.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

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
    return f"{2000 + i // 44688:04}-{i // 3724 % 12 + 1:02}-{i // 133 % 28 + 1:02}"


class Cost(NamedTuple):
    """Wall and processor time in milliseconds, peak memory in MB."""

    wall: float
    cpu: float
    peak: float

    def __str__(self) -> str:
        return f"{self.wall:.0f} ({self.cpu:.0f}) ms, {self.peak:.0f} MB"


def run(argv: list[str]) -> Cost:
    """Run a process once."""
    started = time.perf_counter()
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.execv(argv[0], argv)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) > 1:
        raise SystemExit(f"failed: {' '.join(argv)}")
    return Cost(wall * 1000, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss / 1024)


def best(argv: list[str], repeat: int) -> Cost:
    """Return the best times and the worst memory of so many runs."""
    runs = [run(argv) for _ in range(repeat)]
    return Cost(min(r.wall for r in runs), min(r.cpu for r in runs), max(r.peak for r in runs))


def measure(folder: Path, memories: int, repeat: int) -> list[str]:
    """Return one row of the table."""
    journal = [sys.executable, "-m", "manent", "journal", "--dir", str(folder)]
    size = 1 << (memories.bit_length() - 2)
    cells = [f"{memories:,}"]
    for command in (["wake"], ["note", "one more thing happened"], ["zoom", f"0-{size - 1}"]):
        cells.append(str(best([*journal, *command], repeat)))
    megabytes = memories * record.LOG_BYTES / 1e6
    start = best([*journal[:-1], str(folder.parent / "empty"), "recall", "x"], repeat).cpu
    for pattern in ("nowhere at all", "memory [0-9]*777:", "plan"):
        cost = best([*journal, "recall", pattern], min(repeat, 3))
        cells.append(f"{megabytes / max(cost.cpu - start, 1) * 1000:.0f} MB/s, {cost.peak:.0f} MB")
    cost = best([*journal, "verify"], 1)
    return [*cells, f"{cost.cpu / 1000:.1f} s, {cost.peak:.0f} MB"]


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--most", type=int, default=1_000_000)
    options.add_argument("--repeat", type=int, default=9)
    options.add_argument("--folder", type=Path, help="build the journals here, not in /tmp")
    chosen = options.parse_args()
    bare = best([sys.executable, "-c", "pass"], chosen.repeat)
    print(f"bare interpreter {bare}; best of {chosen.repeat}\n")
    print("| memories | wake | note | zoom | recall none | recall some | recall all | verify |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as scratch:
        build(Path(scratch) / "empty", 0)
        memories = 1000
        while memories <= chosen.most:
            folder = Path(scratch) / str(memories)
            build(folder, memories)
            print(f"| {' | '.join(measure(folder, memories, chosen.repeat))} |", flush=True)
            memories *= 10


if __name__ == "__main__":
    main()
