"""From what a caller sent to the note it becomes: where it goes, and its every byte.

Whatever an agent sends, its note goes to the agent's own folder in quarantine,
stamped with who wrote it, and private. An owner's keeps its folder and its readers; what an
owner writes into is the owner's, and says who else wrote in it.
"""

from __future__ import annotations

import datetime
import posixpath
from collections.abc import Callable
from typing import Any

from manent import late
from manent.access import Identity, View
from manent.errors import NotFound, Refused, UsageError
from manent.facts.facts import parse
from manent.gate.notes import Proposal
from manent.links.resolve import fold
from manent.note import Header, date, edit, read
from manent.note.writing import lines
from manent.promote.decision import destination
from manent.server.draft import APPEND, CREATE, OVERWRITE, Drafted
from manent.values import dataclass
from manent.vault.ignore import HOME, MEMORY, QUARANTINE, is_note_path
from manent.vault.names import Named
from manent.vault.record import NoteRecord, record_of
from manent.vault.vault import Vault, fold_path

CONTRIBUTORS = "contributors"
"""The field that names who else wrote in a note into which an owner wrote."""

USUAL = "memory"
"""Where an owner's new note goes that names no folder."""

_SLUG = late.pattern(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")
_ROOT = {MEMORY.removesuffix(".md"), HOME.removesuffix(".md")}
_LONGEST_NAME = 200

Standing = Callable[[str], bytes | None]
"""What stands at a path of the vault now, None for nothing. Raises Refused where
nothing may ever stand: behind a symlink, below a file."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What a draft comes to.

    status: ``created``, ``overwritten``, ``appended`` or ``unchanged``. readers: who
    may read it afterwards, as ``NoteRecord.readers``. lead: characters of the content
    before the text that was sent as its body. body: that text as it stands there.
    """

    draft: Drafted
    proposal: Proposal
    status: str
    readers: str
    lead: int
    body: str


class Drafting:
    """Makes the notes of one identity, for a vault as it is now."""

    def __init__(
        self, identity: Identity, view: View, standing: Standing, today: datetime.date
    ) -> None:
        self._identity = identity
        self._view = view
        self._vault: Vault = view.vault
        self._standing = standing
        self._day = today.isoformat()

    def plan(self, draft: Drafted) -> Planned:
        """Return what ``draft`` comes to. Raises Refused, NotFound, UsageError."""
        if not self._identity.write:
            raise Refused(f"{self._identity.name} writes nothing here", "ask an owner")
        _check_name(draft.name, self._identity)
        path = self._path(draft)
        standing = self._standing(path)
        if standing is not None and not self._identity.is_owner:
            self._check_own(draft.name, standing)
        if draft.mode == APPEND:
            return self._appended(draft, path, standing)
        if standing is not None and draft.mode != OVERWRITE:
            raise self._exists(draft.name, path)
        return self._written(draft, path, standing)

    # -- where ---------------------------------------------------------------

    def _path(self, draft: Drafted) -> str:
        known = self._known(draft)
        if known is not None and draft.mode != CREATE and self._readable(known):
            return known.path
        if draft.mode == APPEND and (self._identity.is_owner or not self._drafted(draft.name)):
            raise NotFound(f"no note {draft.name} of yours", "brain_write makes a new one")
        if known is not None:
            raise self._exists(draft.name, known.path)
        path = self._new_path(draft)
        self._check_free(path)
        return path

    def _drafted(self, name: str) -> bool:
        """Tell whether a file stands where the agent's draft of that name would."""
        return self._standing(f"{self._identity.write}/{name}.md") is not None

    def _known(self, draft: Drafted) -> NoteRecord | None:
        """Return the note that the caller means by a name, None for none."""
        rows = self._vault.lookup(fold(draft.name))
        if not self._identity.is_owner:
            own = self._identity.write + "/"
            return self._one(draft.name, [r for r in rows if r.path.startswith(own)])
        found = self._one(draft.name, [r for r in rows if not _in_quarantine(r.path)])
        if found is None and draft.mode == APPEND:
            return self._one(draft.name, list(rows))
        return found

    def _readable(self, note: NoteRecord | Named) -> bool:
        """Tell whether the note is the caller's to change: its own, or one it may read."""
        return not self._identity.is_owner or self._identity.may_read(note.readers)

    def _one(self, name: str, rows: list[Named]) -> NoteRecord | None:
        for found in (
            [r for r in rows if r.name == name],
            [r for r in rows if r.stem == name],
        ):
            if len(found) > 1:
                shown = [r.path for r in found if self._readable(r)]
                mended = f"mend that first: {', '.join(shown[:5])}" if shown else "ask an owner"
                raise Refused(f"several notes are called {name}", mended)
            if found:
                return self._vault.note(found[0].path)
        return None

    def _exists(self, name: str, path: str) -> Refused:
        if self._identity.is_owner and not self._identity.sees_all:
            return Refused(f"a note {name} exists already", "choose another name")
        hint = "mode overwrite replaces it, brain_append adds to it; or choose another name"
        return Refused(f"a note {name} exists already: {path}", hint)

    def _new_path(self, draft: Drafted) -> str:
        name = draft.name
        if not self._identity.is_owner:
            return f"{self._identity.write}/{name}.md"
        if name in _ROOT:
            return f"{name}.md"
        folder = _folder(self._vault, draft.dir or USUAL)
        return f"{folder}/{name}.md" if folder else f"{name}.md"

    def _check_free(self, path: str) -> None:
        if not is_note_path(path, self._vault.ignore):
            raise Refused(f"{path} is ignored here", "no note is read from there: ask an owner")
        step = ""
        for part in path.split("/")[:-1]:
            step = f"{step}/{part}" if step else part
            if self._vault.file(step) is not None:
                raise Refused(f"{step} is a file", "name a folder")
        alike = [p for p in self._vault.files_folded(fold_path(path)) if p != path]
        if alike:
            raise self._exists(posixpath.basename(path).removesuffix(".md"), alike[0])

    def _check_own(self, name: str, standing: bytes) -> None:
        """Refuse an agent the draft that an owner has written into: it is theirs by now.

        Added to, it would pass as the owner's; replaced, the owner's words were gone.
        """
        author = _author(standing)
        if author and author != self._identity.name:
            said = f"somebody else has written into your draft {name} meanwhile"
            raise Refused(said, "it awaits an owner as it is: choose another name")

    # -- what ----------------------------------------------------------------

    def _written(self, draft: Drafted, path: str, standing: bytes | None) -> Planned:
        body = draft.body if not draft.body or draft.body.endswith("\n") else draft.body + "\n"
        header = self._header(draft, path, standing, body, touched=False)
        if standing is None:
            status = "created"
        elif header + body == _text(standing):
            status = "unchanged"
        else:
            status = "overwritten"
            header = self._header(draft, path, standing, body, touched=True)
        return self._planned(draft, path, standing, status, header, body)

    def _header(
        self, draft: Drafted, path: str, standing: bytes | None, body: str, touched: bool
    ) -> str:
        """Return the header of the note. touched: it says that it was changed today."""
        said = {"name": draft.name, "description": draft.description, "type": draft.type}
        if standing is not None and self._identity.is_owner:
            kept = self._kept(said, path, standing, body, touched)
            if kept is not None:
                return kept
        old = read(standing or b"").frontmatter
        created = date(old.get("created")) or self._day
        fields: dict[str, Any] = {**said, "created": created}
        updated = self._day if touched else date(old.get("updated"))
        if updated and (not touched or updated != created):
            fields["updated"] = updated
        if not self._identity.is_owner:
            fields["status"] = QUARANTINE
        fields["author"] = self._identity.name
        inner = [line for key, value in fields.items() for line in lines(key, value)]
        return "\n".join(["---", *inner, "---", ""])

    def _kept(
        self, said: dict[str, str], path: str, standing: bytes, body: str, touched: bool
    ) -> str | None:
        """Return the header that stands there with what was said in it; None for none.

        Who may read the note stays as it is, also where the old header said more
        than counted.
        """
        if read(standing).state is not Header.VALID:
            return None
        changes: dict[str, Any] = {**said, "author": self._identity.name}
        if read(standing).frontmatter.get("name") is not None:
            del changes["name"]  # it is found by it: a name other than the file's stays
        if touched:
            changes["updated"] = self._day
        readers = self._readers(path, standing)
        try:
            edited = edit(standing, changes)
            if self._readers(path, edited) != readers:
                edited = edit(edited, {"audience": readers.split() or None})
        except Refused:
            return None
        note = read(edited)
        whole = self._readers(path, edited) == readers
        return note.text[: len(note.text) - len(note.body)] if whole else None

    def _appended(self, draft: Drafted, path: str, standing: bytes | None) -> Planned:
        if standing is None:
            raise NotFound(f"no note {draft.name} of yours", "brain_write makes a new one")
        if not draft.body.strip():
            raise UsageError("there is nothing to append", "send a body")
        stamped = self._stamped(path, standing) if self._identity.is_owner else standing
        text = _text(stamped)
        gap = "" if not text or text.endswith("\n") else _line_end(text)
        body = draft.body if draft.body.endswith("\n") else draft.body + "\n"
        proposal = self._proposal(draft, path, standing, stamped + _bytes(gap + body))
        readers = self._readers(path, proposal.content)
        return Planned(draft, proposal, "appended", readers, len(text) + len(gap), body)

    def _stamped(self, path: str, standing: bytes) -> bytes:
        """Return a note that an owner adds to, with the owner as its author.

        Whoever was is named beside: the note is not theirs alone any more, nor is it
        forgotten that they wrote. A note without a header that can be edited stays as it is.
        """
        front = read(standing).frontmatter
        author = _author(standing)
        if author == self._identity.name or read(standing).state is not Header.VALID:
            return standing
        changes: dict[str, Any] = {"author": self._identity.name}
        others = _listed(front.get(CONTRIBUTORS))
        if author and others is not None:
            kept = [one for one in others if one not in (author, self._identity.name)]
            changes[CONTRIBUTORS] = [*kept, author]
        try:
            edited = edit(standing, changes)
        except Refused:
            return standing
        same = self._readers(path, edited) == self._readers(path, standing)
        return edited if same else standing

    def _planned(
        self,
        draft: Drafted,
        path: str,
        standing: bytes | None,
        status: str,
        header: str,
        body: str,
    ) -> Planned:
        content = standing if status == "unchanged" and standing is not None else None
        made = _bytes(header + body) if content is None else content
        proposal = self._proposal(draft, path, standing, made)
        return Planned(draft, proposal, status, self._readers(path, made), len(header), body)

    def _proposal(
        self, draft: Drafted, path: str, standing: bytes | None, content: bytes
    ) -> Proposal:
        message = message_of(draft, path, standing is not None, self._identity)
        return Proposal(path, content, standing, message, self._identity)

    def _readers(self, path: str, content: bytes) -> str:
        return record_of(path, "", parse(content), self._vault.conventions).readers


def message_of(draft: Drafted, path: str, stands: bool, identity: Identity) -> str:
    """Return the message of the commit that a draft becomes."""
    verb = APPEND if draft.mode == APPEND else "write"
    done = "added to" if draft.mode == APPEND else "replaced" if stands else "new"
    subject = f"{verb}({draft.name}): {done} by {identity.name}"
    if identity.is_owner:
        return f"{subject}\n\nIt stands at {path}.\n"
    where = f"It stands in quarantine, at {path},\nuntil a person promotes it."
    return f"{subject}, awaits promotion\n\n{where}\n"


def _check_name(name: str, identity: Identity) -> None:
    right = _SLUG.fullmatch(name) or (identity.is_owner and name in _ROOT)
    if not right or len(name) > _LONGEST_NAME:
        raise UsageError(
            "the name is no slug", "small letters and digits, joined by one - or _: port-map"
        )


def _folder(vault: Vault, folder: str) -> str:
    """Return the folder an owner named, checked. Raises Refused."""
    if any(c in folder for c in "\0\\\n\r") or ".." in folder.split("/"):
        raise Refused("dir is no folder of the vault", "name one, as in memory or projects/wiki")
    return destination(vault, folder)


def _author(content: bytes) -> str:
    """Return who a note says wrote it, "" where it does not say."""
    said = read(content).frontmatter.get("author")
    return " ".join(said.split()) if isinstance(said, str) else ""


def _listed(value: Any) -> list[str] | None:
    """Return the names of a field that holds one, several or none; None for anything else."""
    several = value if isinstance(value, list) else [] if value is None else [value]
    return several if all(isinstance(one, str) for one in several) else None


def _in_quarantine(path: str) -> bool:
    return path.split("/")[0].casefold() == QUARANTINE


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _line_end(text: str) -> str:
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the text holds half a character", "send UTF-8") from None
