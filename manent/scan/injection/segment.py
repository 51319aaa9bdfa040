"""A segment of a text and its paragraphs: their words are cut apart once for all languages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import chain, pairwise
from operator import add

from manent import late
from manent.scan.engine import Place
from manent.scan.injection.vocabulary import lower_case, plain_letters, spaced_words

SEGMENT_BYTES = 1 << 15
"""How much of a text is split into words at a time: bounds what that takes."""

OVERLAP_BYTES = 2000
"""How far a segment runs into the next: what a match may span."""

_BREAK = late.bytes_pattern(rb"\n[ \t>]*\n")
"""No order runs on over the end of a paragraph."""


class Segment:
    """What stands in ``raw`` from ``begin`` to ``finish``."""

    def __init__(self, raw: bytes, begin: int, finish: int) -> None:
        self.raw = raw
        self.whole = begin, finish
        self._bytes = raw[begin:finish]
        last = len(self._bytes)
        gaps = [gap.span() for gap in _BREAK.finditer(self._bytes)]
        self._breaks: list[Place] = [(0, 0), *gaps, (last, last)]
        letters = plain_letters(self._bytes)
        self._plain: list[Collection[str]] = [
            letters[start:end].split() for start, end in self._stretches
        ]
        self._every_plain = set(chain.from_iterable(self._plain))

    @property
    def _stretches(self) -> Iterator[Place]:
        """Where in the segment each paragraph stands, without the breaks around it."""
        for (_, start), (end, _) in pairwise(self._breaks):
            yield start, end

    def each(self, *, plain: bool) -> list[Collection[str]]:
        """Return the words of each paragraph; plain: bytes beyond ASCII set words apart."""
        return self._plain if plain else self._spaced

    def words(self, *, plain: bool) -> set[str]:
        """Return the words of all paragraphs."""
        return self._every_plain if plain else self._every_spaced

    @cached_property
    def _every_spaced(self) -> set[str]:
        return set(chain.from_iterable(self._spaced))

    @cached_property
    def _spaced(self) -> list[Collection[str]]:
        texts = [self._bytes[start:end] for start, end in self._stretches]
        return [
            words if text.isascii() else spaced_words(text)
            for text, words in zip(texts, self._plain, strict=True)
        ]

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return lower_case(self._bytes)

    @cached_property
    def heads(self) -> set[str]:
        """What the text in lower case has of characters, alone and in twos."""
        lower = self.lower
        return {*lower, *map(add, lower, lower[1:])}

    @cached_property
    def lower_each(self) -> list[str]:
        """Each paragraph in lower case."""
        return [lower_case(self._bytes[start:end]) for start, end in self._stretches]

    def place(self, number: int) -> Place:
        """Return where a paragraph stands, with the break before it and the one after it."""
        begin = self.whole[0]
        return begin + self._breaks[number][0], begin + self._breaks[number + 1][1]


def segments(raw: bytes) -> Iterator[Segment]:
    """Cut a text at blanks into segments, each running into the next."""
    begin = 0
    while begin < len(raw):
        end = blank(raw, begin + SEGMENT_BYTES)
        yield Segment(raw, begin, blank(raw, end + OVERLAP_BYTES))
        begin = end


def blank(raw: bytes, at: int) -> int:
    """Return the first blank at or soon after ``at``, else where a character starts."""
    if at >= len(raw):
        return len(raw)
    for place in range(at, min(at + 80, len(raw))):
        if raw[place] in b" \n\t":
            return place
    while at < len(raw) and raw[at] & 0xC0 == 0x80:
        at += 1
    return at
