"""The queue: every note in quarantine, the one that waits longest first."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from manent.access import View
from manent.errors import NotFound, Refused
from manent.links.resolve import fold
from manent.note import labels
from manent.repo.history import arrivals_at, arrived_at, moves_staged
from manent.repo.open import Repository
from manent.schema import day_of
from manent.values import dataclass
from manent.vault.ignore import quarantine_of
from manent.vault.record import NoteRecord
from manent.vault.vault import Vault

Since = Callable[[str], datetime.date | None]
"""From a path of the vault to the day its file came, None where nobody knows."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One note in quarantine.

    author: who the note says wrote it, else whose folder it stands in, else "".
    audience: the labels it carries, which open nothing yet. since: the day it
    was written, None where neither it, nor history, nor the disk says.
    """

    note: NoteRecord
    author: str
    audience: tuple[str, ...]
    since: datetime.date | None
    age_days: int

    def as_json(self) -> dict[str, Any]:
        """Return the row of the queue as ``--json`` prints it."""
        return {
            "name": self.note.name,
            "path": self.note.path,
            "author": self.author,
            "audience": list(self.audience),
            "description": self.note.description,
            "since": self.since.isoformat() if self.since else None,
            "age_days": self.age_days,
        }


def waiting(
    vault: Vault,
    today: datetime.date,
    since: Since,
    author: str | None = None,
    name: str | None = None,
) -> list[Waiting]:
    """Return the notes in quarantine, oldest first.

    author: that one's alone. name: only those that ``find`` may mean by it.
    """
    notes = vault.notes_of(vault.ids("quarantined"))
    meant = [note for note in notes if name is None or _may_be(note, name)]
    rows = _oldest_first(vault, meant, today, since)
    return [row for row in rows if author is None or row.author == author]


def drafts(view: View) -> list[NoteRecord]:
    """Return what waits as far as an identity may know of it, in the order of paths.

    To owners everything; to an agent what stands in the folder it writes to, though
    no View but an owner's shows a draft.
    """
    notes = view.vault.notes_of(view.vault.ids("quarantined"))
    who = view.identity
    mine = f"{who.write}/" if who.write and not who.is_owner else "/"
    kept = [note for note in notes if view.shows(note) or note.path.startswith(mine)]
    return sorted(kept, key=lambda note: os.fsencode(note.path))


def waiting_in(
    view: View, notes: Iterable[NoteRecord], today: datetime.date, since: Since
) -> list[Waiting]:
    """Return rows for some of ``drafts``, oldest first."""
    return _oldest_first(view.vault, notes, today, since)


def _oldest_first(
    vault: Vault, notes: Iterable[NoteRecord], today: datetime.date, since: Since
) -> list[Waiting]:
    found = [_waiting(vault, note, today, since) for note in notes]
    return sorted(found, key=lambda row: (-row.age_days, os.fsencode(row.note.path)))


def _may_be(note: NoteRecord, name: str) -> bool:
    return note.path == name or fold(name) in (fold(note.name), fold(note.stem))


def _waiting(vault: Vault, note: NoteRecord, today: datetime.date, since: Since) -> Waiting:
    front = vault.facts(note).frontmatter
    written = day_of(front.get("created"))
    day = _day(written) if written else since(note.path)
    age = max(0, (today - day).days) if day else 0
    return Waiting(note, author_of(note, front), labels(front), day, age)


def author_of(note: NoteRecord, front: Mapping[str, Any]) -> str:
    """Return who wrote a note in quarantine, as far as it or its place says."""
    said = front.get("author")
    if isinstance(said, str) and said.strip():
        return " ".join(said.split())
    folder = quarantine_of(note.path)
    return folder.partition("/")[2] if folder else ""


def find(queue: Iterable[Waiting], vault: Vault, name: str) -> Waiting:
    """Return the note in quarantine that is called ``name``, or stands at that path.

    Raises Refused: for no such note, for several, for one that is not in quarantine.
    """
    rows = list(queue)
    key = fold(name)
    for fits in (
        lambda note: note.path == name,
        lambda note: note.name == name,
        lambda note: note.stem == name,
        lambda note: key in (fold(note.name), fold(note.stem)),
    ):
        found = [row for row in rows if fits(row.note)]
        if len(found) == 1:
            return found[0]
        if found:
            paths = ", ".join(row.note.path for row in found[:5])
            raise Refused(f"several notes in quarantine answer to {name}", f"name one: {paths}")
    for other in vault.lookup(key):
        if name in (other.name, other.stem) or other.path == name:
            raise Refused(f"{other.path} is not in quarantine", "it needs no promotion")
    if vault.note_at(name) is not None:
        raise Refused(f"{name} is not in quarantine", "it needs no promotion")
    raise Refused(f"no note {name} in quarantine", "`manent promote` lists what waits")


def arrivals(repository: Repository | None, tip: str, prefix: str, root: Path | None) -> Since:
    """Return how to learn when a file came: its first commit, else the time on disk.

    tip: the commit whose history counts, "" for none. prefix: the vault's folder
    in the repository. A file that was renamed came when it was first added. A few
    files are each asked for; for more the history is walked once.
    """
    known: dict[str, int] | None = None if repository and tip else {}
    alone = 0

    def added(path: str) -> int | None:
        nonlocal known, alone
        if known is None and repository is not None:
            alone += 1
            if alone <= ASKED_ALONE:
                return arrived_at(repository, tip, path)
            known = arrivals_at(repository, tip)
        return (known or {}).get(path)

    moving: dict[str, str] | None = None

    def moved_from(path: str) -> str | None:
        nonlocal moving
        if moving is None:
            here = repository is not None and tip and root is not None
            moving = moves_staged(repository, tip) if here and repository else {}
        return moving.get(path)

    def since(path: str) -> datetime.date | None:
        whole = f"{prefix}/{path}" if prefix else path
        seconds: float | None = added(whole)
        if seconds is None and (before := moved_from(whole)):
            seconds = added(before)
        if seconds is None and root is not None:
            try:
                seconds = (root / path).stat().st_mtime
            except OSError:
                return None
        return None if seconds is None else _of_seconds(seconds)

    return since


ASKED_ALONE = 3
"""Files whose first commit git is asked for one by one, which looks at less of the trees."""


def _of_seconds(seconds: float) -> datetime.date:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).date()


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def content_of(vault: Vault, note: NoteRecord) -> bytes:
    """Return the note's bytes. Raises Refused when the file has just gone."""
    try:
        return vault.content(note)
    except NotFound:
        raise Refused(f"{note.path} is gone", "run the command again") from None
