"""Word triples as numbers: what two texts have in common is counted in them."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from manent import late

_WORD = late.pattern(r"[぀-ヿ㐀-鿿가-힯]|[^\W_]+")
# Odd 64-bit constants (the fractional digits of square roots of 2, 3 and 5): words of
# a triple are told apart by place, and two triples share a hash once in 10^9 vaults.
_MIX = np.array([0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B], np.uint64)

Hashes = NDArray[np.uint64]


class Words:
    """Numbers for words, the same word the same number."""

    def __init__(self) -> None:
        self._known: defaultdict[str, int] = defaultdict(itertools.count(1).__next__)

    def triples(self, text: str) -> Hashes:
        """Return the hashes of the distinct word triples of a text, ascending."""
        words = _WORD.findall(text.casefold())
        if len(words) < 3:
            return np.empty(0, np.uint64)
        numbers = np.fromiter(map(self._known.__getitem__, words), np.uint64, len(words))
        mixed = numbers[:-2] * _MIX[0] ^ _turned(numbers[1:-1] * _MIX[1], 21)
        return np.unique(mixed ^ _turned(numbers[2:] * _MIX[2], 42))


def _turned(values: Hashes, by: int) -> Hashes:
    return (values << np.uint64(by)) | (values >> np.uint64(64 - by))
