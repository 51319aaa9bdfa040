"""Writes that are to be committed: noted before the file is there, dropped after the commit.

So a process that is killed in between, or a commit that git refuses, leaves nothing
that the next commit would not know of.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault
from manent.repo import placing

log = logging.getLogger("manent.server")

FILE = "writes.json"


@dataclass(frozen=True, slots=True)
class Due:
    """A file whose commit is due.

    path: in the vault. author: the identity that wrote it. message: of the commit.
    oid: the blob it was written as. since_ns: when that was. maker: the process that
    makes the commit, "" before.
    """

    path: str
    author: str
    message: str
    oid: str
    since_ns: int = 0
    maker: str = ""


class Pending:
    """The commits that are due, in one file. For whoever holds the vault's lock."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def rows(self) -> list[Due]:
        """Return them, oldest first. Raises EnvironmentFault."""
        try:
            raw = self._place.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise EnvironmentFault(f"cannot read {self._place}: {error.strerror}") from error
        try:
            loaded: list[dict[str, Any]] = json.loads(raw)
            return [Due(**row) for row in loaded]
        except (ValueError, TypeError):
            log.error("%s is damaged", self._place.name, extra={"event": "pending-damaged"})
            return []

    def note(self, due: Due) -> None:
        """Note that a commit is due, in place of an earlier one of the path."""
        self._write([*(row for row in self.rows() if row.path != due.path), due])

    def made_by(self, path: str, maker: str) -> None:
        """Note which process makes the commit of a path."""
        self._write(replace(r, maker=maker) if r.path == path else r for r in self.rows())

    def drop(self, path: str) -> None:
        """Note that nothing is due for a path any more."""
        rows = self.rows()
        left = [row for row in rows if row.path != path]
        if not left:
            self._place.unlink(missing_ok=True)
        elif len(left) < len(rows):
            self._write(left)

    def _write(self, rows: Iterable[Due]) -> None:
        content = json.dumps([asdict(row) for row in rows]).encode("ascii")
        try:
            self._place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            placing.replace(self._place, content, 0o600)
        except OSError as error:
            said = f"cannot write {self._place.name}: {error.strerror}"
            raise EnvironmentFault(said, "is the disk full or read-only?") from error
