"""Seeing changes by looking: for file systems that tell nobody what changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

Signature = tuple[int, ...]

REMOTE = ("nfs", "cifs", "smb", "9p", "fuse.", "vboxsf", "afs", "ceph", "glusterfs", "drvfs")
"""How the types of file systems begin that do not tell of what another machine changed."""

_MOUNTS = Path("/proc/self/mountinfo")


def is_remote(folder: Path, mounts: Path = _MOUNTS) -> bool:
    """Tell whether a folder lies on a file system that others change unseen.

    mounts: the list of mounts as Linux gives it; where there is none, nothing is remote.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    best, kind = "", ""
    path = str(folder.resolve())
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        place = fields[4].replace("\\040", " ").replace("\\134", "\\")
        inside = place == "/" or path == place or path.startswith(place + "/")
        if inside and len(place) >= len(best):
            best, kind = place, after.split(" ")[0]
    return kind.startswith(REMOTE)


def files_of(folder: Path, skips: Callable[[str], bool]) -> dict[str, Signature]:
    """Return every file below a folder by its path there, with what tells a change.

    skips: tells of a path whether it is left out, and all below it.
    """
    return dict(_walk(str(folder), "", skips))


def _walk(root: str, prefix: str, skips: Callable[[str], bool]) -> Iterator[tuple[str, Signature]]:
    folders = [prefix]
    while folders:
        inner = folders.pop()
        try:
            with os.scandir(f"{root}/{inner}" if inner else root) as items:
                found = list(items)
        except OSError:
            continue  # It went while we looked; the next look says so.
        for item in found:
            path = f"{inner}/{item.name}" if inner else item.name
            if skips(path):
                continue
            if item.is_dir(follow_symlinks=False):
                folders.append(path)
                continue
            signature = signature_of(f"{root}/{path}")
            if signature is not None:
                yield path, signature


def signature_of(path: str | Path) -> Signature | None:
    """Return what changes when a file does; None where there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode


def differing(old: Mapping[str, Signature], new: Mapping[str, Signature]) -> set[str]:
    """Return the paths that came, went or changed between two looks."""
    changed = {path for path, signature in new.items() if old.get(path) != signature}
    return changed | (old.keys() - new.keys())


class Refs:
    """What the refs of a repository look like from outside.

    git: its git folder. common: where its refs are, the same but for a linked worktree.
    """

    def __init__(self, git: Path, common: Path) -> None:
        self._git = git
        self._common = common

    def look(self) -> dict[str, Signature]:
        """Return the files that refs stand in, with what tells a change."""
        looked: dict[str, Signature] = {}
        for file in (self._git / "HEAD", self._common / "packed-refs"):
            signature = signature_of(file)
            if signature is not None:
                looked[str(file)] = signature
        for folder in ("refs/heads", "reftable"):
            found = files_of(self._common / folder, is_lock)
            looked |= {f"{folder}/{path}": signature for path, signature in found.items()}
        return looked


def is_lock(path: str) -> bool:
    """Tell whether a file of git's is about to become another, and says nothing yet."""
    return path.endswith(".lock")
