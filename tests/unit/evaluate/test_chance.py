"""Intervals and the paired test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from manent.evaluate.chance import difference, interval


def test_an_interval_holds_the_mean_and_narrows() -> None:
    chance = np.random.default_rng(3)
    widths = []
    for size in (20, 200, 2_000):
        values = chance.random(size)
        low, high = interval(values)
        assert low <= values.mean() <= high
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[2] == pytest.approx(2 * 1.96 * np.sqrt(1 / 12 / 2_000), rel=0.15)
    assert interval(np.ones(7)) == (1.0, 1.0)


def test_an_interval_is_the_same_each_time() -> None:
    values = np.random.default_rng(4).random(50)
    assert interval(values) == interval(values)


def test_few_differences_are_tried_in_every_way() -> None:
    first, second = np.array([0.9, 0.8, 0.4, 0.5]), np.array([0.5, 0.1, 0.5, 0.5])
    apart = (first - second)[:3]
    sums = [abs(np.dot(signs, apart)) for signs in product((-1, 1), repeat=3)]
    want = np.mean(np.array(sums) >= abs(apart.sum()) - 1e-9)
    assert difference(first, second) == want == difference(second, first)


def test_noise_is_called_noise_and_a_difference_is_not() -> None:
    chance = np.random.default_rng(5)
    base = chance.random(400)
    assert difference(base, base) == 1.0
    assert difference(base + chance.normal(0, 0.1, 400), base) > 0.01
    assert difference(base + chance.normal(0.05, 0.1, 400), base) < 0.001


def test_chance_alone_is_uniform() -> None:
    draws = np.random.default_rng(6)
    below = sum(difference(draws.normal(0, 1, 60), draws.normal(0, 1, 60)) < 0.1 for _ in range(60))
    assert 0 <= below <= 15  # 6 are expected; 15 or more happen once in 2,000
