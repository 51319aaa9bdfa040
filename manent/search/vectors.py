"""Vectors on disk, by the model that made them and the text they were made of.

One folder a model. Rows are appended and never changed; a key says which text a
row belongs to, so a note that was edited costs one row, and a text that comes back
(another branch, an older revision) costs none. Everything here is derived: the
folder may be deleted at any time.

Files of a model's folder::

    current.json       {format, model, dimensions, generation, made}, replaced atomically
    G.rows             float32 rows, little-endian, one after the other
    G.keys             key 16 bytes | CRC-32 of the row u32, one for each row
    lock               held by whoever writes

A row is on the disk before its key is, so what a crash cuts short was never there.
A row that is not what its check says is forgotten, and is made again when it is
asked for. Many processes may read and write: writers take turns, and a reader keeps
what it has mapped until ``refresh``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from manent import late
from manent.errors import StoreDamaged
from manent.search.segment import open_plain

KEY_BYTES = 16
_FORMAT = 1
_RECORD_BYTES = KEY_BYTES + 4
_NO_ROWS = np.zeros(0, np.int64)
_ATTEMPTS = 20
_HINT = "vectors are derived: delete the folder"
_UNSAFE = late.pattern(r"[^a-z0-9.-]+")

Rows = NDArray[np.int64]


def key_of(text: str) -> bytes:
    """Return the key of a text's vector."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


def folder_of(parent: Path, model: str) -> Path:
    """Return where a model's vectors lie: readable, and its own whatever its id."""
    digest = hashlib.blake2b(model.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    plain = _UNSAFE.sub("-", model.lower())[:60].strip("-.")
    return parent / f"{plain}-{digest}"


def open_store(parent: Path | None, model: str, dimensions: int) -> VectorStore:
    """Return the store of a model's vectors; one that cannot be used is begun anew.

    parent: the folder of all models' stores. None keeps vectors in memory, and so does a
    place that can be no folder: a file, or a symbolic link.
    """
    folder = None if parent is None else folder_of(parent, model)
    if folder is None or folder.is_symlink():
        return VectorStore(None, model, dimensions)
    try:
        return VectorStore(folder, model, dimensions)
    except StoreDamaged:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
    try:
        return VectorStore(folder, model, dimensions)
    except StoreDamaged:
        return VectorStore(None, model, dimensions)


class VectorStore:
    """The vectors of one model. folder: None keeps them in memory.

    stands: of which rows the numbers are: two stores of one folder that say the same, and not
    "", mean the same rows by the same numbers, and one may have some more.

    Raises StoreDamaged where the folder cannot be used at all (another format, a
    symbolic link); ``open_store`` mends that.
    """

    def __init__(self, folder: Path | None, model: str, dimensions: int) -> None:
        self.folder = folder
        self.model = model
        self.dimensions = dimensions
        self.stands = ""
        self._generation = -1
        self._rows: NDArray[np.float32] = np.zeros((0, dimensions), np.float32)
        self._room = self._rows
        self._place: dict[bytes, int] = {}
        self._size = 0
        if folder is not None:
            self.refresh()

    @property
    def rows(self) -> NDArray[np.float32]:
        """All rows, (n, dimensions), mapped from the disk; ``find`` says which is whose."""
        return self._rows

    @property
    def size(self) -> int:
        """How many rows there are, those that nobody needs any more among them."""
        return self._size

    def __len__(self) -> int:
        return len(self._place)

    def find(self, keys: Sequence[bytes]) -> Rows:
        """Return the row of each key, -1 where there is none."""
        place = self._place
        return np.fromiter((place.get(key, -1) for key in keys), np.int64, len(keys))

    def refresh(self) -> bool:
        """Look at what was written since; return whether anything was."""
        if self.folder is None:
            return False
        for _ in range(_ATTEMPTS):
            current = self._current()
            self.stands = current["made"] if current else ""
            if current is None:
                return self._load(-1, 0)
            try:
                return self._load(current["generation"], self._count(current["generation"]))
            except FileNotFoundError:
                continue  # compacted away between two looks
        raise StoreDamaged(f"{self.folder} lacks a file it names", _HINT)

    def begin(self) -> None:
        """Make the files of an empty store, where there are none."""
        if self.folder is not None and self._generation < 0:
            with self.writing():
                self._make_first()

    def add(self, keys: Sequence[bytes], rows: NDArray[np.float32]) -> None:
        """Keep rows of unit length under their keys; a key that is there already is left."""
        if self.folder is None:
            self._add_in_memory(keys, rows)
            return
        with self.writing():
            fresh = self._fresh(keys)
            if fresh:
                self._append([keys[n] for n in fresh], rows[fresh])
        self.refresh()

    def compact(self, wanted: Iterable[bytes]) -> int:
        """Forget all rows but those of the wanted keys; return how many went.

        What another process added since the last look is not known here: it stays.
        """
        if self.folder is None:
            return 0
        unwanted = self._place.keys() - set(wanted)
        with self.writing():
            keys = sorted(self._place.keys() - unwanted, key=self._place.__getitem__)
            kept = self.find(keys)
            before = self._size
            generation = self._generation + 1
            self._write_whole(generation, keys, kept)
            self._commit(generation)
            self.refresh()
            self._sweep()  # with the lock held: another generation may be in the making
        return before - len(keys)

    def detached(self) -> VectorStore:
        """Return the same vectors in memory: for a disk that takes no more."""
        held = VectorStore(None, self.model, self.dimensions)
        keys = list(self._place)
        held.add(keys, self._rows[self.find(keys)])
        return held

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writers' lock, having seen what all others wrote. Not for nested use."""
        import fcntl

        assert self.folder is not None
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        lock = os.open(self.folder / "lock", flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refresh()
            yield
        finally:
            os.close(lock)

    # -- reading -----------------------------------------------------------

    def _current(self) -> dict[str, Any] | None:
        assert self.folder is not None
        if self.folder.is_symlink():
            raise StoreDamaged(f"{self.folder} is a symbolic link", _HINT)
        try:
            with os.fdopen(open_plain(self.folder / "current.json"), "rb") as file:
                said = json.load(file)
            current = {name: said[name] for name in ("format", "model", "dimensions", "generation")}
            current["made"] = str(said.get("made", ""))
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as fault:
            raise StoreDamaged(f"{self.folder / 'current.json'} is broken", _HINT) from fault
        wanted = (_FORMAT, self.model, self.dimensions)
        if (current["format"], current["model"], current["dimensions"]) != wanted:
            raise StoreDamaged(f"{self.folder} holds other vectors", _HINT)
        if not isinstance(current["generation"], int):
            raise StoreDamaged(f"{self.folder / 'current.json'} is broken", _HINT)
        return current

    def _count(self, generation: int) -> int:
        """Return how many whole rows have a whole key."""
        keys = self._path(generation, "keys").stat().st_size // _RECORD_BYTES
        rows = self._path(generation, "rows").stat().st_size // (4 * self.dimensions)
        return min(keys, rows)

    def _load(self, generation: int, count: int) -> bool:
        if (generation, count) == (self._generation, self._size):
            return False
        known = self._size if generation == self._generation and count > self._size else 0
        if not known:
            self._place = {}
        self._rows = self._mapped(generation, count)
        if count > known:
            self._learn(generation, known, count)
        self._generation, self._size = generation, count
        return True

    def _mapped(self, generation: int, count: int) -> NDArray[np.float32]:
        if not count:
            return np.zeros((0, self.dimensions), np.float32)
        with os.fdopen(open_plain(self._path(generation, "rows")), "rb") as file:
            return np.memmap(file, "<f4", "r", shape=(count, self.dimensions)).view(np.ndarray)

    def _learn(self, generation: int, first: int, last: int) -> None:
        """Take in the keys of these rows, but not of those that are not what was written."""
        with os.fdopen(open_plain(self._path(generation, "keys")), "rb") as file:
            file.seek(first * _RECORD_BYTES)
            data = file.read((last - first) * _RECORD_BYTES)
        for row in range(first, last):
            at = (row - first) * _RECORD_BYTES
            crc = int.from_bytes(data[at + KEY_BYTES : at + _RECORD_BYTES], "little")
            if zlib.crc32(self._rows[row].data) == crc:
                self._place[data[at : at + KEY_BYTES]] = row

    def _path(self, generation: int, kind: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{generation}.{kind}"

    # -- writing -----------------------------------------------------------

    def _fresh(self, keys: Sequence[bytes]) -> list[int]:
        """Return the places of keys that are not there yet, of equal ones the first."""
        first = {key: n for n, key in reversed(list(enumerate(keys))) if key not in self._place}
        return sorted(first.values())

    def _add_in_memory(self, keys: Sequence[bytes], rows: NDArray[np.float32]) -> None:
        fresh = self._fresh(keys)
        size = self._size + len(fresh)
        if size > len(self._room):
            room = np.zeros((max(size, 2 * len(self._room)), self.dimensions), np.float32)
            room[: self._size] = self._rows
            self._room = room
        self._room[self._size : size] = rows[fresh]
        self._place.update({keys[n]: row for row, n in enumerate(fresh, self._size)})
        self._rows, self._size = self._room[:size], size

    def _append(self, keys: list[bytes], rows: NDArray[np.float32]) -> None:
        self._make_first()
        width = 4 * self.dimensions
        with self._opened("rows", self._size * width) as file:
            file.write(np.ascontiguousarray(rows, "<f4").tobytes())
        with self._opened("keys", self._size * _RECORD_BYTES) as file:
            file.write(_records(keys, rows))

    def _make_first(self) -> None:
        if self._generation < 0:
            self._write_whole(0, [], _NO_ROWS)
            self._commit(0)
            self.refresh()

    @contextlib.contextmanager
    def _opened(self, kind: str, size: int) -> Iterator[IO[bytes]]:
        """Open a file to append to it, cut to the size that counts; on the disk at the end."""
        path = self._path(self._generation, kind)
        with os.fdopen(os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)), "r+b") as file:
            file.truncate(size)
            file.seek(size)
            yield file
            file.flush()
            os.fsync(file.fileno())

    def _write_whole(self, generation: int, keys: list[bytes], kept: Rows) -> None:
        for kind in ("rows", "keys"):
            self._path(generation, kind).unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(self._path(generation, "rows"), flags, 0o600), "wb") as file:
            for start in range(0, len(kept), 4096):
                file.write(self._rows[kept[start : start + 4096]].tobytes())
            file.flush()
            os.fsync(file.fileno())
        with os.fdopen(os.open(self._path(generation, "keys"), flags, 0o600), "wb") as file:
            for start in range(0, len(kept), 4096):
                part = slice(start, start + 4096)
                file.write(_records(keys[part], self._rows[kept[part]]))
            file.flush()
            os.fsync(file.fileno())

    def _commit(self, generation: int) -> None:
        assert self.folder is not None
        said = {
            "format": _FORMAT,
            "model": self.model,
            "dimensions": self.dimensions,
            "generation": generation,
            "made": secrets.token_hex(8),
        }
        fresh = self.folder / "fresh.json"
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(said, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.folder / "current.json")

    def _sweep(self) -> None:
        """Delete what no generation names; readers keep what they have mapped."""
        assert self.folder is not None
        for path in self.folder.glob("*.*"):
            number = path.name.partition(".")[0]
            if path.suffix in (".rows", ".keys") and number != str(self._generation):
                path.unlink(missing_ok=True)


def _records(keys: Sequence[bytes], rows: NDArray[np.float32]) -> bytes:
    whole = np.ascontiguousarray(rows, "<f4")
    return b"".join(
        key + zlib.crc32(row.data).to_bytes(4, "little")
        for key, row in zip(keys, whole, strict=True)
    )
