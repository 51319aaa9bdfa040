"""Which pairs of notes could share triples enough: counted exactly, or by a sketch of each.

Up to ``MANY_NOTES`` notes no pair is missed. Beyond, a note asks for others with a
sketch, the triples of it that hash lowest, and a pair is a candidate when it shares
nearly as many of the sketch as a pair at the threshold does. Every candidate is
then counted exactly, so a sketch loses pairs and invents none. The work per
note is bounded: what it asks for beyond that is left out, and counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.curate.triples import Hashes

FACTOR = 4
"""Containment counts where sizes are within this factor: a line in a book is no copy of it."""
MANY_NOTES = 20_000
"""Of more notes, sketches are compared."""
RARE = 200
"""A triple of more notes than this is common, where all is counted."""
RARE_OF_MANY = 20
MET = 30_000
"""How many others a note may meet, on average, were all its triples asked for: beyond
``MANY_NOTES`` notes more triples are common as far as that needs, never those of
``RARE_OF_MANY`` or fewer."""
SKETCH = 16
"""How many triples of the sketch a pair at the threshold is expected to share."""
DEVIATIONS = 2.7
"""By how many standard deviations fewer still make a candidate: 0.3% of pairs at the very
threshold share fewer, of those that score a half more one in a hundred thousand."""
TALLIED = 20_000
"""How many owners of common triples are counted a note, on average."""
MOST = 2_000_000
FEWEST = 20
"""Pairs that common triples alone may make, so that a form which is half of every note
fits in memory: each note then has its nearest, no fewer than so many. What a thousand
notes share is told whole."""
_CHUNK_PAIRS = 1 << 19
_COUNTED = 1 << 12
_PARTS = 32
_PRECISE = 10**9
"""Thresholds are fractions of at most this denominator: counts of words times it fit."""
_ALL = np.uint64(2**64 - 1)
_NONE = np.empty(0, np.int64)

Numbers = NDArray[np.int64]


class Needed:
    """How much two notes must share, in whole numbers: a pair at the threshold is a pair."""

    def __init__(self, sizes: Numbers, threshold: float) -> None:
        exact = Fraction(repr(float(threshold))).limit_denominator(_PRECISE)
        self.sizes = sizes
        self.part, self.of = exact.numerator, exact.denominator

    def least(self) -> Numbers:
        """Return how many triples each must share with any larger one."""
        return -(-self.part * self.sizes // self.of)

    def suffices(self, a: Numbers, b: Numbers, common: Numbers) -> NDArray[np.bool_]:
        """Tell for each pair whether so much in common makes them copies."""
        one, other = self.sizes[a], self.sizes[b]
        small, large = np.minimum(one, other), np.maximum(one, other)
        common = np.minimum(common, small)
        contained = (large <= FACTOR * small) & (common * self.of >= self.part * small)
        return contained | (common * self.of >= self.part * (small + large - common))

    def range_of(self, number: int) -> tuple[int, int]:
        """Return the first and the last but one of those, ascending by size, that are no
        smaller and could be copies: beyond, even the whole of it would be too little."""
        size = int(self.sizes[number])
        most = max(FACTOR * size, size * self.of // self.part)
        first = np.searchsorted(self.sizes, size, side="left")
        return int(first), int(np.searchsorted(self.sizes, most, side="right"))


class Candidates:
    """Candidates among sets that ascend by size: pairs whose common triples could suffice.

    untold: pairs left out because their notes have too many. unasked: notes whose
    common triples were not counted, since the work is bounded.
    """

    def __init__(
        self, sets: Sequence[Hashes], threshold: float, rare: int | None, sketched: bool
    ) -> None:
        self.sizes = np.array([len(one) for one in sets], np.int64)
        self.needed = Needed(self.sizes, threshold)
        self.untold = self.unasked = 0
        self.owners, self.frequency, triples = _shared(sets)
        self.first = np.cumsum(self.frequency) - self.frequency
        self.sketched = sketched
        least = self.needed.least()
        if sketched:
            self.rare = self._affordable() if rare is None else rare
        else:
            self.rare = RARE if rare is None else rare
        common = np.repeat(self.frequency > self.rare, self.frequency)
        self.common_of = np.bincount(self.owners[common], minlength=len(sets))
        if sketched:
            self.share = np.minimum(SKETCH / np.maximum(least - self.common_of, 1), 1.0)
            self.asked = np.flatnonzero(self._in_sketch(triples) & ~common)
            self.spare_of = np.zeros(len(sets), np.int64)
        else:
            self.share = np.ones(len(sets))
            last = self._last(np.maximum(least - 1, 0) // 4) & ~common
            # Of these a note may share with another more than it asks for.
            self.spare_of = np.bincount(self.owners[last], minlength=len(sets))
            self.asked = np.flatnonzero(~last & ~common)
        self.least = least
        self.starts, self.triples_of = self._by_note()

    def _by_note(self) -> tuple[Numbers, NDArray[np.int32]]:
        """Return where each note's shared triples begin, and their numbers, note by note."""
        triple = np.repeat(np.arange(len(self.frequency), dtype=np.int32), self.frequency)
        order = np.argsort(self.owners, kind="stable")
        held = np.bincount(self.owners, minlength=len(self.sizes))
        return np.r_[0, np.cumsum(held)], triple[order]

    def _in_sketch(self, triples: Hashes) -> NDArray[np.bool_]:
        """Mark the triples of each note's sketch, a share of all that is even over them."""
        limit = np.where(
            self.share < 1, (np.minimum(self.share, 0.999) * 2.0**64).astype(np.uint64), _ALL
        )
        marked = [np.empty(0, bool)]
        for part in np.array_split(np.arange(len(triples)), _PARTS):
            many = self.frequency[part]
            start = int(self.first[part[0]]) if len(part) else 0
            owners = self.owners[start : start + int(many.sum())]
            marked.append(np.repeat(_mixed(triples[part]), many) <= limit[owners])
        return np.concatenate(marked)

    def _affordable(self) -> int:
        """Return up to how many owners of a triple there is time to meet them all."""
        meetings = np.bincount(self.frequency) * np.arange(self.frequency.max(initial=0) + 1) ** 2
        spent = np.cumsum(meetings // 2)
        most = int(np.searchsorted(spent, MET * len(self.sizes), side="right")) - 1
        return min(max(most, RARE_OF_MANY), RARE)

    def _last(self, spare: Numbers) -> NDArray[np.bool_]:
        """Mark the ``spare`` most frequent triples of each note.

        In one order for all, rarest first, a pair shares more than these: it suffices
        to look for the others (the prefix filter of set similarity joins).
        """
        rank = np.empty(len(self.frequency), np.int32)
        rank[np.argsort(self.frequency, kind="stable")] = np.arange(len(rank), dtype=np.int32)
        order = np.lexsort((-np.repeat(rank, self.frequency), self.owners))
        held = np.bincount(self.owners, minlength=len(self.sizes))
        place = np.arange(len(order)) - np.repeat(np.cumsum(held) - held, held)
        last = np.zeros(len(order), bool)
        last[order] = place < spare[self.owners[order]]
        return last

    def found(self) -> Iterator[tuple[int, Numbers, Numbers]]:
        """Yield (a, the b that are copies of it, the triples they share with it).

        a ascends, b is no smaller than a.
        """
        n = len(self.sizes)
        keys = np.unique(np.concatenate([_NONE, *self._by_rare(), *self._by_common()]))
        a, b = np.divmod(keys, n)
        marked = np.zeros(len(self.frequency), np.int32)
        for start, end in itertools.pairwise([0, *(np.flatnonzero(np.diff(a)) + 1), len(a)]):
            if end == start:
                continue
            one, others = int(a[start]), b[start:end]
            mine = self._triples(one)
            marked[mine] = 1
            common = np.concatenate(
                [self._counted(marked, some) for some in np.split(others, _pieces(len(others)))]
            )
            marked[mine] = 0
            enough = self.needed.suffices(a[start:end], others, common)
            yield one, others[enough], common[enough]

    def _triples(self, note: int) -> NDArray[np.int32]:
        return self.triples_of[self.starts[note] : self.starts[note + 1]]

    def _counted(self, marked: NDArray[np.int32], others: Numbers) -> Numbers:
        """Return how many of each of the others' triples are marked."""
        every = np.concatenate([self._triples(other) for other in others.tolist()])
        met = np.r_[0, np.cumsum(marked[every], dtype=np.int64)]
        ends = np.cumsum(self.starts[others + 1] - self.starts[others])
        shared: Numbers = met[ends] - met[np.r_[0, ends[:-1]]]
        return shared

    def _by_rare(self) -> Iterator[Numbers]:
        """Yield as a*n+b the pairs that rare triples join and that can suffice."""
        n = len(self.sizes)
        for first, last, pairs in self._rare_pairs():
            pairs.sort()
            # Most pairs meet less often than any of these notes needs.
            most = self.common_of[first:last] + self.spare_of[first:last]
            fewest = int(self._cut(np.arange(first, last), most).min())
            again = pairs[fewest - 1 :] == pairs[: max(0, len(pairs) - fewest + 1)]
            keys = np.unique(pairs[: len(again)][again])
            begin = np.searchsorted(pairs, keys, side="left")
            counts = np.searchsorted(pairs, keys, side="right") - begin
            a, b = np.divmod(keys.astype(np.int64), n)
            a += first
            spare = np.minimum(self.common_of[a], self.common_of[b]) + self.spare_of[a]
            enough = counts >= self._cut(a, spare)
            if not self.sketched:
                enough &= self.needed.suffices(a, b, counts + spare)
            yield a[enough] * n + b[enough]

    def _cut(self, a: Numbers, spare: Numbers) -> Numbers:
        """Return how many triples asked for must be met, when ``spare`` may be shared beside."""
        share = self.share[a]
        wanted = np.maximum(self.least[a] - spare, 0) * share
        fewer = np.ceil(wanted - DEVIATIONS * np.sqrt(wanted * (1 - share)))
        cut: Numbers = np.maximum(fewer, 1).astype(np.int64)
        return cut

    def _rare_pairs(self) -> Iterator[tuple[int, int, NDArray[Any]]]:
        """Yield some notes, first to last but one, and (a - first)*n+b of their meetings.

        Notes ascend by size, and a triple's owners too: a < b throughout.
        """
        n = len(self.sizes)
        owners = self.owners[self.asked]
        order = np.argsort(owners, kind="stable")
        entries = self.asked[order]
        owners = owners[order]
        left = self._followers(entries)
        made = np.cumsum(left, dtype=np.int64)
        ends = np.searchsorted(made, np.arange(_CHUNK_PAIRS, made[-1:].sum(), _CHUNK_PAIRS))
        # A note's pairs are counted at once: a piece ends where a note does.
        cuts = np.searchsorted(owners, owners[ends], side="right")
        for start, end in itertools.pairwise([0, *np.unique(cuts).tolist(), len(entries)]):
            if start == end:
                continue
            many = left[start:end].astype(np.int64)
            first, last = int(owners[start]), int(owners[end - 1]) + 1
            # Half the width is sorted in half the time.
            kind: type[Any] = np.uint32 if (last - first) * n < 2**32 else np.uint64
            step = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
            other = self.owners[np.repeat(entries[start:end] + 1, many) + step].astype(kind)
            one = (owners[start:end].astype(kind) - kind(first)) * kind(n)
            yield first, last, np.repeat(one, many) + other

    def _followers(self, entries: Numbers) -> NDArray[np.int32]:
        """Return how many owners of the same triple come after each entry."""
        ends = np.repeat(self.first + self.frequency, self.frequency)[entries]
        return (ends - 1 - entries).astype(np.int32)

    def _by_common(self) -> Iterator[Numbers]:
        """Yield as a*n+b the pairs that common triples alone make copies of each other.

        Of such a pair at least the smaller note has common triples enough for it.
        What rare triples add is unknown here: a pair that they join was met by them,
        and in sketches they have to be a quarter of what is needed to be met.
        """
        n, part, of = len(self.sizes), self.needed.part, self.needed.of
        if self.sketched:
            part, of = part * 3, of * 4
        seeds = np.flatnonzero((self.common_of * of >= part * self.sizes) & (self.common_of > 0))
        most = max(FEWEST, MOST // max(len(seeds), 1))
        for members, shared in self._affordable_patterns(seeds):
            others, counts = _tallied([self._owners_of(one) for one in shared], n)
            for seed in members:
                start, end = np.searchsorted(others, self.needed.range_of(seed))
                near, common = others[start:end], counts[start:end]
                enough = common * of >= part * self.sizes[seed]
                if not self.sketched:
                    enough &= self.needed.suffices(np.full(len(near), seed), near, common)
                enough &= near != seed
                near, common = near[enough], common[enough]
                if len(near) > most:
                    self.untold += len(near) - most
                    near = near[_highest(common, most)]
                yield np.minimum(near, seed) * n + np.maximum(near, seed)

    def _affordable_patterns(self, seeds: Numbers) -> Iterator[tuple[list[int], list[int]]]:
        """Yield patterns, of many notes the cheapest as far as there is time for."""
        found = list(self._patterns(seeds))
        if not self.sketched:
            yield from found
            return
        left = TALLIED * len(self.sizes)
        costs = [int(self.frequency[shared].sum()) // len(members) for members, shared in found]
        for place in sorted(range(len(found)), key=costs.__getitem__):
            members, shared = found[place]
            left -= int(self.frequency[shared].sum())
            if left < 0:
                self.unasked += len(members)
            else:
                yield members, shared

    def _patterns(self, seeds: Numbers) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the common triples of seeds, those together that have the same ones."""
        triple = np.repeat(np.arange(len(self.frequency), dtype=np.int32), self.frequency)
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


def _pieces(many: int) -> list[int]:
    return list(range(_COUNTED, many, _COUNTED))


def _highest(counts: Numbers, most: int) -> Numbers:
    """Return the places of the highest counts, of equal ones the first."""
    at_least = np.cumsum(np.bincount(counts)[::-1])[::-1]
    cut = int(np.flatnonzero(at_least >= most)[-1])
    above = np.flatnonzero(counts > cut)
    equal = np.flatnonzero(counts == cut)[: most - len(above)]
    return np.concatenate([above, equal]).astype(np.int64)


def _tallied(owners: Sequence[NDArray[np.int32]], many: int) -> tuple[Numbers, Numbers]:
    """Return who of ``many`` stands in any of the lists, ascending, and in how many."""
    entries = np.concatenate(owners)
    if len(entries) * 8 < many:
        owner, counts = np.unique(entries, return_counts=True)
        return owner.astype(np.int64), counts.astype(np.int64)
    tally = np.bincount(entries, minlength=many).astype(np.int64)
    every = np.flatnonzero(tally).astype(np.int64)
    return every, tally[every]


def _mixed(hashes: Hashes) -> Hashes:
    """Return hashes whose order says nothing of the words (the finalizer of MurmurHash3)."""
    out: Hashes = hashes ^ (hashes >> np.uint64(33))
    out *= np.uint64(0xFF51AFD7ED558CCD)
    out ^= out >> np.uint64(33)
    out *= np.uint64(0xC4CEB9FE1A85EC53)
    out ^= out >> np.uint64(33)
    return out


def _shared(sets: Sequence[Hashes]) -> tuple[NDArray[np.int32], Numbers, Hashes]:
    """Return the triples that several sets have: their sets, ascending, how many, and which.

    A triple's sets stand together, triples in the order of their hashes. Hashes are
    sorted by their leading bits in turn, so that never all are held twice.
    """
    edges = np.arange(1, _PARTS, dtype=np.uint64) << np.uint64(64 - _PARTS.bit_length() + 1)
    cuts = np.zeros((len(sets), _PARTS + 1), np.int64)
    for row, one in zip(cuts, sets, strict=True):
        row[1:-1] = np.searchsorted(one, edges)
        row[-1] = len(one)
    owners, frequencies, triples = [], [], []
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
        triples.append(hashes[first])
    return np.concatenate(owners), np.concatenate(frequencies), np.concatenate(triples)
