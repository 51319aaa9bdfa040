"""A bundle as a file: parts, a table of them, and a digest that only deployment's key makes.

The file::

    magic 8 bytes
    parts, one after the other, each a stream of zlib
    table: JSON {tree, made, parts: {name: [offset, stored bytes, bytes]}, …}
    length of the table u32, little-endian
    HMAC-SHA256 32 bytes, over the bundle's name and all that stands before it

Nothing of a file is looked at before its digest was found to be right: not the magic,
not the table. What is read then is plain data: JSON and arrays, never code.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

from manent.errors import ManentError
from manent.values import dataclass

FORMAT = 1
"""Raise it when a reader of the old form would misread the new one."""

LARGEST_BYTES = 4 << 30
"""Of a bundle, and of what any part of it unfolds to: 500,000 notes with vectors."""

LONGEST_LINE = 64 << 20
"""Of a part that is lines: far more than what is found in the largest note."""

_MAGIC = b"MNNTBND" + bytes([FORMAT])
_DIGEST_BYTES = 32
_LENGTH_BYTES = 4
_BLOCK = 1 << 20
_LARGEST_TABLE = 1 << 20
TEXT, NUMBERS = 6, 1
"""How hard parts are packed, by zlib's levels: vectors hardly get smaller."""


class Unsound(ManentError):
    """A bundle that is not what its name says, or that this deployment did not sign."""


def name_of(tree: str, made: Mapping[str, str]) -> str:
    """Return the name of the bundle of a tree. made: the versions of what is in it.

    Servers of two versions, during an upgrade, do not overwrite each other's.
    """
    spelled = json.dumps(dict(made), sort_keys=True).encode()
    return f"{tree}.{FORMAT}-{hashlib.sha256(spelled).hexdigest()[:12]}.bundle"


def _digest(key: bytes, name: str) -> hmac.HMAC:
    own = hmac.digest(key, b"manent bundle", "sha256")
    named = name.encode()
    return hmac.new(own, len(named).to_bytes(4, "little") + named, hashlib.sha256)


class Writer:
    """Writes a bundle into a file that is empty. ``close`` makes it one."""

    def __init__(self, file: IO[bytes], key: bytes, name: str) -> None:
        self._file = file
        self._seal = _digest(key, name)
        self._parts: dict[str, list[int]] = {}
        self._at = 0
        self._put(_MAGIC)

    def _put(self, data: bytes) -> None:
        self._seal.update(data)
        self._file.write(data)
        self._at += len(data)

    def part(self, name: str, pieces: Iterator[bytes], level: int = TEXT) -> None:
        """Add a part. level: how hard it is packed, ``NUMBERS`` what hardly gets smaller."""
        packer, began, size = zlib.compressobj(level), self._at, 0
        for piece in pieces:
            size += len(piece)
            self._put(packer.compress(piece))
        self._put(packer.flush())
        self._parts[name] = [began, self._at - began, size]

    def close(self, **said: Any) -> None:
        """Write the table and the digest. said: what else the table says."""
        table = json.dumps({**said, "parts": self._parts}).encode("ascii")
        self._put(table + len(table).to_bytes(_LENGTH_BYTES, "little"))
        self._file.write(self._seal.digest())


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle whose digest was right. table: what it says of itself."""

    file: IO[bytes]
    table: Mapping[str, Any]

    @property
    def parts(self) -> list[str]:
        """The names of its parts, in order."""
        return list(self.table["parts"])

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a part, block by block. Raises Unsound where it breaks off."""
        offset, stored, size = self.table["parts"][name]
        self.file.seek(offset)
        unpacker, came = zlib.decompressobj(), 0
        while stored > 0:
            data = self.file.read(min(_BLOCK, stored))
            if not data:
                raise Unsound("it breaks off")
            stored -= len(data)
            while data:
                try:
                    block = unpacker.decompress(data, _BLOCK)
                except zlib.error as error:
                    raise Unsound(f"a part is broken: {error}") from error
                came += len(block)
                if came > min(size, LARGEST_BYTES):
                    raise Unsound("a part is longer than it says")
                if block:
                    yield block
                data = unpacker.unconsumed_tail
        rest = unpacker.flush()
        came += len(rest)
        if came != size:
            raise Unsound("a part is not as long as it says")
        if rest:
            yield rest

    def pieces(self, name: str, size: int) -> Iterator[bytes]:
        """Yield a part in pieces of exactly so many bytes, the last one perhaps shorter."""
        held = bytearray()
        for block in self.blocks(name):
            held += block
            whole = len(held) // size * size
            for at in range(0, whole, size):
                yield bytes(held[at : at + size])
            del held[:whole]
        if held:
            yield bytes(held)

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a part, without their ends. Raises Unsound where one has no end."""
        held = bytearray()
        for block in self.blocks(name):
            first, *others = block.split(b"\n")
            held += first
            if len(held) > LONGEST_LINE:
                raise Unsound("a line is longer than any")
            if others:
                yield bytes(held)
                held = bytearray(others.pop())
                yield from others
        if held:
            yield bytes(held)


def verified(file: IO[bytes], key: bytes, name: str) -> Bundle:
    """Return the bundle in a file, which nobody else can change. Raises Unsound.

    The digest is compared, in constant time, before anything else is read.
    """
    size = file.seek(0, os.SEEK_END)
    left = size - _DIGEST_BYTES
    if left < len(_MAGIC) + _LENGTH_BYTES:
        raise Unsound("it is too short to be one")
    seal = _digest(key, name)
    file.seek(0)
    while left > 0:
        data = file.read(min(_BLOCK, left))
        if not data:
            raise Unsound("it breaks off")
        seal.update(data)
        left -= len(data)
    if not hmac.compare_digest(seal.digest(), file.read(_DIGEST_BYTES)):
        raise Unsound(
            "it is not whole, or was not signed with this deployment's key, under this name"
        )
    return Bundle(file, _table(file, size - _DIGEST_BYTES))


def _table(file: IO[bytes], end: int) -> dict[str, Any]:
    file.seek(0)
    if file.read(len(_MAGIC)) != _MAGIC:
        raise Unsound("it is of another format")
    file.seek(end - _LENGTH_BYTES)
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    if length > min(end - _LENGTH_BYTES, _LARGEST_TABLE):
        raise Unsound("its table is longer than it is")
    file.seek(end - _LENGTH_BYTES - length)
    with contextlib.suppress(ValueError, TypeError):
        found = json.loads(file.read(length))
        if _is_table(found):
            return dict(found)
    raise Unsound("its table cannot be read")


def _is_table(found: Any) -> bool:
    parts = found.get("parts") if isinstance(found, dict) else None
    return isinstance(parts, dict) and all(
        isinstance(row, list) and len(row) == 3 and all(type(n) is int and n >= 0 for n in row)
        for row in parts.values()
    )
