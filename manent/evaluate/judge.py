"""A golden set put to rankers over one View."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from manent.access import View
from manent.evaluate.metrics import DEPTH, METRICS, judged
from manent.golden import SOURCES, Golden, Query, hashed, is_hashed
from manent.search.ranker import Ranker

Progress = Callable[[int], None]
"""Told how many queries are done."""


@dataclass(frozen=True, slots=True)
class Missing:
    """An expected note that the View does not have."""

    query: str
    expected: str
    line: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one ranker made of a golden set.

    name: the ranker asked for; answered: the one that did. values: (queries, metrics)
    in the orders of the set and of ``METRICS``. found: the first paths of each query.
    """

    name: str
    answered: str
    values: NDArray[np.float64]
    found: tuple[tuple[str, ...], ...] = field(repr=False, default=())

    def column(self, metric: str) -> NDArray[np.float64]:
        """Return one metric of every query."""
        return self.values[:, METRICS.index(metric)]


class Judge:
    """Knows which notes of a View each query of a golden set expects.

    missing: the expected notes it does not have. They count as not found.
    """

    def __init__(self, golden: Golden, view: View, salt: bytes = b"") -> None:
        self.golden = golden
        self.view = view
        self.missing: list[Missing] = []
        known = _Known(view, salt)
        self._aliases = [self._alias(query, known) for query in golden.queries]

    def _alias(self, query: Query, known: _Known) -> dict[str, str]:
        """Return path to expected name, for the notes one query expects."""
        alias: dict[str, str] = {}
        for name in query.expected:
            paths = known.paths(name)
            if not paths:
                self.missing.append(Missing(query.query, name, query.line))
            for path in paths:
                alias.setdefault(path, name)
        return alias

    def outcome(self, ranker: Ranker, progress: Progress | None = None, keep: int = 10) -> Outcome:
        """Put every query to a ranker. keep: how many paths of each are kept."""
        values = np.zeros((len(self.golden.queries), len(METRICS)))
        found: list[tuple[str, ...]] = []
        for place, query in enumerate(self.golden.queries):
            paths = [r.hit.path for r in ranker.rank(self.view, query.query, DEPTH)]
            values[place] = self._judged(place, paths)
            found.append(tuple(paths[:keep]))
            if progress is not None and place % 50 == 49:
                progress(place + 1)
        return Outcome(ranker.name, ranker.answered, values, tuple(found))

    def _judged(self, place: int, paths: Iterable[str]) -> tuple[float, ...]:
        query, alias = self.golden.queries[place], self._aliases[place]
        keys = dict.fromkeys(alias.get(path, "/" + path) for path in paths)
        return judged(list(keys), dict(zip(query.expected, query.gains, strict=True)))

    def rows_of(self) -> dict[str, NDArray[np.int64]]:
        """Return the places of queries by source: ``overall`` first, then those there are."""
        said = [query.source for query in self.golden.queries]
        rows = {"overall": np.arange(len(said))}
        for source in SOURCES:
            places = np.array([n for n, s in enumerate(said) if s == source], np.int64)
            if places.size:
                rows[source] = places
        return rows

    def kinds(self) -> dict[str, NDArray[np.int64]]:
        """Return the places of queries by kind, for those that say one."""
        found: dict[str, list[int]] = {}
        for place, query in enumerate(self.golden.queries):
            if query.kind:
                found.setdefault(query.kind, []).append(place)
        return {kind: np.array(found[kind], np.int64) for kind in sorted(found)}


class _Known:
    """The notes of a View by all they may be called in a golden set."""

    def __init__(self, view: View, salt: bytes) -> None:
        self._salt = salt
        self._named: dict[str, list[str]] = {}
        self._otherwise: dict[str, list[str]] = {}
        self._hashed: dict[str, list[str]] | None = None
        for note in view.notes():
            self._named.setdefault(note.name, []).append(note.path)
            for name in {note.path, note.path.removesuffix(".md"), note.stem}:
                self._otherwise.setdefault(name, []).append(note.path)

    def paths(self, name: str) -> list[str]:
        if is_hashed(name):
            return self._digests().get(name, [])
        return self._named.get(name) or self._otherwise.get(name, [])

    def _digests(self) -> dict[str, list[str]]:
        if self._hashed is None:
            held = self._named.items() if self._salt else ()
            self._hashed = {hashed(name, self._salt): paths for name, paths in held}
        return self._hashed
