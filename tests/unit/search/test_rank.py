"""What rankers share."""

from __future__ import annotations

import numpy as np

from manent.search.rank import best, factors


def test_statuses_keep_their_share() -> None:
    found = factors(["active", None, "quarantine", "deprecated", "archived", "unheard-of"])
    assert found.tolist() == [1, 1, 0.5, 0.5, 0.25, 1]


def test_the_best_are_exact_and_equals_go_by_order() -> None:
    chance = np.random.default_rng(1)
    for _ in range(200):
        size, k = int(chance.integers(0, 30)), int(chance.integers(0, 12))
        ids = chance.permutation(size).astype(np.int64)
        scores = chance.integers(0, 4, size).astype(np.float64)
        ranks = chance.permutation(size)
        want = sorted(range(size), key=lambda i: (-scores[i], ranks[ids[i]]))[:k]
        assert best(ids, scores, k, ranks).tolist() == want
