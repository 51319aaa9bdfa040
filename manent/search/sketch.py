"""Vectors in eight bits, scanned in a fourth of the time, to learn which are worth a closer look.

Comparing 100,000 rows of floats is bound by reading 150 MB. Here each row is kept as
signed bytes and one scale, in blocks that onnxruntime multiplies a question with; so all
cosines are known roughly (an error of a fortieth of their deviation), and whoever ranks
compares the best of them exactly.

A question is rounded to seven bits: the fastest instruction without VNNI adds two
products in sixteen bits, and 2 x 127 x 127 fits. So sums are whole numbers, the same on
every processor and in any order.

A sketch belongs to what one asker sees, and takes in no row but those asked for.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from functools import cache
from importlib import util
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.search.vectors import Rows

WORTH = 20_000
"""Rows from which on it pays: fewer are compared in 2 ms as they are."""
BLOCK = 8_192
"""Columns multiplied at once: 3 MB of 384 (``python -m eval.bench.embedding nearest``)."""
_MOST_COLUMNS = 400_000
"""Columns that a process holds, of all sketches: 160 MB of 384."""
_COPIED = 256
_TOP = 127
_ASKED_TOP = 63
_ZERO = 64
"""What a question's numbers are counted from, for the first factor is unsigned."""

GRAPH = bytes.fromhex(
    "080912003a630a180a01610a0162120179220d4d61744d756c496e746567657212047363616e5a140a016112"
    "0f0a0d080212090a0208010a031201645a150a016212100a0e0803120a0a031201640a0312016e62140a0179"
    "120f0a0d080612090a0208010a0312016e42040a001012"
)
"""``MatMulInteger`` of (1, d) unsigned and (d, n) signed bytes, as onnx spells it."""

Floats = NDArray[np.float32]


def here() -> bool:
    """Whether there is something to scan with."""
    return util.find_spec("onnxruntime") is not None


@cache
def _session() -> Any:
    from manent.search.embed.session import open_session

    return open_session(GRAPH)


class Sketch:
    """Rows of one store, in eight bits, as far as they were asked for."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._blocks: list[NDArray[np.int8]] = []
        self._scales: Floats = np.zeros(0, np.float32)
        self._sums: Floats = np.zeros(0, np.float32)
        self._slot_of = np.full(0, -1, np.int32)
        self._used = 0

    @property
    def columns(self) -> int:
        """How many columns are held, empty ones included."""
        return len(self._scales)

    def cosines(self, matrix: Floats, rows: Rows, asked: Floats) -> Floats:
        """Return the rough cosine of a question with each of these rows, in their order.

        matrix: (n, d), all rows of the store, of unit length, which may have grown since
        the last question. rows: at least one.
        """
        with self._lock:
            slots = self._slots(matrix, rows)
            blocks, scales, sums = list(self._blocks), self._scales, self._sums
        top = max(float(np.abs(asked).max()), 1e-12)
        numbers = (np.rint(asked * (_ASKED_TOP / top)) + _ZERO).astype(np.uint8)[None]
        found = np.empty(len(scales), np.float32)
        for place, block in enumerate(blocks):
            made = _session().run(None, {"a": numbers, "b": block})[0][0]
            found[place * BLOCK :][:BLOCK] = made
        found -= sums
        found *= scales
        found *= np.float32(top / _ASKED_TOP)
        return found[slots]

    def _slots(self, matrix: Floats, rows: Rows) -> NDArray[np.int32]:
        if self._used > 2 * len(rows) + BLOCK:
            self._forget()
        if len(self._slot_of) < len(matrix):
            more = np.full(len(matrix) - len(self._slot_of), -1, np.int32)
            self._slot_of = np.concatenate([self._slot_of, more])
        slots = self._slot_of[rows]
        if (slots < 0).any():
            wanted = np.zeros(len(matrix), bool)
            wanted[rows[slots < 0]] = True  # notes that say the same share a row
            lacking = np.flatnonzero(wanted)
            self._make_room(len(lacking))
            for start in range(0, len(lacking), _COPIED):
                self._take(matrix, lacking[start : start + _COPIED])
            slots = self._slot_of[rows]
        return slots

    def _make_room(self, more: int) -> None:
        wanted = -(-(self._used + more) // BLOCK) - len(self._blocks)
        if wanted > 0:
            empty = np.zeros(wanted * BLOCK, np.float32)
            self._blocks += [np.zeros((self._dimensions, BLOCK), np.int8) for _ in range(wanted)]
            self._scales = np.concatenate([self._scales, empty])
            self._sums = np.concatenate([self._sums, empty])

    def _take(self, matrix: Floats, rows: Rows) -> None:
        given = matrix[rows]
        tops = np.maximum(given.max(axis=1), -given.min(axis=1))
        tops[tops == 0] = 1.0
        numbers = np.rint(given * (_TOP / tops)[:, None]).astype(np.int8)
        first, last = self._used, self._used + len(rows)
        self._scales[first:last] = tops / _TOP
        self._sums[first:last] = _ZERO * numbers.sum(axis=1, dtype=np.int32)
        self._slot_of[rows] = np.arange(first, last)
        while first < last:
            place, column = divmod(first, BLOCK)
            part = numbers[first - self._used :][: BLOCK - column]
            self._blocks[place][:, column : column + len(part)] = part.T
            first += len(part)
        self._used = last


_held: OrderedDict[Hashable, Sketch] = OrderedDict()
_holding = threading.Lock()


def sketch_of(key: Hashable, dimensions: int) -> Sketch:
    """Return the sketch of that key, one for a whole process; those used last are kept."""
    with _holding:
        found = _held.setdefault(key, Sketch(dimensions))
        _held.move_to_end(key)
        while len(_held) > 1 and sum(one.columns for one in _held.values()) > _MOST_COLUMNS:
            _held.popitem(last=False)
        return found
