"""An embedder without a model: words and their letter triples, hashed to signed places.

It understands nothing, needs nothing, and is exact on every machine, so it is the
second embedder wherever two are needed: in tests, and to see what a model adds.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from manent import late
from manent.search.embed.embedder import Vectors, unit

_WORD = late.pattern(r"\w+", re.UNICODE)
_TRIPLE_WEIGHT = 0.4


class Hashed:
    """Embeds by hashing. dimensions: more makes collisions rarer."""

    weight = 0.15

    def __init__(self, dimensions: int = 256) -> None:
        self.dimensions = dimensions
        self.id = f"hash-{dimensions}-1"

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, the same way as passages."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; one without a word is a row of zeros."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for piece, weight in _pieces(text):
                hashed = zlib.crc32(piece.encode("utf-8", "surrogatepass"))
                row[(hashed >> 1) % self.dimensions] += weight if hashed & 1 else -weight
        return unit(rows)


def _pieces(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, 1.0
        padded = f"<{word}>"
        for at in range(len(padded) - 2):
            yield padded[at : at + 3], _TRIPLE_WEIGHT
