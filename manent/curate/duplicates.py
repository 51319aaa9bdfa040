"""Notes that say the same: word triples counted in common, scored exactly.

Two notes share what both have of their word triples. The score is the larger of
Jaccard (common by all) and, where neither has four times the other's triples,
containment (common by the smaller's).

Every pair with a triple that few notes have is counted: triples are as good as
unique in what people write. What only common triples join, boilerplate that
hundreds of notes carry, is counted for vaults of up to ``EXACT_NOTES`` notes;
beyond that such pairs are looked for by rare triples alone
(``python -m eval.bench.curate`` measures what that misses).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manent import late

THRESHOLD = 0.25
MIN_TRIPLES = 8
"""Notes with fewer say too little to be called copies."""
FACTOR = 4
"""Containment counts where sizes are within this factor: a line in a book is no copy of it."""
RARE = 200
"""A triple of more notes than this is common."""
EXACT_NOTES = 20_000
SKETCH = 20
"""What counts as rare beyond ``EXACT_NOTES`` notes: pairs grow with their number."""
_CHUNK_PAIRS = 1 << 21
_BLOCK = 1_000
_PARTS = 32

_WORD = late.pattern(r"[぀-ヿ㐀-鿿가-힯]|[^\W_]+")
# Odd 64-bit constants (the fractional digits of square roots of 2, 3 and 5): words of
# a triple are told apart by place, and two triples share a hash once in 10^9 vaults.
_MIX = np.array([0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B], np.uint64)

Hashes = NDArray[np.uint64]


class Pair(NamedTuple):
    """Two texts by their numbers, a < b, and how alike they are."""

    a: int
    b: int
    score: float
    jaccard: float
    containment: float


class Words:
    """Numbers for words, the same word the same number."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def triples(self, text: str) -> Hashes:
        """Return the hashes of the distinct word triples of a text, ascending."""
        known = self._known
        words = _WORD.findall(text.casefold())
        if len(words) < 3:
            return np.empty(0, np.uint64)
        numbers = np.fromiter(
            (known.setdefault(word, len(known) + 1) for word in words), np.uint64, len(words)
        )
        mixed = numbers[:-2] * _MIX[0] ^ _turned(numbers[1:-1] * _MIX[1], 21)
        return np.unique(mixed ^ _turned(numbers[2:] * _MIX[2], 42))


def _turned(values: Hashes, by: int) -> Hashes:
    return (values << np.uint64(by)) | (values >> np.uint64(64 - by))


def duplicates(
    texts: Iterable[str], threshold: float = THRESHOLD, exact: bool | None = None
) -> list[Pair]:
    """Return the pairs of texts that score at least ``threshold``, best first.

    exact: count what common triples join, too; None: up to ``EXACT_NOTES`` texts.
    Ties break by number.
    """
    words = Words()
    return alike([words.triples(text) for text in texts], threshold, exact)


def alike(
    sets: Sequence[Hashes], threshold: float = THRESHOLD, exact: bool | None = None
) -> list[Pair]:
    """Return the pairs of sets of triples that score at least ``threshold``, best first."""
    sizes = np.array([len(one) for one in sets], np.int64)
    kept = np.flatnonzero(sizes >= MIN_TRIPLES)
    if len(kept) < 2:
        return []
    whole = exact if exact is not None else len(sets) <= EXACT_NOTES
    rare = RARE if whole else SKETCH
    counter = _Counter([sets[i] for i in kept.tolist()], sizes[kept], threshold, rare)
    found = [counter.by_rare()]
    if whole:
        found.append(counter.by_common())
    keys = np.unique(np.concatenate(found))
    a, b = (kept[part].tolist() for part in np.divmod(keys, len(kept)))
    pairs = (_scored(sets, one, other) for one, other in zip(a, b, strict=True))
    return sorted(
        (pair for pair in pairs if pair.score >= threshold), key=lambda p: (-p.score, p.a, p.b)
    )


def _scored(sets: Sequence[Hashes], a: int, b: int) -> Pair:
    one, other = sets[a], sets[b]
    common = len(np.intersect1d(one, other, assume_unique=True))
    small, large = sorted((len(one), len(other)))
    jaccard = common / (small + large - common)
    containment = common / small
    score = max(jaccard, containment) if large <= FACTOR * small else jaccard
    return Pair(a, b, score, jaccard, containment)


class _Counter:
    """Candidates among sets: pairs whose common triples could suffice."""

    def __init__(
        self, sets: list[Hashes], sizes: NDArray[np.int64], threshold: float, rare: int
    ) -> None:
        self.sizes = sizes
        self.rare = rare
        self.threshold = threshold
        self.owners, self.frequency = _shared(sets)
        self.first = np.cumsum(self.frequency) - self.frequency
        common = np.repeat(self.frequency > self.rare, self.frequency)
        self.common_of = np.bincount(self.owners[common], minlength=len(sets))
        last = self._last()
        self.skipped_of = np.bincount(self.owners[last & ~common], minlength=len(sets))
        self.asked = ~common & ~last

    def _last(self) -> NDArray[np.bool_]:
        """Mark the most frequent triples of each note, fewer than any pair of it shares.

        In one order for all, rarest first, the first triple that two notes share
        stands before the last so many of both: it suffices to look for the others
        (the prefix filter of set similarity joins).
        """
        rank = np.empty(len(self.frequency), np.int32)
        rank[np.argsort(self.frequency, kind="stable")] = np.arange(len(rank), dtype=np.int32)
        order = np.lexsort((-np.repeat(rank, self.frequency), self.owners))
        held = np.bincount(self.owners, minlength=len(self.sizes))
        place = np.arange(len(order)) - np.repeat(np.cumsum(held) - held, held)
        spare = np.maximum(np.ceil(self._least(self.sizes)).astype(np.int64) - 1, 0)
        last = np.zeros(len(order), bool)
        last[order] = place < spare[self.owners[order]]
        return last

    def by_rare(self) -> NDArray[np.int64]:
        """Return as a*n+b, ascending, the pairs that rare triples join and that can suffice."""
        n = len(self.sizes)
        found = [np.empty(0, np.int64)]
        for pairs in self._rare_pairs():
            keys, counts = np.unique(pairs, return_counts=True)
            a, b = np.divmod(keys, n)
            possible = counts + np.minimum(self.common_of[a], self.common_of[b])
            possible += self.skipped_of[a] + self.skipped_of[b]
            found.append(keys[self._suffices(a, b, possible)])
        return np.concatenate(found)

    def _rare_pairs(self) -> Iterator[NDArray[np.int64]]:
        """Yield the pairs of rare triples, those of a note a together, a few million at a time."""
        owners, left = self.owners[self.asked], self._followers()
        order = np.argsort(owners, kind="stable")
        made = np.cumsum(left[order])
        ends = np.searchsorted(made, np.arange(_CHUNK_PAIRS, made[-1:].sum(), _CHUNK_PAIRS))
        # A note's pairs are counted at once: a piece ends where a note does.
        cuts = np.searchsorted(owners[order], owners[order[ends]], side="right")
        for start, end in itertools.pairwise([0, *np.unique(cuts).tolist(), len(order)]):
            entries = order[start:end]
            many = left[entries].astype(np.int64)
            step = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
            # Owners stand in ascending order within a triple: a < b throughout.
            other = owners[np.repeat(entries + 1, many) + step].astype(np.int64)
            yield np.repeat(owners[entries].astype(np.int64), many) * len(self.sizes) + other

    def _followers(self) -> NDArray[np.int32]:
        """Return, for each asked owner of a triple, how many owners of it come after."""
        triple = np.repeat(np.arange(len(self.frequency), dtype=np.int32), self.frequency)
        many = np.bincount(triple[self.asked], minlength=len(self.frequency))
        many = many[many > 0]
        ends = np.repeat(np.cumsum(many), many)
        return (ends - 1 - np.arange(len(ends))).astype(np.int32)

    def by_common(self) -> NDArray[np.int64]:
        """Return as a*n+b the pairs that common triples alone could join, counted whole."""
        found = [np.empty(0, np.int64)]
        least = self._least(self.sizes)
        heavy = np.flatnonzero((self.common_of > 0) & (self.common_of >= least))
        if len(heavy) < 2:
            return found[0]
        matrix = self._matrix(heavy)
        for at in range(0, len(heavy), _BLOCK):
            counted = matrix[at : at + _BLOCK] @ matrix.T
            rows, columns = np.nonzero(counted)
            keep = columns > rows + at
            rows, columns = rows[keep], columns[keep]
            a, b = heavy[rows + at], heavy[columns]
            # What rare triples add is unknown here: a pair that they join at all
            # was counted by them, and this one needs the common ones to suffice.
            enough = self._suffices(a, b, counted[rows, columns].astype(np.int64))
            found.append(a[enough] * len(self.sizes) + b[enough])
        return np.concatenate(found)

    def _matrix(self, heavy: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return (len(heavy), common triples): 1 where a note has the triple."""
        place = np.full(len(self.sizes), -1, np.int64)
        place[heavy] = np.arange(len(heavy))
        columns = np.flatnonzero(self.frequency > self.rare)
        matrix = np.zeros((len(heavy), len(columns)), np.float32)
        for column, triple in enumerate(columns):
            start = self.first[triple]
            rows = place[self.owners[start : start + self.frequency[triple]]]
            matrix[rows[rows >= 0], column] = 1.0
        return matrix

    def _least(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how many triples a note must share with any other, whatever its size."""
        return self.threshold * sizes / FACTOR

    def _suffices(
        self, a: NDArray[np.int64], b: NDArray[np.int64], common: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        one, other = self.sizes[a], self.sizes[b]
        small, large = np.minimum(one, other), np.maximum(one, other)
        common = np.minimum(common, small)
        contained = (large <= FACTOR * small) & (common >= self.threshold * small)
        return contained | (common >= self.threshold * (small + large - common))


def _shared(sets: Sequence[Hashes]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the triples that several sets have: their sets, ascending, and how many.

    A triple's sets stand together, triples in the order of their hashes. Hashes are
    sorted by their leading bits in turn, so that never all are held twice.
    """
    edges = np.arange(1, _PARTS, dtype=np.uint64) << np.uint64(64 - _PARTS.bit_length() + 1)
    cuts = np.zeros((len(sets), _PARTS + 1), np.int64)
    for row, one in zip(cuts, sets, strict=True):
        row[1:-1] = np.searchsorted(one, edges)
        row[-1] = len(one)
    owners, frequencies = [], []
    for part in range(_PARTS):
        bounds = cuts[:, part : part + 2].tolist()
        hashes = np.concatenate(
            [one[start:end] for one, (start, end) in zip(sets, bounds, strict=True)]
        )
        owner = np.repeat(np.arange(len(sets), dtype=np.int32), cuts[:, part + 1] - cuts[:, part])
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        # What one note alone says joins it to none: most triples end here.
        same = hashes[1:] == hashes[:-1]
        several = np.flatnonzero(np.r_[False, same] | np.r_[same, False])
        hashes, owner = hashes[several], owner[order[several]]
        first = np.flatnonzero(np.r_[True, hashes[1:] != hashes[:-1]][: len(hashes)])
        owners.append(owner)
        frequencies.append(np.diff(np.r_[first, len(hashes)]))
    return np.concatenate(owners), np.concatenate(frequencies)
