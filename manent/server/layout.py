"""Where the things lie whose change matters: a vault's files, a repository's refs."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path

from manent.server.polling import is_lock

HIDDEN = (".git", ".manent")
"""At the root of a vault: git's own, and what is derived."""

REFS = ""
"""The name of a ref that moved, among paths."""

_REF_FILES = ("HEAD", "packed-refs")
_REF_FOLDERS = ("refs/heads/", "reftable/")


class Layout:
    """The folders that are watched, and what a path in them stands for.

    root: the vault, None for a brain. git, common: the git folder and where its refs are.
    """

    def __init__(
        self, root: Path | None, git: Path | None, common: Path | None, ignored: frozenset[str]
    ) -> None:
        self.root = None if root is None else root.resolve()
        self.git = None if git is None else git.resolve()
        self.common = self.git if common is None else common.resolve()
        self._ignored = ignored
        self._top = self._identities()

    def skips(self, path: str) -> bool:
        """Tell whether a path within the vault is left out."""
        parts = path.split("/")
        return parts[0] in self._ignored or ".git" in parts

    def shallow(self) -> list[str]:
        """Return the folders of which only what lies right in them counts."""
        places = {self.root, self.git, self.common}
        if self.common is not None:
            places.add(self.common / "reftable")
        return sorted(str(place) for place in places if place is not None and place.is_dir())

    def deep(self) -> list[str]:
        """Return the folders of which all that lies below them counts."""
        folders = [] if self.root is None else [str(self.root / name) for name in self._top_now()]
        if self.common is not None and (heads := self.common / "refs" / "heads").is_dir():
            folders.append(str(heads))
        return folders

    def meaning(self, path: str) -> str | None:
        """Return what an absolute path stands for: within the vault, ``REFS``, or None."""
        for place in (self.git, self.common):
            if place is not None and (inner := _within(place, path)) is not None:
                return REFS if _is_ref(inner) else None
        if self.root is None:
            return None
        inner = _within(self.root, path)
        return None if inner is None or self.skips(inner) else inner or "."

    def is_locked(self, seconds: float) -> bool:
        """Tell whether git is at work on the files of the vault, since less than ``seconds``.

        An older lock is one that was left behind, or waits for somebody.
        """
        if self.root is None or self.git is None:
            return False
        try:
            made = os.lstat(self.git / "index.lock").st_mtime
        except OSError:
            return False
        return abs(time.time() - made) < seconds

    def moved(self, came: Collection[str] = ()) -> set[str]:
        """Return, once, what is another folder than before: "" the root, or a name in it.

        came: paths that came or went. A folder that went and came back may look the same.
        """
        names = {"" if path == "." else path for path in came if path != REFS}
        if came and not any("/" not in name for name in names):
            return set()
        before, self._top = self._top, self._identities()
        known = before.keys() | self._top
        return {name for name in known if name in names or before.get(name) != self._top.get(name)}

    def folders_below(self, path: str = "") -> set[str]:
        """Return the folders below a path of the vault."""
        found: set[str] = set()
        waiting = [path]
        while waiting and self.root is not None:
            inner = waiting.pop()
            for name in _folders_in(self.root / inner):
                folder = f"{inner}/{name}" if inner else name
                if not self.skips(folder):
                    found.add(folder)
                    waiting.append(folder)
        return found

    def _top_now(self) -> list[str]:
        assert self.root is not None
        return [name for name in _folders_in(self.root) if not self.skips(name)]

    def _identities(self) -> dict[str, tuple[int, int]]:
        """Return the folders that are listened to, with what tells them from others."""
        places: dict[str, Path] = {}
        if self.root is not None:
            places = {name: self.root / name for name in ("", *self._top_now())}
        if self.common is not None:
            places["/heads"] = self.common / "refs" / "heads"
        found: dict[str, tuple[int, int]] = {}
        for name, place in places.items():
            try:
                status = os.lstat(place)
            except OSError:
                continue
            found[name] = (status.st_dev, status.st_ino)
        return found


def _folders_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as items:
            return sorted(item.name for item in items if item.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _within(folder: Path, path: str) -> str | None:
    whole = str(folder)
    if path == whole:
        return ""
    return path[len(whole) + 1 :] if path.startswith(whole + os.sep) else None


def _is_ref(inner: str) -> bool:
    return (inner in _REF_FILES or inner.startswith(_REF_FOLDERS)) and not is_lock(inner)
