"""How far chance alone could have brought a figure: so that noise is called noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SEED = 20261130
"""Every draw starts here: the same scores give the same interval on every machine."""

RESAMPLES = 2_000
FLIPS = 10_000
_AT_ONCE = 4_000_000
"""Numbers held at a time, 32 MB."""


def interval(values: NDArray[np.float64], share: float = 0.95) -> tuple[float, float]:
    """Return the bootstrap interval of a mean: percentiles over resampled queries.

    values: (n,) one figure a query, n > 0.
    Source: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
    """
    size = len(values)
    draw = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    step = max(1, _AT_ONCE // size)
    for first in range(0, RESAMPLES, step):
        count = min(step, RESAMPLES - first)
        means[first : first + count] = values[draw.integers(0, size, (count, size))].mean(axis=1)
    low, high = np.quantile(means, ((1 - share) / 2, (1 + share) / 2))
    return float(low), float(high)


def difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return how likely chance alone gives two rankers means as far apart as these.

    first, second: (n,) the same queries in the same order. A paired randomisation
    test, two-sided: the sign of each query's difference is flipped at random. Exact
    up to 13 differing queries, and never 0: the arrangement that was seen counts.
    Source: Smucker, Allan, Carterette, "A comparison of statistical significance
    tests for information retrieval evaluation", 2007.
    """
    apart = first - second
    apart = apart[apart != 0]
    if not apart.size:
        return 1.0
    seen = abs(float(apart.sum())) * (1 - 1e-12)
    if len(apart) <= 13:
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * len(apart))).reshape(len(apart), -1)
        return float(np.mean(np.abs(apart @ signs) >= seen))
    draw = np.random.default_rng(SEED)
    extreme = 1
    step = max(1, _AT_ONCE // len(apart))
    for start in range(0, FLIPS, step):
        count = min(step, FLIPS - start)
        flips = draw.integers(0, 2, (count, len(apart)), dtype=np.int8) * 2 - 1
        extreme += int(np.count_nonzero(np.abs(flips @ apart) >= seen))
    return extreme / (FLIPS + 1)
