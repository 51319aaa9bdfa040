"""Many patterns at once over UTF-8, in linear time: a thin wrapper of RE2.

One pass of a ``Set`` says which patterns occur at all; only those are then
located. ``\\b``, ``\\w`` and ``\\s`` are ASCII in RE2 and there is no look-around:
what a pattern cannot say, a validator says of its candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import re2

from manent import late

MEMORY_BYTES = 64 << 20
"""What one set may spend on its automaton. RE2 drops and rebuilds states beyond it."""


def options(*, case: bool = False, memory: int = MEMORY_BYTES) -> Any:
    """Return RE2 options: UTF-8, case folded unless ``case``, quiet, no captures."""
    chosen = re2.Options()
    chosen.case_sensitive = case
    chosen.max_mem = memory
    chosen.log_errors = False
    chosen.never_capture = True
    return chosen


Place = tuple[int, int]
"""Where something begins and ends, in bytes."""

ANYWHERE = re2._Anchor.UNANCHORED
"""That a match may begin anywhere."""


class Search:
    """One pattern over bytes, asked through the engine itself.

    The module's own search wraps each answer in objects and costs 3 µs more a
    question, of which a note of 2 KB asks a dozen.
    """

    __slots__ = ("_match",)

    def __init__(self, source: str | bytes, *, case: bool = False) -> None:
        self._match = re2.compile(source, options(case=case))._regexp.Match

    def first(self, raw: bytes, at: int = 0) -> Place | None:
        """Return where the pattern first matches from ``at`` on, as byte offsets."""
        place: Place = self._match(ANYWHERE, raw, at, len(raw))[0]
        return None if place[0] < 0 else place

    def occurs(self, raw: bytes, begin: int, finish: int) -> bool:
        """Whether the pattern matches between two places; what stands around them is seen."""
        return bool(self._match(ANYWHERE, raw, begin, finish)[0][0] >= 0)

    def all(self, raw: bytes, begin: int, finish: int, most: int = 1 << 62) -> list[Place]:
        """Return where the pattern matches between two places, left to right, at most ``most``."""
        found: list[Place] = []
        while len(found) < most:
            place: Place = self._match(ANYWHERE, raw, begin, finish)[0]
            start, end = place
            if start < 0:
                break
            found.append(place)
            if begin == finish:
                break
            begin = end if end > begin else begin + 1
        return found


class Patterns:
    """A row of patterns, searched for together and located one by one.

    patterns: RE2 syntax. Raises re2.error where one does not compile.
    """

    __slots__ = ("_case", "_located", "_match", "sources")

    def __init__(self, patterns: Sequence[str], *, case: bool = False) -> None:
        self.sources = tuple(patterns)
        self._case = case
        self._located: dict[int, Search] = {}
        together = re2.Set.SearchSet(options(case=case))
        for pattern in self.sources:
            together.Add(pattern)
        together.Compile()
        self._match = together._set.Match

    def which(self, raw: bytes) -> list[int]:
        """Return the numbers of the patterns that occur in ``raw``, in ascending order."""
        return sorted(self._match(raw))

    def locate(self, number: int, raw: bytes) -> Iterator[tuple[int, int]]:
        """Yield where pattern ``number`` matches, as byte offsets, left to right."""
        pattern = self._located.get(number)
        if pattern is None:
            pattern = self._located[number] = Search(self.sources[number], case=self._case)
        yield from pattern.all(raw, 0, len(raw))


def branches(pattern: str) -> list[str]:
    """Return the alternatives of a pattern at its top: ``a|b(?:c|d)`` as ``a``, ``b(?:c|d)``."""
    return list(_branches(pattern))


@cache
def _branches(pattern: str) -> tuple[str, ...]:
    cut, depth = [0], 0
    for found in _MARKS.finditer(pattern):
        mark = found[0]
        if mark == "|" and not depth:
            cut.append(found.end())
        elif mark in "()":
            depth += 1 if mark == "(" else -1
    return tuple(pattern[a : b - 1] for a, b in pairwise((*cut, len(pattern) + 1)))


_MARKS = late.pattern(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|[()|]", re.DOTALL)
"""Escaped letters and whole classes of characters, in which no sign means anything, and
the signs that do."""


def choice(*patterns: str) -> str:
    """Return one pattern for all, its alternatives sorted.

    RE2 shares what neighbours begin with: the automaton of the sorted words is a
    third to a quarter of the work to build (1,081 words of gates: 82 for 303 ms of
    first use on 1.6 MB). For questions of yes or no: it may match elsewhere.
    """
    return "|".join(sorted({branch for pattern in patterns for branch in branches(pattern)}))


@cache
def beyond_ascii(pattern: str) -> bool:
    """Whether every match of a pattern must hold a letter beyond ASCII."""
    if pattern.isascii():
        return False
    plain = (_GROUP.sub("", branch) for branch in branches(pattern))
    return all(_BEYOND.search(branch) for branch in plain)


_GROUP = late.pattern(r"\((?:[^()]|\([^()]*\))*\)[?*]?|\[[^\]]*\][?*]?|\\.")
_BEYOND = late.pattern(r"[^\x00-\x7f](?![?*{])")


class Offsets:
    """Byte offsets of a UTF-8 text as code points, in one walk for rising offsets."""

    __slots__ = ("_bytes", "_plain", "_points", "_raw")

    def __init__(self, raw: bytes, text: str) -> None:
        self._raw = raw
        self._plain = len(raw) == len(text)
        self._bytes = 0
        self._points = 0

    def of(self, offset: int) -> int:
        """Return how many code points stand before byte ``offset``.

        Cheap when it is at or after the last one asked for; starts over when not.
        """
        if self._plain:
            return offset
        if offset < self._bytes:
            self._bytes = self._points = 0
        self._points += len(self._raw[self._bytes : offset].decode("utf-8", "surrogatepass"))
        self._bytes = offset
        return self._points


def runs(pattern: str, raw: bytes) -> list[tuple[str, int, int]]:
    """Return the matches of a case-sensitive pattern of ASCII letters, with byte offsets."""
    places = _compiled(pattern).all(raw, 0, len(raw))
    return [(raw[begin:finish].decode("ascii"), begin, finish) for begin, finish in places]


@cache
def _compiled(pattern: str) -> Search:
    return Search(pattern, case=True)
