"""The seam every ranker plugs into: a View and a query go in, ranked hits come out.

A ranker is named (``bm25``, ``hybrid``, ``dense``, ``fused``), made by
``make`` below over one ``SearchIndex``, and asked many times. What holds for all:

- The View is fixed first: documents outside it are not scored, compared or counted.
- ``scores`` gives relevance before demotion, never below 0 (a ranker whose scores
  may be negative moves them up by their least), so that demotion can only lower.
- ``present`` demotes by status, breaks ties by path and makes the hits; every
  ranker ends with it, so search and evaluation demote alike.
- ``via`` says by which lists a hit came, and its rank in each, from 1.
- ``remarks`` is what a person should be told of the last answer (vectors still being
  made, so that words alone answered, say); ``answered`` is the ranker that really did.

A new ranker is a class with these names and one line in ``make``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from manent.access import View
from manent.errors import UsageError
from manent.search.bm25 import Contribution
from manent.search.index import SearchIndex
from manent.search.rank import Hit, best, by_id
from manent.values import dataclass

NAMES = ("bm25", "dense", "hybrid", "fused")
"""Every ranker, by the name that ``--retriever`` takes."""


class Scores(NamedTuple):
    """Relevance of documents of one View. ids: distinct. values: in the same order, >= 0."""

    ids: NDArray[np.int64]
    values: NDArray[np.float64]


class Ranked(NamedTuple):
    """A hit, its relevance before demotion, and how that came about, line by line."""

    hit: Hit
    relevance: float
    arithmetic: tuple[str, ...] = ()


class Ranker(Protocol):
    """Anything that orders the notes of a View for a query."""

    @property
    def name(self) -> str:
        """The name asked for."""

    @property
    def answered(self) -> str:
        """The name of what gave the last answer."""

    @property
    def remarks(self) -> list[str]:
        """What to tell a person about the last answer."""

    def rank(self, view: View, query: str, k: int, explain: bool = False) -> list[Ranked]:
        """Return the k best notes of the View, best first, each once. Any text is a query."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a ranker may need beside the index; only the edge knows it.

    model: what ``--model`` said, "" for the default. state: the folder of the vault's
    derived data, None to keep everything in memory. cache: the user's cache folder, for
    what is made once for all vaults. processes: how many a long piece of work may use.
    patience: how many notes may be embedded while somebody waits for an answer, None
    for all of them; where more have no vector, words alone answer. progress: is told.
    passages: compare passages of notes rather than notes.
    """

    model: str = ""
    state: Path | None = None
    cache: Path | None = None
    processes: int = 1
    patience: int | None = None
    progress: Callable[[int, int], None] | None = None
    passages: bool = False


def make(name: str, index: SearchIndex, setting: Setting | None = None) -> Ranker:
    """Return the ranker of that name over an index. Raises UsageError."""
    if name == "bm25":
        return Lexical(index)
    if name == "hybrid":
        from manent.search.hybrid import Hybrid

        return Hybrid(index)
    if name in ("dense", "fused"):
        from manent.search.opening import by_meaning

        return by_meaning(name, index, setting or Setting())
    raise UsageError(f"no retriever {name}", f"one of {', '.join(NAMES)}")


class Lexical:
    """BM25F alone."""

    name = "bm25"
    answered = "bm25"

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        self.remarks: list[str] = []

    def scores(self, view: View, query: str) -> Scores:
        """Return the relevance of every document of the View, 0 where no word matched."""
        return Scores(*self.index.relevance(view, query))

    def explain(self, view: View, query: str, doc: int) -> tuple[str, ...]:
        """Return the lines of arithmetic of one document's relevance."""
        lines, lift = self.index.explain(view, query, doc)
        return arithmetic(lines, lift)

    def rank(self, view: View, query: str, k: int, explain: bool = False) -> list[Ranked]:
        """Return the k best notes of the View; only those that hold a word of the query."""
        return [
            Ranked(hit, scored.relevance, arithmetic(scored.explanation, scored.lift))
            for hit, scored in self.index.search(view, query, k, explain)
        ]


Explain = Callable[[int], tuple[str, ...]]
"""From a document id to the lines of arithmetic of its relevance."""


def present(
    index: SearchIndex,
    scores: Scores,
    k: int,
    lists: Mapping[str, NDArray[np.int64]],
    explain: Explain | None = None,
) -> list[Ranked]:
    """Return the k best of scored documents as hits: demoted, ties by path.

    lists: by name, ids in the order of that list, best first, as far as it counts.
    """
    kept = scores.values * by_id(index.demotion(), scores.ids)
    chosen = best(scores.ids, kept, k, index.order).tolist()
    notes = {note.doc: note for note in index.vault.notes_of_docs(scores.ids[chosen].tolist())}
    ranks = {name: {doc: n for n, doc in enumerate(ids.tolist(), 1)} for name, ids in lists.items()}
    ranked = []
    for place in chosen:
        doc = int(scores.ids[place])
        if doc not in notes:
            continue
        note = notes[doc]
        via = {name: places[doc] for name, places in ranks.items() if doc in places}
        hit = Hit.of(note, float(kept[place]), via)
        ranked.append(Ranked(hit, float(scores.values[place]), explain(doc) if explain else ()))
    return ranked


def arithmetic(lines: Iterable[Contribution], lift: float) -> tuple[str, ...]:
    """Return the arithmetic of one document's relevance by words, line by line."""
    told = [said(line) for line in lines]
    if told and lift != 1.0:
        told.append(f"x {lift:.3f} for the share of the question it holds")
    return tuple(told)


def said(line: Contribution) -> str:
    """Return what one term added to a score, as it was worked out."""
    asked = line.term if line.word == line.term else f"{line.word} ({line.kind} {line.term})"
    fields = ", ".join(f"{name} {count}" for name, count in line.counts.items())
    return (
        f"{line.score:.3f} for {asked}: idf {line.idf:.3f} ({line.df} of {line.documents} notes),"
        f" tf {line.tf:.3f} from {fields}, times {line.times:g}"
    )
