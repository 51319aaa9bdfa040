"""``core.hooksPath`` set for the user must not turn a gate off without a word."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import GIT, note, phone


def _manent(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "manent", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def _git(*arguments: str, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run([GIT, *arguments], cwd=cwd, capture_output=True, text=True, check=check)


@pytest.fixture
def elsewhere(clean_home: Path, tmp_path: Path) -> Path:
    """A user whose hooks of all repositories lie in one folder."""
    folder = tmp_path / "all-hooks"
    folder.mkdir()
    with (clean_home / ".gitconfig").open("a", encoding="utf-8") as file:
        file.write(f"[core]\n\thooksPath = {folder}\n")
    return folder


def test_a_brain_keeps_its_gate(elsewhere: Path, tmp_path: Path) -> None:
    made = _manent("brain", "create", "brain.git", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    _git("clone", "-q", "brain.git", "clone", cwd=tmp_path)
    clone = tmp_path / "clone"
    (clone / "memory").mkdir()
    (clone / "memory" / "call.md").write_bytes(note("call", f"Call {phone()}."))
    _git("add", ".", cwd=clone)
    _git("commit", "-qm", "call", cwd=clone)
    pushed = _git("push", "origin", "HEAD:main", cwd=clone, check=False)
    assert pushed.returncode != 0
    assert "manent: refused" in pushed.stderr
    assert _manent("brain", "status", "brain.git", cwd=tmp_path).returncode == 0


def _bad_push(brain: Path, work: Path) -> subprocess.CompletedProcess[str]:
    _git("clone", "-q", str(brain), str(work), cwd=brain.parent)
    (work / "call.md").write_bytes(note("call", f"Call {phone()}."))
    _git("add", ".", cwd=work)
    _git("commit", "-qm", "call", cwd=work)
    return _git("push", "origin", "HEAD:main", cwd=work, check=False)


@pytest.mark.parametrize("name", ["brain.git", "odd [x]* \\ name, \u00e9 'q' \"d\".git"])
def test_a_path_set_for_the_user_afterwards_turns_no_gate_off(
    clean_home: Path, tmp_path: Path, name: str
) -> None:
    assert _manent("brain", "create", name, cwd=tmp_path).returncode == 0
    brain = tmp_path / name
    (tmp_path / "all-hooks").mkdir()
    with (clean_home / ".gitconfig").open("a", encoding="utf-8") as file:
        file.write(f"[core]\n\thooksPath = {tmp_path / 'all-hooks'}\n")
    pushed = _bad_push(brain, tmp_path / "work")
    assert pushed.returncode != 0 and "manent: refused" in pushed.stderr
    assert _manent("brain", "status", name, cwd=tmp_path).returncode == 0
    _around(brain, tmp_path)


def test_a_brain_that_is_moved_or_copied_keeps_its_gate(tmp_path: Path) -> None:
    assert _manent("brain", "create", "brain.git", cwd=tmp_path).returncode == 0
    shutil.copytree(tmp_path / "brain.git", tmp_path / "copy.git", symlinks=True)
    (tmp_path / "brain.git").rename(tmp_path / "moved.git")
    for number, name in enumerate(("copy.git", "moved.git")):
        pushed = _bad_push(tmp_path / name, tmp_path / f"work-{number}")
        assert pushed.returncode != 0 and "manent: refused" in pushed.stderr
        assert _manent("hooks", "install", "--repo", name, cwd=tmp_path).returncode == 0
        found = _git("config", "--includes", "core.hooksPath", cwd=tmp_path / name).stdout
        assert found.strip() == str(tmp_path / name / "hooks")
    gone = _manent("hooks", "uninstall", "--repo", "copy.git", cwd=tmp_path)
    assert gone.returncode == 0
    listed = _git("config", "--local", "--list", cwd=tmp_path / "copy.git").stdout
    assert "includeif" not in listed.lower()


@pytest.mark.parametrize("when", ["before it was made", "before the move", "after the move"])
def test_a_moved_brain_keeps_its_gate_beside_a_users_path(
    clean_home: Path, tmp_path: Path, when: str
) -> None:
    folder = tmp_path / "all-hooks"
    folder.mkdir()

    def set_for_the_user(now: str) -> None:
        if now == when:
            with (clean_home / ".gitconfig").open("a", encoding="utf-8") as file:
                file.write(f"[core]\n\thooksPath = {folder}\n")

    set_for_the_user("before it was made")
    assert _manent("brain", "create", "brain.git", cwd=tmp_path).returncode == 0
    set_for_the_user("before the move")
    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "brain.git").rename(tmp_path / "elsewhere/moved.git")
    set_for_the_user("after the move")
    if when == "before the move":  # else the push itself is the first to see the new place
        told = _manent("brain", "status", str(moved), cwd=tmp_path)
        assert told.returncode == 0 and f"from {moved / 'hooks'}" in told.stdout
        again = _manent("brain", "status", str(moved), cwd=tmp_path)
        assert again.returncode == 0 and "moved" not in again.stdout.partition("\n")[2]
    pushed = _bad_push(moved, tmp_path / "work")
    assert pushed.returncode != 0 and "manent: refused" in pushed.stderr
    # The first push, refused as it may be, pins the hooks to the new place, for tools that
    # are started somewhere else.
    told = _git("config", "--includes", "core.hooksPath", cwd=moved)
    assert told.stdout.strip() == str(moved / "hooks")
    _around(moved, tmp_path)
    assert _manent("brain", "status", str(moved), cwd=tmp_path).returncode == 0
    work = tmp_path / "work"
    (work / "call.md").write_bytes(note("call", "Call nobody."))
    _git("commit", "-qa", "--amend", "-m", "call", cwd=work)
    _git("push", "-q", "origin", "HEAD:main", cwd=work)
    (work / "call.md").write_bytes(note("call", f"Call {phone()}."))
    _git("commit", "-qam", "bad", cwd=work)
    _around(moved, tmp_path)
    gone = _manent("hooks", "uninstall", "--repo", str(moved), cwd=tmp_path)
    assert gone.returncode == 0
    listed = _git("config", "--local", "--list", cwd=moved).stdout.lower()
    assert "includeif" not in listed and "hookspath" not in listed


def _around(brain: Path, folder: Path) -> None:
    """Another tool, started somewhere else, moves the branch to what nobody has judged."""
    new = _git("rev-parse", "HEAD", cwd=folder / "work").stdout.strip()
    _git("fetch", "-q", str(folder / "work"), "HEAD", cwd=brain)
    asked = (f"--git-dir={brain}", "update-ref", "refs/heads/main", new)
    around = _git(*asked, cwd=folder, check=False)
    assert around.returncode != 0 and "through the gate only" in around.stderr


def test_local_hooks_are_not_put_where_git_does_not_look(elsewhere: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    _git("init", "-q", cwd=vault)
    done = _manent("hooks", "install", "--local", cwd=vault)
    assert done.returncode == 1
    assert str(elsewhere) in done.stderr
    named = _manent("hooks", "install", "--local", "--hooks-path", str(elsewhere), cwd=vault)
    assert named.returncode == 0, named.stderr
    assert (elsewhere / "pre-commit").exists()
    (vault / "a.md").write_bytes(note("a", f"Call {phone()}."))
    _git("add", ".", cwd=vault)
    refused = _git("commit", "-qm", "a", cwd=vault, check=False)
    assert refused.returncode != 0
    (vault / "a.md").write_bytes(note("a", "Call nobody."))
    _git("add", ".", cwd=vault)
    assert _git("commit", "-qm", "a", cwd=vault, check=False).returncode == 0
