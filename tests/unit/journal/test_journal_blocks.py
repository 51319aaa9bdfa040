"""Blocks and the tiling of a life."""

from __future__ import annotations

import pytest

from manent.errors import UsageError
from manent.journal import blocks


def test_a_life_that_fits_stands_raw() -> None:
    assert blocks.cover(0, 96) == []
    assert blocks.cover(96, 96) == [(i, i + 1) for i in range(96)]


def test_one_memory_too_many_costs_the_two_oldest_their_detail() -> None:
    assert blocks.cover(97, 96) == [(0, 2), *((i, i + 1) for i in range(2, 97))]


def test_a_small_budget_is_spent_to_the_last_line() -> None:
    assert blocks.cover(16, 5) == [(0, 8), (8, 12), (12, 14), (14, 15), (15, 16)]


def test_a_budget_below_any_tiling_gives_the_coarsest() -> None:
    assert blocks.cover(7, 1) == [(0, 4), (4, 6), (6, 7)]


def test_names_include_both_ends() -> None:
    assert blocks.name((16, 32)) == "16-31"
    assert blocks.named("16-31") == (16, 32) and blocks.named("#0-1") == (0, 2)


NO_BLOCKS = ["3-9", "9-3", "16-32", "1-2", "4-4", "4", "", "a-b", "-1-2", "0-1-2", "٠-١"]


@pytest.mark.parametrize("text", [*NO_BLOCKS, "0-" + "9" * 30])
def test_no_other_range_is_a_block(text: str) -> None:
    with pytest.raises(UsageError, match="is no block"):
        blocks.named(text)


def test_the_smallest_block_is_due_first() -> None:
    assert blocks.pending({}, 1) == (None, 0)
    assert blocks.pending({}, 8) == ((0, 2), 7)
    assert blocks.pending({2: 4}, 8) == ((0, 4), 3)
    assert blocks.pending({2: 4, 4: 2, 8: 1}, 8) == (None, 0)
    assert blocks.pending({2: 9}, 8) == ((0, 4), 3)
