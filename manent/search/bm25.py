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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.search.asked import Asked
from manent.search.constants import DEFAULTS, LIMITS, Constants
from manent.search.expansion import Candidate, expansions
from manent.search.kept import LONGEST_TERM, MOST_TERMS, Latest, Posting, Terms
from manent.search.postings import FIELDS, SHIFTS, shown
from manent.search.query import Question
from manent.search.rank import by_id
from manent.search.segment import Segment
from manent.values import dataclass

Numbers = NDArray[np.uint32]
Visible = NDArray[np.bool_] | Callable[[NDArray[np.int64]], NDArray[np.bool_]] | None
"""Who is seen: an array by document id (ids past its end are hidden), a function
of an array of ids, or None for everyone."""


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

    @property
    def size(self) -> int:
        """How many places it takes, hidden documents included."""
        return self.segment.documents

    def postings(self, number: int) -> tuple[Numbers, Numbers]:
        """Return the visible postings of a term: documents, and packed counts."""
        documents, packed = self.segment.postings(number)
        if self.live is None:
            return documents, packed
        kept = self.live[documents]
        return documents[kept], packed[kept]


@dataclass(frozen=True, slots=True)
class Matched:
    """Where one term of a query stands."""

    term: bytes
    kind: str
    weight: float
    found: tuple[Posting, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a query and all that matches it. df: visible documents that do."""

    asked: Asked
    df: int
    idf: float
    matched: list[Matched]

    @property
    def near(self) -> bool:
        """Whether terms stand in for it, which may share a document: the best one counts."""
        return self.matched[0].kind != "exact"

    @property
    def most(self) -> float:
        """More than it can add to any score: frequencies saturate at one."""
        return max(self.asked.times * match.weight * self.idf for match in self.matched)


class Scope:
    """The documents one asker may see, ready to be ranked. Make one per View and keep it.

    documents: how many are visible. size: places of ``scores``, hidden ones included.
    ids: of all places, in order. terms: where what was found is kept, with other scopes.
    """

    def __init__(
        self,
        held: Sequence[tuple[Segment, NDArray[np.bool_] | None]],
        visible: Visible = None,
        terms: Terms | None = None,
    ) -> None:
        self.parts: list[Part] = []
        self.documents = 0
        base = 0
        totals = np.zeros(len(FIELDS), np.int64)
        for segment, alive in held:
            live = _seen(segment, alive, visible)
            self.parts.append(Part(segment, live, base))
            base += segment.documents
            if live is None:
                self.documents += segment.documents
                totals += segment.lengths.sum(axis=1, dtype=np.int64)
            else:
                self.documents += int(np.count_nonzero(live))
                totals += [int(row[live].sum(dtype=np.int64)) for row in segment.lengths]
        self.size = base
        self._totals: list[int] = totals.tolist()
        self._terms = terms or Terms()
        self._number = self._terms.scope()
        self._near: Latest[Any, list[Candidate]] = Latest(MOST_TERMS)
        self._body_norms: tuple[float, list[NDArray[np.float64]]] | None = None
        self.languages = tuple(sorted({p for part in self.parts for p in part.segment.languages}))

    @property
    def ids(self) -> NDArray[np.int64]:
        """The document id of each place of ``scores``; hidden ones score 0."""
        if not self.parts:
            return np.zeros(0, np.int64)
        return np.concatenate([part.segment.ids for part in self.parts])

    def seen(self) -> NDArray[np.bool_] | None:
        """Return which places are visible documents, None where all are."""
        if all(part.live is None for part in self.parts):
            return None
        masks = [np.ones(p.size, bool) if p.live is None else p.live for p in self.parts]
        return np.concatenate(masks)

    def identify(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ids of documents at these places of ``scores``."""
        ids = np.empty(len(places), np.int64)
        for part in self.parts:
            here = (places >= part.base) & (places < part.base + part.segment.documents)
            ids[here] = part.segment.ids[places[here] - part.base]
        return ids

    def places(self, word: Word) -> NDArray[np.int64]:
        """Return the places that one word gives something to (twice, if it does so twice)."""
        found = [posting for match in word.matched for posting in match.found]
        return np.concatenate([p.documents + np.int64(self.parts[p.place].base) for p in found])

    def words(self, question: Question, constants: Constants = DEFAULTS) -> list[Word]:
        """Return what matches each word of a question among visible documents."""
        found = []
        for asked in question.words:
            terms = question.terms(asked, self.languages)
            weight = constants.lone_weight if asked.lone else 1.0
            weight = constants.compound_weight if asked.compound else weight
            matched = self._matched([(term, "exact", weight) for term in terms.values()])
            if not matched and question.expands(asked):
                matched = self._matched(self._nearly(asked, terms, constants))
            if matched:
                df = sum(len(p.documents) for match in matched for p in match.found)
                df = min(df, self.documents)
                found.append(Word(asked, df, self.idf(df), matched))
        return found

    def scores(self, words: list[Word], constants: Constants = DEFAULTS) -> NDArray[np.float64]:
        """Return the score of every place, 0 where nothing matched or nobody may look."""
        total = np.zeros(self.size)
        for word in words:
            self.add(total, word, constants)
        return total

    def add(self, total: NDArray[np.float64], word: Word, constants: Constants) -> None:
        """Add what one word gives to every place."""
        target = np.zeros(self.size) if word.near else total
        for match in word.matched:
            for posting in match.found:
                gained = self._saturated(posting, constants) * _factor(word, match)
                numbers = posting.documents + np.int64(self.parts[posting.place].base)
                if word.near:
                    target[numbers] = np.maximum(target[numbers], gained)
                else:  # alternatives of an exact word never share a document
                    target[numbers] += gained
        if word.near:
            total += target

    def gains(
        self, word: Word, places: NDArray[np.int64], constants: Constants
    ) -> NDArray[np.float64]:
        """Return what one word gives to a few places (ascending), as ``add`` would."""
        total = np.zeros(len(places))
        for match in word.matched:
            for posting in match.found:
                held, at = self._held(posting, places)
                gained = self._saturated(posting, constants, at) * _factor(word, match)
                total[held] = np.maximum(total[held], gained) if word.near else gained
        return total

    def holds(
        self, word: Word, places: NDArray[np.int64], constants: Constants
    ) -> NDArray[np.bool_]:
        """Return to which of a few places (ascending) a word gives anything."""
        if not all(constants.weights):
            return self.gains(word, places, constants) > 0
        found = np.zeros(len(places), bool)
        for match in word.matched:
            for posting in match.found:
                found[self._held(posting, places)[0]] = True
        return found

    def _held(
        self, posting: Posting, places: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of these places a term stands in, and where in its documents they are."""
        part, documents = self.parts[posting.place], posting.documents
        first, last = np.searchsorted(places, (part.base, part.base + part.size))
        wanted = places[first:last] - part.base
        at = np.searchsorted(documents, wanted.astype(np.uint32))
        at[at == len(documents)] = 0
        held = (documents[at] == wanted).nonzero()[0]
        return held + first, at[held]

    def _saturated(
        self, posting: Posting, constants: Constants, at: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return what a term gives before its weight: to all it stands in, or those ``at``."""
        kept = posting.saturated if posting.by is constants else None
        if kept is not None:
            return kept if at is None else kept[at]
        if at is None or posting.again:
            numbers = posting.documents.astype(np.int64)
            tf = self._frequencies(posting.place, numbers, posting.packed, constants)
            kept = np.asarray(tf / (constants.k1 + tf))
            if posting.again:
                posting.saturated, posting.by = kept, constants
            return kept if at is None else kept[at]
        numbers = posting.documents[at].astype(np.int64)
        tf = self._frequencies(posting.place, numbers, posting.packed[at], constants)
        return np.asarray(tf / (constants.k1 + tf))

    def _frequencies(
        self, place: int, documents: NDArray[np.int64], packed: Numbers, constants: Constants
    ) -> NDArray[np.float64]:
        """Return weighted frequencies: the body's first, then other fields where present."""
        weights = constants.weights
        tf = np.multiply(packed & LIMITS[3], weights[3], dtype=np.float64)
        tf *= self._inverse_body(constants)[place][documents]
        upper = np.flatnonzero(packed > LIMITS[3])
        if upper.size:
            documents, packed = documents[upper], packed[upper]
            lengths = self.parts[place].segment.lengths
            more = tf[upper]
            for field in (2, 1, 0):
                counts = packed >> SHIFTS[field] & LIMITS[field]
                inverse = 1.0 / self._norm(field, constants, lengths[field][documents])
                more += (weights[field] * counts) * inverse
            tf[upper] = more
        return np.asarray(tf)

    def explain(
        self, words: list[Word], place: int, constants: Constants = DEFAULTS
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

    def _matched(self, terms: list[tuple[bytes, str, float]]) -> list[Matched]:
        matched = []
        for term, kind, weight in terms:
            if not weight:
                continue
            found = self._terms.get(self._number, term, self._found)
            if found:
                matched.append(Matched(term, kind, weight, found))
        return matched

    def _found(self, term: bytes) -> Iterator[Posting]:
        for place, part in enumerate(self.parts):
            number = part.segment.find(term)
            if number >= 0:
                documents, packed = part.postings(number)
                if documents.size:
                    yield Posting(place, documents, packed)

    def _nearly(
        self, asked: Asked, terms: dict[int, bytes], constants: Constants
    ) -> list[tuple[bytes, str, float]]:
        weights = {"prefix": constants.prefix_weight, "fuzzy": constants.fuzzy_weight}
        bounds = (constants.prefix_shortest, constants.fuzzy_shortest, constants.expansions)

        def look() -> list[Candidate]:
            held = [(part.segment, part.live) for part in self.parts]
            return expansions(held, asked, terms, *bounds)

        if len(asked.text) > LONGEST_TERM:
            near = look()
        else:
            key = (asked.text, asked.word, tuple(terms.values()), bounds)
            near = self._near.get(key, look)
        share = constants.compound_weight if asked.compound else 1.0
        return [(c.term, c.kind, share * weights[c.kind]) for c in near]

    def _inverse_body(self, constants: Constants) -> list[NDArray[np.float64]]:
        """Return one over the norm of each document's body, by part; kept for the next query."""
        kept = self._body_norms
        if kept is None or kept[0] != constants.b[3]:
            norms = [1.0 / self._norm(3, constants, part.segment.lengths[3]) for part in self.parts]
            kept = self._body_norms = (constants.b[3], norms)
        return kept[1]

    def _norm(self, field: int, constants: Constants, length: Any) -> Any:
        b, total = constants.b[field], self._totals[field]
        if not total:
            return length * 0.0 + 1.0
        mean = total / self.documents
        return (1.0 - b) + (b * length) / mean

    def _line(
        self, word: Word, match: Matched, place: int, constants: Constants
    ) -> Contribution | None:
        for posting in match.found:
            part, documents, packed = self.parts[posting.place], posting.documents, posting.packed
            at = int(np.searchsorted(documents, place - part.base))
            if at < len(documents) and documents[at] == place - part.base:
                number = int(documents[at])
                return self._arithmetic(word, match, part, number, int(packed[at]), constants)
        return None

    def _arithmetic(
        self, word: Word, match: Matched, part: Part, number: int, packed: int, chosen: Constants
    ) -> Contribution:
        counts = [packed >> SHIFTS[f] & LIMITS[f] for f in range(len(FIELDS))]
        lengths = part.segment.lengths[:, number].tolist()
        norms = [float(self._norm(f, chosen, lengths[f])) for f in range(len(FIELDS))]
        tf = 0.0
        for f in reversed(range(len(FIELDS))):
            tf += (chosen.weights[f] * counts[f]) * (1.0 / norms[f])
        times = word.asked.times * match.weight
        return Contribution(
            word=word.asked.text,
            term=shown(match.term),
            kind=match.kind,
            times=times,
            counts={n: c for n, c in zip(FIELDS, counts, strict=True) if c},
            norms={n: v for n, c, v in zip(FIELDS, counts, norms, strict=True) if c},
            tf=tf,
            df=word.df,
            documents=self.documents,
            idf=word.idf,
            score=tf / (chosen.k1 + tf) * (times * word.idf),
        )


def _factor(word: Word, match: Matched) -> float:
    return word.asked.times * match.weight * word.idf


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
