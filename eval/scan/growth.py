"""Time of the scanners against size, and their speed on notes: ``python -m eval.scan.growth``.

The pathological texts of the gate's table (near misses, blanks, brackets, numbers,
names of secrets, characters nobody sees), each at four sizes up to ``--upto``
megabytes. What is linear takes as many seconds a megabyte at the end as at the
start. ``--draw FILE`` writes the plot; ``--notes DIR`` prints MB/s by family instead.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from eval.bench.scan import PATHOLOGICAL, notes, seconds
from manent.scan.reading import Reading, readings
from manent.scan.scanner import FAMILIES, Scanner
from manent.scan.span import Context

INPUTS = {
    name: PATHOLOGICAL[name]
    for name in ("nearly matching words", "blanks before =", "brackets", "one line of words")
} | {
    "numbers": "4111 ",
    "labelled numbers": "ssn 123456789 ",
    "names of secrets": "key=1",
    "passwords nearly": "password: x1 ",
    "tags": "\U000e0041",
    "entities": "&#97;",
    "interleaved zero-width": "a\u200b",
    "base64": PATHOLOGICAL["base64"],
}  # fmt: skip
"""What each text repeats."""

WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT, TOP = 760, 420, 50, 40, 190, 20
COLOURS = (
    "#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#b8860b", "#008b8b",
    "#7f4f24", "#d1495b", "#52796f", "#5a189a", "#386641", "#6c757d",
)  # fmt: skip

STEP = 4
"""How many times larger each size is than the one before."""

Row = list[tuple[float, float]]
"""Megabytes and seconds."""


def made(name: str, megabytes: float) -> str:
    """Return the text of a kind and size."""
    unit = INPUTS[name]
    text = unit * max(1, int(megabytes * 1e6) // len(unit.encode()))
    return text + "=" if unit == " " else text


def rows(upto: float, budget: float) -> Iterator[tuple[str, Row]]:
    """Yield the times of each kind at growing sizes.

    budget: a kind stops growing where the next size would take more seconds.
    """
    scan = Scanner().scan
    scan(made("names of secrets", 0.01))
    for name in INPUTS:
        row: Row = []
        size = upto / STEP**3
        while size <= upto and not (row and STEP * row[-1][1] > budget):
            row.append((size, seconds(scan, made(name, size))))
            size *= STEP
        yield name, row


def table(measured: dict[str, Row], upto: float) -> str:
    """Return the times as a table: seconds by size, and seconds a megabyte at both ends."""
    sizes = [upto / STEP**n for n in range(3, -1, -1)]
    head = [f"{size:g} MB" for size in sizes]
    lines = [f"| text | {' | '.join(head)} | s/MB, first and last |", "|---" * 6 + "|"]
    for name, row in measured.items():
        cells = [f"{took:.2f}" for _, took in row] + ["" for _ in sizes[len(row) :]]
        ends = f"{row[0][1] / row[0][0]:.2f}, {row[-1][1] / row[-1][0]:.2f}"
        lines.append(f"| {name} (`{_shown(INPUTS[name])}`) | {' | '.join(cells)} | {ends} |")
    return "\n".join(lines)


def _shown(unit: str) -> str:
    short = unit if len(unit) <= 32 else unit[:12] + "…"
    return "".join(c if c.isascii() else f"\\u{ord(c):x}" for c in short).replace("`", "'")


def drawing(measured: dict[str, Row]) -> str:
    """Return the plot of seconds against megabytes, as SVG."""
    most = max(size for row in measured.values() for size, _ in row)
    slowest = max(took for row in measured.values() for _, took in row)
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(size: float, took: float) -> tuple[float, float]:
        return LEFT + wide * size / most, TOP + high * (1 - took / slowest)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *_axes(most, slowest, place),
    ]
    slow_first = sorted(measured.items(), key=lambda item: -item[1][-1][1] / item[1][-1][0])
    for number, (name, row) in enumerate(slow_first):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in row))
        at = TOP + 12 + 18 * number
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        parts.append(f'<path d="M{WIDTH - RIGHT + 12} {at - 4}h16" stroke="{colour}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 34}" y="{at}">{escape(name)}</text>')
    return "\n".join((*parts, "</svg>\n"))


def _axes(
    most: float, slowest: float, place: Callable[[float, float], tuple[float, float]]
) -> Iterator[str]:
    (left, bottom), (right, top) = place(0, 0), place(most, slowest)
    yield f'<path d="M{left} {top}V{bottom}H{right:.0f}" fill="none" stroke="#333"/>'
    for step in range(5):
        x, _ = place(most * step / 4, 0)
        _, y = place(0, slowest * step / 4)
        megabytes = f"{most * step / 4:g} MB"
        yield f'<text x="{x:.0f}" y="{bottom + 16:.0f}" text-anchor="middle">{megabytes}</text>'
        yield f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">'
        yield f"{slowest * step / 4:.0f} s</text>"


def by_family(folder: Path) -> str:
    """Return MB/s of processor time over the notes of a folder, best of three: all, and each."""
    texts = notes(folder)
    size = sum(len(text.encode()) for text in texts) / 1e6
    plain = [next(readings(text)) for text in texts]
    context = Context()
    works: dict[str, Callable[[], object]] = {
        "all": lambda: [Scanner(context).scan(text) for text in texts],
        "readings": lambda: [list(readings(text)) for text in texts],
    }
    for name in FAMILIES:
        works[name] = _family(name, plain, context)
    speeds = [f"{name} {size / _best(work):.1f}" for name, work in works.items()]
    return f"{folder}: {len(texts)} notes, {size:.2f} MB: {', '.join(speeds)} MB/s"


def _family(name: str, plain: list[Reading], context: Context) -> Callable[[], object]:
    find = importlib.import_module(f"manent.scan.{name}").find
    return lambda: [list(find(reading, context)) for reading in plain]


def _best(work: Callable[[], object]) -> float:
    work()
    return min(seconds(lambda _: work(), "") for _ in range(3))


def main() -> None:
    """Print the table, or the speeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upto", type=float, default=16, help="largest size, in MB")
    parser.add_argument(
        "--budget",
        type=float,
        default=25,
        help="most seconds for one text: larger ones are left out",
    )
    parser.add_argument("--draw", type=Path, help="where the plot goes")
    parser.add_argument("--notes", type=Path, nargs="*", help="folders to print MB/s of")
    chosen = parser.parse_args()
    if chosen.notes:
        for folder in chosen.notes:
            print(by_family(folder), flush=True)
        return
    measured = dict(rows(chosen.upto, chosen.budget))
    print(table(measured, chosen.upto))
    if chosen.draw:
        chosen.draw.write_text(drawing(measured), "utf-8")


if __name__ == "__main__":
    main()
