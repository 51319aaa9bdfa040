"""Where the rules match in a reading.

The words of a text say which rules it can match at all (``needs``), and where;
only there, only those are searched for. English is always looked
for; the other languages after a gate of their own words, one pass for all.
Everything is compiled when first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any

import re2

from manent import late
from manent.scan.engine import Offsets, Patterns, beyond_ascii, choice, options
from manent.scan.injection import english, further, western
from manent.scan.injection.languages import Language, rules
from manent.scan.injection.mood import HOLDS
from manent.scan.injection.needs import Forms, ways
from manent.scan.injection.rule import ANY, Rule, compiled, edged, filled
from manent.scan.injection.vocabulary import (
    LETTERS_ONLY,
    Vocabulary,
    plain_words,
    spaced_words,
    united,
)
from manent.scan.reading import Reading
from manent.values import dataclass

LANGUAGES: tuple[Language, ...] = (
    western.ITALIAN, western.SPANISH, western.FRENCH, western.GERMAN, western.PORTUGUESE,
    further.DUTCH, further.POLISH, further.RUSSIAN, further.TURKISH, further.HINDI,
    further.ARABIC, further.CHINESE, further.JAPANESE, further.KOREAN,
)  # fmt: skip
"""All but English, in the order in which they are tried."""

MOST = 200
"""How many matches of one rule in one stretch are looked at: more say nothing new."""

PIECE_BYTES = 1000
"""A long text is judged by the words of two neighbouring pieces: what a match may span."""

SHORT_BYTES = 4000
"""A paragraph up to this size is not cut into pieces: cheaper than to ask where."""

SEGMENT_BYTES = 1 << 15
"""How much of a text is split into words at a time: bounds what that takes."""


_PARAGRAPH = late.pattern(r"\n[ \t>]*\n")
"""No order runs on over the end of a paragraph."""

_PARAGRAPH_BYTES = late.bytes_pattern(rb"\n[ \t>]*\n")

ACROSS = frozenset({"forged-role"})
"""Kinds whose matches may run on over the end of a paragraph."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule that matches at ``start`` to ``end``, code points of the reading."""

    start: int
    end: int
    rule: Rule


class _Search:
    """One rule and its pattern, compiled when first used."""

    __slots__ = ("_compiled", "_marks", "_source", "rule")

    def __init__(self, rule: Rule, source: Callable[[], str]) -> None:
        self.rule = rule
        self._marks = tuple(mark.encode() for mark in rule.marks)
        self._source = source
        self._compiled: Any = None

    def find(self, raw: bytes, begin: int, finish: int) -> Iterator[tuple[int, int, Rule]]:
        """Yield where the rule matches, unless the marks that it has are not there."""
        if self._marks and all(raw.find(mark, begin, finish) < 0 for mark in self._marks):
            return
        if self._compiled is None:
            self._compiled = re2.compile(self._source(), options())
        for match in islice(self._compiled.finditer(raw, begin, finish), MOST):
            yield (*match.span(), self.rule)


class _Tongue:
    """The searches of one language and the words that tell which of them can match.

    across: the ways of rules that may run on over the end of a paragraph, as bits.
    """

    __slots__ = ("_searches", "_ways", "across", "vocabulary")

    def __init__(self, searches: tuple[_Search, ...], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._searches = searches
        self._ways = [0] * len(searches)
        for way, rule in enumerate(vocabulary.owners):
            self._ways[rule] |= 1 << way
        across = [n for n, search in enumerate(searches) if search.rule.kind in ACROSS]
        self.across = united(self._ways[rule] for rule in across)

    def searches(self, possible: int) -> Iterator[tuple[int, _Search]]:
        """Yield the searches with a way in ``possible``, each with the bits of its ways."""
        owners = self.vocabulary.owners
        while possible:
            rule = owners[(possible & -possible).bit_length() - 1]
            bits = self._ways[rule]
            possible &= ~bits
            yield bits, self._searches[rule]


def candidates(reading: Reading) -> list[Candidate]:
    """Return the matches of all rules whose checks hold, in order of place."""
    raw = reading.raw
    found: set[tuple[int, int, Rule]] = set()
    tongues = [_english(), *map(_language, _spoken(raw))]
    for begin, finish in _cuts(raw, 0, len(raw), SEGMENT_BYTES):
        segment = _Segment(raw, begin, finish)
        for tongue in tongues:
            found.update(_found(tongue, segment))
    if not found:
        return []
    return list(_checked(reading, sorted(found, key=lambda f: (f[0], f[1], f[2].kind))))


def _cuts(raw: bytes, begin: int, finish: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut a text at blanks into segments of about ``size``, each running into the next."""
    while begin < finish:
        end = _blank(raw, begin + size, finish)
        yield begin, _blank(raw, end + 2 * PIECE_BYTES, finish) if end < finish else finish
        begin = end


def _blank(raw: bytes, at: int, finish: int) -> int:
    """Return the first blank at or soon after ``at``, else where a character starts."""
    if at >= finish:
        return finish
    for place in range(at, min(at + 80, finish)):
        if raw[place] in b" \n\t":
            return place
    while at < finish and raw[at] & 0xC0 == 0x80:
        at += 1
    return at


class _Segment:
    """A segment of a text and its paragraphs; their words are cut apart once for all languages."""

    def __init__(self, raw: bytes, begin: int, finish: int) -> None:
        self.raw = raw
        self.begin = begin
        self.finish = finish
        self._bytes = raw[begin:finish]
        self.reach: list[tuple[int, int]] = []
        """Where each paragraph stands, with the break before it and the one after it."""
        self._bare: list[tuple[int, int]] = []
        before = at = 0
        for gap in _PARAGRAPH_BYTES.finditer(self._bytes):
            start, end = gap.span()
            if start > at:
                self.reach.append((begin + before, begin + end))
                self._bare.append((at, start))
            before, at = start, end
        if at < len(self._bytes):
            self.reach.append((begin + before, finish))
            self._bare.append((at, len(self._bytes)))

    @cached_property
    def _letters(self) -> str:
        return self._bytes.translate(LETTERS_ONLY).decode("ascii")

    @cached_property
    def plain(self) -> set[str]:
        """The words; bytes beyond ASCII set words apart."""
        return set(self._letters.split())

    @cached_property
    def spaced(self) -> set[str]:
        """The words."""
        return self.plain if self._bytes.isascii() else set().union(*self.spaced_each)

    @cached_property
    def plain_each(self) -> list[list[str]]:
        """The words of each paragraph, as in ``plain``."""
        return [self._letters[at:end].split() for at, end in self._bare]

    @cached_property
    def spaced_each(self) -> list[list[str]]:
        """The words of each paragraph, as in ``spaced``."""
        if self._bytes.isascii():
            return self.plain_each
        return [self._words(at, end) for at, end in self._bare]

    def _words(self, at: int, end: int) -> list[str]:
        piece = self._bytes[at:end]
        return self._letters[at:end].split() if piece.isascii() else spaced_words(_lower(piece))

    @cached_property
    def lower(self) -> list[str]:
        """Each paragraph in lower case."""
        return [_lower(self._bytes[at:end]) for at, end in self._bare]


def _lower(raw: bytes) -> str:
    return raw.decode("utf-8", "ignore").lower()


def _held(vocabulary: Vocabulary, segment: _Segment) -> dict[str, int]:
    """Return the words or parts of the segment that a rule needs, each with its mask."""
    if vocabulary.parts:
        return vocabulary.held("\n".join(segment.lower))
    return vocabulary.told(segment.plain if vocabulary.ascii else segment.spaced)


def _told(vocabulary: Vocabulary, segment: _Segment, held: dict[str, int]) -> Iterator[int]:
    """Yield for each paragraph the masks of its words, united."""
    if vocabulary.parts:
        for text in segment.lower:
            yield united(mask for part, mask in held.items() if part in text)
        return
    words = held.keys()
    for row in segment.plain_each if vocabulary.ascii else segment.spaced_each:
        yield united(map(held.__getitem__, words & row))


def _found(tongue: _Tongue, segment: _Segment) -> Iterator[tuple[int, int, Rule]]:
    """Yield the matches of one language: each rule only where all that it needs stands."""
    raw, vocabulary, across = segment.raw, tongue.vocabulary, tongue.across
    held = _held(vocabulary, segment)
    able = vocabulary.possible(united(held.values()))
    for _, search in tongue.searches(able & across):
        yield from search.find(raw, segment.begin, segment.finish)
    able &= ~across
    if not able:
        return
    every = vocabulary.every(able)
    held = {word: mask & every for word, mask in held.items() if mask & every}
    for (begin, finish), here in zip(segment.reach, _told(vocabulary, segment, held), strict=True):
        possible = vocabulary.possible(here) & able
        if not possible:
            continue
        if finish - begin > SHORT_BYTES and not vocabulary.parts:
            yield from _within(tongue, possible, raw, begin, finish)
            continue
        for _, search in tongue.searches(possible):
            yield from search.find(raw, begin, finish)


def _within(
    tongue: _Tongue, possible: int, raw: bytes, begin: int, finish: int
) -> Iterator[tuple[int, int, Rule]]:
    """Yield the matches in a long paragraph: where two neighbouring pieces hold all words."""
    vocabulary = tongue.vocabulary
    pieces = []
    while begin < finish:
        end = _blank(raw, begin + PIECE_BYTES, finish)
        piece = raw[begin:end]
        words = plain_words(piece) if _plain(vocabulary, piece) else spaced_words(_lower(piece))
        pieces.append((begin, end, united(vocabulary.told(set(words)).values())))
        begin = end
    after = [told for _, _, told in pieces[1:]] + [0]
    able = [
        (start, end, vocabulary.possible(told | more))
        for (start, end, told), more in zip(pieces, after, strict=True)
    ]
    for bits, search in tongue.searches(possible):
        for start, end in _stretches(able, bits):
            yield from search.find(raw, start, end)


def _plain(vocabulary: Vocabulary, raw: bytes) -> bool:
    return vocabulary.ascii or raw.isascii()


def _stretches(able: list[tuple[int, int, int]], bits: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of pieces each of which, with the one after it, has one of ``bits``."""
    begin = -1
    for start, end, possible in able:
        if possible & bits:
            begin = start if begin < 0 else begin
        elif begin >= 0:
            yield begin, end
            begin = -1
    if begin >= 0:
        yield begin, able[-1][1]


def _checked(reading: Reading, found: list[tuple[int, int, Rule]]) -> Iterator[Candidate]:
    offsets = Offsets(reading.raw, reading.text)
    for begin, finish, rule in found:
        start = offsets.of(begin)
        end = start + len(reading.raw[begin:finish].decode("utf-8", "surrogatepass"))
        start, end = _trimmed(reading.text, start, end)
        if rule.kind not in ACROSS and _PARAGRAPH.search(reading.text, start, end):
            continue
        if all(HOLDS[check](reading.text, start, end) for check in rule.checks):
            yield Candidate(start, end, rule)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the blanks and marks at both ends of a match."""
    while start < end and not text[start].isalnum() and text[start] not in "<[{!`":
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _spoken(raw: bytes) -> list[int]:
    """Return the numbers of the languages whose own words a text holds."""
    gates, numbers = _gates(beyond=False)
    found = [numbers[at] for at in gates.which(raw)]
    if not raw.isascii():
        gates, numbers = _gates(beyond=True)
        found += [numbers[at] for at in gates.which(raw)]
    return found


@cache
def _gates(*, beyond: bool) -> tuple[Patterns, list[int]]:
    """Return the gates of languages, and their numbers: of those that a text of ASCII may
    be in, or of those that it cannot."""
    numbers = [n for n, one in enumerate(LANGUAGES) if beyond_ascii(one.gate) is beyond]
    return Patterns([choice(LANGUAGES[n].gate) for n in numbers]), numbers


@cache
def _english() -> _Tongue:
    return _tongue("en", english.RULES, english.WORDS)


@cache
def _language(number: int) -> _Tongue:
    language = LANGUAGES[number]
    return _tongue(language.code, rules(language), {"all": ANY, **language.words}, language)


def _tongue(
    code: str, chosen: tuple[Rule, ...], words: dict[str, str], language: Language | None = None
) -> _Tongue:
    vocabulary = Vocabulary.load(code)
    searches = tuple(_Search(rule, partial(_source, rule, words, language)) for rule in chosen)
    return _Tongue(searches, vocabulary)


def _source(rule: Rule, words: dict[str, str], language: Language | None) -> str:
    tight = language is not None and language.tight
    source = compiled(rule.pattern, words, tight=tight)
    return edged(source) if language is not None and not tight else source


def needs_of(code: str) -> tuple[list[list[list[Forms]]], bool]:
    """Return what the ways of each rule need, and whether the script sets no words apart.

    For the script that writes the vocabularies; at run time they are read from them.
    """
    if code == "en":
        chosen, words, tight = english.RULES, english.WORDS, False
    else:
        language = next(language for language in LANGUAGES if language.code == code)
        chosen, words, tight = rules(language), {"all": ANY, **language.words}, language.tight
    each = [ways(filled(r.pattern, {"any": ANY, **words}), tight=tight) for r in chosen]
    return each, tight
