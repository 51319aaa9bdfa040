"""Raw tokens to numbers, many at a time.

A dictionary of byte strings costs a quarter of a microsecond a token, most of
indexing. Nearly all tokens fit in sixteen bytes, which are two numbers, so they
are looked up in arrays: a hash table with open addressing, probed for 65,536
tokens in one go. Keys are the tokens themselves, not digests of them: two
tokens are never taken for one another. Longer tokens go through a dictionary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALL = (1 << 64) - 1
_MIXERS = tuple(hash(salt) & _ALL | 1 for salt in (b"low", b"high"))
"""Odd multipliers that nobody outside this process knows, as Python hashes strings: else
tokens could be made up that all want the same slot. No result depends on them."""

Keys = NDArray[np.uint64]

_CHUNK = 1 << 16
_SMALLEST = 1 << 12
_SPACE = 32
_FILLED = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
"""Masks that keep the first n bytes of eight."""


class TokenNumbers:
    """Numbers tokens from 0 in the order they are first met. tokens: by number."""

    def __init__(self, mixers: tuple[int, ...] = _MIXERS) -> None:
        self._mixers = tuple(map(np.uint64, mixers))
        self.tokens: list[bytes] = []
        self._long: dict[bytes, int] = {}
        self._short = 0
        self._allot(_SMALLEST)

    def numbers(self, text: bytes) -> NDArray[np.int64]:
        """Return the number of each token of a text, in order.

        text: tokens with spaces between, as ``tokenizer.spaced`` leaves them;
        no other white space, and no zero byte.
        """
        buffer = np.frombuffer(b" " + text + b" " * 17, np.uint8)
        blank = buffer == _SPACE
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
        starts, sizes = edges[::2], edges[1::2] - edges[::2]
        eights = np.ndarray((len(buffer) - 7,), "<u8", buffer, strides=(1,))
        found = np.empty(len(starts), np.int64)
        for first in range(0, len(starts), _CHUNK):
            here = slice(first, first + _CHUNK)
            found[here] = self._chunk(buffer, eights, starts[here], sizes[here])
        return found

    def _chunk(
        self,
        buffer: NDArray[np.uint8],
        eights: NDArray[Any],
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        low = eights[starts] & _FILLED[np.minimum(sizes, 8)]
        high = eights[starts + 8] & _FILLED[np.clip(sizes - 8, 0, 8)]
        long = np.flatnonzero(sizes > 16)
        found = self._find(low, high)
        found[long] = 0
        while (unknown := np.flatnonzero(found < 0)).size:
            self._learn(low[unknown], high[unknown])
            found[unknown] = self._find(low[unknown], high[unknown])
        for place in long.tolist():
            first = int(starts[place])
            found[place] = self._long_number(buffer[first : first + int(sizes[place])].tobytes())
        return found

    def _long_number(self, token: bytes) -> int:
        number = self._long.get(token)
        if number is None:
            number = self._long[token] = len(self.tokens)
            self.tokens.append(token)
        return number

    def _allot(self, size: int) -> None:
        """Make an empty table of ``size`` slots, a power of two."""
        self._low = np.zeros(size, np.uint64)
        self._high = np.zeros(size, np.uint64)
        self._number = np.full(size, -1, np.int64)

    def _slots(self, low: Keys, high: Keys) -> NDArray[np.int64]:
        mixed = (low * self._mixers[0]) ^ (high * self._mixers[1])
        mixed ^= mixed >> np.uint64(29)
        mixed *= self._mixers[0]
        shift = np.uint64(65 - len(self._number).bit_length())
        return (mixed >> shift).astype(np.int64)

    def _find(self, low: Keys, high: Keys) -> NDArray[np.int64]:
        """Return the number of each key, -1 where it has none."""
        slots = self._slots(low, high)
        found = self._number[slots]
        other = (self._low[slots] != low) | (self._high[slots] != high)
        pending = np.flatnonzero(other & (found >= 0))
        last = len(self._number) - 1
        while pending.size:
            slots[pending] = at = (slots[pending] + 1) & last
            found[pending] = self._number[at]
            other = (self._low[at] != low[pending]) | (self._high[at] != high[pending])
            pending = pending[other & (found[pending] >= 0)]
        return found

    def _learn(self, low: Keys, high: Keys) -> None:
        """Number keys that have none yet, each once; those whose digests collide may wait."""
        digests = (low * self._mixers[1]) ^ (high * self._mixers[0]) ^ (high >> np.uint64(31))
        _, first = np.unique(digests, return_index=True)
        first.sort()
        low, high = low[first], high[first]
        numbers = len(self.tokens) + np.arange(len(first))
        pairs = np.stack([low, high], axis=1).astype("<u8")
        self.tokens.extend(pairs.view("S16").ravel().tolist())  # which drops the zero bytes
        self._short += len(first)
        if 2 * self._short > len(self._number):
            self._grow()
        self._place(low, high, numbers)

    def _grow(self) -> None:
        held = np.flatnonzero(self._number >= 0)
        low, high, numbers = self._low[held], self._high[held], self._number[held]
        size = len(self._number)
        while 2 * self._short > size:
            size *= 2
        self._allot(2 * size)
        self._place(low, high, numbers)

    def _place(self, low: Keys, high: Keys, numbers: NDArray[np.int64]) -> None:
        """Put distinct keys into the first free slot from where each belongs."""
        slots = self._slots(low, high)
        last = len(self._number) - 1
        while slots.size:
            _, first = np.unique(slots, return_index=True)
            first = first[self._number[slots[first]] < 0]
            taken = slots[first]
            self._low[taken], self._high[taken] = low[first], high[first]
            self._number[taken] = numbers[first]
            rest = np.ones(len(slots), bool)
            rest[first] = False
            low, high, numbers = low[rest], high[rest], numbers[rest]
            slots = (slots[rest] + 1) & last
