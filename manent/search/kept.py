"""Terms a scope was asked for before: where they stand, and what they give to each document.

Words come again, of one asker as of many, and a third of what a search over 20,000 notes
costs is finding their terms and weighing each document anew. What is kept is kept by scope,
so by View: nothing hidden stands in it. A term's weights are worked out for all its
documents when it is asked for the second time; before that a search that needs a few of them
works out those few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import count
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from manent.search.constants import Constants
from manent.values import dataclass

MOST_TERMS = 4_096
"""Terms that are kept, those that stand nowhere included."""

MOST_POSTINGS = 1 << 19
"""Places of documents that are kept, of all scopes of an index: at 16 bytes, 8 MB."""

LONGEST_TERM = 64
"""Bytes of a term that is kept: no word is longer, and what a query may hold is."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True, eq=False)
class Posting:
    """Where a term stands in one part of a scope.

    documents, packed: the visible ones, ascending, and counts by field. saturated: what the
    term gives to each, before its weight, by the constants ``by``; None until it pays.
    """

    place: int
    documents: NDArray[np.uint32]
    packed: NDArray[np.uint32]
    again: bool = False
    saturated: NDArray[np.float64] | None = None
    by: Constants | None = None


class Terms:
    """The postings of terms, those asked for last, of scopes that share the room."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[int, bytes], tuple[Posting, ...]] = OrderedDict()
        self._postings = 0
        self._scopes = count()

    def scope(self) -> int:
        """Return a number for one more scope."""
        return next(self._scopes)

    def get(
        self, scope: int, term: bytes, look: Callable[[bytes], Iterable[Posting]]
    ) -> tuple[Posting, ...]:
        """Return where a term stands. look: finds it where it is not kept."""
        key = (scope, term)
        found = self._held.get(key)
        if found is not None:
            self._held.move_to_end(key)
            for posting in found:
                posting.again = True
            return found
        if len(term) > LONGEST_TERM:
            return tuple(look(term))
        found = self._held[key] = tuple(look(term))
        self._postings += _size(found)
        while self._postings > MOST_POSTINGS or len(self._held) > MOST_TERMS:
            _, gone = self._held.popitem(last=False)
            self._postings -= _size(gone)
        return found


class Latest(Generic[K, V]):
    """A mapping that forgets what was not asked for in a while."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return what was made for a key, or make it."""
        found = self._held.get(key)
        if found is None:
            found = self._held[key] = make()
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        else:
            self._held.move_to_end(key)
        return found


def _size(postings: Iterable[Posting]) -> int:
    return sum(len(posting.documents) for posting in postings)
