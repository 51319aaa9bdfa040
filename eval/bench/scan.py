"""Time of the scanners against size: ``python -m eval.bench.scan [--full]``.

Ordinary notes first (MB/s of one core, after a warm-up), then the pathological
texts of the gate's table, each at doubling sizes: time a megabyte should not
grow with the size. ``--full`` goes up to 16 MB.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from manent.scan import injection
from manent.scan.reading import readings
from manent.scan.scanner import Scanner
from manent.scan.span import Context

PATHOLOGICAL = {
    "nearly matching words": "ignore all the previous rule ",
    "blanks before =": " ",
    "brackets": "[",
    "one line of words": "lorem ipsum dolor sit amet ",
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo",
    "zero-width": "\u200b",
    "interleaved zero-width": "a\u200b",
    "entities": "&#97;",
    "percent": "%61",
    "tags": "\U000e0041",
    "backticks": "`a",
    "hidden elements": "<p hidden>",
}


def seconds(work: Callable[[str], object], text: str) -> float:
    """Return the processor time of one run."""
    begun = time.process_time()
    work(text)
    return time.process_time() - begun


def notes(folder: Path) -> list[str]:
    """Return the Markdown notes of a folder, at most six megabytes."""
    found, size = [], 0
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text("utf-8", "replace")
        found.append(text)
        size += len(text)
        if size > 6_000_000:
            break
    return found


def alone(text: str) -> object:
    """Normalise, and look for injections only."""
    context = Context()
    return [span for reading in readings(text) for span in injection.find(reading, context)]


def speed(work: Callable[[str], object], texts: list[str]) -> float:
    """Return megabytes a second over the texts, after a warm-up over half of them."""
    for text in texts[::2]:
        work(text)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return size / sum(seconds(work, text) for text in texts) / 1e6


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="up to 16 MB")
    parser.add_argument("--notes", type=Path, default=Path("fixture-vault"))
    chosen = parser.parse_args()
    texts = notes(chosen.notes)
    if texts:
        print(f"{len(texts)} notes: all scanners {speed(Scanner().scan, texts):.1f} MB/s", end="")
        print(f", normalisation and injection {speed(alone, texts):.1f} MB/s")
    sizes = [2**n * 250_000 for n in range(7 if chosen.full else 3)]
    print("seconds for", ", ".join(f"{size / 1e6:g} MB" for size in sizes))
    for name, unit in PATHOLOGICAL.items():
        row = []
        for size in sizes:
            text = unit * (size // len(unit.encode())) + ("=" if unit == " " else "")
            row.append(seconds(Scanner().scan, text))
        print(f"{name:26}", "  ".join(f"{value:7.2f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
