"""Run the rules over what changed, and keep what they found.

The findings of a vault are kept in the derived store and moved with it: after
an edit only the notes and files it can have touched are judged again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from manent import schema
from manent.collector import left_alone
from manent.facts.derive import Mark
from manent.finding import Finding, Severity
from manent.lint.content import marked
from manent.lint.rules import RULES
from manent.lint.subject import (
    Fault,
    FileRule,
    FileSubject,
    NoteRule,
    Page,
    Policy,
    as_file_rule,
    as_note_rule,
    is_file_rule,
)
from manent.tree import Entry, Kind
from manent.values import dataclass, field
from manent.vault.record import NoteRecord
from manent.vault.rows import batches, got, holes, put
from manent.vault.sync import context_key, scan
from manent.vault.vault import Delta, Progress, Vault

VERSION = "4"
"""Raise it whenever a rule would find something else in the same vault."""

CONTENT_RULES = frozenset({"pii", "secret", "injection"})
STRICT_CONTENT = CONTENT_RULES | {"audience-unknown", "audience-leak"}
STRICT_LINKS = frozenset({"link-unresolved"})

_SCRIPT = """
CREATE TABLE finding (
    path NOT NULL, scope TEXT NOT NULL, rule TEXT NOT NULL, severity INTEGER NOT NULL,
    line INTEGER NOT NULL, column INTEGER NOT NULL, message NOT NULL, hint NOT NULL,
    kind NOT NULL, digest TEXT NOT NULL
);
CREATE INDEX finding_path ON finding (path, scope)
"""


class Strictness(NamedTuple):
    """Which warnings count as errors in this run."""

    content: bool = False
    links: bool = False

    def grade(self, finding: Finding) -> Finding:
        """Return the finding with the severity it has under this strictness."""
        if finding.severity is not Severity.WARNING:
            return finding
        harder = (self.content and finding.rule in STRICT_CONTENT) or (
            self.links and finding.rule in STRICT_LINKS
        )
        return finding.at(Severity.ERROR) if harder else finding


@dataclass(slots=True)
class Moved:
    """What an update changed among the findings."""

    come: list[Finding] = field(default_factory=list)
    gone: list[Finding] = field(default_factory=list)


class Lint:
    """The findings of a vault under a policy.

    Three passes, each kept up to date on its own: notes, paths, and content.
    content: False leaves out the scanners, whose verdict the gate takes from
    the objects themselves.
    """

    def __init__(self, vault: Vault, policy: Policy | None = None, content: bool = True) -> None:
        self.vault = vault
        self.policy = policy or Policy()
        vault.store.tables("lint", VERSION, _SCRIPT, ("finding",))
        self._structural: list[_Pass] = [_Notes(vault, self.policy), _Paths(vault, self.policy)]
        self._passes = [*self._structural, *([_Content(vault, self.policy)] if content else [])]

    def update(self, processes: int = 1, progress: Progress | None = None) -> Moved:
        """Judge what changed since the findings were last brought up to date.

        Call it after ``vault.sync``; inside the same transaction it is part of
        the overlay. Returns the findings that came and went.
        """
        return self._updated(self._passes, processes, progress)

    def update_structure(self) -> None:
        """Judge all but the content, which may be scanned meanwhile (``sync``)."""
        self._updated(self._structural, 1, None)

    def _updated(self, passes: Iterable[_Pass], processes: int, progress: Progress | None) -> Moved:
        moved = Moved()
        with left_alone(), self.vault.store.transaction():
            try:
                for one in passes:
                    came = one.update(processes, progress)
                    moved.come += came.come
                    moved.gone += came.gone
            finally:
                self.vault.drop_names()
        moved.come.sort(key=lambda f: f.order)
        moved.gone.sort(key=lambda f: f.order)
        return moved

    def findings(self) -> Iterator[Finding]:
        """Yield all findings, ordered by place."""
        scopes = [one.scope for one in self._passes]
        query = f"SELECT {_COLUMNS} FROM finding WHERE scope IN ({holes(len(scopes))})"
        found = map(_finding, self.vault.store.db.execute(query, scopes))
        yield from sorted(found, key=lambda f: f.order)


class _Pass(ABC):
    """Some of the rules, and their findings in the store.

    scope: under what name the findings are kept.
    """

    scope = ""

    def __init__(self, vault: Vault, policy: Policy) -> None:
        self.vault = vault
        self.policy = policy
        self.db = vault.store.db

    @property
    def key(self) -> str:
        """A text that differs when the rules would find something else."""
        return f"{VERSION};{schema.SPEC_VERSION};{self.policy.key}"

    def update(self, processes: int, progress: Progress | None) -> Moved:
        """Bring the findings up to the vault."""
        store = self.vault.store
        generation, key = f"lint:{self.scope}:generation", f"lint:{self.scope}:key"
        delta = self.vault.since(store.stamp(generation))
        if delta.everything or store.stamp(key) != self.key:
            moved = self._anew(processes, progress)
        else:
            before = self._take(self._places(delta))
            after = list(self.some(delta))
            self._insert(after)
            moved = _difference(before, after)
        store.set_stamp(generation, store.stamp("vault:generation"))
        store.set_stamp(key, self.key)
        return moved

    def _anew(self, processes: int, progress: Progress | None) -> Moved:
        self.db.execute("DELETE FROM finding WHERE scope = ?", (self.scope,))
        found = list(self.everything(processes, progress))
        self._insert(found)
        return Moved(come=found)

    @abstractmethod
    def everything(self, processes: int, progress: Progress | None) -> Iterator[Finding]:
        """Judge the whole vault."""

    @abstractmethod
    def some(self, delta: Delta) -> Iterator[Finding]:
        """Judge what a change can have touched."""

    @abstractmethod
    def _places(self, delta: Delta) -> set[str]:
        """Return the paths that ``some`` judges, and those that are gone."""

    def _insert(self, findings: Iterable[Finding]) -> None:
        rows = (_row(finding, self.scope) for finding in findings)
        self.db.executemany(f"INSERT INTO finding VALUES ({holes(10)})", rows)

    def _take(self, paths: set[str]) -> list[Finding]:
        """Return the findings of ``paths`` and remove them from the store."""
        taken: list[Finding] = []
        for batch in batches(sorted(paths)):
            where = f"scope = ? AND path IN ({holes(len(batch))})"
            values = [self.scope, *(put(path) for path in batch)]
            rows = self.db.execute(f"SELECT {_COLUMNS} FROM finding WHERE {where}", values)
            taken.extend(map(_finding, rows.fetchall()))
            self.db.execute(f"DELETE FROM finding WHERE {where}", values)
        return taken


class _Notes(_Pass):
    """The rules that look at a note and at what it is linked with."""

    scope = "note"
    rules = tuple(as_note_rule(r) for r in RULES if not is_file_rule(r))

    def everything(self, processes: int, progress: Progress | None) -> Iterator[Finding]:
        """Ask each rule whom it suspects, and judge those by it."""
        self.vault.load_names()
        suspected: dict[int, list[NoteRule]] = {}
        for rule in self.rules:
            for note in rule.suspects(self.vault, self.policy):
                suspected.setdefault(note, []).append(rule)
        for record in self.vault.notes_of(suspected):
            yield from self._judge(record, suspected[record.id])

    def some(self, delta: Delta) -> Iterator[Finding]:
        """Judge by every rule the notes that a change can have touched."""
        for record in self.vault.notes_of(self._affected(delta)):
            yield from self._judge(record, self.rules)

    def _places(self, delta: Delta) -> set[str]:
        return {n.path for n in self.vault.notes_of(self._affected(delta))} | delta.gone

    def _affected(self, delta: Delta) -> set[int]:
        vault = self.vault
        ids = delta.notes | delta.relinked | delta.linked
        for note in delta.outward:
            ids |= vault.sources_of(note)
        for key in delta.keys:
            ids.update(row.id for row in vault.lookup(key))
        return ids | vault.sources_by_key(delta.keys)

    def _judge(self, record: NoteRecord, rules: Iterable[NoteRule]) -> Iterator[Finding]:
        page = Page(record, self.vault, self.policy)
        for rule in rules:
            for fault in rule.check(page, self.vault):
                yield _as_finding(rule.ID, rule.SEVERITY, record.path, fault)


class _Paths(_Pass):
    """The rules that look at the paths of files."""

    scope = "path"
    rules = tuple(as_file_rule(r) for r in RULES if is_file_rule(r) and r.ID not in CONTENT_RULES)

    def everything(self, processes: int, progress: Progress | None) -> Iterator[Finding]:
        """Ask each rule whom it suspects, and judge those by it."""
        suspected: dict[Entry, list[FileRule]] = {}
        for rule in self.rules:
            for entry in rule.suspects(self.vault, self.policy):
                suspected.setdefault(entry, []).append(rule)
        for entry, rules in suspected.items():
            yield from self._judge(entry, rules)

    def some(self, delta: Delta) -> Iterator[Finding]:
        """Judge the files that a change can have touched."""
        for path in sorted(self._places(delta)):
            entry = self.vault.file(path)
            if entry is not None:
                yield from self._judge(entry, self.rules)

    def _places(self, delta: Delta) -> set[str]:
        vault = self.vault
        return delta.files | {p for key in delta.folded for p in vault.files_beside(key)}

    def _judge(self, entry: Entry, rules: Iterable[FileRule]) -> Iterator[Finding]:
        file = FileSubject(entry, self._marks(entry))
        for rule in rules:
            for fault in rule.check(file, self.vault):
                yield _as_finding(rule.ID, rule.SEVERITY, entry.path, fault)

    def _marks(self, entry: Entry) -> list[Mark]:
        return []


class _Content(_Paths):
    """The three scanners' rules, over every file."""

    scope = "content"
    rules = tuple(as_file_rule(r) for r in RULES if r.ID in CONTENT_RULES)

    @property
    def key(self) -> str:
        """As for every pass, and the version of the scanners."""
        return f"{super().key};{context_key(self.policy.context(''))}"

    def everything(self, processes: int, progress: Progress | None) -> Iterator[Finding]:
        """Scan what was never scanned, then judge the files with marks."""
        scan(self.vault, self._unscanned(), self.policy.context, processes, progress)
        for entry in marked(self.vault, self.policy):
            yield from self._judge(entry, self.rules)

    def _unscanned(self) -> Iterator[Entry]:
        """Yield what may have to be scanned: after a sync that scanned, next to nothing."""
        yield from self.vault.unscanned_files(context_key(self.policy.context("")))
        for path in sorted(self.policy.addressed):
            entry = self.vault.file(path)
            if entry is not None:
                yield entry

    def some(self, delta: Delta) -> Iterator[Finding]:
        """Scan what changed, then judge it."""
        entries = [e for p in delta.files if (e := self.vault.file(p)) is not None]
        scan(self.vault, entries, self.policy.context)
        yield from super().some(delta)

    def _places(self, delta: Delta) -> set[str]:
        return delta.files

    def _marks(self, entry: Entry) -> list[Mark]:
        if entry.kind is not Kind.FILE:
            return []
        return self.vault.marks(entry.oid, context_key(self.policy.context(entry.path)))


_COLUMNS = "path, rule, severity, line, column, message, hint, kind, digest"


def _row(finding: Finding, scope: str) -> tuple[object, ...]:
    f = finding
    texts = (put(t) for t in (f.message, f.hint, f.kind, f.digest))
    return (put(f.path), scope, f.rule, int(f.severity), f.line, f.column, *texts)


def _finding(row: tuple[str, str, int, int, int, str, str, str, str]) -> Finding:
    path, rule, severity, line, column, *texts = row
    message, hint, kind, digest = (got(t) for t in texts)
    return Finding(rule, Severity(severity), got(path), line, column, message, hint, kind, digest)


def _as_finding(rule: str, severity: Severity, path: str, fault: Fault) -> Finding:
    return Finding(
        rule,
        fault.severity or severity,
        path,
        fault.line,
        fault.column,
        fault.message,
        fault.hint,
        fault.kind,
        fault.digest,
    )


def _difference(before: list[Finding], after: list[Finding]) -> Moved:
    old = {f.identity for f in before}
    new = {f.identity for f in after}
    come = [f for f in after if f.identity not in old]
    gone = [f for f in before if f.identity not in new]
    return Moved(sorted(come, key=lambda f: f.order), sorted(gone, key=lambda f: f.order))
