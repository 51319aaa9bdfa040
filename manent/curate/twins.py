"""Topic twins: notes whose vectors are near, whatever words they use. No claim of a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manent.curate.edges import Edges
from manent.curate.pairs import compared
from manent.vault.record import NoteRecord

THRESHOLD = 0.93
"""For multilingual-e5-small: see ``python -m eval.twins``."""
_BLOCK = 1_024
"""Rows compared in one product: at 100,000 notes it takes 400 MB."""


class Twins(NamedTuple):
    """Two notes on one topic, a before b in the order of paths, and their cosine."""

    a: NoteRecord
    b: NoteRecord
    score: float


def twins(
    edges: Edges, notes: Sequence[NoteRecord], vectors: NDArray[np.float32], threshold: float
) -> list[Twins]:
    """Return the pairs of notes whose cosine is at least ``threshold``, nearest first.

    notes, vectors: row n of (len(notes), d), of unit length, is note n's. Those left
    out of the report on copies are left out here, and so are pairs that link to each
    other: whoever wrote the link knows.
    """
    wanted = {note.id for note in compared(edges)}
    kept = [n for n, note in enumerate(notes) if note.id in wanted]
    matrix = vectors[kept]
    found = []
    for start in range(0, len(kept), _BLOCK):
        near = matrix[start : start + _BLOCK] @ matrix[start:].T
        for row, column in np.argwhere(near >= threshold).tolist():
            if column > row:
                pair = (notes[kept[start + row]], notes[kept[start + column]])
                a, b = sorted(pair, key=lambda note: note.path)
                if (a.id, b.id) not in edges.links and (b.id, a.id) not in edges.links:
                    found.append(Twins(a, b, float(near[row, column])))
    return sorted(found, key=lambda twin: (-round(twin.score, 6), twin.a.path, twin.b.path))
