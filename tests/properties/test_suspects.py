"""A rule's question to the store misses nothing: whom it does not suspect, it does not blame."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from random_vaults import found, lay, slowly, vaults
from vaults import refused_values

from manent.facts.store import Store
from manent.lint.engine import CONTENT_RULES, Lint
from manent.lint.rules import RULES
from manent.lint.subject import (
    FileSubject,
    Page,
    Policy,
    as_file_rule,
    as_note_rule,
    is_file_rule,
)
from manent.tree import WorkTree
from manent.vault.record import Conventions
from manent.vault.sync import context_key, sync
from manent.vault.vault import Vault

POLICY = Policy(audiences=frozenset({"team", "ops"}))
LOCAL = (
    "frontmatter-invalid",
    "frontmatter-missing",
    "schema",
    "encoding",
    "name-mismatch",
    "feedback-body",
    "raw-source-path",
)
"""Rules that look at one note alone."""


def opened(root: Path, conventions: Conventions) -> Vault:
    vault = Vault(Store(None), conventions)
    sync(vault, WorkTree(root))
    found(vault, POLICY)
    return vault


@slowly
@given(vaults())
def test_whom_a_rule_does_not_suspect_it_does_not_blame(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lay(Path(folder), files)
        for conventions in (Conventions(), Conventions(True), Conventions(dendron=True)):
            vault = opened(Path(folder), conventions)
            for rule in (as_note_rule(r) for r in RULES if not is_file_rule(r)):
                suspected = rule.suspects(vault, POLICY)
                for note in vault.notes():
                    faults = list(rule.check(Page(note, vault, POLICY), vault))
                    assert not faults or note.id in suspected, (rule.ID, note.path)
                    assert not faults or not note.plain or rule.ID not in LOCAL, note.path


@slowly
@given(vaults())
def test_which_file_a_rule_does_not_suspect_it_does_not_blame(files: dict[str, bytes]) -> None:
    values = refused_values()
    bad = f"{values['email']} {values['phone']} {values['token']}\n{values['injection']}\n".encode()
    odd = {"CLAUDE.md": bad, "attic/y.md": bad, "picture.png": bad, "aux.md": b"x", "T.md": b"t"}
    with tempfile.TemporaryDirectory() as folder:
        lay(Path(folder), files | odd)
        vault = opened(Path(folder), Conventions())
        blamed = set()
        for module in (r for r in RULES if is_file_rule(r)):
            rule = as_file_rule(module)
            suspected = set(rule.suspects(vault, POLICY))
            for entry in vault.files():
                context = context_key(POLICY.context(entry.path))
                subject = FileSubject(entry, vault.marks(entry.oid, context))
                if any(rule.check(subject, vault)):
                    assert entry in suspected, (rule.ID, entry.path)
                    blamed.add((rule.ID, entry.path))
        for rule_id in CONTENT_RULES:  # ignored files and attachments among them
            assert {p for r, p in blamed if r == rule_id} >= {"attic/y.md", "picture.png"}


@slowly
@given(vaults())
def test_all_at_once_finds_what_each_alone_finds(files: dict[str, bytes]) -> None:
    """The engine's way over suspects equals asking every rule of every note."""
    with tempfile.TemporaryDirectory() as folder:
        lay(Path(folder), files)
        vault = opened(Path(folder), Conventions())
        every = []
        for rule in (as_note_rule(r) for r in RULES if not is_file_rule(r)):
            for note in vault.notes():
                page = Page(note, vault, POLICY)
                every += [(rule.ID, note.path, f.message) for f in rule.check(page, vault)]
        noted = {rule.ID for rule in RULES if not is_file_rule(rule)}
        kept = [(f.rule, f.path, f.message) for f in Lint(vault, POLICY).findings()]
        assert sorted(every) == sorted(row for row in kept if row[0] in noted)
