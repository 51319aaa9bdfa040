"""Blocks: aligned power-of-two ranges of memories, and how they tile a life.

A block is a pair (lo, hi), hi excluded, with hi - lo a power of two and lo a
multiple of it. Its printed name includes both ends: ``16-31``.
"""

from __future__ import annotations

from manent.errors import UsageError

Block = tuple[int, int]

HALVINGS = 60
"""How often [0, 1] is halved in search of alpha: below the last bit of a float."""


def cover(total: int, budget: int) -> list[Block]:
    """Tile [0, total) with at most ``budget`` blocks, finest towards the present.

    If all memories fit, each stands alone. Else a block is kept whole when its
    hi <= total and its size is at most alpha * (total - lo), alpha being the
    smallest in [0, 1] for which the budget holds; and what is left of the
    budget is spent on splitting the newest block that can be split. The same
    tiling as OptMem's, in the same floating-point arithmetic.

    No tiling has fewer blocks than ``total`` has ones in binary: a budget
    below that (20 at a million) gives just those. O(HALVINGS * log total + budget).
    """
    if total <= budget:
        return [(i, i + 1) for i in range(total)]
    root = 1 << (total - 1).bit_length()
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _count(root, total, middle) > budget:
            low = middle
        else:
            high = middle
    return _spend(_tiles(root, total, high), budget)


def _ends(root: int, total: int, alpha: float) -> list[tuple[int, int]]:
    """Return (size, end) for each size from ``root`` down: blocks that large reach to ``end``.

    The older a block of one size, the likelier it is kept, so those kept whole
    stand in front of all smaller ones, and how far they reach says it all.
    """
    found, end, size = [], 0, root
    while size > 1:
        # Found by division, then made exact: the rule itself multiplies.
        last = min(total - size, int(total - size / alpha)) // size * size
        while last + 2 * size <= total and size <= alpha * (total - last - size):
            last += size
        while last >= end and not (last + size <= total and size <= alpha * (total - last)):
            last -= size
        end = max(end, last + size)
        found.append((size, end))
        size //= 2
    return [*found, (1, total)]


def _count(root: int, total: int, alpha: float) -> int:
    count = start = 0
    for size, end in _ends(root, total, alpha):
        count += (end - start) // size
        start = end
    return count


def _tiles(root: int, total: int, alpha: float) -> list[Block]:
    tiles: list[Block] = []
    start = 0
    for size, end in _ends(root, total, alpha):
        tiles += [(lo, lo + size) for lo in range(start, end, size)]
        start = end
    return tiles


def _spend(tiles: list[Block], budget: int) -> list[Block]:
    """Split the newest block that can be split until the budget is spent."""
    at = len(tiles) - 1
    while len(tiles) < budget and at >= 0:
        lo, hi = tiles[at]
        if hi - lo == 1:
            at -= 1
            continue
        middle = (lo + hi) // 2
        tiles[at : at + 1] = [(lo, middle), (middle, hi)]
        at += 1
    return tiles


def name(block: Block) -> str:
    """Return the block's printed name, both ends included: ``16-31``."""
    return f"{block[0]}-{block[1] - 1}"


def named(text: str) -> Block:
    """Return the block that ``text`` names. Raises UsageError for any other range."""
    first, dash, last = text.strip().removeprefix("#").partition("-")
    digits = first.isascii() and last.isascii() and first.isdigit() and last.isdigit()
    if not (dash and digits) or len(first) > 18 or len(last) > 18:
        raise UsageError(f"{text!r} is no block: copy its name as printed, like 16-31")
    lo, hi = int(first), int(last) + 1
    size = hi - lo
    if size < 2 or size & (size - 1) or lo % size:
        raise UsageError(
            f"{text} is no block: a block is an aligned power-of-two range, like 16-31"
        )
    return lo, hi


def pending(levels: dict[int, int], total: int) -> tuple[Block | None, int]:
    """Return the next block to compress, smallest first, and how many wait in all.

    levels: how many summaries each size has (absent: none).
    """
    first: Block | None = None
    count, size = 0, 2
    while size <= total:
        have, due = levels.get(size, 0), total // size
        if have < due:
            first = first or (have * size, (have + 1) * size)
            count += due - have
        size *= 2
    return first, count
