"""The files of a vault at one moment, wherever they are kept.

``WorkTree`` is a folder, ``repo.GitTree`` a commit, ``Overlay`` a Tree with an
edit laid on top. Readers cannot tell which they hold. No Tree ever shows
``.git``, the derived ``.manent/`` or anything below a folder named ``secrets``.
Symlinks and submodules are shown as what they are and never followed. What may not be
read stops who judges a Tree; who only answers from it may leave it out, and say so.
"""

from __future__ import annotations

import enum
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from manent.collector import left_alone
from manent.errors import EnvironmentFault, NotFound

IGNORE_FILE = ".manentignore"
"""What at the root says which paths are left out (``manent.vault.ignore``)."""
RACY_NS = 2_000_000_000
"""A file changed this recently may change again within one tick of its clock:
its signature is not trusted (the same caution git takes with its index)."""


class Kind(enum.StrEnum):
    """What a path is. Only a FILE has content that anyone reads."""

    FILE = "file"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    ODD = "odd"  # a socket, a pipe, a device: only ever in a folder


class Entry(NamedTuple):
    """One path of a Tree.

    path: relative, ``/`` between components; bytes that are no UTF-8 stand as
    surrogate escapes, so nothing is lost.
    oid: the git blob id of the content, in hex; "" where kind is not FILE.
    signature: what the file system says of the file while its content is
    unchanged; "" where that is unknown or not to be trusted.
    """

    path: str
    oid: str
    kind: Kind = Kind.FILE
    signature: str = ""


class Tree(Protocol):
    """Files at one moment. Implementations list paths in byte order."""

    @property
    def id(self) -> str:
        """The git tree id, or "" for a Tree that has none."""

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, in the byte order of paths."""

    def get(self, path: str) -> Entry | None:
        """Return the entry at ``path``, or None."""

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``. Raises NotFound."""


Known = Mapping[str, tuple[str, str]]
"""What an earlier scan saw: path to (signature, oid)."""


class WorkTree:
    """A folder on disk, as it is now.

    root: the vault's folder.
    ignored: paths below it that git would ignore, folders with a trailing
    slash; not listed and not read.
    known: an earlier scan, so that unchanged files are not read again.
    now_ns: the time of the scan; files younger than RACY_NS get no signature.
    leaves_out: files and folders that may not be read are as if they were not there;
    ``unread`` has them, with what the system said. Otherwise they stop the scan.
    """

    id = ""

    def __init__(
        self,
        root: Path,
        ignored: Collection[str] = (),
        known: Known | None = None,
        now_ns: int = 0,
        leaves_out: bool = False,
    ) -> None:
        if not root.is_dir():
            raise EnvironmentFault(f"{root} is not a folder", "name a vault's folder")
        self.root = root
        self._ignored = frozenset(ignored)
        self._known = known or {}
        self._now_ns = now_ns
        self._leaves_out = leaves_out
        self.unread: dict[str, str] = {}
        self._entries: dict[str, Entry] | None = None
        self._folders = Folders(root)

    def listing(self) -> Iterator[Entry]:
        """Yield every entry, in the byte order of paths, without reading a file.

        The id of a file whose content is not known from an earlier scan is "".
        """
        yield from list(self._listed().values())

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, in the byte order of paths."""
        for listed in self.listing():
            entry = self._identified(listed)
            if entry is not None:
                yield entry

    def get(self, path: str) -> Entry | None:
        """Return the entry at ``path``, or None."""
        listed = self._listed().get(path)
        return None if listed is None else self._identified(listed)

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``, as it is now.

        Raises NotFound where there is none, EnvironmentFault where it cannot be read.
        """
        # Asking the listing first keeps `..` and folders that are symlinks out.
        listed = self._listed().get(path)
        if listed is None or listed.kind is not Kind.FILE:
            raise NotFound(f"no file {path}")
        try:
            return self._folders.read(path)
        except OSError as error:
            # What is ignored is for the file at the root to say: unread it would hide nothing.
            if error.errno in _GONE or (path != IGNORE_FILE and self._left_out(path, error)):
                raise NotFound(f"no file {path}") from error
            raise EnvironmentFault(f"cannot read {path}: {error.strerror}") from error

    def _left_out(self, path: str, error: OSError) -> bool:
        """Note what may not be read, and tell whether that is all there is to do."""
        if not self._leaves_out or error.errno not in _SHUT:
            return False
        self.unread[path] = error.strerror or "it may not be read"
        return True

    def below(self, path: str) -> Iterator[Entry]:
        """Yield what stands at ``path`` now, and below it where it is a folder, in no order.

        The content of a file has no id until it is read. Nothing is yielded for what a
        Tree does not show: below a symlink, in a repository of its own, ignored.
        """
        at, prefix = os.fspath(self.root), ""
        for part in path.split("/"):
            whole = f"{at}/{part}"
            shown = prefix + part
            if not listed_name(part, prefix) or shown in self._ignored:
                return
            try:
                status = os.lstat(whole)
            except OSError:
                return
            if shown == path and not stat.S_ISDIR(status.st_mode):
                yield self._of_status(path, status)
                return
            if not stat.S_ISDIR(status.st_mode) or shown + "/" in self._ignored:
                return
            if _is_repository(whole):
                if shown == path:
                    yield Entry(path, "", Kind.SUBMODULE)
                return
            at, prefix = whole, shown + "/"
        yield from self._walk(at, prefix)

    def _listed(self) -> dict[str, Entry]:
        if self._entries is None:
            with left_alone():
                found = {entry.path: entry for entry in self._walk(os.fspath(self.root), "")}
                # Bytes sort as letters do but for what was no UTF-8.
                order = None if "".join(found).isascii() else os.fsencode
                self._entries = {p: found[p] for p in sorted(found, key=order)}
        return self._entries

    def _identified(self, entry: Entry) -> Entry | None:
        """Return the entry with the id of its content, reading it once where it is unknown."""
        if entry.kind is not Kind.FILE or entry.oid:
            return entry
        try:
            known = entry._replace(oid=blob_oid(self.read(entry.path)))
        except NotFound:  # removed since it was listed
            return None
        self._listed()[entry.path] = known
        return known

    def _walk(self, folder: str, prefix: str) -> Iterator[Entry]:
        try:
            listing = list(os.scandir(folder))
        except OSError as error:
            if prefix and self._left_out(prefix.removesuffix("/"), error):
                return
            raise EnvironmentFault(f"cannot read {folder}: {error.strerror}") from error
        for item in listing:
            path = prefix + item.name
            if not listed_name(item.name, prefix) or path in self._ignored:
                continue
            if item.is_dir(follow_symlinks=False):
                if path + "/" in self._ignored:
                    continue
                if _is_repository(item.path):
                    yield Entry(path, "", Kind.SUBMODULE)
                else:
                    yield from self._walk(item.path, path + "/")
            else:
                entry = self._entry(path, item)
                if entry is not None:
                    yield entry

    def _entry(self, path: str, item: os.DirEntry[str]) -> Entry | None:
        try:
            status = item.stat(follow_symlinks=False)
        except FileNotFoundError:  # removed while the folder was being read
            return None
        except OSError as error:  # a folder that may be listed and not entered
            if self._left_out(path, error):
                return None
            raise EnvironmentFault(f"cannot read {path}: {error.strerror}") from error
        return self._of_status(path, status)

    def _of_status(self, path: str, status: os.stat_result) -> Entry:
        if stat.S_ISLNK(status.st_mode):
            return Entry(path, "", Kind.SYMLINK)
        if not stat.S_ISREG(status.st_mode):
            return Entry(path, "", Kind.ODD)
        signature = _signature(status)
        known = self._known.get(path)
        if known is not None and known[0] == signature:
            return Entry(path, known[1], Kind.FILE, signature)
        settled = self._now_ns - status.st_mtime_ns > RACY_NS
        return Entry(path, "", Kind.FILE, signature if settled else "")


class Readable:
    """A Tree without the files whose content is not to be had.

    unread: what was asked for and is missing, by path, with what was said of it.
    """

    id = ""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.unread: dict[str, str] = {}

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, in the byte order of paths."""
        return self._tree.entries()

    def get(self, path: str) -> Entry | None:
        """Return the entry at ``path``, or None."""
        return self._tree.get(path)

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``. Raises NotFound."""
        try:
            return self._tree.read(path)
        except EnvironmentFault as fault:
            if path == IGNORE_FILE:
                raise
            self.unread[path] = fault.message
            raise NotFound(f"no file {path}") from fault


class Overlay:
    """A Tree with some paths replaced or removed: what a Change would make of it."""

    id = ""

    def __init__(self, base: Tree, edits: Mapping[str, bytes | None]) -> None:
        self._base = base
        self._edits = dict(edits)

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, in the byte order of paths."""
        kept = [e for e in self._base.entries() if e.path not in self._edits]
        added = [e for p in self._edits if (e := self.get(p)) is not None]
        yield from sorted(kept + added, key=lambda entry: os.fsencode(entry.path))

    def get(self, path: str) -> Entry | None:
        """Return the entry at ``path``, or None."""
        if path not in self._edits:
            return self._base.get(path)
        content = self._edits[path]
        if content is None or not _listed(path):
            return None
        return Entry(path, blob_oid(content))

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``. Raises NotFound."""
        if path not in self._edits:
            return self._base.read(path)
        content = self._edits[path]
        if content is None or not _listed(path):
            raise NotFound(f"no file {path}")
        return content


def blob_oid(content: bytes) -> str:
    """Return the id git gives a blob of this content (SHA-1 object format)."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def is_secret(path: str) -> bool:
    """Tell whether ``path`` stands in or at a ``secrets`` folder, in any case, at any depth."""
    folded = path.casefold()
    return "secrets" in folded and "secrets" in folded.split("/")


def _listed(path: str) -> bool:
    prefix = ""
    for part in path.split("/"):
        if not listed_name(part, prefix):
            return False
        prefix += part + "/"
    return True


def listed_name(name: str, prefix: str) -> bool:
    """Tell whether a Tree shows ``name`` in the folder ``prefix`` ("" or ending in a slash)."""
    folded = name.casefold()
    if folded in (".git", "secrets"):
        return False
    return bool(prefix) or folded != ".manent"


def _signature(status: os.stat_result) -> str:
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"


def _is_repository(folder: str) -> bool:
    """Tell whether a folder is a repository of its own, as git does before it adds one."""
    mark = f"{folder}/.git"
    return os.path.isfile(mark) or os.path.isfile(f"{mark}/HEAD")  # noqa: PTH113


class Folders:
    """Reads regular files below ``root``, following no symlink on any step below it.

    One thread at a time. The folder last read from stays open: files are mostly
    read folder by folder, and opening each step anew costs more than reading a note.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._path: str | None = None
        self._descriptor = -1

    def read(self, path: str) -> bytes:
        """Return the content of one file. Raises OSError."""
        folder, _, name = path.rpartition("/")
        if folder == self._path:
            try:
                return self._read(name, path)
            except FileNotFoundError:
                self.close()  # the folder itself may be another one by now
        self._enter(folder)
        return self._read(name, path)

    def _read(self, name: str, path: str) -> bytes:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(name, flags, dir_fd=self._descriptor)
        try:
            return _content(descriptor, path)
        finally:
            os.close(descriptor)

    def _enter(self, folder: str) -> None:
        self.close()
        at = os.open(self._root, _FOLDER)
        try:
            for part in folder.split("/") if folder else ():
                inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
        except OSError:
            os.close(at)
            raise
        self._path, self._descriptor = folder, at

    def close(self) -> None:
        """Let go of the folder."""
        if self._path is not None:
            os.close(self._descriptor)
            self._path, self._descriptor = None, -1

    def __del__(self) -> None:
        self.close()


def _content(descriptor: int, path: str) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise FileNotFoundError(errno.ENOENT, "no regular file any more", path)
    parts: list[bytes] = []
    while part := os.read(descriptor, max(status.st_size + 1, 1 << 16)):
        parts.append(part)
    return b"".join(parts)


_SHUT = {errno.EACCES, errno.EPERM}
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
_FOLDER = os.O_RDONLY | os.O_DIRECTORY


Reader = Callable[[str], bytes]
"""Content by path, as ``Tree.read``."""
