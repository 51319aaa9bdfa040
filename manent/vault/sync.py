"""Move a Vault from the tree it stands at to another one."""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from manent.collector import left_alone
from manent.errors import NotFound
from manent.facts.derive import derive_many
from manent.facts.facts import from_json
from manent.links.link import LinkKind
from manent.scan.span import Context
from manent.tree import Entry, Kind, Tree, WorkTree, blob_oid
from manent.vault import rows
from manent.vault.digest import Digest, NoteRows, Piece, digests, keys_of, rows_of, weight_of
from manent.vault.ignore import IGNORE_FILE, Ignore, is_note_path, parse, text_of
from manent.vault.record import NoteRecord
from manent.vault.rows import batches, got, put
from manent.vault.vault import Delta, Progress, Vault, fold_path

Difference = tuple[str, Entry | None, Entry | None]
"""A path with its entry before and after."""

ContextOf = Callable[[str], Context | None]
"""How the file at a path is scanned; None: not at all."""

Made = Callable[[str, str], Digest | None]
"""What was made already of the note at a path with that blob id; None where nothing was."""

HELD_BYTES = 64 << 20
"""Content that is held until everything is parsed, and scanned then: while other
processes do that, this one finds out where the links lead."""

_MANY = 2_000
"""A difference this large is handled with all names in memory."""


def sync(
    vault: Vault,
    tree: Tree,
    stamp: str = "",
    differences: Iterable[Difference] | None = None,
    context_of: ContextOf | None = None,
    processes: int = 1,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] = lambda: None,
    made: Made | None = None,
) -> Delta:
    """Make ``vault`` stand at ``tree`` and say what changed.

    stamp: what to call the tree afterwards (a tree id); "" leaves it unnamed.
    differences: what differs from the tree the vault stands at, when the
    caller knows; else every path is compared.
    context_of: scan changed files in the same reading; None scans nothing.
    meanwhile: done once the vault stands there, while other processes may still scan.
    made: asked first for each note; what it answers is not read. Scans nothing.
    One transaction (the caller's, if one is open): other writers wait, readers
    go on seeing the vault as it was.
    """
    vault.tree = tree
    with left_alone(), vault.store.transaction():
        plan = _plan(vault, tree, differences)
        if not plan.differences and not plan.everything and stamp == vault.stamp:
            return Delta()
        reading = _Reading(vault, tree, parse(plan.ignore_text), context_of)
        if made is None:
            stream = reading.stream(plan.differences, processes, progress)
        else:
            stream = reading.made(plan.differences, made)
        try:
            delta = _Mover(vault, plan, reading).move(stream)
            vault.store.set_stamp("vault:tree", stamp)
            vault.store.set_stamp("vault:ignore", plan.ignore_text)
            vault.store.set_stamp("vault:conventions", vault.conventions.key)
            if delta.everything or not delta.is_empty:
                _log(vault, delta)
            meanwhile()
        finally:
            vault.drop_names()
        for batch in batches(stream):
            reading.keep(batch)
    return delta


def prefetch(vault: Vault, tree: Tree, differences: Iterable[Difference] | None = None) -> None:
    """Parse what ``sync`` would have to, and keep it, without moving the vault.

    For a sync that will be undone: what was parsed for it stays.
    """
    plan = _plan(vault, tree, differences)
    reading = _Reading(vault, tree, parse(plan.ignore_text), None)
    _keep(vault, reading, plan.differences, 1, None)


def scan(
    vault: Vault,
    entries: Iterable[Entry],
    context_of: ContextOf,
    processes: int = 1,
    progress: Progress | None = None,
) -> None:
    """Scan those of ``entries`` that no run has scanned yet, from the tree last synced."""
    if vault.tree is None:
        raise ValueError("sync the vault first: the files are read from its tree")
    differences: list[Difference] = [(entry.path, None, entry) for entry in entries]
    many = len(differences) > _MANY
    reading = _Reading(vault, vault.tree, Ignore(), context_of, notes=False, many=many)
    _keep(vault, reading, differences, processes, progress)


def _keep(
    vault: Vault,
    reading: _Reading,
    differences: list[Difference],
    processes: int,
    progress: Progress | None,
) -> None:
    with vault.store.transaction():
        for batch in batches(reading.stream(differences, processes, progress)):
            reading.keep(batch)


class _Plan(NamedTuple):
    differences: list[Difference]
    ignore_text: str
    everything: bool
    fresh: bool


def _plan(vault: Vault, tree: Tree, differences: Iterable[Difference] | None) -> _Plan:
    try:
        ignore_text = text_of(tree.read(IGNORE_FILE))
    except NotFound:
        ignore_text = ""
    store = vault.store
    fresh = vault.is_empty
    everything = (
        fresh
        or store.stamp("vault:ignore") != ignore_text
        or store.stamp("vault:conventions") != vault.conventions.key
    )
    if differences is not None and not everything:
        return _Plan(list(differences), ignore_text, False, False)
    return _Plan(_compare(vault, tree, everything), ignore_text, everything, fresh)


def _compare(vault: Vault, tree: Tree, everything: bool) -> list[Difference]:
    old = {entry.path: entry for entry in vault.files()}
    found: list[Difference] = []
    # A folder can say what is there without reading it: the content is read once, later.
    listing = tree.listing() if isinstance(tree, WorkTree) else tree.entries()
    for new in listing:
        before = old.pop(new.path, None)
        unread = new.kind is Kind.FILE and not new.oid
        if everything or unread or before is None or before != new:
            found.append((new.path, before, new))
    found.extend((path, before, None) for path, before in old.items())
    return found


class _Reading:
    """Reads the changed files of a tree, as far as their blobs are not known yet.

    many: so much of the tree is read that what was scanned is asked for at once.
    actual: the ids, by path, of files whose id only reading could tell; "" for
    one that could not be read.
    """

    def __init__(
        self,
        vault: Vault,
        tree: Tree,
        ignore: Ignore,
        context_of: ContextOf | None,
        notes: bool = True,
        many: bool = False,
    ) -> None:
        self.vault = vault
        self.tree = tree
        self._ignore = ignore
        self._context_of = context_of
        self._notes = notes
        self._many = many
        self._scanned: dict[str, set[str]] = {}
        self._db = vault.store.db
        self._any_facts = self._holds("blob")
        self._any_marks = self._holds("scanned")
        self.actual: dict[str, str] = {}

    def _holds(self, table: str) -> bool:
        return self._db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None

    def is_note(self, path: str) -> bool:
        """Tell whether the file at ``path`` is a note of this tree."""
        return self._notes and is_note_path(path, self._ignore)

    def stream(
        self, differences: list[Difference], processes: int, progress: Progress | None
    ) -> Iterator[tuple[Difference, Digest | None]]:
        """Yield each difference, in order, with what was read of its file; None where
        nothing had to be. After the last, some may come again, with their marks."""
        waiting: deque[tuple[Difference, bool]] = deque()
        behind: deque[tuple[Difference, Piece]] = deque()
        room = HELD_BYTES if processes > 1 else 0

        def pieces() -> Iterator[Piece]:
            nonlocal room
            for count, difference in enumerate(differences, start=1):
                if progress is not None and count % 500 == 0:
                    progress(count)
                piece = self._piece(difference[2])
                waiting.append((difference, piece is not None))
                if piece is None:
                    continue
                if piece.note and piece.context is not None and room > 0:
                    room -= weight_of(piece)
                    behind.append((difference, piece._replace(note=False)))
                    piece = piece._replace(context=None)
                yield piece

        def held() -> Iterator[Piece]:
            while behind:
                difference, piece = behind.popleft()
                waiting.append((difference, True))
                yield piece

        for found in derive_many(pieces(), digests, processes, weight_of, held()):
            while not waiting[0][1]:
                yield waiting.popleft()[0], None
            yield waiting.popleft()[0], found
        while waiting:
            yield waiting.popleft()[0], None

    def made(
        self, differences: list[Difference], made: Made
    ) -> Iterator[tuple[Difference, Digest | None]]:
        """Do as ``stream``, reading nothing of which ``made`` has an answer."""

        def asked(path: str, entry: Entry | None) -> Digest | None:
            if entry is None or entry.kind is not Kind.FILE or not self.is_note(path):
                return None
            return made(path, entry.oid)

        for batch in batches(differences):
            known = {path: found for path, _, new in batch if (found := asked(path, new))}
            rest = self.stream([d for d in batch if d[0] not in known], 1, None)
            for difference in batch:
                found = known.get(difference[0])
                yield next(rest) if found is None else (difference, found)

    def _piece(self, entry: Entry | None) -> Piece | None:
        if entry is None or entry.kind is not Kind.FILE:
            return None
        path, oid = entry.path, entry.oid
        wanted = self._wanted(path, oid) if oid else None
        if wanted == _NOTHING:
            return None
        content = self._content(path)
        if content is None:
            return None
        actual = self.actual.get(path, oid)
        if wanted is None or actual != oid:
            wanted = self._wanted(path, actual)
            if wanted == _NOTHING:
                return None
        return Piece(path, actual, content, *wanted, self.vault.conventions)

    def _wanted(self, path: str, oid: str) -> tuple[bool, Context | None]:
        """Return whether this content is to be parsed, and how it is to be scanned."""
        note = self.is_note(path) and not self._is_parsed(oid)
        context = self._context_of(path) if self._context_of else None
        if context is not None and self._is_scanned(oid, context):
            context = None
        return note, context

    def _content(self, path: str) -> bytes | None:
        """Return the content of a file, noting its true id; None where it is gone."""
        try:
            content = self.tree.read(path)
        except NotFound:
            self.actual[path] = ""
            return None
        # A folder goes on changing while it is read; a commit does not.
        if self.tree.id == "":
            self.actual[path] = blob_oid(content)
        return content

    def _is_parsed(self, oid: str) -> bool:
        if not self._any_facts:
            return False
        key = (self.vault.facts_key(oid),)
        return self._db.execute("SELECT 1 FROM blob WHERE key = ?", key).fetchone() is not None

    def _is_scanned(self, oid: str, context: Context) -> bool:
        if not self._any_marks:
            return False
        key = context_key(context)
        if self._many:
            return oid in self._scanned_in(key)
        query = "SELECT 1 FROM scanned WHERE oid = ? AND context = ?"
        return self._db.execute(query, (oid, key)).fetchone() is not None

    def _scanned_in(self, key: str) -> set[str]:
        """Return the blobs scanned in a context before this reading: one question for all."""
        if key not in self._scanned:
            query = "SELECT oid FROM scanned WHERE context = ?"
            self._scanned[key] = {oid for (oid,) in self._db.execute(query, (key,))}
        return self._scanned[key]

    def keep(self, batch: list[tuple[Difference, Digest | None]]) -> None:
        """Write what was read: it is true of its blob whatever becomes of the move."""
        facts, scanned = [], []
        for (path, _, _), found in batch:
            if found is None:
                continue
            if found.facts is not None:
                facts.append((self.vault.facts_key(found.oid), found.facts))
            context = self._context_of(path) if self._context_of else None
            if found.marks is not None and context is not None:
                scanned.append((found.oid, context_key(context), found.marks))
        self._db.executemany("INSERT OR REPLACE INTO blob VALUES (?, ?)", facts)
        self._db.executemany("INSERT OR REPLACE INTO scanned VALUES (?, ?, ?)", scanned)


_NOTHING = (False, None)


@lru_cache(maxsize=64)
def context_key(context: Context) -> str:
    """Return the key under which marks of this context are kept: scanner version and all."""
    from manent.scan.scanner import version

    return f"{version()}:{context!r}"


class _Mover:
    """Writes the rows of one move and collects what changed."""

    def __init__(self, vault: Vault, plan: _Plan, reading: _Reading) -> None:
        self.vault = vault
        self.db = vault.store.db
        self.plan = plan
        self.reading = reading
        self.delta = Delta(everything=plan.everything)
        # Document ids are never given twice, even after the newest note is removed.
        self.next_doc = vault.next_doc
        self.next_note = vault.next_note
        self.added: list[tuple[Any, ...]] = []
        self.keys: list[tuple[str | bytes, int]] = []
        self.links: list[tuple[Any, ...]] = []
        self.kept: deque[bytes] = deque()

    def move(self, stream: Iterator[tuple[Difference, Digest | None]]) -> Delta:
        """Take the differences from the stream, and leave in it what comes behind them."""
        if self.plan.fresh:
            for name in rows.INDEXES:
                self.db.execute(f"DROP INDEX IF EXISTS {name}")
        for batch in batches(islice(stream, len(self.plan.differences))):
            self.reading.keep(batch)
            self._write_files(batch)
            self._write_notes(batch)
        self.vault.store.set_stamp("vault:doc", str(self.next_doc))
        if self.plan.everything or len(self.plan.differences) > _MANY:
            self.vault.load_names()
        self._relink()
        for name, columns in rows.INDEXES.items():
            self.db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")
        return self.delta

    def _write_files(self, batch: list[tuple[Difference, Digest | None]]) -> None:
        delta = self.delta
        gone, fresh = [], []
        for (path, old, new), _ in batch:
            oid, folded = self._oid(new), fold_path(path)
            if old is not None and new is None:
                gone.append((put(path),))
            # A signature alone may differ: the file was touched, not changed.
            if old is None or new is None or old.oid != oid or old.kind != new.kind:
                delta.files.add(path)
                if old is None or new is None:
                    delta.folded.add(folded)
            if new is not None:
                # What changed under the reader is looked at again next time.
                signature = new.signature if new.oid in (oid, "") and oid else ""
                fresh.append((put(path), oid, new.kind.value, signature, put(folded)))
        self.db.executemany("DELETE FROM file WHERE path = ?", gone)
        self.db.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)", fresh)

    def _oid(self, entry: Entry | None) -> str:
        """Return the id of what was really read; "" where the file could not be."""
        return "" if entry is None else self.reading.actual.get(entry.path, entry.oid)

    def _write_notes(self, batch: list[tuple[Difference, Digest | None]]) -> None:
        before = {} if self.plan.fresh else self._notes_at([d[0] for d, _ in batch])
        for (path, _, new), found in batch:
            old = before.get(path)
            oid = self._oid(new)
            if old is not None and old.oid == oid and not self.plan.everything:
                continue
            wanted = self._rows(path, oid, found) if oid else None
            if wanted is not None:
                self._put(old, wanted)
            elif old is not None:
                self._remove(old)
        self.db.executemany(_INSERT, self.added)
        self.db.executemany("INSERT INTO note_key VALUES (?, ?)", self.keys)
        if self.plan.fresh:
            # Where they lead is known once all names are: written then, they are written once.
            self.kept.append(marshal.dumps((self.links, {row[0]: row[2] for row in self.added})))
        else:
            self.db.executemany(_INSERT_LINK, ((*link, None) for link in self.links))
        self.added.clear()
        self.keys.clear()
        self.links.clear()

    def _notes_at(self, paths: list[str]) -> dict[str, NoteRecord]:
        return {p: note for p in paths if (note := self.vault.note_at(p)) is not None}

    def _rows(self, path: str, oid: str, found: Digest | None) -> NoteRows | None:
        if found is not None and found.rows is not None:
            return found.rows
        if not self.reading.is_note(path):
            return None
        query = "SELECT facts FROM blob WHERE key = ?"
        row = self.db.execute(query, (self.vault.facts_key(oid),)).fetchone()
        return (
            None if row is None else rows_of(path, oid, from_json(row[0]), self.vault.conventions)
        )

    def _remove(self, old: NoteRecord) -> None:
        delta = self.delta
        self._unlink(old.id)
        self.db.execute("DELETE FROM note WHERE id = ?", (old.id,))
        delta.gone.add(old.path)
        delta.docs_gone.add(old.doc)
        delta.keys |= keys_of(old.name, old.stem)

    def _unlink(self, note: int) -> None:
        query = "SELECT DISTINCT dst FROM link WHERE note = ? AND dst IS NOT NULL"
        self.delta.linked.update(row[0] for row in self.db.execute(query, (note,)))
        self.db.execute("DELETE FROM link WHERE note = ?", (note,))
        self.db.execute("DELETE FROM note_key WHERE note = ?", (note,))

    def _put(self, old: NoteRecord | None, wanted: NoteRows) -> None:
        delta, new = self.delta, wanted.record
        doc = self.next_doc
        self.next_doc += 1
        values = [doc, *_stored(new)]
        if old is None:
            note = self.next_note
            self.next_note += 1
            self.added.append((note, *values))
            if not delta.everything:
                delta.keys |= keys_of(new.name, new.stem)
        else:
            note = old.id
            self._unlink(note)
            self.db.execute(_UPDATE, [*values, note])
            delta.docs_gone.add(old.doc)
            if (old.name, old.quarantined) != (new.name, new.quarantined):
                delta.keys |= keys_of(old.name, old.stem) | keys_of(new.name, new.stem)
            if old.outward != new.outward:
                delta.outward.add(note)
        delta.docs_new.add(doc)
        delta.notes.add(note)
        self.keys += [(key, note) for key in wanted.keys]
        self.links += [(note, *link) for link in wanted.links]

    def _relink(self) -> None:
        """Resolve the links of changed notes, and those that may lead elsewhere now."""
        delta = self.delta
        if self.plan.fresh:
            self._link_all()
            return
        others: set[int] = set()
        if not delta.everything:
            others = self.vault.sources_by_key(delta.keys) - delta.notes
        for batch in batches(sorted(delta.notes | others)):
            self._resolve(batch)
        delta.linked -= delta.notes

    def _link_all(self) -> None:
        """Write the links of a first filling with the notes they lead to."""
        destination, sole = self.vault.destination, self.vault.sole_bearers
        while self.kept:
            links, paths = marshal.loads(self.kept.popleft())
            leading: list[tuple[Any, ...]] = []
            for link in links:
                note, _, _, kind, target, _ = link
                leads_to = sole.get(target)  # most do: the others are looked into
                if leads_to is None:
                    leads_to = destination(got(target), got(paths[note]), kind)
                leading.append((*link, leads_to))
            self.db.executemany(_INSERT_LINK, leading)

    def _resolve(self, notes: list[int]) -> None:
        delta = self.delta
        query = (
            "SELECT link.note, n, target, dst, path, kind FROM link "
            f"JOIN note ON note.id = link.note WHERE link.note IN ({rows.holes(len(notes))})"
        )
        changed: list[tuple[int | None, int, int]] = []
        for note, n, target, before, path, kind in self.db.execute(query, notes).fetchall():
            after = self.vault.destination(got(target), got(path), kind)
            if after == before:
                continue
            changed.append((after, note, n))
            if note not in delta.notes:
                delta.relinked.add(note)
            if before is not None:
                delta.linked.add(before)
            if after is not None:
                delta.linked.add(after)
        self.db.executemany("UPDATE link SET dst = ? WHERE note = ? AND n = ?", changed)


_NO_TEXTS = frozenset({"id", "doc", "quarantined", "plain"})
_texts_of = attrgetter(*(name for name in NoteRecord._fields if name not in _NO_TEXTS))


def _stored(record: NoteRecord) -> tuple[Any, ...]:
    """Return the columns of a note, ids apart, as SQLite takes them."""
    values = record[2:]
    if "".join(_texts_of(record)).isascii():  # nearly all: one look instead of twelve
        return values
    return tuple(put(value) if isinstance(value, str) else value for value in values)


_INSERT_LINK = "INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, ?)"
_FIELDS = NoteRecord._fields[1:]
_INSERT = f"INSERT INTO note (id, {', '.join(_FIELDS)}) VALUES (?, {rows.holes(len(_FIELDS))})"
_UPDATE = f"UPDATE note SET {', '.join(f'{name} = ?' for name in _FIELDS)} WHERE id = ?"

_LOGGED = ("files", "notes", "gone", "relinked", "linked", "outward", "keys", "folded")
_LOG_ROWS = 100_000
"""Past this it is as cheap to look at everything again."""


def _log(vault: Vault, delta: Delta) -> None:
    """Note what changed for those who follow the vault: ``Vault.since``."""
    store = vault.store
    generation = int(store.stamp("vault:generation") or 0) + 1
    log: list[tuple[int, str, object]] = []
    if not delta.everything:
        log = [
            (generation, what, put(value) if isinstance(value, str) else value)
            for what in (*_LOGGED, "docs_gone", "docs_new")
            for value in getattr(delta, what)
        ]
    held = int(store.stamp("vault:logged") or 0) + len(log)
    if delta.everything or held > _LOG_ROWS:
        store.db.execute("DELETE FROM moved")
        store.set_stamp("vault:floor", str(generation))
        held = 0
    else:
        store.db.executemany("INSERT INTO moved VALUES (?, ?, ?)", log)
    store.set_stamp("vault:logged", str(held))
    store.set_stamp("vault:generation", str(generation))


EDGE_KINDS = frozenset({LinkKind.PROVENANCE, LinkKind.SUPERSEDES, LinkKind.CONTRADICTS})
"""Links that are typed edges: list fields of the frontmatter that name notes."""
