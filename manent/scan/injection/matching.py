"""Where the rules match in a reading.

The words of a text say which rules it can match at all (``needs``), and where;
only there, only those are searched for. English is always looked
for; the other languages after a gate of their own words, one pass for all.
Everything is compiled when first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from manent import late
from manent.scan.engine import Offsets, Patterns, Place, Search, beyond_ascii, choice
from manent.scan.injection import english, further, western
from manent.scan.injection.languages import Language, rules
from manent.scan.injection.mood import HOLDS
from manent.scan.injection.needs import Way, ways
from manent.scan.injection.rule import ANY, Rule, compiled, edged, filled
from manent.scan.injection.segment import Segment, segments
from manent.scan.injection.standing import Order, places
from manent.scan.injection.vocabulary import ACROSS, Marks, Parts, Ways, Words, load
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

CLOSE_BYTES = 1500
"""Two stretches at most so far apart are first looked at together: one question costs as
much as to read so many bytes, and most are answered no."""

PATIENCE_BYTES = 4_000
"""How much text is read for the order of a rule's words before the rule is compiled in any
case: what takes about as long. Two fifths of the rules that notes have the words for are then
never compiled (for 80 notes of a real vault 94 of 318 are, in place of 159)."""

OFTEN = 300
"""After how many segments the rules that run on over paragraphs are asked as one: to compile
that takes as long as to ask them one by one so often, 16 ms; it answers in a fifth of the time."""

_PARAGRAPH = late.pattern(r"\n[ \t>]*\n")
"""No order runs on over the end of a paragraph."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule that matches at ``start`` to ``end``, code points of the reading."""

    start: int
    end: int
    rule: Rule


Match = tuple[int, int, Rule]
"""Where a rule matches, in bytes."""


class _Search:
    """One rule and its pattern, compiled when first used."""

    __slots__ = ("_made", "_marks", "_patience", "rule", "source")

    def __init__(self, rule: Rule, source: Callable[[], str]) -> None:
        self.rule = rule
        self._marks = Marks(rule.marks) if rule.marks else None
        self.source = source
        self._made: Search | None = None
        self._patience = PATIENCE_BYTES

    def waits(self, places: list[Place]) -> bool:
        """Whether to ask for the order of the words in ``places`` before the rule is compiled."""
        if self._made is not None:
            return False
        self._patience -= sum(end - begin for begin, end in places)
        return self._patience >= 0

    def find(self, raw: bytes, places: list[Place]) -> list[Match]:
        """Return where the rule matches within each of ``places``, which are in order."""
        marks = self._marks
        if marks:
            places = [place for place in places if marks.stand(raw, *place)]
            if not places:
                return []
        search, rule = self._made or self._compiled, self.rule
        found: list[Match] = []
        for near in _near(places) if len(places) > 1 else (places,):
            if len(near) > 1 and not search.occurs(raw, near[0][0], near[-1][1]):
                continue
            for begin, finish in near:
                for start, end in search.all(raw, begin, finish, MOST):
                    found.append((start, end, rule))
        return found

    @property
    def _compiled(self) -> Search:
        if self._made is None:
            self._made = Search(self.source())
        return self._made


def _near(places: list[Place]) -> Iterator[list[Place]]:
    """Cut places in order where two are far apart."""
    row: list[Place] = []
    for place in places:
        if row and place[0] - row[-1][1] > CLOSE_BYTES:
            yield row
            row = []
        row.append(place)
    if row:
        yield row


class _Union:
    """Rules that are searched for in whole segments, asked as one once they were asked often."""

    __slots__ = ("_asked", "_made", "_searches")

    def __init__(self, searches: Iterable[_Search]) -> None:
        self._searches = tuple(searches)
        self._asked = 0
        self._made: Search | None = None

    def excludes(self, segment: Segment) -> bool:
        """Whether it is known that none of them matches in a segment."""
        self._asked += 1
        if self._asked < OFTEN:
            return False
        if self._made is None:
            self._made = Search("|".join(search.source() for search in self._searches))
        return not self._made.occurs(segment.raw, *segment.whole)


class _Tongue:
    """The searches of one language, by rule, and what tells where which of them can match."""

    __slots__ = ("_across", "_union", "known", "searches", "ways")

    def __init__(self, searches: Sequence[_Search], ways: Ways, known: Words | Parts) -> None:
        self.searches = searches
        self.ways = ways
        self.known = known
        self._across = frozenset(ways.rules(ways.across))
        self._union = _Union(searches[rule] for rule in self._across)

    def find(self, segment: Segment) -> Iterator[Match]:
        """Yield the matches in a segment: each rule only where all that it needs stands."""
        known, order = self.known, None
        if isinstance(known, Words):
            held = known.told(segment.words(plain=known.ascii))
            order = Order(segment.raw, held, plain=known.ascii)
        else:
            held = known.held(segment.lower, segment.heads)
        found = places(segment, self.ways, known, held)
        if not self._across.isdisjoint(found) and self._union.excludes(segment):
            found = {rule: able for rule, able in found.items() if rule not in self._across}
        for rule, able in found.items():
            search = self.searches[rule]
            if order and search.waits(able):
                each = self.ways.of(rule)
                able = [place for place in able if order.holds(place, each)]
            yield from search.find(segment.raw, able)


def candidates(reading: Reading) -> list[Candidate]:
    """Return the matches of all rules whose checks hold, in order of place."""
    raw = reading.raw
    found: set[Match] = set()
    tongues = [_english(), *map(_language, _spoken(raw))]
    for segment in segments(raw):
        for tongue in tongues:
            found.update(tongue.find(segment))
    if not found:
        return []
    return list(_checked(reading, sorted(found, key=lambda f: (f[0], f[1], f[2].kind))))


def _checked(reading: Reading, found: list[Match]) -> Iterator[Candidate]:
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
    searches = tuple(_Search(rule, partial(_source, rule, words, language)) for rule in chosen)
    return _Tongue(searches, *load(code, chosen))


def _source(rule: Rule, words: dict[str, str], language: Language | None) -> str:
    tight = language is not None and language.tight
    source = compiled(rule.pattern, words, tight=tight)
    return edged(source) if language is not None and not tight else source


def needs_of(code: str) -> tuple[list[list[Way]], bool]:
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
