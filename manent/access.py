"""Who may see what: identities, and the View each of them gets.

A View is fixed before anything is indexed, counted or ranked. To whoever holds
it, a hidden note is not there: names resolve as if it had been deleted, links
to it lead nowhere, and asking for it fails as asking for nothing fails.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from manent import late
from manent.errors import EnvironmentFault, NoSuchAgent, NotFound
from manent.facts.facts import Facts
from manent.links.link import LinkKind
from manent.links.resolve import Resolution, resolve
from manent.values import dataclass
from manent.vault.digest import keys_of
from manent.vault.names import Named, Names
from manent.vault.record import PRIVATE, NoteRecord
from manent.vault.vault import Edge, Vault

OWNER_NAME = "owner"
_SLUG = late.pattern(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody who asks or writes.

    read: the labels whose notes it sees; None is the owner's scope: every note.
    write: the folder its drafts go to, "*" for an owner, "" for nobody.
    git: may use a git transport, and so reads everything.
    history: may ask for past revisions, by date, of notes in today's View.
    journal: the folder of its journal, "" for none.
    token_sha256: hex digest of its token, "" where it only pushes.
    """

    name: str
    read: frozenset[str] | None = frozenset()
    write: str = ""
    git: bool = False
    history: bool = False
    journal: str = ""
    token_sha256: str = ""

    @property
    def is_owner(self) -> bool:
        """Whether it may write anywhere the rules allow."""
        return self.write == "*"

    @property
    def sees_all(self) -> bool:
        """Whether it has the owner's scope."""
        return self.read is None

    @property
    def is_whole_owner(self) -> bool:
        """Whether it is an owner from whom nothing is hidden: ids and counts are its to know."""
        return self.is_owner and self.sees_all

    def may_read(self, readers: str) -> bool:
        """Tell whether a note with these readers (``NoteRecord.readers``) is visible."""
        return self.read is None or not self.read.isdisjoint(readers.split())


OWNER = Identity(OWNER_NAME, read=None, write="*", git=True, history=True)
"""Whoever holds the vault itself."""


def load_agents(text: str, source: str = "agents file") -> dict[str, Identity]:
    """Read an agents file. Raises EnvironmentFault naming the entry at fault.

    source: what to call the file in messages.
    """
    try:
        loaded = json.loads(text, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as error:
        raise EnvironmentFault(f"{source} is no JSON: {error}") from error
    if not isinstance(loaded, dict):
        raise EnvironmentFault(f"{source} must be an object of agents by name")
    agents: dict[str, Identity] = {}
    tokens: dict[str, str] = {}
    for name, entry in loaded.items():
        identity = _identity(name, entry, source)
        if identity.token_sha256:
            other = tokens.setdefault(identity.token_sha256, name)
            if other != name:
                raise EnvironmentFault(f"{source}: {other} and {name} have the same token")
        agents[name] = identity
    return agents


def agent(agents: dict[str, Identity], name: str) -> Identity:
    """Return the identity of that name. Raises NoSuchAgent."""
    try:
        return agents[name]
    except KeyError:
        named = f"no agent {name}" if name else "no agent without a name"
        raise NoSuchAgent(f"the agents file has {named}", "name one that it has") from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return out


_FIELDS = {"token", "token_sha256", "read", "write", "git", "history", "journal"}


def _identity(name: str, entry: Any, source: str) -> Identity:
    def fail(what: str) -> EnvironmentFault:
        return EnvironmentFault(f"{source}: agent {name}: {what}")

    if not _SLUG.fullmatch(name):
        raise fail("the name must be a slug")
    if not isinstance(entry, dict):
        raise fail("must be an object")
    unknown = sorted(set(entry) - _FIELDS)
    if unknown:
        raise fail(f"unknown field {unknown[0]}")
    if name == OWNER_NAME and entry.get("write", "") != "*":
        # Its drafts and commits would be taken for the owner's.
        raise fail('only an owner is called owner: give it "write": "*", or another name')
    return Identity(
        name,
        _read_scope(entry.get("read", []), fail),
        _write_scope(name, entry.get("write", ""), fail),
        _flag(entry, "git", fail),
        _flag(entry, "history", fail),
        _journal(name, entry.get("journal", ""), fail),
        _token(entry, fail),
    )


def _read_scope(value: Any, fail: Any) -> frozenset[str] | None:
    if value == "*":
        return None
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise fail('read must be a list of labels, or "*"')
    for label in value:
        if not _SLUG.fullmatch(label):
            raise fail("a label in read is no slug")
        if label == PRIVATE:
            raise fail("the label private is never granted")
    return frozenset(value)


def _write_scope(name: str, value: Any, fail: Any) -> str:
    if value in ("", "*", f"quarantine/{name}"):
        return str(value)
    raise fail(f'write must be "quarantine/{name}", or "*" for an owner')


def _journal(name: str, value: Any, fail: Any) -> str:
    if value in ("", f"journal/{name}"):
        return str(value)
    raise fail(f'journal must be "journal/{name}"')


def _flag(entry: dict[str, Any], key: str, fail: Any) -> bool:
    value = entry.get(key, False)
    if not isinstance(value, bool):
        raise fail(f"{key} must be true or false")
    return value


def _token(entry: dict[str, Any], fail: Any) -> str:
    token, digest = entry.get("token"), entry.get("token_sha256")
    if token is not None and digest is not None:
        raise fail("give token or token_sha256, not both")
    if token is not None:
        if not isinstance(token, str) or len(token) < 16:
            raise fail("the token must be text of at least 16 characters")
        return hashlib.sha256(token.encode()).hexdigest()
    if digest is None:
        return ""
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise fail("token_sha256 must be 64 hexadecimal digits")
    return digest


class View:
    """The notes of a vault that one identity may see.

    past: where the View shows an older tree, the blobs of today's View by id:
    a past note is shown only if its exact content is in today's View too.
    """

    def __init__(
        self, vault: Vault, identity: Identity = OWNER, past: frozenset[str] | None = None
    ) -> None:
        self.vault = vault
        self.identity = identity
        self._past = past
        self._readable: dict[str, bool] = {}

    @property
    def whole(self) -> bool:
        """Whether nothing is hidden: then the vault's own counts may be used."""
        return self.identity.sees_all and self._past is None

    @property
    def of_the_past(self) -> bool:
        """Whether it shows an older tree, as far as today's View allows."""
        return self._past is not None

    def docs(self) -> Iterator[int]:
        """Yield the ids of the search documents of the View."""
        if self._past is not None:
            return (note.doc for note in self.notes())
        return (doc for doc, readers in self.vault.docs() if self._may_read(readers))

    def shows(self, note: NoteRecord) -> bool:
        """Tell whether the note is in the View."""
        if self._past is not None and note.oid not in self._past:
            return False
        return self._may_read(note.readers)

    def _may_read(self, readers: str) -> bool:
        known = self._readable.get(readers)
        if known is None:
            known = self._readable[readers] = self.identity.may_read(readers)
        return known

    def _shows_named(self, row: Named) -> bool:
        if self._past is None:
            return self._may_read(row.readers)
        note = self.vault.note_by_id(row.id)
        return note is not None and self.shows(note)

    def notes(self) -> Iterator[NoteRecord]:
        """Yield the notes of the View in the order of paths."""
        return (note for note in self.vault.notes() if self.shows(note))

    def notes_of(self, ids: Iterable[int]) -> Iterator[NoteRecord]:
        """Yield those of the notes with these ids that are in the View, in no order."""
        return (note for note in self.vault.notes_of(ids) if self.shows(note))

    @property
    def names(self) -> Names:
        """Names over the notes of the View alone."""
        return Names(self.vault.lookup, None if self.whole else self._shows_named)

    def find(self, name: str) -> NoteRecord:
        """Return the note called ``name``, or standing at that path. Raises NotFound.

        What is hidden, absent or ambiguous among visible notes fails alike
        for the first two; the third says which paths to choose from.
        """
        note = self.vault.note_at(name)
        if note is not None and self.shows(note):
            return note
        found = resolve(name, "", self.names)
        if found.path is not None:
            return self.vault.note(found.path)
        if found.candidates:
            raise NotFound(f"several notes answer to {name}", f"name one: {_listed(found)}")
        raise NotFound(f"no note {name}", "`manent list` shows the notes there are")

    def facts(self, note: NoteRecord) -> Facts:
        """Return what a note of the View says of itself."""
        return self.vault.facts(note)

    def text(self, note: NoteRecord) -> str:
        """Return the file's text. Raises NotFound when it is not in the View."""
        if not self.shows(note):
            raise NotFound(f"no note {note.path}")
        return self.vault.text(note)

    def content(self, note: NoteRecord) -> bytes:
        """Return the file's bytes. Raises NotFound when it is not in the View."""
        if not self.shows(note):
            raise NotFound(f"no note {note.path}")
        return self.vault.content(note)

    def edges_from(self, note: NoteRecord) -> list[Edge]:
        """Return the links of a note that lead to a visible note, in order of place."""
        if self.whole:
            return self.vault.edges_from(note.id)
        links = self.vault.links_from(note.id)
        edges = [self._edge(note.id, note.path, n, kind, target) for n, kind, target in links]
        return [edge for edge in edges if edge is not None]

    def edges_to(self, note: NoteRecord) -> list[Edge]:
        """Return the links from visible notes that lead to this one, by source and place."""
        if self.whole:
            return self.vault.edges_to(note.id)
        links = self.vault.links_by_key(keys_of(note.name, note.stem))
        sources = {s.id: s for s in self.vault.notes_of({x[0] for x in links}) if self.shows(s)}
        edges = [
            self._edge(source, sources[source].path, n, kind, target)
            for source, n, kind, target in links
            if source in sources
        ]
        return [edge for edge in edges if edge is not None and edge.target == note.id]

    def _edge(self, source: int, path: str, n: int, kind: str, target: str) -> Edge | None:
        found = resolve(target, path, self.names, LinkKind(kind)).path
        row = None if found is None else self.names.at(found)
        return None if row is None else Edge(source, n, kind, row.id)


def _listed(found: Resolution) -> str:
    return ", ".join(found.candidates[:5]) + (", …" if len(found.candidates) > 5 else "")
