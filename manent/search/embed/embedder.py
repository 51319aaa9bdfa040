"""What every embedding model is to the rest: a name, a width, and two functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Rows of unit length, (n, dimensions); a text that says nothing may be a row of zeros."""


class Embedder(Protocol):
    """A model. The same text always gives the same row, whatever it is embedded beside.

    id: differs whenever vectors would: stored vectors are kept by it.
    weight: what ``z(cosine)`` counts beside ``z(bm25)``, measured for this model.
    """

    @property
    def id(self) -> str:
        """The name its vectors are kept by."""

    @property
    def dimensions(self) -> int:
        """The width of a row."""

    @property
    def weight(self) -> float:
        """What its cosine counts in a fused score."""

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed what people ask. Any text."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what notes say. Any text."""


def unit(rows: NDArray[np.floating]) -> Vectors:
    """Return the rows at length one; a row of zeros, or one that is no number, as zeros."""
    whole = np.nan_to_num(rows.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(whole, axis=1, keepdims=True)
    scaled: Vectors = np.divide(whole, lengths, out=np.zeros_like(whole), where=lengths > 0)
    return scaled
