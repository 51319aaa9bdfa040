"""Notes that say the same: word triples counted in common, scored exactly.

Two notes share what both have of their word triples. The score is the larger of
Jaccard (common by all) and, where neither has four times the other's triples,
containment (common by the smaller's).

Nothing is missed, at any size, and what is too much to list is counted. A pair
with a triple that few notes have is met there, and counted: triples are as good as
unique in what people write. A pair that shares only common triples, boilerplate
or the twentieth copy, is met from its smaller note, provided that its common
triples alone make a copy of it: notes with the same common triples are counted
together. Notes that hold the very same triples are counted as one
(``python -m eval.bench.curate`` measures time and recall).
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
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
MANY_NOTES = 20_000
RARE_OF_MANY = 20
"""What counts as rare beyond ``MANY_NOTES`` notes: pairs grow with their number."""
WHOLE = 200
"""Of more notes with the very same triples, each is paired with the first alone."""
MOST = 2_000_000
FEWEST = 20
"""Pairs that common triples alone may make, so that a form which is half of every note
fits in memory: each note then has its nearest, no fewer than so many. What a thousand
notes share is told whole."""
_CHUNK_PAIRS = 1 << 21
_PARTS = 32
_PRECISE = 10**9
"""Thresholds are fractions of at most this denominator: counts of words times it fit."""

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


class Pairs(list[Pair]):
    """Pairs, best first. untold: how many more there are among notes that hundreds are like."""

    untold: int = 0

    def tell(self, like: Pair, one: Sequence[int], other: Sequence[int]) -> None:
        """Add each of one class with each of another, all as alike as ``like``."""
        shown = itertools.product(_shown(one), _shown(other))
        self += [like._replace(a=min(pair), b=max(pair)) for pair in shown]
        self.untold += len(one) * len(other) - len(_shown(one)) * len(_shown(other))

    def tell_same(self, members: Sequence[int]) -> None:
        """Add the pairs within a class of the very same triples."""
        shown = list(itertools.combinations(_shown(members), 2))
        if len(members) > WHOLE:
            shown = [(members[0], other) for other in members[1:]]
        self += [Pair(a, b, 1.0, 1.0, 1.0) for a, b in shown]
        self.untold += len(members) * (len(members) - 1) // 2 - len(shown)


def _shown(members: Sequence[int]) -> Sequence[int]:
    return members if len(members) <= WHOLE else members[:1]


def duplicates(
    texts: Iterable[str], threshold: float = THRESHOLD, rare: int | None = None
) -> Pairs:
    """Return the pairs of texts that score at least ``threshold``, best first.

    rare: in how many texts a triple may stand to be met there: it changes the time
    taken, and no pair. Ties break by number.
    """
    words = Words()
    return alike([words.triples(text) for text in texts], threshold, rare)


def alike(sets: Sequence[Hashes], threshold: float = THRESHOLD, rare: int | None = None) -> Pairs:
    """Return the pairs of sets of triples that score at least ``threshold``, best first."""
    classes = _classes(sets)
    kept = [members[0] for members in classes]
    if rare is None:
        rare = RARE if len(sets) <= MANY_NOTES else RARE_OF_MANY
    found = Pairs()
    for one, other in _met(found, [sets[i] for i in kept], threshold, rare):
        pair = _scored(sets, kept[one], kept[other])
        if pair.score >= threshold:
            found.tell(pair, classes[one], classes[other])
    for members in classes:
        if len(members) > 1:
            found.tell_same(members)
    found.sort(key=lambda p: (-p.score, p.a, p.b))
    return found


def _met(
    found: Pairs, sets: list[Hashes], threshold: float, rare: int
) -> Iterator[tuple[int, int]]:
    if len(sets) < 2:
        return
    candidates = _Candidates(sets, threshold, rare)
    keys = np.unique(np.concatenate([candidates.by_rare(), candidates.by_common()]))
    found.untold += candidates.untold
    one, other = np.divmod(keys, len(sets))
    yield from zip(one.tolist(), other.tolist(), strict=True)


def _classes(sets: Sequence[Hashes]) -> list[list[int]]:
    """Return the sets that are large enough, the very same ones together, in their order."""
    found: dict[bytes, list[int]] = {}
    for number, one in enumerate(sets):
        if len(one) >= MIN_TRIPLES:
            found.setdefault(hashlib.blake2b(one.tobytes(), digest_size=16).digest(), []).append(
                number
            )
    return list(found.values())


def _scored(sets: Sequence[Hashes], a: int, b: int) -> Pair:
    one, other = sets[a], sets[b]
    common = len(np.intersect1d(one, other, assume_unique=True))
    small, large = sorted((len(one), len(other)))
    jaccard = common / (small + large - common)
    containment = common / small
    score = max(jaccard, containment) if large <= FACTOR * small else jaccard
    return Pair(a, b, score, jaccard, containment)


class _Candidates:
    """Candidates among sets: pairs whose common triples could suffice."""

    def __init__(self, sets: list[Hashes], threshold: float, rare: int) -> None:
        self.sizes = np.array([len(one) for one in sets], np.int64)
        self.rare = rare
        self.untold = 0
        exact = Fraction(repr(float(threshold))).limit_denominator(_PRECISE)
        self.part, self.of = exact.numerator, exact.denominator
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
        spare = np.maximum(self._least(self.sizes) - 1, 0)
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
        """Return as a*n+b the pairs that common triples alone make copies of each other.

        Of such a pair at least the smaller note has common triples enough for it.
        What rare triples add is unknown here: a pair that they join was met by them.
        """
        found = [np.empty(0, np.int64)]
        enough = self.common_of * self.of >= self.part * self.sizes
        seeds = np.flatnonzero(enough & (self.common_of > 0))
        most = max(FEWEST, MOST // max(len(seeds), 1))
        for members, shared in self._patterns(seeds):
            others, counts = _tallied([self._owners_of(one) for one in shared], len(self.sizes))
            for seed in members:
                larger = (self.sizes[others] >= self.sizes[seed]) & (others != seed)
                near, common = others[larger], counts[larger]
                enough = self._suffices(np.full(len(near), seed), near, common)
                near, common = near[enough], common[enough]
                if len(near) > most:
                    self.untold += len(near) - most
                    near = near[np.argsort(-common, kind="stable")[:most]]
                found.append(np.minimum(near, seed) * len(self.sizes) + np.maximum(near, seed))
        return np.unique(np.concatenate(found))

    def _patterns(self, seeds: NDArray[np.int64]) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the common triples of seeds, those together that have the same ones."""
        triple = np.repeat(np.arange(len(self.frequency)), self.frequency)
        wanted = np.zeros(len(self.sizes), bool)
        wanted[seeds] = True
        entries = np.flatnonzero((self.frequency[triple] > self.rare) & wanted[self.owners])
        entries = entries[np.argsort(self.owners[entries], kind="stable")]
        ends = np.cumsum(self.common_of[seeds])
        held: dict[bytes, list[int]] = {}
        parts = np.split(triple[entries], ends[:-1]) if len(seeds) else []
        for seed, part in zip(seeds.tolist(), parts, strict=True):
            held.setdefault(part.tobytes(), []).append(seed)
        for pattern, members in held.items():
            yield members, np.frombuffer(pattern, triple.dtype).tolist()

    def _owners_of(self, triple: int) -> NDArray[np.int32]:
        return self.owners[self.first[triple] : self.first[triple] + self.frequency[triple]]

    def _least(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many triples a note must share with any other, whatever its size."""
        return -(-self.part * sizes // (self.of * FACTOR))

    def _suffices(
        self, a: NDArray[np.int64], b: NDArray[np.int64], common: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        one, other = self.sizes[a], self.sizes[b]
        small, large = np.minimum(one, other), np.maximum(one, other)
        common = np.minimum(common, small)
        contained = (large <= FACTOR * small) & (common * self.of >= self.part * small)
        return contained | (common * self.of >= self.part * (small + large - common))


def _tallied(
    owners: Sequence[NDArray[np.int32]], many: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return who of ``many`` stands in any of the lists, ascending, and in how many."""
    entries = np.concatenate(owners)
    if len(entries) * 8 < many:
        owner, counts = np.unique(entries, return_counts=True)
        return owner.astype(np.int64), counts.astype(np.int64)
    tally = np.bincount(entries, minlength=many).astype(np.int64)
    every = np.flatnonzero(tally).astype(np.int64)
    return every, tally[every]


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
