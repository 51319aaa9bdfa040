"""Where the rules match in a reading.

The words of a text say which rules it can match at all (``needs``), and where;
only there, only those are searched for. English is always looked
for; the other languages after a gate of their own words, one pass for all.
Everything is compiled when first needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import re2

from manent.scan.engine import Offsets, Patterns, options
from manent.scan.injection import english, further, western
from manent.scan.injection.languages import Language, rules
from manent.scan.injection.mood import HOLDS
from manent.scan.injection.needs import Forms, needs
from manent.scan.injection.rule import ANY, Rule, compiled, edged, filled
from manent.scan.injection.vocabulary import Said, Vocabulary, united
from manent.scan.reading import Reading

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
"""Below this the rules that are possible are run on the whole: cheaper than to ask where."""

FEW = 8
"""Up to how many rules a short text is not cut into paragraphs for."""

SEGMENT_BYTES = 1 << 15
"""How much of a text is split into words at a time: bounds what that takes."""


_PARAGRAPH = re.compile(r"\n[ \t>]*\n")
"""No order runs on over the end of a paragraph."""

_PARAGRAPH_BYTES = re.compile(rb"\n[ \t>]*\n")

ACROSS = frozenset({"forged-role"})
"""Kinds whose matches may run on over the end of a paragraph."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule that matches at ``start`` to ``end``, code points of the reading."""

    start: int
    end: int
    rule: Rule


class _Search:
    """One rule: the bits of what it needs, and its pattern, compiled when first used."""

    __slots__ = ("_compiled", "_marks", "_source", "needs", "rule")

    def __init__(self, rule: Rule, source: Callable[[], str], needed: int) -> None:
        self.rule = rule
        self.needs = needed
        self._marks = tuple(mark.encode() for mark in rule.marks)
        self._source = source
        self._compiled: Any = None

    def marked(self, segment: bytes) -> bool:
        """Whether a text holds one of the marks of the rule, where it has any."""
        return not self._marks or any(mark in segment for mark in self._marks)

    def find(self, raw: bytes, begin: int, finish: int) -> Iterator[tuple[int, int, Rule]]:
        if self._compiled is None:
            self._compiled = re2.compile(self._source(), options())
        for count, match in enumerate(self._compiled.finditer(raw, begin, finish)):
            if count >= MOST:
                return
            yield (*match.span(), self.rule)


@dataclass(frozen=True, slots=True)
class _Tongue:
    """The searches of one language and the words that tell which of them can match."""

    searches: tuple[_Search, ...]
    vocabulary: Vocabulary


def candidates(reading: Reading) -> list[Candidate]:
    """Return the matches of all rules whose checks hold, in order of place."""
    raw = reading.raw
    found: set[tuple[int, int, Rule]] = set()
    tongues = [_english(), *(_language(number) for number in _gate().which(raw))]
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
    """A segment of a text, and its paragraphs, laid out when first asked for."""

    def __init__(self, raw: bytes, begin: int, finish: int) -> None:
        self.raw = raw
        self.begin = begin
        self.finish = finish
        self.bytes = raw[begin:finish]
        self.said = Said(self.bytes)

    @cached_property
    def paragraphs(self) -> list[tuple[int, int, Said]]:
        """Where each paragraph stands, with the break before it and after it, and its words."""
        found = []
        before = at = 0
        for gap in _PARAGRAPH_BYTES.finditer(self.bytes):
            if gap.start() > at:
                said = Said(self.bytes[at : gap.start()])
                found.append((self.begin + before, self.begin + gap.end(), said))
            before, at = gap.span()
        if at < len(self.bytes):
            found.append((self.begin + before, self.finish, Said(self.bytes[at:])))
        return found


def _found(tongue: _Tongue, segment: _Segment) -> Iterator[tuple[int, int, Rule]]:
    """Yield the matches of one language: each rule only where all that it needs stands."""
    held = tongue.vocabulary.held(segment.said)
    told = united(held.values())
    likely = [s for s in tongue.searches if s.needs & told == s.needs and s.marked(segment.bytes)]
    if not likely:
        return
    needed = united(search.needs for search in likely)
    telling = {word: bits for word, bits in held.items() if bits & needed}
    inside: list[_Search] = []
    whole = len(likely) <= FEW and len(segment.bytes) <= SHORT_BYTES
    for search in likely:
        if whole or search.rule.kind in ACROSS or not search.needs:
            yield from search.find(segment.raw, segment.begin, segment.finish)
        else:
            inside.append(search)
    able: dict[int, list[_Search]] = {0: []}
    for begin, finish, said in segment.paragraphs if inside else ():
        told = tongue.vocabulary.again(said, telling)
        possible = able.get(told)
        if possible is None:
            possible = able[told] = [s for s in inside if s.needs & told == s.needs]
        if possible:
            yield from _within(tongue, possible, segment.raw, begin, finish)


def _within(
    tongue: _Tongue, possible: list[_Search], raw: bytes, begin: int, finish: int
) -> Iterator[tuple[int, int, Rule]]:
    if finish - begin <= SHORT_BYTES or tongue.vocabulary.parts:
        for search in possible:
            yield from search.find(raw, begin, finish)
        return
    pieces = []
    while begin < finish:
        end = _blank(raw, begin + PIECE_BYTES, finish)
        pieces.append((begin, end, tongue.vocabulary.told(raw[begin:end])))
        begin = end
    for search in possible:
        for start, end in _stretches(pieces, search.needs):
            yield from search.find(raw, start, end)


def _stretches(pieces: list[tuple[int, int, int]], needed: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of pieces in which every two neighbours hold all that is needed."""
    begin = -1
    for index, (start, end, told) in enumerate(pieces):
        after = pieces[index + 1] if index + 1 < len(pieces) else (end, end, 0)
        if (told | after[2]) & needed == needed:
            begin = start if begin < 0 else begin
        elif begin >= 0:
            yield begin, end
            begin = -1
    if begin >= 0:
        yield begin, pieces[-1][1]


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


@cache
def _gate() -> Patterns:
    return Patterns([language.gate for language in LANGUAGES])


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
    searches = tuple(
        _Search(rule, partial(_source, rule, words, language), needed)
        for rule, needed in zip(chosen, vocabulary.needs, strict=True)
    )
    return _Tongue(searches, vocabulary)


def _source(rule: Rule, words: dict[str, str], language: Language | None) -> str:
    tight = language is not None and language.tight
    source = compiled(rule.pattern, words, tight=tight)
    return edged(source) if language is not None and not tight else source


def needs_of(code: str) -> tuple[list[list[Forms]], bool]:
    """Return what each rule of a language needs, and whether its script sets no words apart.

    For the script that writes the vocabularies; at run time they are read from them.
    """
    if code == "en":
        chosen, words, tight = english.RULES, english.WORDS, False
    else:
        language = next(language for language in LANGUAGES if language.code == code)
        chosen, words, tight = rules(language), {"all": ANY, **language.words}, language.tight
    each = [needs(filled(r.pattern, {"any": ANY, **words}), tight=tight) for r in chosen]
    return each, tight
