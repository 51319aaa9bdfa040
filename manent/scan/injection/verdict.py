"""What the matches of a reading are worth together.

A strong match is said alone. Soft ones are said when who is spoken to and what
is ordered stand close to each other, or when a person would not see them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from manent import late
from manent.finding import digest_of
from manent.scan.injection.carriers import SOFT_ENOUGH, Carriers
from manent.scan.injection.kinds import ORDERS
from manent.scan.injection.matching import Candidate
from manent.scan.reading import PLAIN, Reading
from manent.scan.span import Context, Family, Span, mask

STRONG = 2
"""The weight at which a match is said alone."""

NEAR = 220
"""How far apart two soft signs of one attack may stand, in letters."""

PAIRS = frozenset(
    {
        ("address", "concealment"), ("address", "exfiltration"), ("address", "tool-bait"),
        ("address", "memory-poison"), ("address", "hijack"), ("forged-role", "concealment"),
        ("forged-role", "exfiltration"), ("forged-role", "forged-role"), ("forged-role", "hijack"),
        ("concealment", "exfiltration"), ("forged-role", "tool-bait"),
        ("forged-role", "memory-poison"),
    }
)  # fmt: skip
"""Who is spoken to, or that it is kept secret, and what is ordered."""

SPELLED = frozenset(
    {"base64", "base32", "hex", "rot13", "reversed", "reversed-words", "tags"}
    | {"variation-selectors", "invisible-bits"}
)
"""Layers of which every word was hidden; the others show a text and hide parts of it."""

_NAMES_A_MODEL = late.pattern(
    r"\b(?:a\.?i|llm|language model|chat ?bot|gpt|chatgpt|claude|copilot|gemini|assistants?)\b",
    re.I,
)


class _Place:
    """What is known of a reading while its matches are judged."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        layers = reading.layer.split("+")
        self.hidden = not SPELLED.isdisjoint(layers)

    @cached_property
    def carriers(self) -> Carriers:
        return Carriers(self.reading.text)

    def in_the_open(self, candidate: Candidate) -> bool:
        """Whether a person who reads the note sees the words of a match as they stand."""
        if self.carriers.holding(candidate.start, candidate.end):
            return False
        return self.reading.verbatim(candidate.start, candidate.end)

    def layer(self, candidate: Candidate) -> str:
        """Return the layer of a match: the reading's and the carrier it stands in."""
        carrier = self.carriers.holding(candidate.start, candidate.end)
        if not carrier:
            return self.reading.layer
        return carrier if self.reading.layer == PLAIN else f"{self.reading.layer}+{carrier}"


def judged(reading: Reading, context: Context, found: list[Candidate]) -> Iterator[Span]:
    """Yield the matches that are worth a finding.

    found: in order of place.
    """
    place = _Place(reading)
    soft: list[Candidate] = []
    said: dict[str, int] = {}
    for candidate in found:
        weight = _weight(reading, candidate)
        if weight >= STRONG:
            kind = candidate.rule.kind
            if candidate.start < said.get(kind, 0):
                continue  # two rules of a kind over the same words are one finding
            span = _span(place, context, candidate)
            if span is not None:
                said[kind] = candidate.end
                yield span
        elif weight:
            soft.append(candidate)
    if soft:
        yield from _together(place, context, soft)


def _weight(reading: Reading, candidate: Candidate) -> int:
    rule = candidate.rule
    if rule.quoted is not None and reading.in_code(candidate.start, candidate.end):
        return rule.quoted
    return rule.weight


def _together(place: _Place, context: Context, soft: list[Candidate]) -> Iterator[Span]:
    starts = [candidate.start for candidate in soft]
    for index, candidate in enumerate(soft):
        if _unseen(place, candidate) or _paired(soft, starts, index):
            span = _span(place, context, candidate)
            if span is not None:
                yield span


def _unseen(place: _Place, candidate: Candidate) -> bool:
    """Whether a soft sign stands where no person reads, and speaks to a model."""
    if candidate.rule.kind not in ("address", "exfiltration"):
        return False
    words = place.reading.text[candidate.start : candidate.end]
    english = candidate.rule.language == "en"  # elsewhere the sentence itself names a model
    if candidate.rule.kind == "address" and english and not _NAMES_A_MODEL.search(words):
        return False
    return place.hidden or place.carriers.holding(candidate.start, candidate.end) in SOFT_ENOUGH


def _paired(soft: list[Candidate], starts: list[int], index: int) -> bool:
    here = soft[index]
    first = bisect_left(starts, here.start - NEAR)
    for other in soft[first : first + 64]:
        if other.start > here.end + NEAR:
            break
        apart = other.start >= here.end or here.start >= other.end
        kinds = (here.rule.kind, other.rule.kind)
        if apart and (kinds in PAIRS or kinds[::-1] in PAIRS):
            return True
    return False


def _span(place: _Place, context: Context, candidate: Candidate) -> Span | None:
    reading = place.reading
    layer = place.layer(candidate)
    if context.addressed and candidate.rule.kind in ORDERS and place.in_the_open(candidate):
        return None
    start, end = reading.origin(candidate.start, candidate.end)
    words = reading.text[candidate.start : candidate.end]
    return Span(
        start=start,
        end=end,
        family=Family.INJECTION,
        kind=candidate.rule.kind,
        layer=layer,
        masked=masked(words),
        digest=digest_of(canonical(words)),
        mention=reading.mention(candidate.start, candidate.end),
    )


def canonical(words: str) -> str:
    """Return the words without case, spacing and punctuation: what a digest is taken of."""
    return "".join(c for c in words.casefold() if c.isalnum())


def masked(words: str) -> str:
    """Return the first word's first letters and how many words follow, never the order itself."""
    count = len(words.split())
    head = mask(words.strip()[:12])
    return f"{head} ({count} words)" if count > 1 else head
