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


class Patterns:
    """A row of patterns, searched for together and located one by one.

    patterns: RE2 syntax. Raises re2.error where one does not compile.
    """

    __slots__ = ("_located", "_options", "_set", "sources")

    def __init__(self, patterns: Sequence[str], *, case: bool = False) -> None:
        self.sources = tuple(patterns)
        self._options = options(case=case)
        self._set = re2.Set.SearchSet(self._options)
        self._located: dict[int, Any] = {}
        for pattern in self.sources:
            self._set.Add(pattern)
        self._set.Compile()

    def which(self, raw: bytes) -> list[int]:
        """Return the numbers of the patterns that occur in ``raw``, in ascending order."""
        return sorted(self._set.Match(raw) or ())

    def locate(self, number: int, raw: bytes) -> Iterator[tuple[int, int]]:
        """Yield where pattern ``number`` matches, as byte offsets, left to right."""
        pattern = self._located.get(number)
        if pattern is None:
            pattern = re2.compile(self.sources[number], self._options)
            self._located[number] = pattern
        for match in pattern.finditer(raw):
            yield match.span()


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


def runs(pattern: str, raw: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the matches of a case-sensitive pattern of ASCII letters, with byte offsets."""
    for match in _compiled(pattern).finditer(raw):
        begin, finish = match.span()
        yield raw[begin:finish].decode("ascii"), begin, finish


@cache
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern, options(case=True))
