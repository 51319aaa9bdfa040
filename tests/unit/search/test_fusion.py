"""Fusion: sums that can be worked out by hand, and laws for the rest."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from manent.search import fusion
from manent.search.nearest import cosines

VALUES = arrays.arrays(np.float64, st.integers(1, 30), elements=st.floats(-50, 50))


def test_standardised_by_hand() -> None:
    assert fusion.standardised(np.array([1.0, 3.0])) == pytest.approx([-1.0, 1.0], abs=1e-5)
    assert fusion.standardised(np.array([2.0, 4.0, 4.0, 6.0])) == pytest.approx(
        [-1.41421356, 0, 0, 1.41421356], abs=1e-5
    )


@pytest.mark.parametrize("value", [0.0, 0.1, -3.7, 1e9])
def test_a_list_that_tells_nothing_drops_out(value: float) -> None:
    same = np.full(7, value)
    other = np.arange(7.0)
    assert not fusion.standardised(same).any()
    assert np.allclose(fusion.fused(same, other, 1.0), fusion.moved_up(fusion.standardised(other)))
    assert np.allclose(fusion.fused(other, same, 9.0), fusion.moved_up(fusion.standardised(other)))


def test_fused_by_hand() -> None:
    found = fusion.fused(np.array([1.0, 3.0]), np.array([0.5, 0.4]), 2.0)
    assert found == pytest.approx([2.0, 0.0], abs=1e-5)  # -1 + 2 and 1 - 2, moved up by 1


@given(VALUES)
def test_no_score_is_below_nothing(values: np.ndarray) -> None:
    found = fusion.fused(values, values[::-1], 2.0)
    assert found.min() == 0 and np.isfinite(found).all()


@given(VALUES, st.randoms())
def test_the_order_of_notes_changes_no_bit(values: np.ndarray, draw: random.Random) -> None:
    order = list(range(len(values)))
    draw.shuffle(order)
    straight = fusion.fused(values, values**2, 2.0)
    assert np.array_equal(fusion.fused(values[order], values[order] ** 2, 2.0), straight[order])


@given(VALUES, st.floats(0.1, 100), st.floats(-100, 100))
def test_scale_and_place_do_not_matter(values: np.ndarray, scale: float, shift: float) -> None:
    if values.std() < 1:
        return
    moved = fusion.standardised(values * scale + shift)
    assert np.allclose(moved, fusion.standardised(values), atol=1e-2)


def test_of_nothing_comes_nothing() -> None:
    nothing = np.zeros(0)
    assert fusion.fused(nothing, nothing, 2.0).size == 0


def test_reciprocal_by_hand() -> None:
    words, meaning = np.array([2, 0, 1]), np.array([1, 2])
    found = fusion.reciprocal([words, meaning], 4)
    assert found == pytest.approx([1 / 62, 1 / 63 + 2 / 61, 1 / 61 + 2 / 62, 0])
    assert fusion.reciprocal([words, meaning], 4, depth=1) == pytest.approx([0, 2 / 61, 1 / 61, 0])


@given(
    arrays.arrays(np.float64, st.integers(0, 40), elements=st.integers(0, 5)), st.integers(1, 12)
)
def test_leading_is_the_head_of_the_whole_order(values: np.ndarray, depth: int) -> None:
    ties = np.arange(len(values))[::-1]
    whole = sorted(range(len(values)), key=lambda n: (-values[n], ties[n]))
    assert fusion.leading(values, ties, depth).tolist() == whole[:depth]


@given(st.lists(st.integers(0, 9_999), min_size=0, max_size=50), st.booleans())
def test_cosines_are_exact_in_any_order(rows: list[int], in_order: bool) -> None:
    matrix = np.random.default_rng(3).standard_normal((10_000, 8)).astype(np.float32)
    chosen = np.arange(10_000) if in_order else np.array(rows, np.int64)
    query = matrix[17]
    found = cosines(matrix, chosen, query)
    assert np.allclose(found, matrix[chosen] @ query, atol=1e-5)
    assert np.array_equal(found, cosines(matrix, np.arange(10_000), query)[chosen])


def test_rows_that_were_not_chosen_are_not_read() -> None:
    matrix = np.random.default_rng(3).standard_normal((10_000, 8)).astype(np.float32)
    chosen = np.flatnonzero(np.arange(10_000) % 3 == 0)
    expected = cosines(matrix, chosen, matrix[0])
    hidden = np.setdiff1d(np.arange(10_000), chosen)
    matrix[hidden] = np.nan
    assert np.array_equal(cosines(matrix, chosen, matrix[0]), expected)
