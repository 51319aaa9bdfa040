"""Notes that say the same: word triples counted in common, scored exactly.

Two notes share what both have of their word triples. The score is the larger of
Jaccard (common by all) and, where neither has four times the other's triples,
containment (common by the smaller's).

Up to 20,000 notes nothing is missed. A pair with a triple that few notes have is met
there, and counted: triples are as good as unique in what people write. A pair that
shares only common triples, boilerplate or the twentieth copy, is met from its smaller
note, provided that its common triples alone make a copy of it: notes with the same
common triples are counted together. Of more notes sketches are compared, whose
candidates are scored as exactly (``candidates.py``). Notes that hold the very same
triples are counted as one, and what is too much to list is counted
(``python -m eval.bench.curate`` measures time and recall).
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from manent.curate.candidates import FACTOR, MANY_NOTES, Candidates
from manent.curate.triples import Hashes, Words

THRESHOLD = 0.25
MIN_TRIPLES = 8
"""Notes with fewer say too little to be called copies."""
WHOLE = 200
"""Of more notes with the very same triples, each is paired with the first alone."""


class Pair(NamedTuple):
    """Two texts by their numbers, a < b, and how alike they are."""

    a: int
    b: int
    score: float
    jaccard: float
    containment: float


class Pairs(list[Pair]):
    """Pairs, best first. untold: how many more there are among notes that hundreds are like.
    unasked: notes of which not all was compared, because too many say the same things."""

    untold: int = 0
    unasked: int = 0

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
    texts: Iterable[str],
    threshold: float = THRESHOLD,
    rare: int | None = None,
    sketched: bool | None = None,
) -> Pairs:
    """Return the pairs of texts that score at least ``threshold``, best first.

    rare: in how many texts a triple may stand to be met there: it changes the time
    taken, and no pair unless sketched. sketched: whether sketches are compared, which
    may miss a pair just above the threshold; when None, of more texts than
    ``MANY_NOTES``. Ties break by number.
    """
    words = Words()
    return alike([words.triples(text) for text in texts], threshold, rare, sketched)


def alike(
    sets: Sequence[Hashes],
    threshold: float = THRESHOLD,
    rare: int | None = None,
    sketched: bool | None = None,
) -> Pairs:
    """Return the pairs of sets of triples that score at least ``threshold``, best first."""
    classes = _classes(sets)
    # By size: of a pair the smaller asks.
    classes.sort(key=lambda members: len(sets[members[0]]))
    if sketched is None:
        sketched = len(sets) > MANY_NOTES
    found = Pairs()
    kept = [sets[members[0]] for members in classes]
    for one, other, pair in _met(found, kept, threshold, rare, sketched):
        found.tell(pair, classes[one], classes[other])
    for members in classes:
        if len(members) > 1:
            found.tell_same(members)
    found.sort(key=lambda p: (-p.score, p.a, p.b))
    return found


def _met(
    found: Pairs, sets: list[Hashes], threshold: float, rare: int | None, sketched: bool
) -> Iterator[tuple[int, int, Pair]]:
    """Yield the pairs of sets, which ascend by size, and how alike they are."""
    if len(sets) < 2:
        return
    candidates = Candidates(sets, threshold, rare, sketched)
    for a, others, common in candidates.found():
        for b, shared in zip(others.tolist(), common.tolist(), strict=True):
            yield a, b, _pair(shared, len(sets[a]), len(sets[b]))
    found.untold += candidates.untold
    found.unasked += candidates.unasked


def _classes(sets: Sequence[Hashes]) -> list[list[int]]:
    """Return the sets that are large enough, the very same ones together, in their order."""
    found: dict[bytes, list[int]] = {}
    for number, one in enumerate(sets):
        if len(one) >= MIN_TRIPLES:
            found.setdefault(hashlib.blake2b(one.tobytes(), digest_size=16).digest(), []).append(
                number
            )
    return list(found.values())


def _pair(common: int, one: int, other: int) -> Pair:
    small, large = sorted((one, other))
    jaccard = common / (small + large - common)
    containment = common / small
    score = max(jaccard, containment) if large <= FACTOR * small else jaccard
    return Pair(0, 0, score, jaccard, containment)
