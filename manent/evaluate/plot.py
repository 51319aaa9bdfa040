"""Figures as a drawing: bars with their intervals, one group a metric, one bar a ranker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from manent.evaluate.judge import Judge, Outcome
from manent.evaluate.metrics import METRICS
from manent.evaluate.report import figures, intervals

_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2")
_HEIGHT = 180
_BAR = 16
_GAP = 28
_LEFT = 44
_TOP = 34
_PANEL = _HEIGHT + 70


def drawn(judge: Judge, outcomes: Sequence[Outcome]) -> str:
    """Return an SVG document: a panel a source, from 0 to 1, whiskers the 95% intervals."""
    rows = judge.rows_of()
    group = _BAR * max(1, len(outcomes)) + _GAP
    width = _LEFT + group * len(METRICS) + 130
    height = _TOP + _PANEL * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _text(_LEFT, 18, f"golden set {judge.golden.name}", size=14),
    ]
    shown = [(figures(o, rows), intervals(o, rows)) for o in outcomes]
    for panel, source in enumerate(rows):
        top = _TOP + panel * _PANEL
        parts += _axis(top, group, f"{source}, {len(rows[source])} queries")
        for place, (means, ends) in enumerate(shown):
            for n, metric in enumerate(METRICS):
                x = _LEFT + n * group + place * _BAR + _GAP // 2
                parts += _bar(x, top, means[source][metric], ends[source][metric], place)
    for place, outcome in enumerate(outcomes):
        y = _TOP + 30 + 18 * place
        x = width - 120
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{_colour(place)}"/>')
        parts.append(_text(x + 16, y, outcome.name))
    return "\n".join([*parts, "</svg>", ""])


def _axis(top: int, group: int, title: str) -> Iterator[str]:
    right = _LEFT + group * len(METRICS)
    yield _text(_LEFT, top + 14, title, size=12)
    for tenth in (0, 2, 4, 6, 8, 10):
        y = _y(top, tenth / 10)
        line = f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield line + _text(12, y + 4, f"{tenth / 10:.1f}")
    for n, metric in enumerate(METRICS):
        yield _text(_LEFT + n * group + _GAP // 2, _y(top, 0) + 16, metric)


def _bar(x: int, top: int, mean: float, ends: Sequence[float], place: int) -> Iterator[str]:
    y, floor = _y(top, mean), _y(top, 0)
    middle = x + (_BAR - 2) / 2
    yield (
        f'<rect x="{x}" y="{y:.1f}" width="{_BAR - 2}" height="{floor - y:.1f}" '
        f'fill="{_colour(place)}"><title>{mean:.4f} ({ends[0]:.4f} to {ends[1]:.4f})</title></rect>'
    )
    low, high = _y(top, ends[0]), _y(top, ends[1])
    yield f'<line x1="{middle}" x2="{middle}" y1="{low:.1f}" y2="{high:.1f}" stroke="#222"/>'


def _y(top: int, value: float) -> float:
    return top + 24 + _HEIGHT * (1 - min(1.0, max(0.0, value)))


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


def _text(x: float, y: float, text: str, size: int = 11) -> str:
    printable = "".join(c for c in text if c.isprintable())
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}">{escape(printable)}</text>'
