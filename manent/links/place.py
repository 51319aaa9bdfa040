"""From offsets to lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from manent.links.link import Link


class Places:
    """Lines and columns of growing offsets of one text, each character looked at once."""

    __slots__ = ("done", "line", "newline", "text")

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.line = first_line
        self.newline = -1
        self.done = 0

    def at(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset not smaller than the one before."""
        self.line += self.text.count("\n", self.done, offset)
        last = self.text.rfind("\n", self.done, offset)
        if last >= 0:
            self.newline = last
        self.done = max(self.done, offset)
        return self.line, offset - self.newline


def placed(link: Link, place: tuple[int, int]) -> Link:
    """Return the same link at this line and column."""
    return Link(link.kind, link.target, link.heading, link.block, link.alias, place[0], place[1])


def overlaps(taken: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether one of the places taken, which are in order, shares a character with this."""
    index = bisect_right(taken, (start, end))
    before = index > 0 and taken[index - 1][1] > start
    return before or (index < len(taken) and taken[index][0] < end)
