"""A vault moved in steps equals one read anew: rows, findings and answers, to the letter."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from random_vaults import QUERIES, applied, contents, edits, found, lay, rows, slowly, vaults

from manent.access import Identity, View
from manent.change import Change
from manent.facts.store import Store
from manent.lint.engine import Lint
from manent.lint.subject import Policy
from manent.search.index import SearchIndex
from manent.tree import WorkTree
from manent.vault.record import Conventions
from manent.vault.sync import sync
from manent.vault.vault import Vault

POLICY = Policy(audiences=frozenset({"team", "ops"}))
AGENT = Identity("tide", frozenset({"team", "public"}))


def answers(vault: Vault, index: SearchIndex) -> list[Any]:
    """Every answer to every query, by the owner and by an agent, explanations included."""
    said: list[Any] = []
    for view in (View(vault), View(vault, AGENT)):
        for query in QUERIES:
            hits = index.search(view, query, 20, explain=True)
            said.append([(h, s.relevance.hex(), s.explanation) for h, s in hits])
    return said


def anew(root: Path, conventions: Conventions) -> Vault:
    vault = Vault(Store(None), conventions)
    sync(vault, WorkTree(root))
    return vault


conventions_drawn = st.builds(Conventions, st.booleans(), st.sampled_from([False, False, True]))


@slowly
@given(vaults(), conventions_drawn, st.data())
def test_a_vault_moved_in_steps_equals_one_read_anew(
    files: dict[str, bytes], conventions: Conventions, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "vault", Path(folder) / "state"
        root.mkdir()
        lay(root, files)
        vault = Vault(Store(state / "vault.sqlite"), conventions)
        lint = Lint(vault, POLICY)
        standing: set[Any] = set()
        for _ in range(data.draw(st.integers(2, 5))):
            sync(vault, WorkTree(root, known=vault.known()))
            moved = lint.update()
            SearchIndex(vault, state / "search").update()
            fresh = anew(root, conventions)
            assert rows(vault) == rows(fresh)
            now = found(fresh, POLICY)
            assert list(lint.findings()) == now
            standing = {_same(f) for f in now} if not standing else standing | _come(moved)
            assert {_same(f) for f in now} <= standing
            built = SearchIndex(fresh, None)
            wanted = answers(fresh, built)
            assert answers(vault, SearchIndex(vault, state / "search")) == wanted
            changed = data.draw(edits(files))
            files = applied(files, changed)
            lay(root, changed)
        vault.store.close()


def _same(finding: Any) -> Any:
    return (finding.rule, finding.path, finding.kind, finding.digest or finding.message)


def _come(moved: Any) -> set[Any]:
    return {_same(f) for f in moved.come}


@slowly
@given(vaults(), st.data())
def test_nothing_remains_of_an_overlay(files: dict[str, bytes], data: st.DataObject) -> None:
    """What is laid over for the time of a block answers as if it were so, and is gone after."""
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "vault", Path(folder) / "state"
        root.mkdir()
        lay(root, files)
        vault = Vault(Store(state / "vault.sqlite"))
        tree = WorkTree(root)
        sync(vault, tree)
        before = found(vault), rows(vault)
        SearchIndex(vault, state / "search").update()
        said = answers(vault, SearchIndex(vault, state / "search"))
        change = Change(data.draw(edits(files)), "a draft", "tide")
        with vault.store.transaction(keep=False):
            sync(vault, change.onto(tree))
            laid = found(vault), rows(vault), answers(vault, SearchIndex(vault, state / "search"))
        vault.tree = tree
        assert (found(vault), rows(vault)) == before
        assert answers(vault, SearchIndex(vault, state / "search")) == said
        with tempfile.TemporaryDirectory() as other:
            lay(Path(other), applied(files, change.edits))
            there = anew(Path(other), Conventions())
            wanted = found(there), rows(there), answers(there, SearchIndex(there, None))
        assert laid == wanted
        vault.store.close()


@slowly
@given(st.lists(contents, min_size=1, max_size=4), st.data())
def test_reading_by_other_conventions_reads_everything_anew(
    texts: list[bytes], data: st.DataObject
) -> None:
    files = {f"memory/{n}.md": text for n, text in enumerate(texts)}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        lay(root, files)
        path = Path(folder) / "state" / "vault.sqlite"
        for _ in range(3):
            conventions = data.draw(conventions_drawn)
            vault = Vault(Store(path), conventions)
            sync(vault, WorkTree(root, known=vault.known()))
            fresh = anew(root, conventions)
            assert rows(vault) == rows(fresh)
            assert found(vault) == found(fresh)
            vault.store.close()
