"""A Change lands on its paths and no other, or not at all."""

from __future__ import annotations

import datetime
import os
import subprocess
from pathlib import Path

import pytest

from manent.access import Identity
from manent.change import Change
from manent.errors import Refused
from manent.gate.admit import ChangeRefused, admit
from manent.repo.git_tree import GitTree
from manent.repo.landing import Person
from manent.repo.open import Repository, discover

NOW = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)
ADA = Person("Ada <x>", "ada@example.org")


def note(name: str, text: str = "Text.", more: str = "") -> bytes:
    head = f"---\nname: {name}\ndescription: A note\ntype: reference\n{more}---\n"
    return f"{head}{text}\n".encode()


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


@pytest.fixture(params=["folder", "bare"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    root = tmp_path / "vault"
    root.mkdir()
    git(root, "init", "-q")
    (root / "memory").mkdir()
    (root / "memory/first.md").write_bytes(note("first"))
    (root / "memory/second.md").write_bytes(note("second"))
    git(root, "add", ".")
    git(root, "commit", "-qm", "seed")
    if request.param == "bare":
        git(tmp_path, "clone", "-q", "--bare", "vault", "bare.git")
        root = tmp_path / "bare.git"
    found = discover(root, os.environ)
    assert found is not None
    return found


def landed(repository: Repository, edits: dict[str, bytes | None], **more: object) -> str:
    change = Change(edits, "Change a note\n\nWhy not.", "ada", {"Why": "tests"})
    return admit(repository, "main", change, ADA, NOW, **more).commit  # type: ignore[arg-type]


def test_a_landed_change_equals_its_overlay(repository: Repository) -> None:
    tip = repository.ref("refs/heads/main")
    edits: dict[str, bytes | None] = {
        "memory/third.md": note("third"),
        "memory/second.md": None,
        "memory/first.md": note("first", "New."),
        "a/b/c.md": note("c"),
    }
    overlay = Change(edits, "x", "ada").onto(GitTree(repository, tip))
    commit = landed(repository, edits)
    assert repository.ref("refs/heads/main") == commit
    assert list(GitTree(repository, commit).entries()) == list(overlay.entries())
    raw = git(repository.path, "cat-file", "commit", commit)
    assert f"parent {tip}" in raw
    assert f"author Ada x <ada@example.org> {int(NOW.timestamp())} +0000" in raw
    assert raw.endswith("Why not.\n\nWhy: tests")
    assert git(repository.path, "fsck", "--strict") == ""
    if repository.workdir:
        assert git(repository.workdir, "status", "--porcelain") == ""


def test_what_the_gate_refuses_does_not_land(repository: Repository) -> None:
    tip = repository.ref("refs/heads/main")
    bad: list[dict[str, bytes | None]] = [
        {"memory/bad.md": note("bad", "m.rossi" + "@posta-privata.it")},
        {"secrets/x.md": note("x")},
        {"memory/bad.md": b"---\nname: a\nname: b\n---\n"},
        {"memory/First.md": note("first")},
    ]
    for edits in bad:
        with pytest.raises(ChangeRefused):
            landed(repository, edits)
    assert repository.ref("refs/heads/main") == tip


def test_a_change_that_changes_nothing_is_refused(repository: Repository) -> None:
    with pytest.raises(Refused, match="nothing"):
        landed(repository, {"memory/first.md": note("first")})


def test_an_agent_lands_in_its_own_folder_only(repository: Repository) -> None:
    scribe = Identity("scribe", frozenset(), "quarantine/scribe")
    stamp = "status: quarantine\nauthor: scribe\n"
    landed(repository, {"quarantine/scribe/x.md": note("x", more=stamp)}, identity=scribe)
    for path in ("memory/x.md", "quarantine/clerk/x.md"):
        with pytest.raises(ChangeRefused):
            landed(repository, {path: note("x", more=stamp)}, identity=scribe)
    with pytest.raises(ChangeRefused):
        landed(repository, {"quarantine/scribe/y.md": note("y")}, identity=scribe)


def test_unsaved_edits_of_other_files_stay(repository: Repository) -> None:
    if repository.workdir is None:
        pytest.skip("a bare repository has no files")
    first, second = (repository.workdir / f"memory/{n}.md" for n in ("first", "second"))
    second.write_bytes(b"unsaved\n")
    (repository.workdir / "new.txt").write_bytes(b"untracked\n")
    git(repository.workdir, "rm", "-q", "--cached", "memory/second.md")
    landed(repository, {"memory/first.md": note("first", "Landed.")})
    assert first.read_bytes() == note("first", "Landed.")
    assert second.read_bytes() == b"unsaved\n"
    said = git(repository.workdir, "status", "--porcelain").splitlines()
    assert [line.strip() for line in said] == ["D  memory/second.md", "?? memory/second.md",
                                               "?? new.txt"]  # fmt: skip


@pytest.mark.parametrize("how", ["edited", "staged", "removed", "untracked", "symlink"])
def test_unsaved_edits_of_its_own_paths_refuse(repository: Repository, how: str) -> None:
    if repository.workdir is None:
        pytest.skip("a bare repository has no files")
    place = repository.workdir / "memory/first.md"
    path = "memory/first.md"
    if how == "edited":
        place.write_bytes(b"unsaved\n")
    elif how == "staged":
        place.write_bytes(b"staged\n")
        git(repository.workdir, "add", ".")
        place.write_bytes(note("first"))
    elif how == "removed":
        place.unlink()
    elif how == "untracked":
        path = "memory/third.md"
        (repository.workdir / path).write_bytes(b"mine\n")
    else:
        path = "linked/third.md"
        (repository.workdir / "linked").symlink_to(repository.workdir / "memory")
    tip = repository.ref("refs/heads/main")
    before = {p: p.read_bytes() for p in (repository.workdir / "memory").iterdir()}
    with pytest.raises(Refused):
        landed(repository, {path: note(Path(path).stem, "Landed.")})
    assert repository.ref("refs/heads/main") == tip
    assert {p: p.read_bytes() for p in (repository.workdir / "memory").iterdir()} == before


def test_a_branch_that_moved_is_judged_again(repository: Repository) -> None:
    """Two Changes that both name one note: the second is judged against the first."""
    landed(repository, {"memory/third.md": note("third")})
    with pytest.raises(ChangeRefused):
        landed(repository, {"wiki/third.md": note("third")})


def test_a_first_commit_lands_on_an_unborn_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "new")
    repository = discover(tmp_path / "new", os.environ)
    assert repository is not None
    commit = landed(repository, {"memory/first.md": note("first")})
    assert git(tmp_path / "new", "rev-list", "HEAD") == commit
    assert (tmp_path / "new/memory/first.md").exists()
