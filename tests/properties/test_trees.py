"""A folder, a commit and an edit laid over either are the same vault to whoever reads them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from random_vaults import QUERIES, applied, edits, found, lay, rows, slowly, vaults

from manent.access import View
from manent.change import Change
from manent.errors import NotFound
from manent.facts.store import Store
from manent.repo.git_tree import GitTree
from manent.repo.open import Repository, discover
from manent.repo.worktree import ignored
from manent.search.index import SearchIndex
from manent.tree import Overlay, Tree, WorkTree
from manent.vault.commit import sync_commit
from manent.vault.sync import sync
from manent.vault.vault import Vault


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().strip()


def committed(folder: Path, changed: Mapping[str, bytes | None]) -> str:
    lay(folder, changed)
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-qm", "step", "--allow-empty")
    return git(folder, "rev-parse", "HEAD^{tree}")


def repository_of(folder: Path) -> Repository:
    repository = discover(folder, os.environ)
    assert repository is not None
    return repository


def said(vault: Vault) -> Any:
    """Return everything that a vault answers."""
    index, view = SearchIndex(vault, None), View(vault)
    hits = [index.search(view, query, 20, explain=True) for query in QUERIES]
    answers = [[(hit, s.relevance.hex(), s.explanation) for hit, s in found] for found in hits]
    return rows(vault), found(vault), answers


def standing_at(tree: Tree) -> Any:
    vault = Vault(Store(None))
    sync(vault, tree)
    return said(vault)


def listing(tree: Tree) -> Any:
    return [(entry.path, entry.oid, entry.kind) for entry in tree.entries()]


@slowly
@given(vaults(), st.data())
def test_the_three_trees_agree(files: dict[str, bytes], data: st.DataObject) -> None:
    change = Change(data.draw(edits(files)), "an edit", "tide")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        git(root, "init", "-q")
        before = committed(root, files)
        repository = repository_of(root)
        folder, commit = WorkTree(root), GitTree(repository, before)
        assert listing(folder) == listing(commit)
        over_folder = standing_at(change.onto(folder))
        over_commit = standing_at(change.onto(commit))
        assert standing_at(folder) == standing_at(commit)
        after = committed(root, change.edits)
        edited, landed = WorkTree(root), GitTree(repository, after)
        assert listing(change.onto(commit)) == listing(edited) == listing(landed)
        assert over_folder == over_commit == standing_at(edited) == standing_at(landed)
        moved = Vault(Store(None))
        sync_commit(moved, repository, before)
        sync_commit(moved, repository, after)
        assert said(moved) == over_commit
        repository.close()


@slowly
@given(vaults(), st.data())
def test_every_tree_gives_back_what_it_lists(files: dict[str, bytes], data: st.DataObject) -> None:
    """And nothing that it does not: hidden places are absent, not merely unlisted."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        lay(root, files)
        overlay = Overlay(WorkTree(root), data.draw(edits(files)))
        now = applied(files, overlay._edits)
        for tree, wanted in ((WorkTree(root), files), (overlay, now)):
            shown = {entry.path: entry for entry in tree.entries()}
            assert list(shown) == sorted(shown, key=os.fsencode)
            for path in {*shown, *wanted, "", ".", "..", "../etc/passwd", "nowhere.md"}:
                assert tree.get(path) == shown.get(path)
                if path in shown:
                    assert tree.read(path) == wanted[path]
                else:
                    assert _raises_not_found(tree, path)


def _raises_not_found(tree: Tree, path: str) -> bool:
    try:
        tree.read(path)
    except NotFound:
        return True
    return False


def test_what_git_ignores_is_in_neither(tmp_path: Path) -> None:
    """A tracked file stays, whatever the patterns say."""
    git(tmp_path, "init", "-q")
    committed(tmp_path, {"kept.log": b"k", "a.md": b"a", ".gitignore": b"*.log\nbuild/\n"})
    lay(tmp_path, {"new.log": b"n", "build/x.md": b"x", "b.md": b"b"})
    skipped = ignored(tmp_path, os.environ)
    listed = [entry.path for entry in WorkTree(tmp_path, skipped).entries()]
    assert listed == [".gitignore", "a.md", "b.md", "kept.log"]
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    tree = GitTree(repository_of(tmp_path), git(tmp_path, "rev-parse", "HEAD"))
    assert [entry.path for entry in tree.entries()] == listed
