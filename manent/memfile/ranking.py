"""The project's lexical ranker, over texts in memory and without arrays.

A prompt hook has a quarter of a second, half of which importing numpy would take.
So the formula of ``manent.search``, with its constants and words, is applied here in
plain Python, which a few thousand sections allow; a property test holds that
both rank alike (``tests/properties/test_memory_ranking.py``). How scores come
about, and where the formula is from, stands in ``manent.search.bm25``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from manent.search.asked import Asked, words_of
from manent.search.constants import CUT_OFF, DEFAULTS, FUZZY_SHORTEST_STEM, LIFTED, LIMITS
from manent.search.languages import CODES, EVIDENCE, MINIMUM, STOP_BITS, stemmer
from manent.search.tokenizer import Form, analyse, raw_tokens

_NEAR_WEIGHTS = {"prefix": DEFAULTS.prefix_weight, "fuzzy": DEFAULTS.fuzzy_weight}

Term = tuple[str, int]
"""A stem and the place of its language; -1 for what is no word of a language."""


class Text(NamedTuple):
    """One thing to be found: what ``manent.search.postings.Document`` holds of a note."""

    name: str
    description: str
    headings: str
    body: str


class Found(NamedTuple):
    """A text found, by its place in the sequence that was indexed."""

    place: int
    score: float


@dataclass(slots=True)
class _Indexed:
    """Counts of each term by field, and the words each field has."""

    terms: dict[Term, list[int]]
    lengths: tuple[int, ...]
    language: int


class Ranker:
    """An index of texts in memory. Building takes linear time; it never changes."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self._texts = [_indexed(text) for text in texts]
        self._postings: dict[Term, list[int]] = {}
        for place, indexed in enumerate(self._texts):
            for term in indexed.terms:
                self._postings.setdefault(term, []).append(place)
        totals = [sum(i.lengths[f] for i in self._texts) for f in range(4)]
        self._means = [total / max(1, len(self._texts)) for total in totals]
        self._languages = sorted({indexed.language for indexed in self._texts})

    def search(self, query: str, k: int) -> list[Found]:
        """Return the ``k`` best texts, best first, equals in their own order; [] for no hit."""
        asked = words_of(query)
        ignored = [_grammar(asked, place) for place in range(len(CODES))]
        scores: dict[int, float] = {}
        held: dict[int, float] = {}
        whole = 0.0
        for word in asked:
            most, gained = self._gained(word, ignored)
            whole += most
            for place, gain in gained.items():
                scores[place] = scores.get(place, 0.0) + gain
                held[place] = held.get(place, 0.0) + most
        best = sorted(scores, key=lambda place: (-scores[place], place))
        for place in best[:LIFTED] if whole else ():
            scores[place] *= 1.0 + DEFAULTS.coverage * (held[place] / whole)
        best.sort(key=lambda place: (-scores[place], place))
        return [Found(place, scores[place]) for place in best[:k] if scores[place] > 0]

    def _gained(self, asked: Asked, ignored: list[int]) -> tuple[float, dict[int, float]]:
        """Return the most one word of the query can give, and what it gives to each text."""
        weight = 1.0
        if asked.compound:
            weight = DEFAULTS.compound_weight
        elif asked.lone:
            weight = DEFAULTS.lone_weight
        terms = self._terms(asked, ignored)
        matched = [(term, weight) for term in terms if term in self._postings]
        near = False
        if not matched and not _bits(asked) & _any(ignored):
            matched, near = self._nearly(asked, terms, weight), True
        df = min(len(self._texts), sum(len(self._postings[term]) for term, _ in matched))
        idf = math.log(1 + (len(self._texts) - df + 0.5) / (df + 0.5))
        gained: dict[int, float] = {}
        for term, kept in matched:
            for place in self._postings[term]:
                tf = self._frequency(place, term)
                gain = tf / (DEFAULTS.k1 + tf) * (asked.times * kept * idf)
                gained[place] = max(gained.get(place, 0.0), gain) if near else gain
        most = max((asked.times * kept * idf for _, kept in matched), default=0.0)
        return most, gained

    def _terms(self, asked: Asked, ignored: list[int]) -> list[Term]:
        if not asked.word:
            return [(asked.text, -1)]
        bits = _bits(asked)
        return [_term(asked.text, p) for p in self._languages if not bits & ignored[p]]

    def _frequency(self, place: int, term: Term) -> float:
        indexed = self._texts[place]
        tf = 0.0
        for field, count in enumerate(indexed.terms[term]):
            if count:
                mean = self._means[field]
                norm = (
                    1 - DEFAULTS.b[field] + DEFAULTS.b[field] * indexed.lengths[field] / mean
                    if mean
                    else 1.0
                )
                tf += DEFAULTS.weights[field] * min(count, LIMITS[field]) / norm
        return tf

    def _nearly(self, asked: Asked, terms: list[Term], weight: float) -> list[tuple[Term, float]]:
        """Return the terms that stand in for a word that no text holds."""
        found: list[Term] = []
        kind = "prefix"
        if len(asked.text) >= DEFAULTS.prefix_shortest:
            found = self._begun(asked)
        if not found and asked.word and len(asked.text) >= DEFAULTS.fuzzy_shortest:
            kind = "fuzzy"
            found = self._misspelled(asked.text, terms)
        frequent = sorted(found, key=lambda t: (-len(self._postings[t]), t[0], _code(t)))
        return [(term, weight * _NEAR_WEIGHTS[kind]) for term in frequent[: DEFAULTS.expansions]]

    def _begun(self, asked: Asked) -> list[Term]:
        text, shortest = asked.text, max(DEFAULTS.prefix_shortest, len(asked.text) - CUT_OFF)
        found = []
        for term in self._postings:
            stem, place = term
            if asked.word and place >= 0 and text.startswith(stem) and shortest <= len(stem):
                begun = len(stem) < len(text)
            else:
                begun = False
            joined = place < 0 and ("-" in stem or "." in stem)
            longer = stem.startswith(text) and joined == _is_joined(asked)
            if (begun or longer) and not _is_grammar(term):
                found.append(term)
        return found

    def _misspelled(self, text: str, terms: list[Term]) -> list[Term]:
        wanted = {(stem, p) for stem_, p in terms for stem in (text, stem_)}
        wanted = {(stem, p) for stem, p in wanted if len(stem) >= FUZZY_SHORTEST_STEM}
        return [
            term
            for term in self._postings
            if any(place == term[1] and _misspells(stem, term[0]) for stem, place in wanted)
            and not _is_grammar(term)
        ]


def _indexed(text: Text) -> _Indexed:
    counts = [Counter(raw_tokens(field)) for field in text]
    forms = [[(form, n) for raw, n in c.items() for form in _analysed(raw)] for c in counts]
    language = _language(forms)
    terms: dict[Term, list[int]] = {}
    lengths = [0, 0, 0, 0]
    for field, found in enumerate(forms):
        for form, times in found:
            place = language if form.word else -1
            terms.setdefault(_term(form.text, place), [0, 0, 0, 0])[field] += times
            if form.counted and not (form.word and STOP_BITS.get(form.text, 0) >> language & 1):
                lengths[field] += times
    return _Indexed(terms, tuple(lengths), language)


@lru_cache(maxsize=1 << 15)
def _analysed(raw: bytes) -> tuple[Form, ...]:
    return analyse(raw)


def _language(forms: Sequence[Sequence[tuple[Form, int]]]) -> int:
    """Return the place of the language that most words of grammar speak for."""
    evidence = [0] * len(CODES)
    for field in forms:
        for form, times in field:
            bits = STOP_BITS.get(form.text, 0) if form.word else 0
            for place in range(len(CODES)) if bits else ():
                if bits >> place & 1:
                    evidence[place] += EVIDENCE[bits] * times
    most = max(evidence)
    return evidence.index(most) if most >= MINIMUM else 0


@lru_cache(maxsize=1 << 15)
def _term(text: str, place: int) -> Term:
    if place < 0:
        return (text, -1)
    stop = STOP_BITS.get(text, 0) >> place & 1
    return (text if stop else stemmer(place).stemWord(text), place)


def _bits(asked: Asked) -> int:
    return STOP_BITS.get(asked.text, 0) if asked.word else 0


def _grammar(asked: Sequence[Asked], place: int) -> int:
    """Return a language's bit if its grammar is left out: not where nothing else is asked."""
    bit = 1 << place
    return 0 if all(a.word and _bits(a) & bit for a in asked) else bit


def _any(ignored: Iterable[int]) -> int:
    bits = 0
    for bit in ignored:
        bits |= bit
    return bits


def _is_joined(asked: Asked) -> bool:
    return not asked.word and ("-" in asked.text or "." in asked.text)


def _code(term: Term) -> str:
    return CODES[term[1]] if term[1] >= 0 else ""


def _is_grammar(term: Term) -> bool:
    return term[1] >= 0 and bool(STOP_BITS.get(term[0], 0) >> term[1] & 1)


def _misspells(stem: str, other: str) -> bool:
    """Whether a term may stand in for a stem: short ones only where they begin alike."""
    size = len(other.encode("utf-8", "surrogatepass"))
    begins = other.startswith(stem[: len(stem) // 2])
    return (begins or size >= FUZZY_SHORTEST_STEM) and _one_slip(stem, other)


def _one_slip(one: str, other: str) -> bool:
    """Whether one insertion, deletion, change or swap of neighbours makes one the other."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    if len(a) == len(b):
        swapped = len(a) >= 2 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
        return a[1:] == b[1:] or swapped
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    return longer[1:] == shorter
