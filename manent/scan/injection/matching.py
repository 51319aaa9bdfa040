"""Where the rules match in a reading.

A gate of telling words, one pass for all languages, says which languages to look
for at all; only their rules are compiled (once a process) and run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from manent.scan.engine import Offsets, Patterns
from manent.scan.injection import english, further, western
from manent.scan.injection.languages import Language, rules
from manent.scan.injection.mood import HOLDS
from manent.scan.injection.rule import Rule, compiled, edged
from manent.scan.reading import Reading

LANGUAGES: tuple[Language, ...] = (
    western.ITALIAN, western.SPANISH, western.FRENCH, western.GERMAN, western.PORTUGUESE,
    further.DUTCH, further.POLISH, further.RUSSIAN, further.TURKISH, further.HINDI,
    further.ARABIC, further.CHINESE, further.JAPANESE, further.KOREAN,
)  # fmt: skip
"""All but English, in the order in which they are tried."""

MOST = 2000
"""How many matches of one rule in one text are looked at: more of them say nothing new."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule that matches at ``start`` to ``end``, code points of the reading."""

    start: int
    end: int
    rule: Rule


def candidates(reading: Reading) -> list[Candidate]:
    """Return the matches of all rules whose checks hold, in order of place."""
    found: list[Candidate] = []
    for number in _gate().which(reading.raw):
        chosen, patterns = _language(number)
        for index in patterns.which(reading.raw):
            found.extend(_matches(reading, chosen[index], patterns, index))
    return sorted(found, key=lambda c: (c.start, c.end, c.rule.kind))


def _matches(reading: Reading, rule: Rule, patterns: Patterns, index: int) -> list[Candidate]:
    found: list[Candidate] = []
    offsets = Offsets(reading.raw, reading.text)
    for begin, finish in patterns.locate(index, reading.raw):
        start, end = offsets.of(begin), offsets.of(finish)
        start, end = _trimmed(reading.text, start, end)
        if all(HOLDS[check](reading.text, start, end) for check in rule.checks):
            found.append(Candidate(start, end, rule))
        if len(found) >= MOST:
            break
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the blanks and marks at both ends of a match."""
    while start < end and not text[start].isalnum() and text[start] not in "<[{!`":
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


@cache
def _gate() -> Patterns:
    return Patterns([english.GATE, *(language.gate for language in LANGUAGES)])


@cache
def _language(number: int) -> tuple[tuple[Rule, ...], Patterns]:
    """Return the rules of a language and their patterns; 0 is English."""
    if number == 0:
        patterns = [compiled(rule.pattern, english.WORDS) for rule in english.RULES]
        return english.RULES, Patterns(patterns)
    language = LANGUAGES[number - 1]
    chosen = rules(language)
    words = {"all": "{any}", **language.words}
    plain = [compiled(rule.pattern, words, tight=language.tight) for rule in chosen]
    return chosen, Patterns([p if language.tight else edged(p) for p in plain])
