"""Constants chosen by measurement: each varied on half of the queries, judged on the other.

The table has a row a setting and two columns a collection: nDCG@10 on the half
that chooses and on the half that judges. A setting is better only if it is so
on both; the last row is what ships.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.access import View
from manent.evaluate.collection import Collection, body_of, described
from manent.evaluate.judge import Judge
from manent.evaluate.metrics import METRICS, judged
from manent.golden import Golden
from manent.search.bm25 import Scope
from manent.search.constants import DEFAULTS, Constants
from manent.search.hybrid import SHIPPED, Hybrid
from manent.search.index import SearchIndex
from manent.search.lexical import Snapshot
from manent.search.postings import Document
from manent.search.rank import Factors

DEPTH = 10
_NDCG = METRICS.index("ndcg@10")

GRID: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as shipped", {}),
    *((f"k1 {k1}", {"k1": k1}) for k1 in (0.9, 1.2, 1.8)),
    *((f"b of the body {b}", {"b": (0.5, 0.5, 0.5, b)}) for b in (0.4, 0.6, 0.9)),
    ("b of the other fields 0.75", {"b": (0.75, 0.75, 0.75, 0.75)}),
    ("all fields weigh 1", {"weights": (1.0, 1.0, 1.0, 1.0)}),
    ("description weighs 1", {"weights": (3.0, 1.0, 1.5, 1.0)}),
    ("description weighs 3", {"weights": (3.0, 3.0, 1.5, 1.0)}),
    ("name weighs 5", {"weights": (5.0, 2.0, 1.5, 1.0)}),
    ("headings weigh 3", {"weights": (3.0, 2.0, 3.0, 1.0)}),
    ("no beginnings of words", {"prefix_weight": 0.0}),
    ("no misspelled words", {"fuzzy_weight": 0.0}),
    ("neither", {"prefix_weight": 0.0, "fuzzy_weight": 0.0}),
    ("whole identifiers weigh 0", {"compound_weight": 0.0}),
    ("whole identifiers weigh 1", {"compound_weight": 1.0}),
    ("no second stage", {"coverage": 0.0}),
    ("second stage 0.1", {"coverage": 0.1}),
    ("second stage 0.3", {"coverage": 0.3}),
)
"""One constant at a time, around what ships."""

SHAPES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as shipped", {}),
    *((f"{n} seeds", {"seeds": n}) for n in (5, 20)),
    *((f"links weigh {x}", {"graph": x}) for x in (0.0, 0.1, 0.4, 0.8)),
    *((f"hubs keep {x}", {"hub": x}) for x in (0.3, 0.7, 1.0)),
    *((f"age weighs {x}", {"recent": x}) for x in (0.0, 0.1, 0.3)),
    *((f"degree weighs {x}", {"central": x}) for x in (0.0, 0.1, 0.3)),
)
"""The same for ``hybrid``, which wants a vault with links."""

Asked = tuple[str, dict[int, int]]
"""A query, and what each expected document is worth."""


@dataclass(frozen=True, slots=True)
class Bed:
    """Something to try constants on. demotion: as ``SearchIndex.demotion``."""

    name: str
    snapshot: Snapshot
    scope: Scope
    queries: tuple[Asked, ...]
    demotion: Factors = None

    def figures(self, constants: Constants) -> NDArray[np.float64]:
        """Return nDCG@10 of every query."""
        return np.array([self._figure(query, gains, constants) for query, gains in self.queries])

    def _figure(self, query: str, gains: dict[int, int], constants: Constants) -> float:
        found = self.snapshot.search(
            query, DEPTH, self.scope, weights=constants, demotion=self.demotion
        )
        worth = {str(doc): gain for doc, gain in gains.items()}
        return judged([str(hit.id) for hit in found], worth)[_NDCG]


def bed_of_collection(collection: Collection, most: int = 0) -> Bed:
    """Return a collection indexed in memory. most: queries taken evenly, 0 for all."""
    papers = list(collection.documents.values())
    documents = [Document(n, p.name, described(p), "", body_of(p)) for n, p in enumerate(papers)]
    known = {paper.name: {n} for n, paper in enumerate(papers)}
    snapshot = Snapshot([]).overlay((), documents)
    queries = _queries(collection.golden(), known, most)
    return Bed(collection.name, snapshot, snapshot.scope(), queries)


def bed_of_vault(index: SearchIndex, view: View, golden: Golden, source: str = "") -> Bed:
    """Return a vault's own index with the queries of one source, or with all."""
    known: dict[str, set[int]] = {}
    for note in view.notes():
        known.setdefault(note.name, set()).add(note.doc)
    if source:
        golden = replace(golden, queries=tuple(q for q in golden.queries if q.source == source))
    snapshot = index.open()
    scope = index.scope(snapshot, view)
    name = f"{golden.name} {source}".strip()
    return Bed(name, snapshot, scope, _queries(golden, known, 0), index.demotion())


def _queries(golden: Golden, known: dict[str, set[int]], most: int) -> tuple[Asked, ...]:
    found = []
    step = max(1, len(golden.queries) // most) if most else 1
    for query in golden.queries[::step]:
        worth = zip(query.expected, query.gains, strict=True)
        gains = {doc: gain for name, gain in worth for doc in known.get(name, ())}
        if gains:
            found.append((query.query, gains))
    return tuple(found)


def rows(
    beds: Sequence[Bed], progress: Callable[[str], None] | None = None
) -> Iterator[tuple[str, list[float]]]:
    """Yield (setting, [choosing half, judging half] of each bed, on end)."""
    for label, changes in GRID:
        if progress is not None:
            progress(label)
        constants = replace(DEFAULTS, **changes)
        cells: list[float] = []
        for bed in beds:
            figures = bed.figures(constants)
            cells += [_mean(figures[::2]), _mean(figures[1::2])]
        yield label, cells


def shapes(
    index: SearchIndex, view: View, golden: Golden, progress: Callable[[str], None] | None = None
) -> Iterator[str]:
    """Yield the lines of a table of ``hybrid``'s constants, two columns a source."""
    judge = Judge(golden, view)
    rows = {source: at for source, at in judge.rows_of().items() if source != "overall"}
    heads = [f"{source} ({len(at)}), {half}" for source, at in rows.items() for half in ("a", "b")]
    yield "| setting of hybrid | " + " | ".join(heads) + " |"
    yield "|---|" + "---|" * len(heads)
    for label, changes in SHAPES:
        if progress is not None:
            progress(label)
        outcome = judge.outcome(Hybrid(index, replace(SHIPPED, **changes)))
        figures = outcome.column("ndcg@10")
        halves = [_mean(figures[at[first::2]]) for at in rows.values() for first in (0, 1)]
        yield f"| {label} | " + " | ".join(f"{cell:.4f}" for cell in halves) + " |"


def _mean(figures: NDArray[np.float64]) -> float:
    return float(figures.mean()) if figures.size else 0.0


def table(beds: Sequence[Bed], found: Sequence[tuple[str, list[float]]]) -> str:
    """Return the sweep as a Markdown table, and the shipped constants below it."""
    heads = [f"{bed.name} ({len(bed.queries)}), {half}" for bed in beds for half in ("a", "b")]
    lines = ["| setting | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for label, cells in found:
        lines.append(f"| {label} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |")
    shipped = ", ".join(f"{name} {getattr(DEFAULTS, name)}" for name in DEFAULTS.__slots__)
    return "\n".join([*lines, "", f"As shipped: {shipped}.", ""])
