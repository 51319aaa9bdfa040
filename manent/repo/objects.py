"""Objects of a repository by id: kind, size, content.

Two readers behind one interface. ``Pipe`` reads single objects from their files or
asks ``git cat-file``, which costs a few milliseconds to start, so hooks use it;
``Library`` reads through libgit2, whose import alone costs 100 ms
(``python -X importtime -c 'import pygit2'``) but which then answers fastest, so
servers and long commands use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from manent import late
from manent.errors import EnvironmentFault
from manent.repo import loose
from manent.repo.command import Git

_OID = late.pattern(r"[0-9a-f]{40}\Z")
_BATCH = 400
"""Requests written before the answers are read: 48 bytes each, so they fit the
smallest pipe buffer (64 KiB) and neither side can block on the other."""

_FEW = 32
"""Objects whose files are read one by one before a process is started for them."""

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}


class MissingObject(EnvironmentFault):
    """An object that must be there is not: the repository or the push is incomplete."""

    def __init__(self, oid: str) -> None:
        super().__init__(f"object {oid} is missing", "push again from a complete clone")


class Header(NamedTuple):
    """What an object is (``commit``, ``tree``, ``blob``, ``tag``) and its size in bytes."""

    kind: str
    size: int


class Objects(Protocol):
    """Reads objects by full hexadecimal id. Raises MissingObject."""

    def header(self, oid: str) -> Header:
        """Return kind and size, reading no content where that can be avoided."""

    def read(self, oid: str) -> tuple[str, bytes]:
        """Return kind and content."""

    def headers(self, oids: Iterable[str]) -> Iterator[Header]:
        """Yield the header of each, in order."""

    def contents(self, oids: Iterable[str]) -> Iterator[bytes]:
        """Yield the content of each, in order."""

    def close(self) -> None:
        """Let go of processes and files."""


class Pipe:
    """Objects through one ``git cat-file --batch-command`` process, started when needed.

    folders: those of the objects git sees. Until the process runs, single objects that
    stand in files of their own there are read from them.
    """

    def __init__(self, git: Git, folders: Sequence[str] = ()) -> None:
        self._git = git
        self._folders = folders
        self._process: Any = None

    def start(self) -> None:
        """Start the process, unless it runs: it makes ready before the first question."""
        if self._process is None:
            self._process = self._git.start("cat-file", "--batch-command")

    def header(self, oid: str) -> Header:
        """Return kind and size, reading no content."""
        found = loose.header(self._folders, oid) if self._alone([oid]) else None
        if found is not None:
            return Header(*found)
        self._ask("info", [oid])
        return self._answer(oid)

    def read(self, oid: str) -> tuple[str, bytes]:
        """Return kind and content."""
        found = loose.read(self._folders, oid) if self._alone([oid]) else None
        if found is not None:
            return found
        self._ask("contents", [oid])
        return self._content(oid)

    def headers(self, oids: Iterable[str]) -> Iterator[Header]:
        """Yield the header of each, in order."""
        for batch in _batches(oids):
            if self._alone(batch):
                yield from [self.header(oid) for oid in batch]
                continue
            self._ask("info", batch)
            yield from [self._answer(oid) for oid in batch]

    def contents(self, oids: Iterable[str]) -> Iterator[bytes]:
        """Yield the content of each, in order; do not interleave with other questions."""
        for batch in _batches(oids):
            if self._alone(batch):
                for oid in batch:
                    yield self.read(oid)[1]
                continue
            self._ask("contents", batch)
            for oid in batch:
                yield self._content(oid)[1]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None

    def _alone(self, oids: list[str]) -> bool:
        """Tell whether these few are looked for without starting the process."""
        return (
            self._process is None
            and len(oids) <= _FEW
            and bool(self._folders)
            and all(map(_OID.match, oids))
        )

    def _ask(self, command: str, oids: list[str]) -> None:
        self.start()
        for oid in oids:
            if not _OID.match(oid):
                raise MissingObject(oid)
        try:
            self._process.stdin.write("".join(f"{command} {oid}\n" for oid in oids).encode())
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise EnvironmentFault("git cat-file stopped", "see git fsck") from error

    def _answer(self, oid: str) -> Header:
        words = self._process.stdout.readline().split()
        if len(words) != 3:
            if not words:
                raise EnvironmentFault(f"git cat-file stopped at {oid}", "see git fsck")
            raise MissingObject(oid)
        return Header(words[1].decode(), int(words[2]))

    def _content(self, oid: str) -> tuple[str, bytes]:
        header = self._answer(oid)
        content = self._process.stdout.read(header.size + 1)
        if len(content) != header.size + 1:
            raise EnvironmentFault(f"git cat-file stopped at {oid}", "see git fsck")
        return header.kind, content[:-1]


class Library:
    """Objects through libgit2, from an objects folder and its alternates."""

    def __init__(self, folder: Path) -> None:
        import pygit2

        self._odb = pygit2.Odb(str(folder))

    def header(self, oid: str) -> Header:
        """Return kind and size."""
        try:
            kind, size = self._odb.read_header(oid)
        except (KeyError, ValueError) as error:
            raise MissingObject(oid) from error
        return Header(_KINDS[int(kind)], size)

    def read(self, oid: str) -> tuple[str, bytes]:
        """Return kind and content."""
        try:
            kind, content = self._odb.read(oid)
        except (KeyError, ValueError) as error:
            raise MissingObject(oid) from error
        return _KINDS[int(kind)], content

    def headers(self, oids: Iterable[str]) -> Iterator[Header]:
        """Yield the header of each, in order."""
        return map(self.header, oids)

    def contents(self, oids: Iterable[str]) -> Iterator[bytes]:
        """Yield the content of each, in order."""
        return (self.read(oid)[1] for oid in oids)

    def close(self) -> None:
        """Nothing is held that the end of the process does not release."""


def _batches(oids: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for oid in oids:
        batch.append(oid)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
