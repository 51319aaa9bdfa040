"""What one ranking is worth, by the formulae everybody uses.

Each is checked against ``ir-measures`` and against cases worked by hand in
``tests/unit/evaluate/test_metrics.py``. They are here because they are ten
lines, and the library (with its numeric and C dependencies) is not wanted
where the package is installed.

``hit@k``: 1 if any expected note is among the first k. ``recall@k``: the share
of expected notes among the first k. ``mrr``: one over the rank of the first
expected note. ``ndcg@10``: linear gains, discounted by log2(rank + 1), over
what the best possible order gives (trec_eval's ``ndcg_cut``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

METRICS = ("hit@1", "hit@3", "recall@5", "recall@10", "mrr", "ndcg@10")
"""The names of the metrics, in the order of reports."""

DEPTH = 100
"""How many notes are asked for: past it, ``mrr`` is taken for 0."""

Gains = Mapping[str, int]
"""What each expected note is worth, by any key that ``found`` uses too."""


def hit(found: Sequence[str], gains: Gains, k: int) -> float:
    """Return 1.0 if one of the first k is expected, else 0.0."""
    return float(any(key in gains for key in found[:k]))


def recall(found: Sequence[str], gains: Gains, k: int) -> float:
    """Return the share of expected notes that are among the first k."""
    return sum(key in gains for key in found[:k]) / len(gains)


def reciprocal_rank(found: Sequence[str], gains: Gains) -> float:
    """Return one over the rank of the first expected note, 0.0 where there is none."""
    return next((1.0 / rank for rank, key in enumerate(found, 1) if key in gains), 0.0)


def ndcg(found: Sequence[str], gains: Gains, k: int) -> float:
    """Return the discounted gain of the first k over the best there could be."""
    ideal = sorted(gains.values(), reverse=True)[:k]
    return _discounted([gains.get(key, 0) for key in found[:k]]) / _discounted(ideal)


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


_FORMULAE: dict[str, Callable[[Sequence[str], Gains], float]] = {
    "hit@1": lambda found, gains: hit(found, gains, 1),
    "hit@3": lambda found, gains: hit(found, gains, 3),
    "recall@5": lambda found, gains: recall(found, gains, 5),
    "recall@10": lambda found, gains: recall(found, gains, 10),
    "mrr": lambda found, gains: reciprocal_rank(found[:DEPTH], gains),
    "ndcg@10": lambda found, gains: ndcg(found, gains, 10),
}


def judged(found: Sequence[str], gains: Gains) -> tuple[float, ...]:
    """Return every metric of one ranking, in the order of ``METRICS``.

    found: keys, best first, each once. gains: not empty; each above 0.
    """
    return tuple(_FORMULAE[name](found, gains) for name in METRICS)
