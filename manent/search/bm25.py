"""BM25F over what one asker may see, and nothing else.

A ``Scope`` is fixed before any statistic: the number of documents, document
frequencies, mean lengths, and which terms exist to be expanded to, all count
visible documents alone. So the answer is that of an index of those documents,
to the last bit: sums of counts are whole numbers, and each document's score is
added up in the order of the query's words, by the same operations on doubles.

For each word of the query that a document holds::

    tf    = sum over fields of  weight_f * count_f / (1 - b_f + b_f * length_f / mean_f)
    idf   = ln(1 + (n - df + 0.5) / (df + 0.5))
    score = times * idf * tf / (k1 + tf)

Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond", 2009, section 3.6 (BM25F); the idf is Lucene's, which is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.search.expansion import Candidate, expansions
from manent.search.postings import FIELDS, LIMITS, SHIFTS
from manent.search.query import Asked, Question
from manent.search.rank import by_id
from manent.search.segment import Segment

Visible = NDArray[np.bool_] | Callable[[NDArray[np.int64]], NDArray[np.bool_]] | None
"""Who is seen: an array by document id (ids past its end are hidden), a function
of an array of ids, or None for everyone."""


@dataclass(frozen=True, slots=True)
class Constants:
    """What a sweep chooses. Weights and b are per field: name, description, headings, body.

    prefix_weight, fuzzy_weight: what a term keeps that was only nearly asked for.
    expansions: how many such terms stand in for one word at most.
    """

    k1: float = 1.2
    weights: tuple[float, float, float, float] = (2.0, 1.5, 1.2, 1.0)
    b: tuple[float, float, float, float] = (0.5, 0.5, 0.5, 0.75)
    prefix_weight: float = 0.5
    fuzzy_weight: float = 0.4
    prefix_shortest: int = 5
    fuzzy_shortest: int = 6
    expansions: int = 8


DEFAULTS = Constants()


@dataclass(frozen=True, slots=True)
class Contribution:
    """One line of the arithmetic of a score: what one term added.

    word: as asked. term: as indexed. kind: ``exact``, ``prefix`` or ``fuzzy``.
    times: occurrences in the query, times what the kind keeps.
    counts, norms: by field; tf: the weighted sum of counts over norms.
    """

    word: str
    term: str
    kind: str
    times: float
    counts: dict[str, int]
    norms: dict[str, float]
    tf: float
    df: int
    documents: int
    idf: float
    score: float


@dataclass(frozen=True, slots=True)
class Part:
    """One segment of a scope. live: which documents count (None: all). base: where it starts."""

    segment: Segment
    live: NDArray[np.bool_] | None
    base: int

    def postings(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the visible postings of a term."""
        documents, packed = self.segment.postings(number)
        if self.live is None:
            return documents, packed
        kept = self.live[documents]
        return documents[kept], packed[kept]


@dataclass(frozen=True, slots=True)
class _Matched:
    """Where one term of a query stands. found: a part and its postings, where not empty."""

    term: bytes
    kind: str
    weight: float
    found: list[tuple[int, NDArray[np.int64], NDArray[np.uint32]]]


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of a query and all that matches it. df: visible documents that do."""

    asked: Asked
    df: int
    matched: list[_Matched]


class Scope:
    """The documents one asker may see, ready to be ranked. Make one per View and keep it.

    documents: how many are visible. ids: of all places of ``scores``, in order.
    """

    def __init__(
        self, held: Sequence[tuple[Segment, NDArray[np.bool_] | None]], visible: Visible = None
    ) -> None:
        self.parts: list[Part] = []
        self.documents = 0
        base = 0
        totals = np.zeros(len(FIELDS), np.int64)
        for segment, alive in held:
            live = _seen(segment, alive, visible)
            self.parts.append(Part(segment, live, base))
            base += segment.documents
            shown = segment.lengths if live is None else segment.lengths[:, live]
            self.documents += shown.shape[1]
            totals += shown.sum(axis=1, dtype=np.int64)
        self._size = base
        self._totals: list[int] = totals.tolist()
        self._norms: tuple[tuple[float, ...], list[list[NDArray[np.float64]]]] | None = None
        self.languages = tuple(sorted({p for part in self.parts for p in part.segment.languages}))

    @property
    def ids(self) -> NDArray[np.int64]:
        """The document id of each place of ``scores``; hidden ones score 0."""
        if not self.parts:
            return np.zeros(0, np.int64)
        return np.concatenate([part.segment.ids for part in self.parts])

    def identify(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ids of documents at these places of ``scores``."""
        ids = np.empty(len(places), np.int64)
        for part in self.parts:
            here = (places >= part.base) & (places < part.base + part.segment.documents)
            ids[here] = part.segment.ids[places[here] - part.base]
        return ids

    def words(self, question: Question, constants: Constants = DEFAULTS) -> list[_Word]:
        """Return what matches each word of a question among visible documents."""
        found = []
        for asked in question.words:
            terms = [(t, "exact", 1.0) for t in question.terms(asked, self.languages)]
            matched = self._matched(terms)
            if not matched:
                matched = self._matched(self._nearly(question, asked, constants))
            if matched:
                df = sum(len(d) for match in matched for _, d, _ in match.found)
                found.append(_Word(asked, min(df, self.documents), matched))
        return found

    def scores(self, words: list[_Word], constants: Constants = DEFAULTS) -> NDArray[np.float64]:
        """Return the score of every place, 0 where nothing matched or nobody may look."""
        total = np.zeros(self._size)
        norms = self._norms_of(constants)
        for word in words:
            idf = self.idf(word.df)
            target = total if word.matched[0].kind == "exact" else np.zeros(self._size)
            for match in word.matched:
                factor = word.asked.times * match.weight * idf
                for place, documents, packed in match.found:
                    tf = _frequencies(documents, packed, norms[place], constants.weights)
                    gained = factor * (tf / (constants.k1 + tf))
                    places = documents + self.parts[place].base
                    if target is total:  # alternatives of an exact word never share a document
                        total[places] += gained
                    else:
                        target[places] = np.maximum(target[places], gained)
            if target is not total:
                total += target
        return total

    def explain(
        self, words: list[_Word], place: int, constants: Constants = DEFAULTS
    ) -> tuple[Contribution, ...]:
        """Return the lines of arithmetic that make up the score of one place."""
        lines = []
        for word in words:
            options = [
                line
                for match in word.matched
                if (line := self._line(word, match, place, constants)) is not None
            ]
            if options:
                lines.append(max(options, key=lambda line: line.score))
        return tuple(lines)

    def idf(self, df: int) -> float:
        """Return the weight of a word that ``df`` visible documents hold."""
        return math.log(1 + (self.documents - df + 0.5) / (df + 0.5))

    def _matched(self, terms: list[tuple[bytes, str, float]]) -> list[_Matched]:
        matched = []
        for term, kind, weight in terms:
            found = list(self._found(term))
            if found:
                matched.append(_Matched(term, kind, weight, found))
        return matched

    def _found(self, term: bytes) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.uint32]]]:
        for place, part in enumerate(self.parts):
            number = part.segment.find(term)
            if number >= 0:
                documents, packed = part.postings(number)
                if documents.size:
                    yield place, documents, packed

    def _nearly(
        self, question: Question, asked: Asked, constants: Constants
    ) -> list[tuple[bytes, str, float]]:
        weights = {"prefix": constants.prefix_weight, "fuzzy": constants.fuzzy_weight}
        held = [(part.segment, part.live) for part in self.parts]
        near: list[Candidate] = expansions(
            held,
            asked,
            [] if not asked.word else question.terms(asked, self.languages),
            prefix_shortest=constants.prefix_shortest,
            fuzzy_shortest=constants.fuzzy_shortest,
            most=constants.expansions,
        )
        return [(c.term, c.kind, weights[c.kind]) for c in near if weights[c.kind] > 0]

    def _norms_of(self, constants: Constants) -> list[list[NDArray[np.float64]]]:
        """Return one over the length norm of each document, by part and field."""
        kept = self._norms
        if kept is None or kept[0] != constants.b:
            inverses = [
                [
                    1.0 / self._norm(field, constants, part.segment.lengths[field])
                    for field in range(len(FIELDS))
                ]
                for part in self.parts
            ]
            kept = self._norms = (constants.b, inverses)
        return kept[1]

    def _norm(self, field: int, constants: Constants, length: Any) -> Any:
        b, total = constants.b[field], self._totals[field]
        if not total:
            return length * 0.0 + 1.0
        mean = total / self.documents
        return (1.0 - b) + (b * length) / mean

    def _line(
        self, word: _Word, match: _Matched, place: int, constants: Constants
    ) -> Contribution | None:
        for index, documents, packed in match.found:
            part = self.parts[index]
            at = int(np.searchsorted(documents, place - part.base))
            if at < len(documents) and documents[at] == place - part.base:
                number = int(documents[at])
                return self._arithmetic(word, match, part, number, int(packed[at]), constants)
        return None

    def _arithmetic(
        self, word: _Word, match: _Matched, part: Part, number: int, packed: int, chosen: Constants
    ) -> Contribution:
        counts = [packed >> SHIFTS[f] & LIMITS[f] for f in range(len(FIELDS))]
        lengths = part.segment.lengths[:, number].tolist()
        norms = [float(self._norm(f, chosen, lengths[f])) for f in range(len(FIELDS))]
        tf = 0.0
        for f in reversed(range(len(FIELDS))):
            tf += (chosen.weights[f] * counts[f]) * (1.0 / norms[f])
        idf = self.idf(word.df)
        times = word.asked.times * match.weight
        return Contribution(
            word=word.asked.text,
            term=match.term.partition(b"\x1f")[0].decode("utf-8", "replace"),
            kind=match.kind,
            times=times,
            counts={n: c for n, c in zip(FIELDS, counts, strict=True) if c},
            norms={n: v for n, c, v in zip(FIELDS, counts, norms, strict=True) if c},
            tf=tf,
            df=word.df,
            documents=self.documents,
            idf=idf,
            score=times * idf * (tf / (chosen.k1 + tf)),
        )


def _seen(
    segment: Segment, alive: NDArray[np.bool_] | None, visible: Visible
) -> NDArray[np.bool_] | None:
    if visible is None:
        return alive
    if callable(visible):
        shown = np.asarray(by_id(visible, segment.ids), bool)
    else:
        inside = segment.ids < len(visible)
        shown = np.zeros(segment.documents, bool)
        shown[inside] = visible[segment.ids[inside]]
    return shown if alive is None else shown & alive


def _frequencies(
    documents: NDArray[np.int64],
    packed: NDArray[np.uint32],
    norms: list[NDArray[np.float64]],
    weights: tuple[float, float, float, float],
) -> NDArray[np.float64]:
    """Return the weighted frequencies of one term: the body first, other fields where present."""
    tf: NDArray[np.float64] = (weights[3] * (packed & LIMITS[3])) * norms[3][documents]
    upper = np.flatnonzero(packed > LIMITS[3])
    if upper.size:
        documents, packed = documents[upper], packed[upper]
        more = tf[upper]
        for field in (2, 1, 0):
            counts = packed >> SHIFTS[field] & LIMITS[field]
            more += (weights[field] * counts) * norms[field][documents]
        tf[upper] = more
    return tf
