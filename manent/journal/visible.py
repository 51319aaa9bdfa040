"""Lines of journals beside the notes that a search finds: whose, and where they are read.

A journal is its owner's alone: owners of the vault see every one, an agent the
one that the agents file calls its own. To anybody else none is there, and none
is looked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from manent import journal
from manent.errors import EnvironmentFault
from manent.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from manent.access import Identity
    from manent.journal.recall import Found
    from manent.repo.open import Repository

ROOT = "journal"
LOG = "LOG.txt"
_ALL = 1 << 62


class Line(NamedTuple):
    """One memory that was found; path: of the log, relative to the vault."""

    path: str
    number: int
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Journals:
    """The journals of a vault, in a folder or at a commit.

    root: the vault's folder; not looked at where there is a tree. tree: the id of the
    repository's tree to read instead, "" for the folder. prefix: the vault's folder in
    the repository.
    """

    root: Path | None = None
    repository: Repository | None = None
    tree: str = ""
    prefix: str = ""

    def lines(
        self, identity: Identity, query: str, limit: int, today: Journals | None = None
    ) -> tuple[list[Line], list[str]]:
        """Return the newest lines that hold every word of ``query``, and remarks.

        today: where these are the journals of the past, those of now: of the past
        nothing is shown that is not there today.
        """
        found: list[Line] = []
        remarks: list[str] = []
        for folder in self.folders(identity):
            path = f"{folder}/{LOG}"
            try:
                held = self._of(folder, query, limit, today)
            except EnvironmentFault as fault:
                remarks.append(f"{path} was not searched: {fault}")
                continue
            found += [Line(path, line.number, line.date, line.text) for line in held]
        found.sort(key=lambda line: (line.date, line.path, line.number), reverse=True)
        return found[:limit], remarks

    def folders(self, identity: Identity) -> list[str]:
        """Return the folders of the journals that whoever asks may read, in order."""
        if identity.is_whole_owner:
            if self.tree:
                return list(self._folders_at())
            return [] if self.root is None else list(folders_in(self.root))
        mine = identity.journal
        return [mine] if mine and self.log(mine) is not None else []

    def log(self, folder: str) -> bytes | Path | None:
        """Return the log of a journal: its bytes at a tree, its file in a folder, or None."""
        if self.tree:
            return self._blob(folder)
        if self.root is None or not is_journal(self.root, folder):
            return None
        return self.root / folder / LOG

    def _folders_at(self) -> Iterator[str]:
        assert self.repository is not None, "a tree stands in a repository"
        prefix = f"{self.prefix}/" if self.prefix else ""
        out = self.repository.git.run(
            "ls-tree", "-r", "-z", "--full-tree", "--name-only", self.tree, "--", f"{prefix}{ROOT}/"
        )
        for raw in out.split(b"\0"):
            path = raw.decode("utf-8", "surrogateescape").removeprefix(prefix)
            folder, _, name = path.rpartition("/")
            if name == LOG and self._blob(folder) is not None:
                yield folder

    def _blob(self, folder: str) -> bytes | None:
        from manent.repo.git_tree import GitTree
        from manent.tree import Kind

        assert self.repository is not None, "a tree stands in a repository"
        at = GitTree(self.repository, self.tree, self.prefix)
        entry = at.get(f"{folder}/{LOG}")
        return at.read(entry.path) if entry is not None and entry.kind is Kind.FILE else None

    def _of(self, folder: str, query: str, limit: int, today: Journals | None) -> list[Found]:
        log, path = self.log(folder), f"{folder}/{LOG}"
        if isinstance(log, Path):
            return list(journal.find(os.fspath(log.parent), query, limit))
        if today is None:
            return list(journal.find_in(log or b"", query, limit, name=path))
        still = _said(today.log(folder))
        found = journal.find_in(log or b"", query, _ALL, name=path)
        return [line for line in found if (line.date, line.text) in still][:limit]


def folders_in(top: Path) -> Iterator[str]:
    """Yield the folder of each journal of the vault at ``top``, relative to it, in order."""
    from manent.tree import is_secret

    for folder, below, files in os.walk(top / ROOT):
        below.sort()
        path = Path(folder).relative_to(top).as_posix()
        if LOG in files and not is_secret(f"{path}/{LOG}") and is_journal(top, path):
            yield path


def is_journal(top: Path, folder: str) -> bool:
    """Tell whether a log lies there, reached through no symbolic link."""
    at = top
    for part in (*folder.split("/"), LOG):
        at /= part
        if at.is_symlink():
            return False
    return at.is_file()


def _said(log: bytes | Path | None) -> set[tuple[str, str]]:
    held = log.read_bytes() if isinstance(log, Path) else log or b""
    return {(line.date, line.text) for line in journal.find_in(held, "", _ALL, regex=True)}
