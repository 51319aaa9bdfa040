"""What every ranker shares: the score a status keeps, the best of many, a hit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.values import dataclass
from manent.vault.record import NoteRecord

Ids = NDArray[np.int64]
Order = NDArray[Any] | Callable[[Ids], NDArray[Any]] | None
"""Ranks of paths: an array by document id, or a function of ids. None: by id."""

Factors = NDArray[Any] | Callable[[Ids], NDArray[Any]] | None
"""What each document keeps of its score: an array by id, or a function of ids. None: all."""

DEMOTION = {"quarantine": 0.5, "deprecated": 0.5, "archived": 0.25}
"""What a note of each status keeps of its score, in every ranker. Others keep all."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A note found, as ``manent search`` prints it.

    score: after demotion. via: the lists it came by, and its rank in each, from 1.
    """

    name: str
    path: str
    description: str
    type: str
    status: str
    score: float
    via: dict[str, int]

    @classmethod
    def of(cls, note: NoteRecord, score: float, via: dict[str, int]) -> Hit:
        """Return the hit that a note makes."""
        status = "quarantine" if note.quarantined else note.status
        return cls(note.name, note.path, note.description, note.type, status, score, via)


def factors(statuses: Iterable[str | None]) -> NDArray[np.float64]:
    """Return what notes of these statuses keep of their score, in the same order."""
    return np.array([DEMOTION.get(status or "", 1.0) for status in statuses], np.float64)


def by_id(given: NDArray[Any] | Callable[[Ids], NDArray[Any]], ids: Ids) -> NDArray[Any]:
    """Look documents up in an array by id, or ask the function that was given instead.

    Raises TypeError when the array is too short: the caller's fault, not the store's.
    """
    if callable(given):
        return np.asarray(given(ids))
    if ids.size and int(ids.max()) >= len(given):
        raise TypeError(f"an array by id has {len(given)} entries, none for id {int(ids.max())}")
    return given[ids]


def best(ids: Ids, scores: NDArray[np.float64], k: int, order: Order = None) -> NDArray[np.int64]:
    """Return the places of the k highest scores, best first; equals by path.

    Exact: where the k-th score is shared, paths decide who is in.
    """
    if k <= 0:
        return np.zeros(0, np.int64)
    places = np.arange(len(scores))
    if len(scores) > k:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= least)
    ranks = ids[places] if order is None else _ranks(ids[places], scores[places], order)
    return places[np.lexsort((ranks, -scores[places]))][:k]


def _ranks(ids: Ids, scores: NDArray[np.float64], order: Order) -> NDArray[np.int64]:
    """Return the ranks of paths where scores are shared; elsewhere nobody looks at them."""
    ranks = np.zeros(len(ids), np.int64)
    _, at, counts = np.unique(scores, return_inverse=True, return_counts=True)
    tied = np.flatnonzero(counts[at] > 1)
    if tied.size and order is not None:
        ranks[tied] = by_id(order, ids[tied])
    return ranks
