"""Run the rules over what changed, and keep what they found.

The findings of a vault are kept in the derived store and moved with it: after
an edit only the notes and files it can have touched are judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import NamedTuple

from manent import schema
from manent.facts.derive import Mark
from manent.finding import Finding, Severity
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
from manent.vault.record import NoteRecord
from manent.vault.rows import batches, got, holes, put
from manent.vault.sync import context_key, scan
from manent.vault.vault import Delta, Progress, Vault

VERSION = "1"
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

    content: False leaves out the three scanners, whose verdict the gate takes
    from the objects themselves.
    """

    def __init__(self, vault: Vault, policy: Policy | None = None, content: bool = True) -> None:
        self.vault = vault
        self.policy = policy or Policy()
        self.content = content
        self.db = vault.store.db
        vault.store.tables("lint", VERSION, _SCRIPT, ("finding",))
        self._note_rules = [as_note_rule(r) for r in RULES if not is_file_rule(r)]
        self._file_rules = [as_file_rule(r) for r in RULES if self._runs_on_files(r)]

    def _runs_on_files(self, rule: ModuleType) -> bool:
        return is_file_rule(rule) and (self.content or rule.ID not in CONTENT_RULES)

    @property
    def _key(self) -> str:
        # The scanners' version is part of a context's key.
        scanners = context_key(self.policy.context("")) if self.content else ""
        return f"{VERSION};{schema.SPEC_VERSION};{scanners};{self.policy.key}"

    def update(self, processes: int = 1, progress: Progress | None = None) -> Moved:
        """Judge what changed since the findings were last brought up to date.

        Call it after ``vault.sync``; inside the same transaction it is part of
        the overlay. Returns the findings that came and went.
        """
        store = self.vault.store
        with store.transaction():
            delta = self.vault.since(store.stamp("lint:generation"))
            if store.stamp("lint:key") != self._key:
                delta = Delta(everything=True)
            moved = self._everything(processes, progress) if delta.everything else self._some(delta)
            store.set_stamp("lint:generation", store.stamp("vault:generation"))
            store.set_stamp("lint:key", self._key)
        return moved

    def findings(self) -> Iterator[Finding]:
        """Yield all findings, ordered by place."""
        query = f"SELECT {_COLUMNS} FROM finding"
        yield from sorted(map(_finding, self.db.execute(query)), key=lambda f: f.order)

    # -- the whole vault ---------------------------------------------------

    def _everything(self, processes: int, progress: Progress | None) -> Moved:
        vault = self.vault
        if self.content:
            scan(vault, vault.files(), self.policy.context, processes, progress)
        self.db.execute("DELETE FROM finding")
        vault.load_names()
        try:
            for batch in batches(self._all_of_notes()):
                self._insert("note", batch)
            for batch in batches(self._all_of_files()):
                self._insert("file", batch)
        finally:
            vault.drop_names()
        return Moved(come=list(self.findings()))

    def _all_of_notes(self) -> Iterator[Finding]:
        """Ask each rule whom it suspects, and judge those by it."""
        suspected: dict[int, list[NoteRule]] = {}
        for rule in self._note_rules:
            for note in rule.suspects(self.vault, self.policy):
                suspected.setdefault(note, []).append(rule)
        for record in self.vault.notes_of(suspected):
            yield from self._judge_note(record, suspected[record.id])

    def _all_of_files(self) -> Iterator[Finding]:
        suspected: dict[Entry, list[FileRule]] = {}
        for rule in self._file_rules:
            for entry in rule.suspects(self.vault, self.policy):
                suspected.setdefault(entry, []).append(rule)
        for entry, rules in suspected.items():
            yield from self._judge_file(entry, rules)

    # -- what changed ------------------------------------------------------

    def _some(self, delta: Delta) -> Moved:
        notes = self._affected_notes(delta)
        files = delta.files | {
            path for folded in delta.folded for path in self.vault.files_folded(folded)
        }
        before = self._take("note", {n.path for n in notes} | delta.gone)
        before += self._take("file", files)
        entries = [e for path in sorted(files) if (e := self.vault.file(path)) is not None]
        if self.content:
            scan(self.vault, entries, self.policy.context)
        after = [f for note in notes for f in self._judge_note(note, self._note_rules)]
        self._insert("note", after)
        of_files = [f for e in entries for f in self._judge_file(e, self._file_rules)]
        self._insert("file", of_files)
        return _difference(before, after + of_files)

    def _affected_notes(self, delta: Delta) -> list[NoteRecord]:
        vault = self.vault
        ids = delta.notes | delta.relinked | delta.linked
        for note in delta.outward:
            ids |= vault.sources_of(note)
        for key in delta.keys:
            ids.update(row.id for row in vault.lookup(key))
        ids |= vault.sources_by_key(delta.keys)
        return list(vault.notes_of(ids))

    # -- judging -----------------------------------------------------------

    def _judge_note(self, record: NoteRecord, rules: list[NoteRule]) -> Iterator[Finding]:
        page = Page(record, self.vault.facts(record), self.policy)
        for rule in rules:
            for fault in rule.check(page, self.vault):
                yield _as_finding(rule.ID, rule.SEVERITY, record.path, fault)

    def _judge_file(self, entry: Entry, rules: list[FileRule]) -> Iterator[Finding]:
        file = FileSubject(entry, self._marks(entry) if self.content else [])
        for rule in rules:
            for fault in rule.check(file, self.vault):
                yield _as_finding(rule.ID, rule.SEVERITY, entry.path, fault)

    def _marks(self, entry: Entry) -> list[Mark]:
        if entry.kind is not Kind.FILE:
            return []
        return self.vault.marks(entry.oid, context_key(self.policy.context(entry.path)))

    # -- rows --------------------------------------------------------------

    def _insert(self, scope: str, findings: Iterable[Finding]) -> None:
        self.db.executemany(
            f"INSERT INTO finding VALUES ({holes(10)})",
            [_row(f, scope) for f in findings],
        )

    def _take(self, scope: str, paths: set[str]) -> list[Finding]:
        """Return the findings of ``paths`` and remove them from the store."""
        taken: list[Finding] = []
        for batch in batches(sorted(paths)):
            where = f"scope = ? AND path IN ({holes(len(batch))})"
            values = [scope, *(put(path) for path in batch)]
            rows = self.db.execute(f"SELECT {_COLUMNS} FROM finding WHERE {where}", values)
            taken.extend(map(_finding, rows.fetchall()))
            self.db.execute(f"DELETE FROM finding WHERE {where}", values)
        return taken


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
    old = {_identity(f) for f in before}
    new = {_identity(f) for f in after}
    come = [f for f in after if _identity(f) not in old]
    gone = [f for f in before if _identity(f) not in new]
    return Moved(sorted(come, key=lambda f: f.order), sorted(gone, key=lambda f: f.order))


def _identity(finding: Finding) -> tuple[str, str, str, str]:
    """What makes two findings the same fault although lines have moved."""
    return (finding.rule, finding.path, finding.kind, finding.digest or finding.message)
