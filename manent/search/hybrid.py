"""Words, then what the notes they find are linked with.

From the best by words, relevance walks along the links of the View, both ways
(personalised PageRank), so that a note is found which answers without the
question's words because notes with those words point to it::

    graph     = share of the walk, over the largest share
    relevance = (words + GRAPH * graph * best words) * hub * (1 + RECENT * 2^(-age / half life))
                * (1 + CENTRAL * ln(1 + degree) / ln(1 + largest degree))

``hub`` halves index notes and maps, which are linked with everything; a walk that
comes to one ends there. Ages count back from the newest note among those
considered, so that no answer depends on the day it is asked for. The walk is a
forward push in rounds: it touches the neighbourhood of its seeds, not the vault.

Source: Andersen, Chung, Lang, "Local graph partitioning using PageRank vectors", 2006.
"""

from __future__ import annotations

import datetime
import math

import numpy as np
from numpy.typing import NDArray

from manent.access import View
from manent.search.index import SearchIndex
from manent.search.rank import best
from manent.search.ranker import Explain, Lexical, Ranked, Scores, present
from manent.values import dataclass
from manent.vault.record import NoteRecord

CONSIDERED = 50
"""How many of the best by words may be moved."""
HUBS = frozenset({"index", "moc"})

RESTART = 0.5
"""The share of a visit that stays; the rest goes on along the links."""
LEAST = 4e-3
"""Shares below this are not pushed on."""
ROUNDS = 3
PUSHES = 40
"""Notes whose links are followed at most: a question takes milliseconds, however linked."""
_KEPT = 20_000
"""Notes whose links are remembered."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a sweep chooses. seeds: how many of the best by words the walk starts from.

    As `manent eval sweep` has it on the fixture (eval/sweep.md): halving hubs is what
    helps; links, age and degree hardly move a figure there, and so weigh little.
    """

    seeds: int = 10
    graph: float = 0.2
    hub: float = 0.5
    recent: float = 0.02
    half_life_days: int = 180
    central: float = 0.02


SHIPPED = Shape()


@dataclass(slots=True)
class _Found:
    """A note in the running. words: its relevance by words; share: of the walk; degree: links."""

    note: NoteRecord
    words: float = 0.0
    share: float = 0.0
    degree: int = 0


@dataclass(frozen=True, slots=True)
class _Scale:
    """What the figures of one question are measured by."""

    words: float
    share: float
    degree: int
    newest: str


class Hybrid:
    """By words and along links."""

    name = "hybrid"
    answered = "hybrid"

    def __init__(self, index: SearchIndex, shape: Shape = SHIPPED) -> None:
        self.index = index
        self.shape = shape
        self.remarks: list[str] = []
        self._links = _Links(shape.hub)

    def rank(self, view: View, query: str, k: int, explain: bool = False) -> list[Ranked]:
        """Return the k best notes of the View: those that hold a word, and their neighbours."""
        ids, words = self.index.relevance(view, query)
        if not words.any():
            return []
        found = self._found(view, ids, words, max(k, CONSIDERED))
        docs = np.array(sorted(found), np.int64)
        scale = _scale(found)
        values = np.array([_relevance(found[doc], scale, self.shape)[0] for doc in docs.tolist()])
        lists = {
            "bm25": _ordered(self.index, docs, np.array([found[d].words for d in docs.tolist()])),
            "graph": _ordered(self.index, docs, np.array([found[d].share for d in docs.tolist()])),
        }
        how = self._lines(view, query, found, scale) if explain else None
        return present(self.index, Scores(docs, values), k, lists, how)

    def _found(
        self, view: View, ids: NDArray[np.int64], words: NDArray[np.float64], considered: int
    ) -> dict[int, _Found]:
        """Return the notes in the running, by document id."""
        matched = np.flatnonzero(words)
        docs, values = ids[matched], words[matched]
        first = best(docs, values, considered, self.index.order)
        by_words = dict(zip(docs[first].tolist(), values[first].tolist(), strict=True))
        notes = {note.doc: note for note in self.index.vault.notes_of_docs(by_words)}
        found = {doc: _Found(notes[doc], by_words[doc]) for doc in by_words if doc in notes}
        self._links.stand(view)
        seeds = [(held.note, held.words) for held in list(found.values())[: self.shape.seeds]]
        reached = self._links.walk(view, seeds)
        known = _looked_up(docs, values, [note.doc for note, _ in reached])
        for (note, share), relevance in zip(reached, known, strict=True):
            found.setdefault(note.doc, _Found(note, relevance)).share = share
        for held in found.values():
            held.degree = self._links.degree(held.note)
        return found

    def _lines(self, view: View, query: str, found: dict[int, _Found], scale: _Scale) -> Explain:
        alone = Lexical(self.index)

        def lines(doc: int) -> tuple[str, ...]:
            held = found[doc]
            _, told = _relevance(held, scale, self.shape)
            by_words = alone.explain(view, query, doc) if held.words else ()
            return (f"{held.words:.3f} for its words", *(f"  {x}" for x in by_words), *told)

        return lines


def _looked_up(
    docs: NDArray[np.int64], values: NDArray[np.float64], wanted: list[int]
) -> list[float]:
    """Return the value of each wanted document, 0 where it has none."""
    order = np.argsort(docs, kind="stable")
    places = np.searchsorted(docs[order], wanted).clip(max=len(docs) - 1)
    at = order[places]
    found: list[float] = np.where(docs[at] == wanted, values[at], 0.0).tolist()
    return found


def _ordered(
    index: SearchIndex, docs: NDArray[np.int64], values: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the documents with a value above 0, best first, equals by path."""
    kept = docs[values > 0]
    return kept[best(kept, values[values > 0], len(kept), index.order)]


def _scale(found: dict[int, _Found]) -> _Scale:
    held = found.values()
    return _Scale(
        words=max((f.words for f in held), default=0.0),
        share=max((f.share for f in held), default=0.0),
        degree=max((f.degree for f in held), default=0),
        newest=max((f.note.updated or f.note.created for f in held), default=""),
    )


def _relevance(held: _Found, scale: _Scale, shape: Shape) -> tuple[float, tuple[str, ...]]:
    """Return the relevance of a note, and the arithmetic beyond its words."""
    graph = held.share / scale.share if scale.share else 0.0
    linked = shape.graph * graph * scale.words
    hub = shape.hub if held.note.type in HUBS else 1.0
    age = _age_days(held.note, scale.newest)
    recent = 1.0 if age is None else 1.0 + shape.recent * 2.0 ** (-age / shape.half_life_days)
    central = 1.0
    if scale.degree:
        central += shape.central * math.log1p(held.degree) / math.log1p(scale.degree)
    told = [
        f"{linked:.3f} for its links: {shape.graph:g} x share {graph:.3f} x best {scale.words:.3f}"
    ]
    if hub != 1.0:
        told.append(f"x {hub:g} for being a note of type {held.note.type}")
    if recent != 1.0:
        told.append(f"x {recent:.3f} for its age of {age} days before the newest")
    if central != 1.0:
        told.append(f"x {central:.3f} for {held.degree} links (of {scale.degree} at most)")
    return (held.words + linked) * hub * recent * central, tuple(told)


def _age_days(note: NoteRecord, newest: str) -> int | None:
    """Return the days between a note and the newest; None where either says no day."""
    try:
        day = datetime.date.fromisoformat(note.updated or note.created)
        return (datetime.date.fromisoformat(newest) - day).days
    except ValueError:
        return None


class _Links:
    """The links of notes of one View, read as a walk needs them and remembered."""

    def __init__(self, hub: float) -> None:
        self._hub = hub
        self._stood: tuple[object, ...] = ()
        self._near: dict[int, list[NoteRecord]] = {}
        self._past: View | None = None

    def stand(self, view: View) -> None:
        """Forget what was read of another View, or before the vault changed."""
        stands = (view.vault.id, view.vault.store.stamp("vault:generation"), view.identity)
        same_past = not view.of_the_past or view is self._past
        if stands != self._stood or not same_past or len(self._near) > _KEPT:
            self._near = {}
        self._stood, self._past = stands, view if view.of_the_past else None

    def degree(self, note: NoteRecord) -> int:
        """Return how many notes one is linked with, 0 where the walk did not come by."""
        return len(self._near.get(note.id, ()))

    def near(self, view: View, note: NoteRecord) -> list[NoteRecord]:
        """Return the notes linked with one, either way, each once, by path."""
        held = self._near.get(note.id)
        if held is None:
            ends = {e.target for e in view.edges_from(note)}
            ends.update(e.source for e in view.edges_to(note))
            ends.discard(note.id)
            held = sorted(view.notes_of(ends), key=lambda n: n.path)
            self._near[note.id] = held
        return held

    def walk(
        self, view: View, seeds: list[tuple[NoteRecord, float]]
    ) -> list[tuple[NoteRecord, float]]:
        """Return (note, share of the walk) of what the seeds lead to, in the order of paths.

        seeds: notes with weights above 0. In rounds, each in the order of paths, so that
        sums are the same wherever the same notes are linked alike.
        """
        whole = sum(weight for _, weight in seeds)
        notes = {note.path: note for note, _ in seeds}
        waiting = {note.path: weight / whole for note, weight in seeds}
        shares: dict[str, float] = {}
        pushes = 0
        for _ in range(ROUNDS):
            passed: dict[str, float] = {}
            for path in sorted(waiting):
                mass = waiting[path]
                shares[path] = shares.get(path, 0.0) + RESTART * mass
                if mass < LEAST or pushes >= PUSHES or notes[path].type in HUBS:
                    continue  # a hub is reached, and leads nowhere: it leads everywhere
                pushes += 1
                for other, part in self._parts(view, notes[path]):
                    notes[other.path] = other
                    passed[other.path] = passed.get(other.path, 0.0) + (1 - RESTART) * mass * part
            waiting = passed
        for path, mass in waiting.items():
            shares[path] = shares.get(path, 0.0) + RESTART * mass
        return [(notes[path], shares[path]) for path in sorted(shares)]

    def _parts(self, view: View, note: NoteRecord) -> list[tuple[NoteRecord, float]]:
        """Return the neighbours of a note and what each is passed; a hub gets less."""
        near = self.near(view, note)
        weights = [self._hub if other.type in HUBS else 1.0 for other in near]
        whole = sum(weights)
        return [(o, w / whole) for o, w in zip(near, weights, strict=True)]
