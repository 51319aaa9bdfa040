"""Move a Vault from the tree it stands at to another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from manent.errors import NotFound
from manent.facts.derive import Derived, Work, derive
from manent.facts.facts import Facts, from_json
from manent.links.link import Link, LinkKind
from manent.links.resolve import fold, is_attachment, last_component
from manent.scan.span import Context
from manent.tree import Entry, Kind, Tree, blob_oid
from manent.vault import rows
from manent.vault.ignore import IGNORE_FILE, Ignore, is_note_path, parse
from manent.vault.record import NoteRecord, record_of
from manent.vault.rows import batches, got, put
from manent.vault.vault import Delta, Progress, Vault, fold_path, keys_of

Difference = tuple[str, Entry | None, Entry | None]
"""A path with its entry before and after."""

ContextOf = Callable[[str], Context | None]
"""How the file at a path is scanned; None: not at all."""

_EVERYTHING = 2_000
"""A difference this large is handled with all names in memory."""


class _Plan(NamedTuple):
    differences: list[Difference]
    ignore_text: str
    everything: bool


def sync(
    vault: Vault,
    tree: Tree,
    stamp: str = "",
    differences: Iterable[Difference] | None = None,
    context_of: ContextOf | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Delta:
    """Make ``vault`` stand at ``tree`` and say what changed.

    stamp: what to call the tree afterwards (a tree id); "" leaves it unnamed.
    differences: what differs from the tree the vault stands at, when the
    caller knows; else every path is compared.
    context_of: scan changed files in the same reading; None scans nothing.
    Runs in one transaction (the caller's, if one is open).
    Reading and parsing happen before it, so that other writers wait only for
    the rows to be written.
    """
    vault.tree = tree
    while True:
        seen = vault.store.stamp("vault:generation")
        plan = _plan(vault, tree, differences)
        if not plan.differences and not plan.everything and stamp == vault.stamp:
            return Delta()
        reading = _Reading(vault, tree, parse(plan.ignore_text))
        reading.read(plan.differences, context_of, processes, progress)
        with vault.store.transaction():
            if vault.store.stamp("vault:generation") != seen:
                continue  # another process moved the vault while this one was reading
            delta = _Mover(vault, plan, reading).move()
            vault.store.set_stamp("vault:tree", stamp)
            vault.store.set_stamp("vault:ignore", plan.ignore_text)
            vault.store.set_stamp("vault:conventions", vault.conventions.key)
            _log(vault, delta, int(seen or 0) + 1)
        return delta


def prefetch(vault: Vault, tree: Tree, differences: Iterable[Difference] | None = None) -> None:
    """Parse what ``sync`` would have to, and keep it, without moving the vault.

    For a sync that will be undone: what was parsed for it stays.
    """
    plan = _plan(vault, tree, differences)
    _Reading(vault, tree, parse(plan.ignore_text)).read(plan.differences, None, 1, None)


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
    reading = _Reading(vault, vault.tree, vault.ignore)
    differences: list[Difference] = [(entry.path, None, entry) for entry in entries]
    reading.read(differences, context_of, processes, progress)


_LOGGED = ("files", "notes", "gone", "relinked", "linked", "outward", "keys", "folded")
_LOG_ROWS = 100_000
"""Past this it is as cheap to look at everything again."""


def _log(vault: Vault, delta: Delta, generation: int) -> None:
    """Note what changed for those who follow the vault: ``Vault.since``."""
    store = vault.store
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


def _plan(vault: Vault, tree: Tree, differences: Iterable[Difference] | None) -> _Plan:
    try:
        ignore_text = tree.read(IGNORE_FILE).decode("utf-8", "replace")
    except NotFound:
        ignore_text = ""
    store = vault.store
    fresh = vault.counts()[1] == 0
    same_reading = (
        store.stamp("vault:ignore") == ignore_text
        and store.stamp("vault:conventions") == vault.conventions.key
    )
    if differences is not None and same_reading and not fresh:
        return _Plan(list(differences), ignore_text, False)
    compared = _compare(vault, tree, everything=fresh or not same_reading)
    return _Plan(compared, ignore_text, fresh or not same_reading)


def _compare(vault: Vault, tree: Tree, everything: bool) -> list[Difference]:
    old = {entry.path: entry for entry in vault.files()}
    found: list[Difference] = []
    for new in tree.entries():
        before = old.pop(new.path, None)
        if everything or before is None or before != new:
            found.append((new.path, before, new))
    found.extend((path, before, None) for path, before in old.items())
    return found


class _Reading:
    """Reads the changed files of a tree and keeps what was derived from them.

    actual: the content's true id, by path, where a file had changed since it
    was listed; "" where it could not be read.
    """

    def __init__(self, vault: Vault, tree: Tree, ignore: Ignore) -> None:
        self.vault = vault
        self.tree = tree
        self.ignore = ignore
        self.actual: dict[str, str] = {}
        self._contexts: dict[str, str] = {}
        self._parsed: set[str] = set()

    def is_note(self, path: str) -> bool:
        """Tell whether the file at ``path`` is a note of this tree."""
        return is_note_path(path, self.ignore)

    def read(
        self,
        differences: list[Difference],
        context_of: ContextOf | None,
        processes: int,
        progress: Progress | None,
    ) -> None:
        """Derive what is not cached yet, and write it batch by batch: it is true of
        its blob whatever becomes of the move."""
        entries = [new for _, _, new in differences if new and new.kind is Kind.FILE]
        self._parsed = self._parsed_of(entries)
        work = self._work(entries, context_of, progress)
        for batch in batches(derive(work, processes)):
            with self.vault.store.transaction():
                self._write(batch)

    def _parsed_of(self, entries: list[Entry]) -> set[str]:
        found: set[str] = set()
        for batch in batches({self.vault.facts_key(e.oid) for e in entries}):
            query = f"SELECT key FROM blob WHERE key IN ({rows.holes(len(batch))})"
            found.update(row[0] for row in self.vault.store.db.execute(query, batch))
        return found

    def _work(
        self, entries: list[Entry], context_of: ContextOf | None, progress: Progress | None
    ) -> Iterator[Work]:
        done: set[tuple[str, bool, Context | None]] = set()
        for count, entry in enumerate(entries, start=1):
            if progress is not None and count % 500 == 0:
                progress(count)
            context = context_of(entry.path) if context_of else None
            if context is not None and self._is_scanned(entry.oid, context):
                context = None
            note = self.is_note(entry.path) and self._facts_key(entry.oid) not in self._parsed
            if (entry.oid, note, context) in done or not (note or context):
                continue
            done.add((entry.oid, note, context))
            piece = self._piece(entry, note, context)
            if piece is not None:
                yield piece

    def _piece(self, entry: Entry, note: bool, context: Context | None) -> Work | None:
        try:
            content = self.tree.read(entry.path)
        except NotFound:
            self.actual[entry.path] = ""
            return None
        oid = entry.oid
        # A folder goes on changing while it is read; a commit does not.
        if self.tree.id == "" and blob_oid(content) != oid:
            oid = self.actual[entry.path] = blob_oid(content)
        if context is not None:
            self._contexts[oid] = context_key(context)
        return Work(oid, content, note, context, self.vault.conventions.dendron)

    def _facts_key(self, oid: str) -> str:
        return self.vault.facts_key(oid)

    def _is_scanned(self, oid: str, context: Context) -> bool:
        query = "SELECT 1 FROM scanned WHERE oid = ? AND context = ?"
        row = self.vault.store.db.execute(query, (oid, context_key(context))).fetchone()
        return row is not None

    def _write(self, batch: list[Derived]) -> None:
        db = self.vault.store.db
        facts = [(self._facts_key(d.oid), d.facts) for d in batch if d.facts is not None]
        db.executemany("INSERT OR REPLACE INTO blob VALUES (?, ?)", facts)
        found = [(d.oid, self._contexts[d.oid], d.marks) for d in batch if d.marks is not None]
        db.executemany("INSERT OR REPLACE INTO scanned VALUES (?, ?, ?)", found)


def context_key(context: Context) -> str:
    """Return the key under which marks of this context are kept: scanner version and all."""
    from manent.scan.scanner import VERSION

    return f"{VERSION}:{context!r}"


class _Mover:
    """Writes the rows of one move and collects what changed."""

    def __init__(self, vault: Vault, plan: _Plan, reading: _Reading) -> None:
        self.vault = vault
        self.db = vault.store.db
        self.plan = plan
        self.is_note = reading.is_note
        self.actual = reading.actual
        self.keys: list[tuple[str | bytes, int]] = []
        self.links: list[tuple[object, ...]] = []
        self.delta = Delta(everything=plan.everything)
        self.next_doc = self.db.execute("SELECT coalesce(max(doc), 0) FROM note").fetchone()[0] + 1
        # Document ids are never given twice, even after the newest note is removed.
        self.next_doc = max(self.next_doc, int(vault.store.stamp("vault:doc") or 0))

    def move(self) -> Delta:
        whole = self.plan.everything or len(self.plan.differences) > _EVERYTHING
        for batch in batches(self.plan.differences):
            self._write_files(batch)
            self._write_notes(batch)
            self._flush()
        self.vault.store.set_stamp("vault:doc", str(self.next_doc))
        if whole:
            self.vault.load_names()
        try:
            self._relink()
        finally:
            self.vault.drop_names()
        return self.delta

    def _write_files(self, batch: list[Difference]) -> None:
        delta = self.delta
        self.db.executemany(
            "DELETE FROM file WHERE path = ?", [(put(p),) for p, old, _ in batch if old]
        )
        fresh = []
        for path, old, new in batch:
            # A signature alone may differ: the file was touched, not changed.
            if old is None or new is None or old.oid != new.oid or old.kind != new.kind:
                delta.files.add(path)
                if old is None or new is None:
                    delta.folded.add(fold_path(path))
            if new is not None:
                oid = self.actual.get(path, new.oid)
                # What changed under the reader is looked at again next time.
                signature = "" if path in self.actual else new.signature
                row = (put(path), oid, str(new.kind), signature, put(fold_path(path)))
                fresh.append(row)
        self.db.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)", fresh)

    def _write_notes(self, batch: list[Difference]) -> None:
        paths = [path for path, _, _ in batch]
        before = self._notes_at(paths)
        facts = self._facts_of(batch)
        for path, _, new in batch:
            old = before.get(path)
            oid = self.actual.get(path, new.oid) if new else ""
            if new is None or oid not in facts or new.kind is not Kind.FILE:
                wanted = None
            else:
                wanted = record_of(path, oid, facts[oid]) if self.is_note(path) else None
            if old is not None and wanted is None:
                self._remove(old)
            elif wanted is not None and (
                old is None or self.plan.everything or old.oid != wanted.oid
            ):
                self._put(old, wanted, facts[oid])

    def _notes_at(self, paths: list[str]) -> dict[str, NoteRecord]:
        return {p: note for p in paths if (note := self.vault.note_at(p)) is not None}

    def _facts_of(self, batch: list[Difference]) -> dict[str, Facts]:
        oids = {self.actual.get(p, new.oid) for p, _, new in batch if new and self.is_note(p)}
        keys = {self.vault.facts_key(oid): oid for oid in oids}
        query = f"SELECT key, facts FROM blob WHERE key IN ({rows.holes(len(keys))})"
        found = self.db.execute(query, list(keys))
        return {keys[key]: from_json(facts) for key, facts in found}

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

    def _put(self, old: NoteRecord | None, new: NoteRecord, facts: Facts) -> None:
        delta = self.delta
        doc = self.next_doc
        self.next_doc += 1
        values = [doc, *(put(v) if isinstance(v, str) else v for v in new[2:])]
        if old is None:
            cursor = self.db.execute(_INSERT, values)
            note = cursor.lastrowid
            assert note is not None
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
        self.keys.extend((put(key), note) for key in keys_of(new.name, new.stem))
        self.links.extend(
            (note, n, put(fold(last_component(x.target))), x.kind, put(x.target), _anchored(x))
            for n, x in enumerate(facts.outline.links)
            if _leads_to_note(x)
        )

    def _flush(self) -> None:
        self.db.executemany("INSERT INTO note_key VALUES (?, ?)", self.keys)
        self.db.executemany("INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, NULL)", self.links)
        self.keys.clear()
        self.links.clear()

    def _relink(self) -> None:
        """Resolve the links of changed notes, and those that may lead elsewhere now."""
        delta = self.delta
        others = self.vault.sources_by_key(delta.keys) - delta.notes if delta.keys else set()
        if delta.everything:
            others = set()
        for batch in batches(sorted(delta.notes | others)):
            self._resolve(batch)
        delta.linked -= delta.notes

    def _resolve(self, notes: list[int]) -> None:
        delta = self.delta
        query = (
            "SELECT link.note, n, target, dst, path, kind FROM link "
            f"JOIN note ON note.id = link.note WHERE link.note IN ({rows.holes(len(notes))})"
        )
        changed: list[tuple[int | None, int, int]] = []
        for note, n, target, before, path, kind in self.db.execute(query, notes).fetchall():
            after = self._destination(got(target), got(path), LinkKind(kind))
            if after == before:
                continue
            changed.append((after, note, n))
            if note not in delta.notes:
                delta.relinked.add(note)
            delta.linked.update(x for x in (before, after) if x is not None)
        self.db.executemany("UPDATE link SET dst = ? WHERE note = ? AND n = ?", changed)

    def _destination(self, target: str, source: str, kind: LinkKind) -> int | None:
        found = self.vault.resolve(target, source, kind).path
        if found is None:
            return None
        row = self.vault.names.at(found)
        return None if row is None else row.id


def _leads_to_note(link: Link) -> bool:
    return bool(link.target) and not is_attachment(link.target, link.kind)


def _anchored(link: Link) -> int:
    return int(bool(link.heading or link.block))


_FIELDS = NoteRecord._fields[1:]
_INSERT = f"INSERT INTO note ({', '.join(_FIELDS)}) VALUES ({rows.holes(len(_FIELDS))})"
_UPDATE = f"UPDATE note SET {', '.join(f'{name} = ?' for name in _FIELDS)} WHERE id = ?"

EDGE_KINDS = frozenset({LinkKind.PROVENANCE, LinkKind.SUPERSEDES, LinkKind.CONTRADICTS})
"""Links that are typed edges: list fields of the frontmatter that name notes."""
