"""A person's decision on notes in quarantine, as Changes with a message that says it."""

from __future__ import annotations

import datetime
import os
import posixpath
import re
from collections.abc import Callable, Sequence
from typing import Any

from manent import late
from manent.change import Change
from manent.errors import Refused
from manent.finding import inert
from manent.links.resolve import fold
from manent.note import edit, labels, read
from manent.promote.moving import Moving, lookalikes
from manent.promote.queue import Waiting, content_of
from manent.tree import is_secret, listed_name
from manent.values import dataclass, field
from manent.vault.ignore import QUARANTINE, is_note_path, quarantine_of
from manent.vault.record import PRIVATE
from manent.vault.vault import Vault, fold_path

_LABEL = late.pattern(r"[a-z0-9]+(?:[_-][a-z0-9]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a decision needs besides the notes.

    who: the person, ``Name <address>``. audiences: the closed set of labels, None
    for any. taken: tells whether something the vault does not know stands at a path.
    unseen: tells whether git would leave a file at a path out of sight.
    """

    today: datetime.date
    who: str
    audiences: frozenset[str] | None = None
    taken: Callable[[str], bool] = field(default=lambda path: False)
    unseen: Callable[[str], bool] = field(default=lambda path: False)


@dataclass(frozen=True, slots=True)
class Decided:
    """One Change, and what it says, as the answer's row."""

    change: Change
    row: dict[str, Any]


def promoted(
    vault: Vault,
    chosen: Sequence[Waiting],
    terms: Terms,
    audience: Sequence[str] | None = None,
    folder: str | None = None,
) -> list[Decided]:
    """Return the promotion of each of the notes, each laid on the one before.

    audience: the labels to set, None keeps those it has. folder: where the notes
    go, None keeps them where they stand. Raises Refused.
    """
    given = None if audience is None else checked_labels(audience, terms)
    place = None if folder is None else destination(vault, folder)
    moving = Moving(vault)
    return [_promoted(moving, row, terms, given, place) for row in chosen]


def _promoted(
    moving: Moving,
    row: Waiting,
    terms: Terms,
    audience: Sequence[str] | None,
    folder: str | None,
) -> Decided:
    note = row.note
    path = moving.path_of(note)
    content = moving.content_of(note)
    new = _new_path(moving, row, folder, terms)
    front = read(content).frontmatter
    kept = labels(front)
    wanted = list(kept if audience is None else audience)
    if audience is None and front.get("audience") is not None:
        checked_labels(wanted, terms, f"{path}: ")
    if new == path and front.get("status") == "active" and audience is None:
        raise Refused(f"{path} is active and waits only where it stands", "say where to: --to DIR")
    changes: dict[str, Any] = {"status": "active", "updated": terms.today.isoformat()}
    if audience is not None:
        changes["audience"] = wanted
    try:
        edited = edit(content, changes)
    except Refused as fault:
        raise Refused(f"{path}: {fault.message}", fault.hint) from None
    named = next(r for r in moving.named(fold(note.name)) if r.id == note.id)
    readers = "" if PRIVATE in wanted else " ".join(sorted(wanted))
    after = named._replace(path=new, quarantined=quarantine_of(new) is not None, readers=readers)
    if not after.quarantined:
        _refuse_clash(moving, row)
    edits = moving.move(note, edited, after)
    told = _Told(row, front, kept, wanted, path, new, len(edits) - 1 - (new != path))
    return Decided(_change(told, edits, terms), told.as_json())


@dataclass(frozen=True, slots=True)
class _Told:
    """What a promotion changes, old and new."""

    row: Waiting
    front: dict[str, Any]
    old_audience: Sequence[str]
    audience: Sequence[str]
    old_path: str
    path: str
    relinked: int

    @property
    def status(self) -> str:
        """What the note said of its status."""
        said = self.front.get("status")
        return inert(str(said)) if said is not None else "none"

    def as_json(self) -> dict[str, Any]:
        """Return the row of the answer."""
        return {
            "name": self.row.note.name,
            "author": self.row.author,
            "status": [self.status, "active"],
            "audience": [list(self.old_audience), list(self.audience)],
            "path": [self.old_path, self.path],
            "relinked": self.relinked,
        }


def _change(told: _Told, edits: dict[str, bytes | None], terms: Terms) -> Change:
    row = told.row
    lines = [
        f"promote({inert(row.note.name)}): out of quarantine",
        "",
        f"{_written(row)}, promoted on {terms.today.isoformat()}.",
        "",
        _both("status", told.status, "active"),
        _both("audience", _spelled(told.old_audience), _spelled(told.audience)),
        _both("path", inert(told.old_path), inert(told.path)),
    ]
    if told.relinked:
        notes = "1 note" if told.relinked == 1 else f"{told.relinked} notes"
        lines += ["", f"Links in {notes} follow it."]
    return Change(edits, _signed(lines, "Promoted-by", terms), terms.who)


def _signed(lines: list[str], key: str, terms: Terms) -> str:
    # In the message itself: a Change's own trailers hold no address in brackets.
    return "\n".join([*lines, "", f"{key}: {inert(terms.who)}", ""])


def _written(row: Waiting) -> str:
    who = f"Written by {inert(row.author)}" if row.author else "Written"
    return f"{who} on {row.since.isoformat()}" if row.since else f"{who} on a day not recorded"


def _both(what: str, old: str, new: str) -> str:
    return f"{what}: {old} -> {new}" if old != new else f"{what}: {old} (unchanged)"


def _spelled(audience: Sequence[str]) -> str:
    return ", ".join(audience) or PRIVATE


def rejected(vault: Vault, row: Waiting, reason: str, terms: Terms) -> Decided:
    """Return the removal of a note from quarantine, with the reason in its message."""
    note = row.note
    content_of(vault, note)
    lines = [
        f"reject({inert(note.name)}): removed from quarantine",
        "",
        *(inert(line) for line in reason.strip().splitlines()),
        "",
        f"{_written(row)}, rejected on {terms.today.isoformat()}; it stood at",
        f"{inert(note.path)}.",
    ]
    change = Change({note.path: None}, _signed(lines, "Rejected-by", terms), terms.who)
    sources = vault.notes_of(vault.sources_of(note.id) - {note.id})
    broken = sorted((n.path for n in sources), key=os.fsencode)
    described = {
        "name": note.name,
        "author": row.author,
        "path": note.path,
        "reason": reason.strip(),
        "linked_from": broken,
    }
    return Decided(change, described)


# -- what is refused -----------------------------------------------------------------


def checked_labels(audience: Sequence[str], terms: Terms, where: str = "") -> list[str]:
    """Return the labels, each once. Raises Refused for what no note may carry."""
    found = list(dict.fromkeys(label.strip() for label in audience))
    for label in found:
        if not _LABEL.fullmatch(label):
            raise Refused(f"{where}{inert(label)!r} is no label", "a label is a slug: ops, team-a")
        if terms.audiences is not None and label != PRIVATE and label not in terms.audiences:
            known = ", ".join(sorted(terms.audiences))
            raise Refused(f"{where}no audience {label} is configured", f"there are: {known}")
    if PRIVATE in found and len(found) > 1:
        raise Refused(f"{where}private stands beside another label", "it is the one or the other")
    return found


def destination(vault: Vault, folder: str) -> str:
    """Return the folder that ``--to`` names, "" for the vault's root. Raises Refused."""
    if "\0" in folder or "\\" in folder:
        raise Refused("--to is no folder's name", "name a folder of the vault")
    if folder.startswith("/"):
        raise Refused(f"{folder} is outside the vault", "name a folder within it")
    place = posixpath.normpath(folder or ".")
    place = "" if place == "." else place
    parts = place.split("/") if place else []
    if ".." in parts:
        raise Refused(f"{folder} is outside the vault", "name a folder within it")
    if parts and parts[0].casefold() == QUARANTINE:
        raise Refused(f"{place} is in quarantine", "notes leave it by promotion")
    if is_secret(place):
        raise Refused(f"{place} is a place of secrets", "notes are never kept there")
    prefix = ""
    for part in parts:
        if part.startswith(".") or not listed_name(part, prefix):
            raise Refused(f"{place} is a hidden place", "no note is read from there")
        prefix += part + "/"
        if vault.file(prefix[:-1]) is not None:
            raise Refused(f"{prefix[:-1]} is a file", "name a folder")
    return place


def _new_path(moving: Moving, row: Waiting, folder: str | None, terms: Terms) -> str:
    vault, path = moving.vault, moving.path_of(row.note)
    if folder is None:
        return path
    file = posixpath.basename(path)
    new = f"{folder}/{file}" if folder else file
    if new == path:
        return path
    if not is_note_path(new, vault.ignore):
        raise Refused(f"{new} is ignored", "name a folder that .manentignore leaves alone")
    if terms.unseen(new):
        raise Refused(f"{new} is ignored by git", "name a folder that .gitignore leaves alone")
    held = [p for p in vault.files_folded(fold_path(new)) if p != path]
    held = [p for p in held if moving.contents.get(p, b"") is not None]
    held += [p for p, c in moving.contents.items() if c is not None and _same(p, new)]
    if held or terms.taken(new):
        raise Refused(f"{new} is taken", "choose another folder, or rename the note")
    return new


def _same(one: str, other: str) -> bool:
    return fold_path(one) == fold_path(other)


def _refuse_clash(moving: Moving, row: Waiting) -> None:
    others = lookalikes(moving, row.note)
    if others:
        path, name = moving.path_of(row.note), row.note.name
        raise Refused(
            f"{path}: the name {name} is taken by {others[0].path}", "give the note another name"
        )
