"""A Tree read from git's objects, and the difference of two of them.

Raw tree objects are parsed here: an id that two trees share is never opened, and
every name stays the bytes it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from manent import late
from manent.errors import NotAVault, NotFound
from manent.tree import Entry, Kind, listed_name

if TYPE_CHECKING:
    from manent.repo.objects import Objects
    from manent.repo.open import Repository

# One entry of a tree object: mode, name, 20 bytes of id.
_ENTRY = late.bytes_pattern(rb"([0-7]{1,6}) ([^\0]+)\0(.{20})", re.DOTALL)
# Whole entries only, as many as fit; possessive, so that nothing is kept to go back to.
_ENTRIES = late.bytes_pattern(rb"(?:[^\0]++\0.{20})*+", re.DOTALL)
_TREE_MODES = (b"40000", b"040000")
_KIND = {b"120000": Kind.SYMLINK, b"160000": Kind.SUBMODULE}
_HIDDEN = (b".git", b"secrets", b".manent")
_CACHED_TREES = 512

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The id of a tree without entries: git knows it whether or not it is stored."""

Row = tuple[bytes, bytes, bytes]
"""mode, name, raw id"""

Step = tuple[str, Entry | None, Entry | None]
"""path, the entry before, the entry after"""


def rows(raw: bytes) -> list[Row]:
    """Return the entries of a raw tree object, as they stand."""
    return _ENTRY.findall(raw)


def differing(old: bytes, new: bytes) -> tuple[list[Row], list[Row]]:
    """Return the entries of two raw trees without what both begin and end with.

    A folder of 100,000 notes of which one changed costs 10 ms this way, 250 ms
    when every entry is made an object (eval/bench/push.py).
    """
    start = _ENTRIES.match(old, 0, _shared(old, new))
    at = start.end() if start else 0
    tail = _shared_end(old[at:], new[at:])
    left, right = at, at
    while len(old) - left > tail or len(new) - right > tail or len(old) - left != len(new) - right:
        # The longer rest moves on: the shared end has its boundaries at the same
        # distance from the end in both, so the two meet at one of them.
        if len(old) - left >= len(new) - right and left < len(old):
            left = _after(old, left)
        else:
            right = _after(new, right)
    return rows(old[at:left]), rows(new[at:right])


def _after(raw: bytes, at: int) -> int:
    entry = _ENTRY.match(raw, at)
    return entry.end() if entry else len(raw)


def _shared(left: bytes, right: bytes) -> int:
    """Return how many bytes both begin with, comparing halves."""
    one, other = memoryview(left), memoryview(right)
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shared_end(left: bytes, right: bytes) -> int:
    """Return how many bytes both end with, comparing halves."""
    one, other = memoryview(left), memoryview(right)
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if (
            one[len(left) - middle : len(left) - low]
            == other[len(right) - middle : len(right) - low]
        ):
            low = middle
        else:
            high = middle - 1
    return low


class GitTree:
    """The files of a commit, tag or tree.

    treeish: full id of a commit, tag or tree.
    prefix: a folder inside it that is the vault's root ("" or ``a/b``).
    Raises NotAVault where there is no such folder.
    """

    def __init__(self, repository: Repository, treeish: str, prefix: str = "") -> None:
        self._objects: Objects = repository.objects
        self._cache: dict[str, bytes] = {}
        self._names: dict[str, dict[bytes, Row]] = {}
        oid = repository.peel(treeish)[1]
        for part in filter(None, prefix.split("/")):
            row = self._folder(oid).get(_bytes(part))
            if row is None or row[0] not in _TREE_MODES:
                raise NotAVault(f"no folder {prefix} in {treeish[:10]}", "name another folder")
            oid = row[2].hex()
        self._oid = oid

    @property
    def id(self) -> str:
        """The id of the tree object at the vault's root."""
        return self._oid

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, in the byte order of paths."""
        return self._walk(self._oid, "")

    def get(self, path: str) -> Entry | None:
        """Return the entry at ``path``, or None."""
        oid, prefix = self._oid, ""
        *folders, name = path.split("/")
        for part in folders:
            row = self._folder(oid).get(_bytes(part)) if listed_name(part, prefix) else None
            if row is None or row[0] not in _TREE_MODES:
                return None
            oid, prefix = row[2].hex(), f"{prefix}{part}/"
        row = self._folder(oid).get(_bytes(name)) if listed_name(name, prefix) else None
        return None if row is None or row[0] in _TREE_MODES else _entry(path, row)

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``. Raises NotFound."""
        entry = self.get(path)
        if entry is None or entry.kind is not Kind.FILE:
            raise NotFound(f"no file {path}")
        return self._objects.read(entry.oid)[1]

    def is_folder(self, path: str) -> bool:
        """Tell whether a folder stands at ``path``, also where it shows no file."""
        oid, row = self._oid, None
        for part in path.split("/"):
            row = self._folder(oid).get(_bytes(part))
            if row is None or row[0] not in _TREE_MODES:
                return False
            oid = row[2].hex()
        return row is not None

    def blobs(self, oids: Iterable[str]) -> Iterator[bytes]:
        """Yield the content of each of these files, by blob id; ask nothing else meanwhile."""
        return self._objects.contents(oids)

    def raw(self, oid: str) -> bytes:
        """Return one tree object of this repository as it stands, cached."""
        if oid == EMPTY_TREE:
            return b""  # which git stores nowhere
        found = self._cache.get(oid)
        if found is None:
            kind, raw = self._objects.read(oid)
            if kind != "tree":
                raise NotAVault(f"{oid} is a {kind}, not a tree", "see git fsck")
            if len(self._cache) >= _CACHED_TREES:
                self._cache.clear()
            found = self._cache[oid] = raw
        return found

    def _folder(self, oid: str) -> dict[bytes, Row]:
        names = self._names.get(oid)
        if names is None:
            if len(self._names) >= _CACHED_TREES:
                self._names.clear()
            names = self._names[oid] = {row[1]: row for row in rows(self.raw(oid))}
        return names

    def _walk(self, oid: str, prefix: str) -> Iterator[Entry]:
        for row in rows(self.raw(oid)):
            mode, name, raw = row
            if _hidden(name, prefix):
                continue
            path = prefix + name.decode("utf-8", "surrogateescape")
            if mode in _TREE_MODES:
                yield from self._walk(raw.hex(), path + "/")
            else:
                yield _entry(path, row)


def diff(old: GitTree | None, new: GitTree) -> Iterator[Step]:
    """Yield what changed between two trees of one repository: path, before, after.

    A path whose kind and content are the same is not named. Cost grows with what
    changed and the folders it stands in, not with the vault.
    """
    return _diff(new, old.id if old else "", new.id, "")


def _diff(tree: GitTree, old: str, new: str, prefix: str) -> Iterator[Step]:
    if old == new:
        return
    before, after = differing(
        tree.raw(old) if old else b"",
        tree.raw(new) if new else b"",
    )
    both = set(before) & set(after)
    left = {row[1]: row for row in before if row not in both}
    right = {row[1]: row for row in after if row not in both}
    for name in sorted(left.keys() | right.keys()):
        if not _hidden(name, prefix):
            path = prefix + name.decode("utf-8", "surrogateescape")
            yield from _step(tree, path, left.get(name), right.get(name))


def _step(tree: GitTree, path: str, old: Row | None, new: Row | None) -> Iterator[Step]:
    old_folder = old is not None and old[0] in _TREE_MODES
    new_folder = new is not None and new[0] in _TREE_MODES
    if old_folder or new_folder:
        before = old[2].hex() if old is not None and old_folder else ""
        after = new[2].hex() if new is not None and new_folder else ""
        yield from _diff(tree, before, after, path + "/")
    old_entry = _entry(path, old) if old is not None and not old_folder else None
    new_entry = _entry(path, new) if new is not None and not new_folder else None
    if old_entry != new_entry:
        yield path, old_entry, new_entry


def _entry(path: str, row: Row) -> Entry:
    kind = _KIND.get(row[0])
    return Entry(path, row[2].hex()) if kind is None else Entry(path, "", kind)


def _hidden(name: bytes, prefix: str) -> bool:
    if name.isascii() and name.lower() not in _HIDDEN:
        return False
    return not listed_name(name.decode("utf-8", "surrogateescape"), prefix)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
