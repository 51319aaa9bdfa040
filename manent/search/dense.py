"""The rankers that compare meaning: alone (``dense``) and with words (``fused``)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manent.access import View
from manent.search import fusion, together
from manent.search.index import ByWords, SearchIndex
from manent.search.meaning import Meaning, Progress
from manent.search.rank import Ids, best, by_id
from manent.search.ranker import Explain, Lexical, Ranked, Scores, present
from manent.values import dataclass

DEPTH = 100
"""How far down a list a note's rank in it is told."""
CLOSER = 256
"""How many of the best by words are compared exactly by meaning, however far they are."""
FEW = 16
"""Notes embedded without anybody noticing: half a second
(``python -m eval.bench.embedding speed``)."""


@dataclass(slots=True)
class Waiting:
    """How long an answer may wait for vectors.

    patience: how many may be made first, None for all. processes: how many make them.
    """

    patience: int | None = None
    processes: int = 1
    progress: Progress | None = None


class Dense:
    """By the cosine of vectors alone. What has no vector yet is answered by words.

    further: vectors that are better than ``meaning`` and need not be all there. Who sees a
    View of which at most a few lack theirs is answered by them.
    """

    name = "dense"

    def __init__(
        self,
        index: SearchIndex,
        meaning: Meaning,
        waiting: Waiting,
        further: Meaning | None = None,
    ) -> None:
        self.index = index
        self.meaning = meaning
        self._quick, self._further = meaning, further
        self.waiting = waiting
        self.answered = self.name
        self.remarks: list[str] = []

    def rank(self, view: View, query: str, k: int, explain: bool = False) -> list[Ranked]:
        """Return the k best notes of the View; every note has some likeness to a query."""
        self.answered, self.remarks = self.name, []
        if self.bring_up(view):
            return self._by_words(view, query, k, explain)
        if not query.strip():
            return []
        return self._ranked(view, query, k, explain)

    def bring_up(self, view: View) -> int:
        """Choose the vectors and make those that may be waited for; return how many are missing.

        Both by the View alone: that hidden notes lack theirs would tell that there are any.
        """
        waiting = self.waiting
        wanted = None if view.whole else functools.partial(seen, self.index, view)
        if self._further is not None:
            few = FEW if waiting.patience is None else min(FEW, waiting.patience)
            if not self._further.bring_up(few, wanted=wanted):
                self.meaning = self._further
                return 0
        self.meaning = self._quick
        return self.meaning.bring_up(waiting.patience, waiting.processes, waiting.progress, wanted)

    def _by_words(self, view: View, query: str, k: int, explain: bool) -> list[Ranked]:
        words = Lexical(self.index)
        self.answered = words.name
        self.remarks = [
            "words alone answered: the vectors of this vault are not all made yet "
            "(`manent index --embed` makes them)"
        ]
        return words.rank(view, query, k, explain)

    def scores(self, view: View, query: str) -> Scores:
        """Return how much nearer each document of the View is than the farthest."""
        ids = seen(self.index, view)
        cosines = self.meaning.cosines(ids, query).astype(np.float64)
        return Scores(ids, fusion.moved_up(cosines))

    def _ranked(self, view: View, query: str, k: int, explain: bool) -> list[Ranked]:
        ids = seen(self.index, view)
        asked = self.meaning.asked(query).result()
        cosines = self.meaning.near(ids, asked, _kept_for(view)).astype(np.float64)
        relevance = fusion.moved_up(cosines)
        lists = {"dense": ids[fusion.leading(cosines, ids, DEPTH)]}
        how = _cosine_lines(ids, cosines) if explain else None
        return present(self.index, Scores(ids, relevance), k, lists, how)


class Look(NamedTuple):
    """What the second stage knows of one of the first notes.

    closeness: of the words of the question in it. most: by words among the first. own: by its
    own words.
    """

    closeness: float
    most: float
    own: float

    @property
    def gained(self) -> float:
        """What is added to its relevance."""
        return together.gain(self.closeness) + together.LESS * (self.most - self.own)

    def lines(self) -> tuple[str, ...]:
        """Return the arithmetic of what is added."""
        return (
            f"{together.gain(self.closeness):.3f} for words that stand together: closeness "
            f"{self.closeness:.3f}, squared, times {together.GAIN:g}",
            f"{together.LESS * (self.most - self.own):.3f} as words count less among the first: "
            f"{together.LESS:g} times ({self.most:.3f}, the most for words, less {self.own:.3f})",
        )


class Fused(Dense):
    """By words and meaning: standardised scores over the View, added up."""

    name = "fused"

    def scores(self, view: View, query: str) -> Scores:
        """Return the fused relevance of every document of the View."""
        words = self.index.by_words(view, query)
        return Scores(words.ids, self._fused(words, self.meaning.cosines(words.ids, query)))

    def _fused(self, words: ByWords, cosines: NDArray[np.float32]) -> NDArray[np.float64]:
        return fusion.fused(words.values, cosines, self.meaning.model.weight, words.trust)

    def _ranked(self, view: View, query: str, k: int, explain: bool) -> list[Ranked]:
        asked = self.meaning.asked(query)
        words = self.index.by_words(view, query)
        ids = words.ids
        leading = _matched(words)
        cosines = self.meaning.near(ids, asked.result(), _kept_for(view), leading)
        lists = {
            "bm25": ids[leading[:DEPTH]],
            "dense": ids[fusion.leading(cosines, ids, DEPTH)],
        }
        by_words = words.trust * fusion.standardised(words.values)
        by_meaning = self.meaning.model.weight * fusion.standardised(cosines)
        relevance = fusion.moved_up(by_words + by_meaning)
        looks = self._looked(view, query, Scores(ids, relevance), by_words)
        relevance[list(looks)] += [look.gained for look in looks.values()]
        how = self._lines(view, query, words, cosines, looks) if explain else None
        return present(self.index, Scores(ids, relevance), k, lists, how)

    def _looked(
        self, view: View, query: str, scores: Scores, by_words: NDArray[np.float64]
    ) -> dict[int, Look]:
        """Return, by place, what a look into each of the best notes says."""
        kept = scores.values * by_id(self.index.demotion(), scores.ids)
        first = best(scores.ids, kept, together.FIRST, self.index.order).tolist()
        asked = together.wanted(self.index.scope(self.index.open(), view), query)
        places = {int(scores.ids[place]): place for place in first}
        notes = self.index.vault.notes_of_docs(places)
        most = max((float(by_words[place]) for place in first), default=0.0)
        return {
            places[doc]: Look(close, most, float(by_words[places[doc]]))
            for doc, close in together.closeness(self.index.vault, notes, asked)
        }

    def _lines(
        self,
        view: View,
        query: str,
        words: ByWords,
        cosines: NDArray[np.float32],
        looks: dict[int, Look],
    ) -> Explain:
        weight = self.meaning.model.weight
        by_words = words.trust * fusion.standardised(words.values)
        by_meaning = weight * fusion.standardised(cosines)
        least = float((by_words + by_meaning).min()) if len(words.ids) else 0.0
        alone = Lexical(self.index)

        def lines(doc: int) -> tuple[str, ...]:
            at = int(np.flatnonzero(words.ids == doc)[0])
            return (
                f"{by_words[at]:.3f} for its words: trust {words.trust:.3f} times "
                f"{_standing(words.values, at)}",
                *(f"  {line}" for line in alone.explain(view, query, doc)),
                f"{by_meaning[at]:.3f} for its meaning: {weight:g} times {_standing(cosines, at)}",
                f"{-least:.3f} for every note, so that the least is 0",
                *(looks[at].lines() if at in looks else ()),
            )

        return lines


def _matched(words: ByWords) -> NDArray[np.int64]:
    """Return the places of the best by words, those that hold any, best first."""
    matched = np.flatnonzero(words.values)
    first = fusion.leading(words.values[matched], words.ids[matched], CLOSER)
    return np.asarray(matched[first])


def _kept_for(view: View) -> Hashable:
    """Return whose rough vectors are kept; None for what is asked once."""
    return None if view.of_the_past else view.identity


def _standing(values: NDArray[np.floating], at: int) -> str:
    mean, deviation = fusion.moments(np.asarray(values, np.float64))
    return f"({values[at]:.3f} - mean {mean:.3f}) / deviation {deviation:.3f}"


def _cosine_lines(ids: Ids, cosines: NDArray[np.float64]) -> Callable[[int], tuple[str, ...]]:
    least = float(cosines.min()) if len(ids) else 0.0

    def lines(doc: int) -> tuple[str, ...]:
        cosine = float(cosines[np.flatnonzero(ids == doc)[0]])
        return (f"{cosine - least:.3f}: cosine {cosine:.3f}, less {least:.3f}, the least of all",)

    return lines


def seen(index: SearchIndex, view: View) -> Ids:
    """Return the documents of the View, in the order the index holds them."""
    scope = index.scope(index.open(), view)
    visible = scope.seen()
    return scope.ids if visible is None else scope.ids[visible]
