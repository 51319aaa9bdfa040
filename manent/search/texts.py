"""Which text each document of a vault has, by the key of its vector.

Reading a hundred thousand notes to learn that nothing changed would take longer than
comparing their vectors, so keys are remembered by document id. The vault gives a new
id with every new content and none twice: what is remembered cannot go stale.

The file is a list of records, ``id i64 | key 16 bytes | CRC-32 u32``, appended to under
the lock of the vectors it stands beside.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

from manent.errors import StoreDamaged
from manent.search.segment import open_plain
from manent.search.vectors import KEY_BYTES

_BODY = struct.Struct(f"<q{KEY_BYTES}s")
_CRC = struct.Struct("<I")
_RECORD = _BODY.size + _CRC.size


class TextKeys:
    """Keys by document id, in a file that need not exist; None keeps them in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._read = 0
        self.by_doc: dict[int, bytes] = {}
        self.refresh()

    def refresh(self) -> None:
        """Take in what other processes learnt. A file that cannot be read teaches nothing."""
        if self._path is None:
            return
        try:
            with os.fdopen(open_plain(self._path), "rb") as file:
                if os.fstat(file.fileno()).st_size < self._read:
                    self._read = 0  # somebody wrote it anew, with less in it
                file.seek(self._read)
                data = file.read()
        except (OSError, StoreDamaged):
            return
        whole = len(data) // _RECORD * _RECORD
        for at in range(0, whole, _RECORD):
            body = data[at : at + _BODY.size]
            if _CRC.unpack_from(data, at + _BODY.size)[0] == zlib.crc32(body):
                doc, key = _BODY.unpack(body)
                self.by_doc[doc] = key
        self._read += whole

    def learn(self, keys: Mapping[int, bytes]) -> None:
        """Remember keys; call it with the vectors' lock held, where there is a file."""
        self.refresh()
        fresh = {doc: key for doc, key in keys.items() if self.by_doc.get(doc) != key}
        self.by_doc.update(fresh)
        if self._path is None or not fresh:
            return
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(self._path, flags, 0o600), "r+b") as file:
            file.truncate(self._read)  # what a crash left of a record
            file.seek(self._read)
            file.write(b"".join(_record(doc, key) for doc, key in fresh.items()))
        self._read += len(fresh) * _RECORD

    def forget_all_but(self, docs: set[int]) -> None:
        """Keep the keys of these documents alone; call it with the vectors' lock held."""
        self.by_doc = {doc: key for doc, key in self.by_doc.items() if doc in docs}
        if self._path is None:
            return
        fresh = self._path.with_suffix(".fresh")
        fresh.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(fresh, flags, 0o600), "wb") as file:
            file.write(b"".join(_record(doc, key) for doc, key in self.by_doc.items()))
        fresh.replace(self._path)
        self._read = len(self.by_doc) * _RECORD


def _record(doc: int, key: bytes) -> bytes:
    body = _BODY.pack(doc, key)
    return body + _CRC.pack(zlib.crc32(body))
