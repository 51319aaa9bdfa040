"""Laws of the document: the blocks tile the log, within the budget, finest at the present."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from manent.journal import blocks

BUDGETS = st.one_of(st.just(96), st.integers(1, 400))


def by_the_rule(total: int, alpha: float) -> list[blocks.Block]:
    """The rule as it is written: keep a block whole when hi <= T and size <= alpha (T - lo)."""

    def walk(lo: int, hi: int) -> list[blocks.Block]:
        if lo >= total:
            return []
        if hi - lo == 1 or (hi <= total and hi - lo <= alpha * (total - lo)):
            return [(lo, hi)]
        middle = (lo + hi) // 2
        return walk(lo, middle) + walk(middle, hi)

    return walk(0, 1 << max(total - 1, 0).bit_length())


def from_the_definition(total: int, budget: int) -> list[blocks.Block]:
    """The whole definition, step by step, as slow as it reads."""
    if total <= budget:
        return [(i, i + 1) for i in range(total)]
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if len(by_the_rule(total, middle)) > budget:
            low = middle
        else:
            high = middle
    tiles = by_the_rule(total, high)
    while len(tiles) < budget:
        large = [i for i, (lo, hi) in enumerate(tiles) if hi - lo > 1]
        if not large:
            break
        lo, hi = tiles[large[-1]]
        tiles[large[-1] : large[-1] + 1] = [(lo, (lo + hi) // 2), ((lo + hi) // 2, hi)]
    return tiles


@given(st.integers(0, 10**6), BUDGETS)
@example(10**6, 96)
@example(2**20 - 1, 96)
@example(2**19 + 1, 1)
@settings(max_examples=300, deadline=None)
def test_blocks_tile_the_log(total: int, budget: int) -> None:
    tiles = blocks.cover(total, budget)
    assert [lo for lo, _ in tiles] == [0, *(hi for _, hi in tiles[:-1])][: len(tiles)]
    assert (tiles[-1][1] if tiles else 0) == total
    sizes = [hi - lo for lo, hi in tiles]
    assert all(
        size & (size - 1) == 0 and lo % size == 0
        for size, (lo, _) in zip(sizes, tiles, strict=True)
    )
    assert sizes == sorted(sizes, reverse=True), "detail never decreases towards the present"
    assert len(tiles) <= max(budget, total.bit_count())
    if total >= budget >= total.bit_count():
        assert len(tiles) == budget, "what is left of the budget is spent"


@given(st.integers(0, 10**6), BUDGETS)
@settings(max_examples=40, deadline=None)
def test_the_tiling_is_the_one_of_the_definition(total: int, budget: int) -> None:
    assert blocks.cover(total, budget) == from_the_definition(total, budget)


@given(st.integers(0, 300), st.integers(1, 100))
@settings(max_examples=200, deadline=None)
def test_the_tiling_is_the_one_of_the_definition_for_the_young(total: int, budget: int) -> None:
    assert blocks.cover(total, budget) == from_the_definition(total, budget)


@given(st.integers(1, 10**6), st.integers(0, 25))
@settings(max_examples=100, deadline=None)
def test_a_block_that_is_due_stands_on_what_is_built(total: int, steps: int) -> None:
    levels: dict[int, int] = {}
    for _ in range(steps):
        block, waiting = blocks.pending(levels, total)
        if block is None:
            assert waiting == 0
            break
        size = block[1] - block[0]
        below = total if size == 2 else levels.get(size // 2, 0)
        assert below >= 2 * (levels.get(size, 0) + 1) and block[0] == levels.get(size, 0) * size
        levels[size] = levels.get(size, 0) + 1
        assert blocks.pending(levels, total)[1] == waiting - 1


@given(st.integers(0, 10**5), st.integers(1, 40))
def test_names_of_blocks_lead_back_to_them(k: int, power: int) -> None:
    block = (k << power, (k + 1) << power)
    assert blocks.named(blocks.name(block)) == block
