"""Replace several files of a folder together: all of them or, in the end, none.

What stands is written down before the first file is touched. A process killed in
between leaves that record, and the next command puts the folder back from it.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault
from manent.repo.placing import place, read, refuse_symlinks, replace
from manent.values import dataclass, field

JOURNAL = "carrying.json"
"""The record of an edit under way, in the folder of derived data."""

Edits = Mapping[str, bytes | None]
"""Path to content; None where there is no file."""


@dataclass(frozen=True, slots=True)
class Laying:
    """Files to be replaced together.

    root: what the paths are relative to. before, after: each path's content.
    index: by path, (mode, blob id) of git's index entry as it stood.
    tip: the commit HEAD was at, where a commit is to follow, else "".
    maker: the process that makes that commit, "" before there is one.
    """

    root: Path
    journal: Path
    before: Edits
    after: Edits
    index: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    tip: str = ""
    maker: str = ""

    def lay(self) -> None:
        """Write every file. Raises EnvironmentFault; then nothing is changed."""
        for path in self.after:
            refuse_symlinks(self.root, path)
        self._compare()
        self._record()
        try:
            for path, content in self.after.items():
                place(self.root, path, content)
        except BaseException:
            self.undo()
            self.forget()
            raise

    def made_by(self, maker: str) -> None:
        """Add to the record which process makes the commit that is to follow."""
        dataclasses.replace(self, maker=maker)._record()

    def undo(self) -> None:
        """Put every file back that is as ``lay`` left it. The record is kept."""
        for path, content in self.before.items():
            if read(self.root / path) == self.after[path] != content:
                place(self.root, path, content)

    def forget(self) -> None:
        """Drop the record: what stands now is what was wanted."""
        self.journal.unlink(missing_ok=True)

    def _compare(self) -> None:
        for path, content in self.before.items():
            if read(self.root / path) != content:
                fault = "was changed meanwhile" if content is not None else "exists meanwhile"
                raise EnvironmentFault(f"{path} {fault}", "run the command again")

    def _record(self) -> None:
        row = {
            "root": os.fspath(self.root),
            "tip": self.tip,
            "maker": self.maker,
            "before": {p: _packed(c) for p, c in self.before.items()},
            "after": {p: _packed(c) for p, c in self.after.items()},
            "index": {p: list(e) for p, e in self.index.items()},
        }
        self.journal.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(self.journal, json.dumps(row).encode("ascii"), 0o600)


def recorded(journal: Path) -> Laying | None:
    """Return the edit that a killed process has left under way, None for none.

    Raises EnvironmentFault when the record is damaged.
    """
    try:
        raw = journal.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EnvironmentFault(f"cannot read {journal}: {error.strerror}") from error
    return _read_back(journal, raw)


def _read_back(journal: Path, raw: bytes) -> Laying:
    try:
        row: dict[str, Any] = json.loads(raw)
        return Laying(
            Path(row["root"]),
            journal,
            {p: _unpacked(c) for p, c in row["before"].items()},
            {p: _unpacked(c) for p, c in row["after"].items()},
            {p: (e[0], e[1]) for p, e in row["index"].items()},
            row["tip"],
            row.get("maker", ""),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EnvironmentFault(f"{journal} is damaged", "look at it, then remove it") from error


def _packed(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode("ascii")


def _unpacked(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
