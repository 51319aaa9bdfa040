"""The k best without scoring everyone: words that cannot decide are left for last.

Words are taken by how much they can add, most first. Once all that is left
cannot lift a document that has nothing yet over the k-th best seen, only those
already met are candidates; what is left is looked up for them alone, and they
too drop out when they cannot win any more. The survivors are then scored again
in the order of the query, so that what is returned is, to the last bit, what
scoring everyone returns.

Source: Turtle, Flood, "Query evaluation: strategies and optimizations", 1995
(MaxScore), term at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manent.search.bm25 import Scope, Word
from manent.search.constants import Constants
from manent.search.rank import Factors, by_id

_SLACK = 1 - 1e-9
"""Bounds are added in another order than scores, so they may differ in the last bits."""

_FEW = 8
"""Looking a place up costs about as much as scoring this many in a row."""


def contenders(
    scope: Scope, words: list[Word], k: int, constants: Constants, demotion: Factors
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return (places, scores before demotion) of documents among which are the k best.

    All that share the k-th best score are among them.
    """
    left = sorted(words, key=lambda word: -word.most)
    places, partial, threshold = _first_met(scope, left, k, constants, demotion)
    factors = _factors(scope, places, demotion)
    while left:
        bound = sum(word.most for word in left)
        places, partial, factors = _kept(
            (partial + bound) * factors >= threshold, places, partial, factors
        )
        partial = partial + _gains(scope, left.pop(0), places, constants)
        threshold = max(threshold, _kth(partial * factors, k) * _SLACK)
    places, _, _ = _kept(partial * factors >= threshold, places, partial, factors)
    scores = np.zeros(len(places))
    for word in words:
        scores += _gains(scope, word, places, constants)
    return places, scores


def _first_met(
    scope: Scope, left: list[Word], k: int, constants: Constants, demotion: Factors
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """Score everyone for the words that can bring in a document, taking them off ``left``."""
    total = np.zeros(scope.size)
    threshold = 0.0
    while left and (not threshold or sum(word.most for word in left) >= threshold):
        word = left.pop(0)
        scope.add(total, word, constants)
        if left and word.df >= k:
            met = scope.places(word)
            threshold = max(
                threshold, _kth(total[met] * _factors(scope, met, demotion), k) * _SLACK
            )
    places = np.flatnonzero(total)
    partial = total[places]
    if not left:
        reached = _kth(partial * _factors(scope, places, demotion), k) * _SLACK
        threshold = max(threshold, reached)
    return places, partial, threshold


def _gains(
    scope: Scope, word: Word, places: NDArray[np.int64], constants: Constants
) -> NDArray[np.float64]:
    if len(places) * _FEW < word.df:
        return scope.gains(word, places, constants)
    total = np.zeros(scope.size)
    scope.add(total, word, constants)
    return total[places]


def _kept(
    mask: NDArray[np.bool_],
    places: NDArray[np.int64],
    partial: NDArray[np.float64],
    factors: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    return places[mask], partial[mask], factors[mask]


def _kth(scores: NDArray[np.float64], k: int) -> float:
    """Return the k-th highest score, 0 where there are fewer."""
    if len(scores) < k:
        return 0.0
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


def _factors(scope: Scope, places: NDArray[np.int64], demotion: Factors) -> NDArray[np.float64]:
    if demotion is None or not places.size:
        return np.ones(len(places))
    return np.asarray(by_id(demotion, scope.identify(places)), np.float64)
