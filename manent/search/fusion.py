"""Two lists of scores over the same notes, as one.

Both formulas look at the notes of one View alone: the caller gives nothing else.
Standardised scores are the default: on conversations, reciprocal ranks lost to
words alone with every model (``python -m eval.bench.fusion`` compares).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RECIPROCAL_K = 60
RECIPROCAL_DEPTH = 30
RECIPROCAL_WEIGHTS = (1.0, 2.0)
"""Of words and of meaning."""

_LEAST = 1e-100
"""Nothing a score would be: below it, the steps of a scale are no numbers any more."""
_STEPS = 1 << 20
"""Squares of so many, over four million notes, fit in 64 bits."""

Values = NDArray[np.float64]


def standardised(values: NDArray[np.floating]) -> Values:
    """Return (values - mean) / deviation; zeros where all values are the same.

    So a list that tells no note from another drops out of a sum. The order of the
    values does not matter, to the last bit (``moments``).
    """
    wide = np.asarray(values, np.float64)
    mean, deviation = moments(wide)
    return (wide - mean) / deviation if deviation else np.zeros_like(wide)


def moments(values: Values) -> tuple[float, float]:
    """Return mean and deviation, the same for any order of the same values.

    Adding doubles up gives other last bits in another order, and an index has its
    documents in an order of its own. So both are of the values rounded to a millionth
    of the largest, in whole numbers. No deviation means that all are the same so far.
    """
    top = float(np.abs(values).max()) if values.size else 0.0
    if top < _LEAST:
        return 0.0, 0.0
    whole = np.rint(values * (_STEPS / top)).astype(np.int64)
    count, total = len(whole), int(whole.sum())
    spread = count * int(np.dot(whole, whole)) - total * total
    unit = top / _STEPS
    return total / count * unit, math.sqrt(spread) / count * unit


def fused(
    words: NDArray[np.floating],
    meaning: NDArray[np.floating],
    weight: float,
    trust: float = 1.0,
) -> Values:
    """Return trust z(words) + weight z(meaning), moved up so that the least is 0."""
    return moved_up(trust * standardised(words) + weight * standardised(meaning))


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
