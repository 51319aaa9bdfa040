"""The local hooks and the merge driver of journals: put in, at work, taken out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from manent import record
from manent.journal.merge import ATTRIBUTES

MANENT = [sys.executable, "-m", "manent"]
DAY = "2026-03-0{}"


def git(top: Path, *argv: str, check: bool = True) -> str:
    done = subprocess.run(["git", *argv], cwd=top, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, f"git {argv}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def manent(top: Path, *argv: str, code: int | None = 0) -> str:
    done = subprocess.run([*MANENT, *argv], cwd=top, capture_output=True, text=True, check=False)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def log(*lines: str, days: str) -> bytes:
    rows = enumerate(zip(days, lines, strict=True))
    return b"".join(record.log_record(i, DAY.format(day), text) for i, (day, text) in rows)


def level(*lines: str) -> bytes:
    return b"".join(record.tree_record(text) for text in lines)


def commit(top: Path, files: dict[str, bytes], message: str = "step") -> None:
    for path, content in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", message)


LOG, TWO = "journal/LOG.txt", "journal/TREE/2"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with a journal of two memories, without hooks."""
    top = tmp_path / "a vault"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    files = {LOG: log("a", "b", days="11"), TWO: level("a b"), "journal/.gitignore": b"/.lock\n"}
    commit(top, files)
    return top


def config(top: Path) -> str:
    return git(top, "config", "--local", "--list")


def hooks_of(top: Path) -> set[str]:
    return {p.name for p in (top / ".git/hooks").iterdir() if p.suffix != ".sample"}


def test_installing_twice_is_installing_once(vault: Path) -> None:
    said = manent(vault, "hooks", "install")
    assert "post-merge: installed" in said and "journal: merge driver installed" in said
    once = config(vault), (vault / ".gitattributes").read_bytes(), hooks_of(vault)
    again = manent(vault, "hooks", "install")
    assert "merge driver" not in again
    assert once == (config(vault), (vault / ".gitattributes").read_bytes(), hooks_of(vault))
    assert hooks_of(vault) == {"pre-commit", "post-merge", "post-rewrite"}
    status = manent(vault, "hooks", "status")
    assert "post-rewrite: installed" in status and "journal: merge driver installed" in status


def test_uninstalling_leaves_what_was_there_before(vault: Path) -> None:
    before = config(vault)
    theirs = vault / ".git/hooks/post-merge"
    theirs.write_text("#!/bin/sh\necho theirs\n")
    theirs.chmod(0o755)
    manent(vault, "hooks", "install")
    said = manent(vault, "hooks", "uninstall")
    assert "journal: merge driver removed" in said
    assert config(vault) == before
    assert hooks_of(vault) == {"post-merge"}
    assert theirs.read_text() == "#!/bin/sh\necho theirs\n"
    assert "merge driver missing" in manent(vault, "hooks", "status", code=None)


def test_a_vault_without_a_journal_gets_no_driver(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    said = manent(tmp_path, "hooks", "install")
    assert "merge driver" not in said
    assert not (tmp_path / ".gitattributes").exists()
    assert "manent-journal" not in config(tmp_path)
    assert "merge driver" not in manent(tmp_path, "hooks", "status")


def test_a_brain_gets_no_driver(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "brain.git")
    said = manent(tmp_path, "hooks", "install", "--repo", "brain.git")
    assert "merge driver" not in said and "post-merge" not in said


def test_a_new_vault_is_ready_for_a_journal(tmp_path: Path) -> None:
    said = manent(tmp_path, "init", "vault")
    vault = tmp_path / "vault"
    assert "journal: merge driver installed" in said
    lines = (vault / ".gitattributes").read_text().splitlines()
    assert [line for line in lines if "journal" in line] == list(ATTRIBUTES)
    assert "manent-journal" in config(vault)


def test_init_leaves_attributes_alone_that_stood_there(tmp_path: Path) -> None:
    (tmp_path / ".gitattributes").write_text("*.md text\n")
    manent(tmp_path, "init", ".")
    assert (tmp_path / ".gitattributes").read_text() == "*.md text\n"


# ---------------------------------------------------------------- at work


def clones(vault: Path) -> Path:
    """Install the hooks, clone, and install them in the clone too; return it."""
    manent(vault, "hooks", "install")
    git(vault, "add", "-A")
    git(vault, "commit", "-q", "-m", "attributes")
    git(vault.parent, "clone", "-q", str(vault), "other")
    other = vault.parent / "other"
    manent(other, "hooks", "install")
    assert git(other, "status", "--porcelain") == ""
    return other


def in_order(top: Path) -> list[str]:
    raw = (top / LOG).read_bytes()
    lines = [record.log_line(raw[i : i + 320], i // 320) for i in range(0, len(raw), 320)]
    return [record.split_line(line)[2] for line in lines]


def test_a_merge_is_settled_in_its_own_commit(vault: Path) -> None:
    other = clones(vault)
    commit(vault, {LOG: log("a", "b", "x", "y", days="1135"), TWO: level("a b", "x y")})
    commit(other, {LOG: log("a", "b", "m", days="112")})
    git(other, "pull", "-q", "--no-rebase", "--no-edit")
    assert in_order(other) == ["a", "b", "m", "x", "y"]
    # Git took the level that one side alone had changed; the hook cut it.
    assert (other / TWO).read_bytes() == level("a b")
    assert git(other, "status", "--porcelain") == ""
    assert len(git(other, "rev-list", "--parents", "-1", "HEAD").split()) == 3


def test_a_rebase_is_settled_by_a_commit_on_top(vault: Path) -> None:
    other = clones(vault)
    commit(vault, {LOG: log("a", "b", "x", days="112")})
    commit(other, {LOG: log("a", "b", "m", "n", days="1133"), TWO: level("a b", "m n")})
    git(other, "pull", "-q", "--rebase")
    assert in_order(other) == ["a", "b", "x", "m", "n"]
    assert (other / TWO).read_bytes() == level("a b")
    assert git(other, "status", "--porcelain") == ""


def test_a_merge_finished_by_hand_is_settled_before_its_commit(vault: Path) -> None:
    other = clones(vault)
    commit(vault, {LOG: log("a", "b", "x", "y", days="1135"), TWO: level("a b", "x y"), "x": b"1"})
    commit(other, {LOG: log("a", "b", "m", days="112"), "x": b"2"})
    assert "CONFLICT" in git(other, "pull", "--no-rebase", "--no-edit", check=False)
    (other / "x").write_bytes(b"3")
    git(other, "commit", "-q", "-a", "-m", "by hand")
    assert (other / TWO).read_bytes() == level("a b")
    assert git(other, "show", f"HEAD:{TWO}").rstrip() == "a b"
    assert git(other, "status", "--porcelain") == ""


def test_a_hook_that_stood_there_gets_its_arguments_and_lines(vault: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    for name in ("post-merge", "post-rewrite"):
        hook = vault / ".git/hooks" / name
        hook.write_text(f'#!/bin/sh\necho "{name} $@" >>"{seen}"\ncat >>"{seen}"\n')
        hook.chmod(0o755)
    assert "the hook that stood there runs after ours" in manent(vault, "hooks", "install")
    git(vault, "add", "-A")
    git(vault, "commit", "-q", "-m", "attributes")
    old = git(vault, "rev-parse", "HEAD").strip()
    git(vault, "commit", "-q", "--amend", "-m", "again")
    new = git(vault, "rev-parse", "HEAD").strip()
    assert seen.read_text() == f"post-rewrite amend\n{old} {new}\n"
    git(vault, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(vault, {"x": b"1"})
    git(vault, "merge", "-q", "--no-edit", "main")
    assert seen.read_text().endswith("post-merge 0\n")


def test_before_a_commit_the_laws_are_kept(vault: Path) -> None:
    manent(vault, "hooks", "install")
    commit(vault, {LOG: log("a", "b", "c", days="112")})
    (vault / LOG).write_bytes(log("a", "c", days="12"))
    said = git(vault, "commit", "-a", "-m", "forged", check=False)
    assert "record #1 was dropped" in said
    assert "[journal-log]" in said
    assert git(vault, "show", f"HEAD:{LOG}").count("#") == 3


def test_a_range_is_judged_by_the_laws(vault: Path) -> None:
    commit(vault, {LOG: log("a", "c", days="11")})
    commit(vault, {LOG: log("a", "b", days="11")})
    said = manent(vault, "gate", "range", "HEAD~2..HEAD", code=1)
    assert "record #1 was edited" in said


def test_hooks_work_in_a_linked_working_tree(vault: Path) -> None:
    manent(vault, "hooks", "install")
    commit(vault, {LOG: log("a", "b", "x", "y", days="1135"), TWO: level("a b", "x y")})
    git(vault, "worktree", "add", "-q", "../beside", "-b", "side", "HEAD~1")
    beside = vault.parent / "beside"
    (beside / ".gitattributes").write_bytes((vault / ".gitattributes").read_bytes())
    commit(beside, {LOG: log("a", "b", "m", days="112")})
    git(beside, "merge", "-q", "--no-edit", "main")
    assert in_order(beside) == ["a", "b", "m", "x", "y"]
    assert (beside / TWO).read_bytes() == level("a b")
    assert git(beside, "status", "--porcelain") == ""


def test_the_hook_needs_no_path(vault: Path) -> None:
    """Started by a tool with a bare environment, it finds interpreter and git."""
    other = clones(vault)
    commit(vault, {LOG: log("a", "b", "x", days="113")})
    commit(other, {LOG: log("a", "b", "m", days="112")})
    bare = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"]}
    done = subprocess.run(
        ["git", "pull", "-q", "--no-rebase", "--no-edit"],
        cwd=other, env=bare, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert in_order(other) == ["a", "b", "m", "x"]


@pytest.mark.parametrize("where", ["mem", "docs/my vault/journal", 'odd [a]* "q"'])
def test_a_journal_that_stands_elsewhere_merges_as_one(tmp_path: Path, where: str) -> None:
    one = tmp_path / "one"
    one.mkdir()
    git(one, "init", "-q")
    for argv in (["init"], ["merge", "--install"], ["note", "first"]):
        manent(one, "journal", "--dir", str(one / where), *argv)
    git(one, "add", "-A")
    git(one, "commit", "-qm", "first")
    two = tmp_path / "two"
    git(tmp_path, "clone", "-q", str(one), str(two))
    assert "Installed" in manent(two, "journal", "--dir", str(two / where), "merge", "--install")
    for top, said in ((one, "ours"), (two, "theirs")):
        manent(top, "journal", "--dir", str(top / where), "note", "--commit", said)
    git(two, "pull", "-q", "--no-rebase", "--no-edit")
    heard = manent(two, "journal", "--dir", str(two / where), "export")
    said = [line.split(" ", 1)[1] for line in heard.splitlines()]
    assert said[0] == "first" and sorted(said[1:]) == ["ours", "theirs"]
    manent(two, "journal", "--dir", str(two / where), "verify")
