"""A commit, a folder and an edit laid over either show the same files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manent.errors import NotAVault, NotFound
from manent.repo.git_tree import EMPTY_TREE, GitTree, Row, diff, differing
from manent.repo.open import Repository, discover
from manent.tree import Kind, WorkTree


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=given, capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def opened(folder: Path, light: bool = False) -> Repository:
    repository = discover(folder, os.environ, light=light)
    assert repository is not None
    return repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    git(root, "init", "-q")
    return root


def commit(folder: Path, files: dict[str, bytes | None]) -> str:
    for path, content in files.items():
        target = folder / path
        if content is None:
            target.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-qm", "step", "--allow-empty")
    return git(folder, "rev-parse", "HEAD")


FILES: dict[str, bytes | None] = {
    "a.md": b"a\n",
    "a-b/c.md": b"c\n",
    "a/b.md": b"b\n",
    "a0.md": b"0\n",
    "deep/er/still/note.md": b"n\n",
    "Secrets/key.md": b"s\n",
    "x/SECRETS/key.md": b"s\n",
    "\u017fecrets/key.md": b"s\n",
    ".obsidian/app.json": b"{}",
    os.fsdecode(b"caf\xe9.md"): b"latin\n",
}


@pytest.mark.parametrize("light", [False, True])
def test_a_commit_shows_what_its_folder_shows(folder: Path, light: bool) -> None:
    commit(folder, FILES)
    (folder / "link").symlink_to("a.md")
    git(folder, "add", "link")
    git(folder, "commit", "-qm", "link")
    tree = GitTree(opened(folder, light), git(folder, "rev-parse", "HEAD"))
    assert [e[:3] for e in tree.entries()] == [e[:3] for e in WorkTree(folder).entries()]
    assert tree.get("link") is not None
    assert tree.id == git(folder, "rev-parse", "HEAD^{tree}")
    for entry in tree.entries():
        assert tree.get(entry.path) == entry
        if entry.kind is Kind.FILE:
            assert tree.read(entry.path) == FILES[entry.path]


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("path", ["a", "no", "a.md/b", "Secrets/key.md", "a/../a.md", "", "link"])
def test_what_is_no_file_is_not_found(folder: Path, light: bool, path: str) -> None:
    commit(folder, FILES)
    tree = GitTree(opened(folder, light), git(folder, "rev-parse", "HEAD"))
    assert tree.get(path) is None
    with pytest.raises(NotFound):
        tree.read(path)


def test_a_folder_of_a_commit_can_be_the_vault(folder: Path) -> None:
    oid = commit(folder, FILES)
    tree = GitTree(opened(folder), oid, "deep/er")
    assert [e.path for e in tree.entries()] == ["still/note.md"]
    with pytest.raises(NotAVault):
        GitTree(opened(folder), oid, "a.md")
    with pytest.raises(NotAVault):
        GitTree(opened(folder), oid, "nowhere")


def test_a_difference_names_what_changed_and_nothing_else(folder: Path) -> None:
    first = commit(folder, FILES)
    second = commit(
        folder,
        {"a.md": b"new\n", "a/b.md": None, "z/y.md": b"y\n", "Secrets/key.md": b"t\n"},
    )
    repository = opened(folder)
    old, new = GitTree(repository, first), GitTree(repository, second)
    steps = {path: (before, after) for path, before, after in diff(old, new)}
    assert set(steps) == {"a.md", "a/b.md", "z/y.md"}
    assert steps["a/b.md"] == (old.get("a/b.md"), None)
    assert steps["z/y.md"] == (None, new.get("z/y.md"))
    assert [path for path, _, _ in diff(None, new)] == [e.path for e in new.entries()]


def test_a_file_that_becomes_a_folder(folder: Path) -> None:
    first = commit(folder, {"a": b"1"})
    second = commit(folder, {"a": None, "b": b"2"})
    (folder / "a").mkdir()
    third = commit(folder, {"a/c": b"3"})
    repository = opened(folder)
    trees = [GitTree(repository, oid) for oid in (first, second, third)]
    changed = [path for path, _, _ in diff(trees[0], trees[2])]
    assert sorted(changed) == ["a", "a/c", "b"]


def test_the_empty_tree_is_stored_nowhere_and_read_all_the_same(folder: Path) -> None:
    repository = opened(folder)
    tree = GitTree(repository, EMPTY_TREE)
    assert list(tree.entries()) == [] and tree.get("a.md") is None
    full = GitTree(repository, commit(folder, {"a.md": b"a"}))
    assert [path for path, _, _ in diff(tree, full)] == ["a.md"]


NAMES = st.sampled_from(["a", "b", "a.md", "a-", "A", "secrets", "\u00e9"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
STATES = st.dictionaries(PATHS, st.sampled_from([b"1", b"2"]), max_size=6)


def placed(folder: Path, state: dict[str, bytes]) -> str:
    """Make a commit of exactly ``state``; a path under another's file is left out."""
    git(folder, "read-tree", "--empty")
    kept = {p: c for p, c in state.items() if not any(q.startswith(p + "/") for q in state)}
    lines = []
    for path, content in kept.items():
        oid = git(folder, "hash-object", "-w", "--stdin", given=content)
        lines.append(f"100644 {oid}\t{path}\n".encode())
    git(folder, "update-index", "--index-info", given=b"".join(lines))
    return git(folder, "write-tree")


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=STATES, after=STATES)
def test_a_difference_is_the_difference_of_the_listings(
    folder: Path, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    repository = opened(folder, light=True)
    old = GitTree(repository, placed(folder, before))
    new = GitTree(repository, placed(folder, after))
    left = {e.path: e for e in old.entries()}
    right = {e.path: e for e in new.entries()}
    expected = {
        (path, left.get(path), right.get(path))
        for path in left.keys() | right.keys()
        if left.get(path) != right.get(path)
    }
    assert set(diff(old, new)) == expected
    repository.close()


RAW_ROWS = st.lists(
    st.tuples(
        st.sampled_from([b"100644", b"40000"]),
        st.binary(min_size=1, max_size=4).filter(lambda name: b"\0" not in name),
        st.sampled_from([b" a\0" * 6 + b"xx", b"\0" * 20, bytes(range(20))]),
    ),
    max_size=8,
    unique_by=lambda row: row[1],
)


@settings(max_examples=300, deadline=None)
@given(old=RAW_ROWS, new=RAW_ROWS, both=RAW_ROWS)
def test_only_entries_that_stand_in_both_trees_are_passed_over(
    old: list[Row], new: list[Row], both: list[Row]
) -> None:
    before = sorted({row[1]: row for row in old + both}.values(), key=lambda row: row[1])
    after = sorted({row[1]: row for row in new + both}.values(), key=lambda row: row[1])
    left, right = differing(
        *(b"".join(b"%b %b\0%b" % row for row in tree) for tree in (before, after))
    )
    assert {r for r in left if r not in set(right)} == {r for r in before if r not in set(after)}
    assert {r for r in right if r not in set(left)} == {r for r in after if r not in set(before)}
