"""Obsidian's ``%%`` comments, which no Markdown parser knows.

Whichever opens first wins: a comment, or what a parser hides (code, fenced, indented
or inline; HTML comments; math). A comment closes at the next ``%%``. One that never
closes hides the rest of the note when it opens a line, and is plain text elsewhere.
"""

from __future__ import annotations

from bisect import bisect_right

from manent import late
from manent.links.parsing import structure_of
from manent.links.structure import blank
from manent.links.wikilink import escaped

_OPENS_LINE = late.pattern(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_SHAPES = late.pattern(r"[\n`~<$\\]")
"""What in a comment could be taken for the beginning or end of something after it."""
_READ_AGAIN = 4 << 20
"""How many characters may be parsed again after comments of one note, beside four times
the note itself: a comment may have held what opened or closed code."""

Span = tuple[int, int]


def without_comments(body: str) -> str:
    """Return ``body`` with its comments blanked, length and lines unchanged."""
    at = body.find("%%")
    if at < 0:
        return body
    left = _READ_AGAIN + 4 * len(body)
    hidden = _hidden(body)
    comments: list[Span] = []
    while at >= 0:
        after = _covering(hidden, at)
        if not after and escaped(body, at):
            after = at + 1
        if after:
            at = body.find("%%", after)
            continue
        end = _end(body, at)
        if end:
            comments.append((at, end))
        shapes = end and _SHAPES.search(body, at, end)
        at = body.find("%%", end or at + 2)
        if at >= 0 and shapes and left > 0:
            hidden = _hidden(blank(body, comments))
            left -= len(body)
    return blank(body, comments)


def _hidden(body: str) -> list[Span]:
    """Return what a parser hides, in order, what overlaps made one."""
    joined: list[Span] = []
    for start, end in sorted(structure_of(body).hidden):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _covering(hidden: list[Span], at: int) -> int:
    """Return where the hidden place around ``at`` ends, 0 where there is none."""
    index = bisect_right(hidden, (at, 1 << 62)) - 1
    return hidden[index][1] if index >= 0 and hidden[index][1] > at else 0


def _end(body: str, start: int) -> int:
    """Return where the comment that opens here ends, 0 where it is none."""
    close = body.find("%%", start + 2)
    if close >= 0:
        return close + 2
    line = body.rfind("\n", 0, start) + 1
    found = _OPENS_LINE.match(body, line, start)
    return len(body) if found is not None and found.end() == start else 0
