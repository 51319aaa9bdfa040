"""Two lists of scores over the same notes, as one.

Both formulas look at the notes of one View alone: the caller gives nothing else.
Standardised scores are the default: on conversations, reciprocal ranks lost to
words alone with every model (``python eval/bench/embedding.py --fusion`` compares).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RECIPROCAL_K = 60
RECIPROCAL_DEPTH = 30
RECIPROCAL_WEIGHTS = (1.0, 2.0)
"""Of words and of meaning."""

Values = NDArray[np.float64]


def standardised(values: NDArray[np.floating]) -> Values:
    """Return (values - mean) / deviation; zeros where all values are the same.

    So a list that tells no note from another drops out of a sum.
    """
    wide = np.asarray(values, np.float64)
    if not wide.size:
        return wide
    mean = float(wide.mean())
    centred = wide - mean
    deviation = float(np.sqrt(np.mean(centred * centred)))
    # Where all are the same, rounding in the mean can leave a deviation of its own size.
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        return np.zeros_like(wide)
    centred /= deviation
    return centred


def fused(words: NDArray[np.floating], meaning: NDArray[np.floating], weight: float) -> Values:
    """Return z(words) + weight z(meaning), moved up so that the least is 0."""
    return moved_up(standardised(words) + weight * standardised(meaning))


def moved_up(values: Values) -> Values:
    """Return values less their least: a factor below one can then only lower them."""
    return values - values.min() if values.size else values


def reciprocal(
    lists: Sequence[NDArray[np.int64]],
    size: int,
    weights: Sequence[float] = RECIPROCAL_WEIGHTS,
    k: int = RECIPROCAL_K,
    depth: int = RECIPROCAL_DEPTH,
) -> Values:
    """Return the sum of weight / (k + rank) over the lists that hold a note near their top.

    lists: places of notes, best first. size: how many notes there are.
    Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion", SIGIR 2009.
    """
    total = np.zeros(size)
    for places, weight in zip(lists, weights, strict=True):
        top = places[:depth]
        total[top] += weight / (k + np.arange(1, len(top) + 1))
    return total


def leading(values: NDArray[np.floating], ties: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
    """Return the places of the ``depth`` highest values, best first, equals by ``ties``."""
    places = np.arange(len(values))
    if len(values) > depth:
        least = np.partition(values, len(values) - depth)[len(values) - depth]
        places = np.flatnonzero(values >= least)
    return places[np.lexsort((ties[places], -values[places]))][:depth]
