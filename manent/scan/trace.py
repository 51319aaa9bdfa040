"""The map from a decoded text back to the text it was decoded from.

A decoded text is a row of pieces; each piece remembers the stretch it came
from. A piece as long as its source maps letter by letter; any other maps as a
whole. Three numbers a piece, and only once somebody asks: most texts have
nothing in them to map back.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable

Piece = tuple[int, int, int]
"""Length in the decoded text; start and end in the source."""


class Trace:
    """The pieces of one decoding, laid out when first asked for.

    pieces: a function that yields them in order, without gaps in the decoded text.
    """

    __slots__ = ("_at", "_begin", "_finish", "_pieces")

    def __init__(self, pieces: Callable[[], Iterable[Piece]]) -> None:
        self._pieces = pieces
        self._at: array[int] = array("q")
        self._begin: array[int] = array("q")
        self._finish: array[int] = array("q")

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the source that ``[start, end)`` was decoded from."""
        self._lay_out()
        first, _ = self._place(start)
        if end <= start:
            return first, first
        _, last = self._place(end - 1)
        return first, max(first, last)

    def _lay_out(self) -> None:
        if self._at:
            return
        at = 0
        for length, begin, finish in self._pieces():
            self._at.append(at)
            self._begin.append(begin)
            self._finish.append(finish)
            at += length
        self._at.append(at)
        self._begin.append(self._finish[-1] if self._finish else 0)
        self._finish.append(self._begin[-1])

    def _place(self, position: int) -> tuple[int, int]:
        """Return the source stretch of the one letter at ``position``."""
        index = max(0, bisect_right(self._at, position) - 1)
        begin, finish = self._begin[index], self._finish[index]
        length = (self._at[index + 1] if index + 1 < len(self._at) else position) - self._at[index]
        if length == finish - begin and length:
            here = begin + position - self._at[index]
            return here, here + 1
        return begin, finish

    @classmethod
    def identity(cls, length: int) -> Trace:
        """Return the trace of a decoding that keeps every letter at its place."""
        return cls(lambda: [(length, 0, length)])

    def then(self, inner: Trace) -> Trace:
        """Return the trace of ``inner`` applied to what this one decoded."""
        return Chain(self, inner)


class Chain(Trace):
    """Two decodings, one after the other."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, outer: Trace, inner: Trace) -> None:
        self._outer = outer
        self._inner = inner

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the outermost source."""
        return self._outer.back(*self._inner.back(start, end))


class Reverse(Trace):
    """A text read from its end."""

    __slots__ = ("_length",)

    def __init__(self, length: int) -> None:
        self._length = length

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the mirrored stretch."""
        return self._length - end, self._length - start
