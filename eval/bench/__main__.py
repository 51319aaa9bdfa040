"""Lint, index and search at 1,000, 10,000 and 100,000 notes, and the peers beside.

``python -m eval.bench [--sizes 1000,10000,100000] [--peers]``

Prints one table. Each phase is a process of its own, all scanners on.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from eval.bench import peers
from eval.bench.vaults import write

COLUMNS = (
    ("notes", "notes"),
    ("lint", "cold lint s"),
    ("index", "cold index s"),
    ("both", "both s"),
    ("find", "find change s"),
    ("lint-one", "lint one s"),
    ("index-one", "index one s"),
    ("p50-owner-ms", "p50 ms"),
    ("p95-owner-ms", "p95 ms"),
    ("p95-agent-ms", "p95 agent ms"),
    ("peak", "peak MB"),
)


def phase(vault: Path, state: Path, what: str) -> dict[str, float]:
    """Run one phase in a fresh process; return its figures, ``peak`` in MB among them."""
    command = [sys.executable, "-m", "eval.bench.phases", str(vault), str(state), what]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    said = json.loads(out)
    return {**said["phases"], "peak": float(said["peak_mb"])}


def measure(notes: int, folder: Path, seed: int) -> dict[str, float]:
    """Return one row of the table."""
    vault, state = folder / "vault", folder / "state"
    write(vault, notes, seed)
    cold = phase(vault, state, "cold-lint")
    index = phase(vault, state, "cold-index")
    edit = phase(vault, state, "edit")
    search = phase(vault, state, "search")
    return {
        "notes": float(notes),
        "lint": cold["find"] + cold["lint"],
        "index": index["index"],
        "both": cold["total"] + index["total"],
        "find": edit["find"],
        "lint-one": edit["lint-one"],
        "index-one": edit["index-one"],
        "p50-owner-ms": search["p50-owner-ms"],
        "p95-owner-ms": search["p95-owner-ms"],
        "p95-agent-ms": search["p95-agent-ms"],
        "peak": max(cold["peak"], index["peak"], edit["peak"], search["peak"]),
    }


def table(rows: list[dict[str, float]]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| " + " | ".join(title for _, title in COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        cells = [
            f"{row[key]:,.0f}" if key in ("notes", "peak") else f"{row[key]:.3f}"
            for key, _ in COLUMNS
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def start_time() -> float:
    """Return the seconds of ``manent --version``, the least of ten."""
    spent = []
    for _ in range(10):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "manent", "--version"], check=True, stdout=subprocess.DEVNULL
        )
        spent.append(time.perf_counter() - begun)
    return min(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--peers", action="store_true", help="Run the peers too, on 2,000 notes.")
    options = parser.parse_args()
    rows = []
    for size in map(int, options.sizes.split(",")):
        folder = Path(tempfile.mkdtemp(prefix="manent-bench-"))
        try:
            rows.append(measure(size, folder, options.seed))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(table(rows))
    print(f"\n`manent --version`: {start_time() * 1000:.0f} ms")
    if options.peers:
        print("\n" + peers.table(options.seed))


if __name__ == "__main__":
    main()
