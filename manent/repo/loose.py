"""Objects that stand in files of their own, read without git.

A push of a few notes is unpacked into such files. Asking git for one of them costs
a process, 5 ms of a hook; reading it here a tenth of one
(``python -m eval.bench.push --sizes 1000``). Whatever is not plain is left to git:
nothing is said here that it would not say.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator, Sequence

_MOST_BYTES = 8 << 20
"""Larger objects are git's: it streams them."""
_HEAD_BYTES = 64
_KINDS = (b"commit", b"tree", b"blob", b"tag")


def read(folders: Sequence[str], oid: str) -> tuple[str, bytes] | None:
    """Return kind and content of an object, None where git is to be asked.

    folders: folders of objects, the first that has it counts. oid: checked by the caller.
    """
    raw = _raw(folders, oid)
    if raw is None:
        return None
    unpacker = zlib.decompressobj()
    try:
        whole = unpacker.decompress(raw, _MOST_BYTES)
    except zlib.error:
        return None
    head = _head(whole)
    sound = unpacker.eof and hashlib.sha1(whole, usedforsecurity=False).hexdigest() == oid
    if head is None or not sound or len(whole) != head[1] + head[2]:
        return None
    return head[0], whole[head[2] :]


def header(folders: Sequence[str], oid: str) -> tuple[str, int] | None:
    """Return kind and size of an object, None where git is to be asked."""
    raw = _raw(folders, oid)
    if raw is None:
        return None
    try:
        head = _head(zlib.decompressobj().decompress(raw, _HEAD_BYTES))
    except zlib.error:
        return None
    return head and head[:2]


def listed(folder: str, most: int) -> list[str] | None:
    """Return the ids of all objects of a folder, None where git is to be asked.

    It is where some stand in packs, and where there are more than ``most``.
    """
    found: list[str] = []
    for name in _names(folder):
        if len(name) != 2:
            if name == "pack" and list(_names(f"{folder}/pack")):
                return None
            continue
        found += [name + rest for rest in _names(f"{folder}/{name}") if len(rest) == 38]
        if len(found) > most:
            return None
    return sorted(found)


def _names(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from [entry.name for entry in entries]
    except OSError:
        return


def _raw(folders: Sequence[str], oid: str) -> bytes | None:
    for folder in folders:
        try:
            with open(f"{folder}/{oid[:2]}/{oid[2:]}", "rb") as file:
                raw = file.read(_MOST_BYTES + 1)
        except OSError:
            continue
        return raw if len(raw) <= _MOST_BYTES else None
    return None


def _head(whole: bytes) -> tuple[str, int, int] | None:
    """Return kind, size, and where the content begins; None for anything but a plain head."""
    end = whole.find(b"\0", 0, _HEAD_BYTES)
    kind, _, size = whole[: max(end, 0)].partition(b" ")
    if end < 0 or kind not in _KINDS or not size.isdigit():
        return None
    return kind.decode("ascii"), int(size), end + 1
