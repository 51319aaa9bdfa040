"""The notes of one Tree, kept in the derived store and moved from tree to tree.

A Vault stands at a tree. ``sync`` moves it to another one and touches only
what differs: parsed facts are kept by blob, names and links by key, so the
cost of a move follows the size of the difference, not of the vault. Inside
``Store.transaction(keep=False)`` a sync is an overlay that leaves no trace.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from manent.errors import NotFound
from manent.facts.derive import Mark, marks_from_json
from manent.facts.facts import PARSER, Facts, from_json
from manent.facts.store import Store
from manent.links.link import Link, LinkKind
from manent.links.resolve import Resolution, fold, last_component, resolve
from manent.tree import Entry, Kind, Tree
from manent.values import dataclass, field
from manent.vault import rows
from manent.vault.ignore import Ignore
from manent.vault.names import Named, Names
from manent.vault.record import Conventions, NoteRecord
from manent.vault.rows import batches, got, put

_ASKED_AT_ONCE = 50
"""Contents asked for at once; they are held together."""
FACTS_KEPT = 4_000
"""Parsed facts held in memory at once; about 2 kB each."""


@dataclass(slots=True)
class Delta:
    """What a sync changed. Note ids, except where paths are said.

    everything: the vault was empty or read by other conventions before.
    files: paths added, changed or removed. notes: notes added or changed.
    gone: paths of notes removed. relinked: notes that did not change but one
    of whose links leads elsewhere now. linked: notes that a link reached or
    left. outward: notes that changed in what others see of them.
    keys: folded names and stems that notes gained or lost. folded: folded
    paths that files gained or lost.
    docs_gone, docs_new: document ids for the search index.
    """

    everything: bool = False
    files: set[str] = field(default_factory=set)
    notes: set[int] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    relinked: set[int] = field(default_factory=set)
    linked: set[int] = field(default_factory=set)
    outward: set[int] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    folded: set[str] = field(default_factory=set)
    docs_gone: set[int] = field(default_factory=set)
    docs_new: set[int] = field(default_factory=set)

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed that anybody could see."""
        return not (self.everything or self.files or self.notes or self.gone or self.relinked)


@dataclass(frozen=True, slots=True)
class Edge:
    """A resolved link between two notes. n: its place in the source's outline."""

    source: int
    n: int
    kind: str
    target: int


_COLUMNS = ", ".join(f"note.{name}" for name in NoteRecord._fields)


class Vault:
    """Notes by path, name and link, at the tree it stands at.

    Everything a rule or a View asks for is answered from the store by key.
    """

    def __init__(self, store: Store, conventions: Conventions | None = None) -> None:
        self.store = store
        self.conventions = conventions or Conventions()
        store.tables("vault", f"{rows.VERSION}.{PARSER}", rows.SCRIPT, rows.TABLES)
        if not store.stamp("vault:id"):
            with store.transaction():
                if not store.stamp("vault:id"):
                    store.set_stamp("vault:id", os.urandom(8).hex())
        self._facts: OrderedDict[str, Facts] = OrderedDict()
        self._bulk: dict[str, list[Named]] | None = None
        self._sole: dict[str, int] = {}
        self.tree: Tree | None = None

    # -- where it stands --------------------------------------------------

    @property
    def stamp(self) -> str:
        """The id of the tree it stands at, as the caller of ``sync`` named it."""
        return self.store.stamp("vault:tree")

    @property
    def id(self) -> str:
        """A random name of this very store: what was derived from another one is no use."""
        return self.store.stamp("vault:id")

    @property
    def next_doc(self) -> int:
        """The document id that the next changed note will get: all ids are smaller."""
        return int(self.store.stamp("vault:doc") or 1)

    @property
    def next_note(self) -> int:
        """The id that the next new note will get; none is given twice."""
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'note'"
        row = self.store.db.execute(query).fetchone()
        return 1 if row is None else int(row[0]) + 1

    def docs(self) -> Iterator[tuple[int, str]]:
        """Yield document id and readers of every note."""
        rows = self.store.db.execute("SELECT doc, readers FROM note")
        return ((doc, _text(readers)) for doc, readers in rows)

    def demoted(self) -> Iterator[tuple[int, str]]:
        """Yield document id and status of the notes that count for less."""
        query = (
            "SELECT doc, CASE WHEN quarantined THEN 'quarantine' ELSE status END FROM note "
            "WHERE quarantined OR status IN ('deprecated', 'archived', 'quarantine')"
        )
        return iter(self.store.db.execute(query).fetchall())

    @property
    def ignore(self) -> Ignore:
        """The ignore file of the tree it stands at."""
        from manent.vault.ignore import parse

        return parse(self.store.stamp("vault:ignore"))

    @property
    def is_empty(self) -> bool:
        """Whether no tree was ever synced, or one without files."""
        return self.store.db.execute("SELECT 1 FROM file LIMIT 1").fetchone() is None

    def counts(self) -> tuple[int, int]:
        """Return how many notes and how many files there are."""
        notes = self.store.db.execute("SELECT count(*) FROM note").fetchone()[0]
        return notes, self.store.db.execute("SELECT count(*) FROM file").fetchone()[0]

    def known(self) -> dict[str, tuple[str, str]]:
        """Return (signature, oid) by path, for a ``WorkTree`` that need not read again."""
        query = "SELECT path, signature, oid FROM file WHERE kind = 'file'"
        return {got(p): (s, o) for p, s, o in self.store.db.execute(query)}

    def since(self, generation: str) -> Delta:
        """Return what changed since the vault had that generation ("" is never)."""
        floor = int(self.store.stamp("vault:floor") or 0)
        seen = int(generation) if generation else -1
        if seen < floor:
            return Delta(everything=True)
        delta = Delta()
        query = "SELECT what, value FROM moved WHERE generation > ? ORDER BY generation"
        for what, value in self.store.db.execute(query, (seen,)):
            kept = getattr(delta, what)
            kept.add(got(value) if isinstance(value, str | bytes) else value)
        delta.docs_new -= delta.docs_gone
        return delta

    # -- notes ------------------------------------------------------------

    def note(self, path: str) -> NoteRecord:
        """Return the note at ``path``. Raises NotFound."""
        found = self._one("path = ?", put(path))
        if found is None:
            raise NotFound(f"no note {path}")
        return found

    def note_by_id(self, note: int) -> NoteRecord | None:
        """Return the note of that id, or None."""
        return self._one("id = ?", note)

    def note_at(self, path: str) -> NoteRecord | None:
        """Return the note at ``path``, or None."""
        return self._one("path = ?", put(path))

    def notes(self) -> Iterator[NoteRecord]:
        """Yield every note in the byte order of paths, those that are no UTF-8 last."""
        query = f"SELECT {_COLUMNS} FROM note ORDER BY path"
        return (_record(row) for row in self.store.db.execute(query))

    def notes_of(self, ids: Iterable[int]) -> Iterator[NoteRecord]:
        """Yield the notes of those ids, in no order."""
        for batch in batches(sorted(ids)):
            query = f"SELECT {_COLUMNS} FROM note WHERE id IN ({rows.holes(len(batch))})"
            yield from (_record(row) for row in self.store.db.execute(query, batch).fetchall())

    def notes_of_docs(self, docs: Iterable[int]) -> Iterator[NoteRecord]:
        """Yield the notes whose search documents these are, in no order."""
        for batch in batches(sorted(docs)):
            query = f"SELECT {_COLUMNS} FROM note WHERE doc IN ({rows.holes(len(batch))})"
            yield from (_record(row) for row in self.store.db.execute(query, batch).fetchall())

    def paths_of_docs(self, docs: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Yield (document, path) of the notes whose search documents these are, in no order."""
        for batch in batches(sorted(docs)):
            query = f"SELECT doc, path FROM note WHERE doc IN ({rows.holes(len(batch))})"
            yield from (
                (doc, _text(p)) for doc, p in self.store.db.execute(query, batch).fetchall()
            )

    def notes_at(self, paths: Iterable[str]) -> Iterator[NoteRecord]:
        """Yield the notes that stand at these paths, in no order."""
        for batch in batches(sorted({put(path) for path in paths}, key=str)):
            query = f"SELECT {_COLUMNS} FROM note WHERE path IN ({rows.holes(len(batch))})"
            yield from (_record(row) for row in self.store.db.execute(query, batch).fetchall())

    def _one(self, condition: str, value: object) -> NoteRecord | None:
        query = f"SELECT {_COLUMNS} FROM note WHERE {condition}"
        row = self.store.db.execute(query, (value,)).fetchone()
        return None if row is None else _record(row)

    # -- names ------------------------------------------------------------

    def lookup(self, key: str) -> Sequence[Named]:
        """Return the notes whose folded name or stem is ``key``, in path order."""
        if self._bulk is not None:
            return self._bulk.get(key, ())
        query = (
            "SELECT id, path, name, stem, quarantined, readers FROM note_key "
            "JOIN note ON note.id = note WHERE key = ? ORDER BY path"
        )
        return [_named(row) for row in self.store.db.execute(query, (put(key),))]

    @property
    def names(self) -> Names:
        """Names over all notes."""
        return Names(self.lookup)

    def load_names(self) -> None:
        """Hold all names in memory until ``drop_names``: for work on the whole vault."""
        if self._bulk is not None:
            return
        bulk: dict[str, list[Named]] = {}
        query = "SELECT id, path, name, stem, quarantined, readers FROM note ORDER BY path"
        for row in map(_named, self.store.db.execute(query)):
            for key in {fold(row.name), fold(row.stem)}:
                bulk.setdefault(key, []).append(row)
        self._bulk = bulk
        self._sole = _sole_bearers(bulk)

    def drop_names(self) -> None:
        """Go back to asking the store for names."""
        self._bulk = None
        self._sole = {}

    @property
    def sole_bearers(self) -> Mapping[str, int]:
        """The names that one note alone bears, with its id; {} unless names are loaded.

        A link to one of them leads to that note, wherever it stands.
        """
        return self._sole

    def destination(self, target: str, source: str, kind: str) -> int | None:
        """Return the id of the note that a link in ``source`` leads to, or None."""
        # An exact name that one note alone bears is the first step of resolution.
        sole = self._sole.get(target)
        if sole is not None:
            return sole
        found = self.resolve(target, source, LinkKind(kind)).path
        row = None if found is None else self.names.at(found)
        return None if row is None else row.id

    def resolve(self, target: str, source: str, kind: LinkKind = LinkKind.WIKILINK) -> Resolution:
        """Resolve a link's target as written in the note at ``source``."""
        return resolve(target, source, self.names, kind)

    # -- facts ------------------------------------------------------------

    def facts(self, note: NoteRecord) -> Facts:
        """Return what the note says of itself."""
        found = self._facts.get(note.oid)
        if found is None:
            query = "SELECT facts FROM blob WHERE key = ?"
            row = self.store.db.execute(query, (self.facts_key(note.oid),)).fetchone()
            found = Facts() if row is None else from_json(row[0])
            self._facts[note.oid] = found
            if len(self._facts) > FACTS_KEPT:
                self._facts.popitem(last=False)
        return found

    def facts_of(self, oids: Iterable[str]) -> dict[str, str]:
        """Return what is known of blobs, by id, as JSON: one question for up to 500."""
        found: dict[str, str] = {}
        for batch in batches(oids):
            asked = {self.facts_key(oid): oid for oid in batch}
            query = f"SELECT key, facts FROM blob WHERE key IN ({rows.holes(len(batch))})"
            for key, facts in self.store.db.execute(query, list(asked)):
                found[asked[key]] = facts
        return found

    def facts_key(self, oid: str) -> str:
        """Return the key under which a blob's facts are kept: links read otherwise differ."""
        return f"{oid}d" if self.conventions.dendron else oid

    def content(self, note: NoteRecord) -> bytes:
        """Return the file's bytes, from the tree last synced. Raises NotFound."""
        if self.tree is None:
            raise ValueError("sync the vault first: notes are read from its tree")
        return self.tree.read(note.path)

    def contents(self, notes: Iterable[NoteRecord]) -> Iterator[bytes | None]:
        """Yield the bytes of each note's file, None for one that is gone.

        A tree of git's is asked for some at once: an answer for each alone takes as long
        to come as a note takes to be indexed.
        """
        blobs = getattr(self.tree, "blobs", None)
        for batch in batches(notes, _ASKED_AT_ONCE):
            if blobs is None:
                yield from map(self._content_or_none, batch)
            else:
                # All of them before the first is given out: another question may follow.
                yield from list(blobs([note.oid for note in batch]))

    def _content_or_none(self, note: NoteRecord) -> bytes | None:
        try:
            return self.content(note)
        except NotFound:
            return None

    def text(self, note: NoteRecord) -> str:
        """Return the file's text; what is no UTF-8 is replaced. Raises NotFound."""
        return self.content(note).decode("utf-8", "replace")

    def marks(self, oid: str, context: str) -> list[Mark]:
        """Return what the scanners said of a blob in a context, [] when not scanned."""
        query = "SELECT marks FROM scanned WHERE oid = ? AND context = ?"
        row = self.store.db.execute(query, (oid, context)).fetchone()
        return [] if row is None else marks_from_json(row[0])

    # -- files ------------------------------------------------------------

    def file(self, path: str) -> Entry | None:
        """Return the file at ``path``, or None."""
        query = "SELECT path, oid, kind, signature FROM file WHERE path = ?"
        row = self.store.db.execute(query, (put(path),)).fetchone()
        return None if row is None else _entry(row)

    def files(self) -> Iterator[Entry]:
        """Yield every file, notes among them, in the order of ``notes``."""
        query = "SELECT path, oid, kind, signature FROM file ORDER BY path"
        return (_entry(row) for row in self.store.db.execute(query))

    def paths(self) -> Iterator[str]:
        """Yield the path of every file, in the order of ``files``."""
        query = "SELECT path FROM file ORDER BY path"
        return (got(path) for (path,) in self.store.db.execute(query))

    def files_below(self, path: str) -> list[Entry]:
        """Return the file at ``path``, or every file below it, in the order of ``notes``."""
        query = (
            "SELECT path, oid, kind, signature FROM file "
            "WHERE path = ?1 OR (path >= ?2 AND path < ?3) ORDER BY path"
        )
        bounds = (put(path), put(f"{path}/"), put(f"{path}0"))
        return [_entry(row) for row in self.store.db.execute(query, bounds)]

    def files_folded(self, folded: str) -> list[str]:
        """Return the paths that are equal but for case and Unicode form, in order."""
        query = "SELECT path FROM file WHERE folded = ? ORDER BY path"
        return [got(row[0]) for row in self.store.db.execute(query, (put(folded),))]

    def files_beside(self, folded: str) -> list[str]:
        """Return the paths that stand where a file of this folded path would, in order.

        Those of ``files_folded``; those for which it would have to be a folder; and
        those that are a file where it needs a folder.
        """
        found = self.files_folded(folded)
        for folder in _folders_of(folded):
            found += self.files_folded(folder)
        query = "SELECT path FROM file WHERE folded > ? AND folded < ?"
        rows = self.store.db.execute(query, (put(folded + "/"), put(folded + _AFTER_SLASH)))
        return sorted(found + [got(row[0]) for row in rows])

    def collisions(self) -> list[Entry]:
        """Return every file whose path differs from another's, or from one of its folders,
        in case or Unicode form alone."""
        select = "SELECT path, oid, kind, signature FROM file WHERE "
        twice = "folded IN (SELECT folded FROM file GROUP BY folded HAVING count(*) > 1)"
        found = [_entry(row) for row in self.store.db.execute(select + twice)]
        db = self.store.db
        for folder in self._folded_folders():
            if db.execute("SELECT 1 FROM file WHERE folded = ?", (folder,)).fetchone():
                both = (folder, folder + "/", folder + _AFTER_SLASH)
                rows = db.execute(select + "folded = ? OR folded > ? AND folded < ?", both)
                found += [_entry(row) for row in rows]
        return list(dict.fromkeys(found))

    def _folded_folders(self) -> set[str]:
        """Return the folded path of every folder a file stands in."""
        # What SQLite strips from the right are all the letters but the slash.
        query = "SELECT DISTINCT rtrim(folded, replace(folded, '/', '')) FROM file"
        found = set[str]()
        for (folder,) in self.store.db.execute(query):
            if isinstance(folder, str):
                found.update(_folders_of(folder))
        return found

    # -- links ------------------------------------------------------------

    def edges_from(self, note: int) -> list[Edge]:
        """Return the resolved links of a note, in order of place."""
        query = "SELECT note, n, kind, dst FROM link WHERE note = ? AND dst IS NOT NULL ORDER BY n"
        return [Edge(*row) for row in self.store.db.execute(query, (note,))]

    def edges_to(self, note: int) -> list[Edge]:
        """Return the resolved links that lead to a note, by source and place."""
        query = "SELECT note, n, kind, dst FROM link WHERE dst = ? ORDER BY note, n"
        return [Edge(*row) for row in self.store.db.execute(query, (note,))]

    def is_linked(self, note: int) -> bool:
        """Tell whether another note links to this one."""
        query = "SELECT 1 FROM link WHERE dst = ?1 AND note != ?1 LIMIT 1"
        return self.store.db.execute(query, (note,)).fetchone() is not None

    def links_by_key(self, keys: Iterable[str]) -> list[tuple[int, int, str, str]]:
        """Return (note, n, kind, target) of the links whose last component folds to a key."""
        found: list[tuple[int, int, str, str]] = []
        for batch in batches(sorted(keys)):
            query = (
                f"SELECT note, n, kind, target FROM link WHERE key IN ({rows.holes(len(batch))})"
            )
            values = [put(k) for k in batch]
            found += [(a, n, k, got(t)) for a, n, k, t in self.store.db.execute(query, values)]
        return sorted(found)

    def links_from(self, note: int) -> list[tuple[int, str, str]]:
        """Return (n, kind, target) of the links of a note, resolved or not, in order of place."""
        query = "SELECT n, kind, target FROM link WHERE note = ? ORDER BY n"
        return [(n, kind, got(t)) for n, kind, t in self.store.db.execute(query, (note,))]

    def destinations(self, note: int) -> dict[int, int | None]:
        """Return, by place in the outline, the id each link of a note leads to, or None."""
        query = "SELECT n, dst FROM link WHERE note = ?"
        return dict(self.store.db.execute(query, (note,)).fetchall())

    def ids(self, condition: str = "1", *values: object) -> set[int]:
        """Return the ids of the notes for which an SQL condition on their columns holds."""
        query = f"SELECT id FROM note WHERE {condition}"
        return {row[0] for row in self.store.db.execute(query, values)}

    def sources(self, condition: str, *values: object) -> set[int]:
        """Return the notes with a link for which an SQL condition on its columns holds."""
        query = f"SELECT DISTINCT note FROM link WHERE {condition}"
        return {row[0] for row in self.store.db.execute(query, values)}

    def destinations_of(self, condition: str, *values: object) -> set[int]:
        """Return the notes that a link leads to for which an SQL condition holds."""
        # DISTINCT, or a bare ``dst``, makes SQLite go through the index on it and look
        # up each row: ten times as long as reading the table.
        query = f"SELECT dst FROM link WHERE +dst IS NOT NULL AND {condition}"
        return {row[0] for row in self.store.db.execute(query, values)}

    def audience_pairs(self) -> list[tuple[str, str]]:
        """Return every (readers of the source, readers of the target) that an edge joins."""
        query = "SELECT id, readers FROM note"
        readers = {note: got(labels) for note, labels in self.store.db.execute(query)}
        # Half the time of a join in the store.
        edges = self.store.db.execute("SELECT note, dst FROM link WHERE dst IS NOT NULL")
        joined = {(readers.get(source), readers.get(target)) for source, target in edges}
        return [(s, t) for s, t in joined if s is not None and t is not None]

    def sources_of_pair(self, source: str, target: str) -> set[int]:
        """Return the notes with these readers that link to a note with those."""
        query = (
            "SELECT DISTINCT s.id FROM link JOIN note s ON s.id = link.note "
            "JOIN note t ON t.id = link.dst WHERE s.readers = ? AND t.readers = ?"
        )
        return {row[0] for row in self.store.db.execute(query, (put(source), put(target)))}

    def unscanned_files(self, context: str) -> list[Entry]:
        """Return the files that were never scanned in a context."""
        query = (
            "SELECT path, oid, kind, signature FROM file WHERE kind = 'file' AND NOT EXISTS "
            "(SELECT 1 FROM scanned WHERE scanned.oid = file.oid AND context = ?) ORDER BY path"
        )
        return [_entry(row) for row in self.store.db.execute(query, (context,))]

    def marked_files(self, contexts: Iterable[str]) -> list[Entry]:
        """Return the files in which the scanners saw anything in one of these contexts."""
        wanted = list(contexts)
        query = (
            "SELECT DISTINCT path, file.oid, kind, signature FROM scanned "
            "JOIN file ON file.oid = scanned.oid "
            f"WHERE marks != '[]' AND context IN ({rows.holes(len(wanted))})"
        )
        return [_entry(row) for row in self.store.db.execute(query, wanted)]

    def edges_to_by_kind(self, note: int, kind: str) -> set[int]:
        """Return the notes from which a link of this kind leads to the note."""
        query = "SELECT DISTINCT note FROM link WHERE dst = ? AND kind = ?"
        return {row[0] for row in self.store.db.execute(query, (note, str(kind)))}

    def sources_by_key(self, keys: Iterable[str]) -> set[int]:
        """Return the notes with a link whose last component folds to one of ``keys``."""
        found: set[int] = set()
        for batch in batches(sorted(keys)):
            query = f"SELECT DISTINCT note FROM link WHERE key IN ({rows.holes(len(batch))})"
            found.update(r[0] for r in self.store.db.execute(query, [put(k) for k in batch]))
        return found

    def sources_of(self, note: int) -> set[int]:
        """Return the notes that link to this one."""
        query = "SELECT DISTINCT note FROM link WHERE dst = ?"
        return {row[0] for row in self.store.db.execute(query, (note,))}

    def link(self, note: NoteRecord, n: int) -> Link:
        """Return the link at place ``n`` of the note's outline."""
        return self.facts(note).outline.links[n]


def _sole_bearers(bulk: dict[str, list[Named]]) -> dict[str, int]:
    """Return, by exact name, the id of the one note outside quarantine that bears it."""
    bearers: dict[str, int] = {}
    shared: set[str] = set()
    for found in bulk.values():
        for row in found:
            # In quarantine it is looked at only when nothing outside answers at all.
            if not row.quarantined and bearers.setdefault(row.name, row.id) != row.id:
                shared.add(row.name)
    # A target that is no plain name is taken apart first: not decided here.
    odd = {name for name in bearers if ("." in name or "/" in name)}
    for name in shared.union(name for name in odd if last_component(name) != name):
        del bearers[name]
    return bearers


_AFTER_SLASH = chr(ord("/") + 1)
"""What begins with a folder's path and a slash sorts before this in its place."""


def _folders_of(path: str) -> list[str]:
    return [path[:at] for at, letter in enumerate(path) if letter == "/"]


def fold_path(path: str) -> str:
    """Return ``path`` as a file system that minds neither case nor Unicode form sees it."""
    return fold(path)


_QUARANTINED = NoteRecord._fields.index("quarantined")
_PLAIN = NoteRecord._fields.index("plain")


def _record(row: Sequence[Any]) -> NoteRecord:
    values = list(row)
    if bytes in map(type, row):
        values = [got(v) if isinstance(v, bytes) else v for v in row]
    values[_QUARANTINED], values[_PLAIN] = bool(values[_QUARANTINED]), bool(values[_PLAIN])
    return NoteRecord._make(values)


def _named(row: Sequence[Any]) -> Named:
    note, path, name, stem, quarantined, readers = row
    return Named(note, got(path), got(name), got(stem), bool(quarantined), got(readers))


def _text(value: object) -> str:
    assert isinstance(value, str | bytes)
    return value if isinstance(value, str) else got(value)


def _entry(row: Sequence[str]) -> Entry:
    path, oid, kind, signature = row
    return Entry(got(path), oid, _KINDS[kind], signature)


_KINDS = {kind.value: kind for kind in Kind}


Progress = Callable[[int], None]
"""Told how many files have been read so far."""
