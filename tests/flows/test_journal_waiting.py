"""A journal while git is in the middle of something: what is told, and that nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from manent import record
from manent.journal import gitstate
from manent.journal import merge as driver

MANENT = [sys.executable, "-m", "manent"]
LOG = "journal/LOG.txt"
DAY = "2026-03-0{}"


def git(top: Path, *argv: str, code: int | None = 0) -> str:
    done = subprocess.run(["git", *argv], cwd=top, capture_output=True, text=True, check=False)
    assert code is None or done.returncode == code, f"git {argv}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def journal(top: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    asked = [*MANENT, "journal", "--dir", str(top / "journal"), *argv]
    return subprocess.run(asked, capture_output=True, text=True, check=False)


def log(*lines: str, days: str) -> bytes:
    rows = enumerate(zip(days, lines, strict=True))
    return b"".join(record.log_record(i, DAY.format(day), text) for i, (day, text) in rows)


def texts(top: Path) -> list[str]:
    raw = (top / LOG).read_bytes()
    lines = [record.log_line(raw[i : i + 320], i // 320) for i in range(0, len(raw), 320)]
    return [record.split_line(line)[2] for line in lines]


def commit(top: Path, message: str, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", message)


@pytest.fixture
def forked(tmp_path: Path) -> Path:
    """On main a note of day 5; on mine, which stands checked out, two of day 2."""
    top = tmp_path / "a vault"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    driver.install(str(top), f"'{sys.executable}' -P -m manent", dict(os.environ))
    commit(top, "begin", {LOG: log("a", days="1"), "journal/.gitignore": b"/.lock\n"})
    git(top, "checkout", "-q", "-b", "mine")
    commit(top, "m", {LOG: log("a", "m", days="12")})
    commit(top, "n", {LOG: log("a", "m", "n", days="122")})
    git(top, "checkout", "-q", "main")
    commit(top, "x", {LOG: log("a", "x", days="15")})
    git(top, "checkout", "-q", "mine")
    return top


STOPPED = {
    "rebase": (["rebase", "main"], "git rebase --abort"),
    "rebase by patches": (["rebase", "--apply", "main"], "git rebase --abort"),
    "rebase of merges": (["rebase", "-r", "main"], "git rebase --abort"),
    "pull": (["pull", "--rebase", ".", "main"], "git rebase --abort"),
    "pick": (["cherry-pick", "mine~1"], "git cherry-pick --abort"),
    "picks": (["cherry-pick", "main..mine"], "git cherry-pick --abort"),
}


@pytest.mark.parametrize("name", STOPPED)
def test_what_is_stopped_is_undone_as_printed(forked: Path, name: str) -> None:
    argv, way_back = STOPPED[name]
    if argv[0] == "cherry-pick":
        git(forked, "checkout", "-q", "main")
    before = git(forked, "rev-parse", "HEAD"), texts(forked)
    said = git(forked, *argv, code=None)
    assert "#1, which is upstream already; merge instead. Run: " in said, said
    order = said.partition("merge instead. Run: ")[2].splitlines()[0]
    assert order == way_back
    subprocess.run(["sh", "-c", order], cwd=forked, check=True)
    assert gitstate.under_way(str(forked / ".git")) is None
    assert git(forked, "status", "--porcelain", "-uno") == ""
    assert before == (git(forked, "rev-parse", "HEAD"), texts(forked))


def test_a_patch_that_is_stopped_is_given_up_as_printed(forked: Path) -> None:
    git(forked, "format-patch", "-q", "-1", "mine~1", "-o", "..")
    git(forked, "checkout", "-q", "main")
    patch = next(str(p) for p in forked.parent.glob("*.patch"))
    said = git(forked, "am", "-3", patch, code=128)
    order = said.partition("merge instead. Run: ")[2].splitlines()[0]
    assert order == "git am --abort"
    subprocess.run(["sh", "-c", order], cwd=forked, check=True)
    assert texts(forked) == ["a", "x"] and git(forked, "status", "--porcelain", "-uno") == ""


def test_a_stash_that_is_stopped_keeps_its_note(forked: Path) -> None:
    (forked / LOG).write_bytes(log("a", "m", "n", "o", days="1222"))
    git(forked, "stash", "-q")
    git(forked, "checkout", "-q", "main")
    said = git(forked, "stash", "pop", code=1)
    order = said.partition("merge instead. Run: ")[2].splitlines()[0]
    assert order == "git reset --merge && git stash branch stashed-notes"
    subprocess.run(["sh", "-c", order], cwd=forked, check=True)
    assert texts(forked) == ["a", "m", "n", "o"]
    git(forked, "commit", "-q", "-am", "stashed")
    git(forked, "merge", "-q", "-m", "both", "main")
    assert texts(forked) == ["a", "m", "n", "o", "x"]


def test_a_checkout_that_is_stopped_keeps_its_note(forked: Path) -> None:
    (forked / LOG).write_bytes(log("a", "m", "n", "o", days="1222"))
    said = git(forked, "checkout", "-m", "main", code=None)
    order = said.partition("merge instead. Run: ")[2].splitlines()[0]
    subprocess.run(["sh", "-c", order], cwd=forked, check=True)
    assert git(forked, "branch", "--show-current") == "mine\n"
    assert texts(forked) == ["a", "m", "n", "o"]


WAITING = {
    "a merge": (["merge", "main"], "git merge --abort"),
    "a rebase": (["rebase", "main"], "git rebase --abort"),
    "a cherry-pick": (["cherry-pick", "main"], "git cherry-pick --abort"),
    "a revert": (["revert", "--no-edit", "HEAD~1"], "git revert --abort"),
}


@pytest.mark.parametrize("what", WAITING)
def test_nothing_is_noted_that_giving_up_would_lose(tmp_path: Path, what: str) -> None:
    top = tmp_path / "vault"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    driver.install(str(top), f"'{sys.executable}' -P -m manent", dict(os.environ))
    commit(top, "begin", {LOG: log("a", "b", days="11"), "x.md": b"1\n"})
    git(top, "checkout", "-q", "-b", "mine")
    commit(top, "m1", {LOG: log("a", "b", "m", days="112"), "x.md": b"2\n"})
    commit(top, "m2", {LOG: log("a", "b", "m", "n", days="1122"), "x.md": b"2b\n"})
    git(top, "checkout", "-q", "main")
    commit(top, "x", {LOG: log("a", "b", "x", days="112"), "x.md": b"3\n"})
    git(top, "checkout", "-q", "mine")
    argv, give_up = WAITING[what]
    git(top, *argv, code=1)
    held = (top / LOG).read_bytes()
    lines = top / "life.txt"
    lines.write_text("2026-04-01 later\n")
    for asked in (["note", "o"], ["note", "--commit", "o"], ["import", str(lines)],
                  ["sleep", "0-1", "ab"], ["forget", "0-1"]):  # fmt: skip
        done = journal(top, *asked)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        assert f"{what} waits in the repository" in done.stderr
        assert "nothing was saved" in done.stderr and f"`{give_up}`" in done.stderr
    assert (top / LOG).read_bytes() == held
    for asked in (["wake"], ["recall", "a"], ["sleep"], ["export"], ["zoom", "0-1"]):
        assert journal(top, *asked).returncode == 0
    lines.unlink()
    subprocess.run(["sh", "-c", give_up], cwd=top, check=True)
    assert journal(top, "note", "o").returncode == 0
    assert texts(top) == ["a", "b", "m", "n", "o"]


def test_a_journal_that_git_does_not_track_goes_on(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, "begin", {".gitignore": b"/journal/\n", "x.md": b"1\n"})
    assert journal(tmp_path, "init").returncode == 0
    (tmp_path / ".git" / "MERGE_HEAD").write_text(git(tmp_path, "rev-parse", "HEAD"))
    assert journal(tmp_path, "note", "a").stdout == "Saved as #0.\n"


REFUSED = (["note", "o"], ["note", "--commit", "o"], ["sleep", "0-1", "ab"], ["forget", "0-1"])


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("how", ["stash", "checkout"])
def test_nothing_is_noted_between_a_stop_and_the_way_back(
    forked: Path, how: str, version: str
) -> None:
    """Git leaves no sign of what it was at but a log that its index has several times."""
    git(forked, "config", "index.version", version)
    git(forked, "update-index", "--index-version", version)
    (forked / LOG).write_bytes(log("a", "m", "n", "o", days="1222"))
    if how == "stash":
        git(forked, "stash", "-q")
        git(forked, "checkout", "-q", "main")
        said = git(forked, "stash", "pop", code=1)
    else:
        said = git(forked, "checkout", "-m", "main", code=None)
    held = (forked / LOG).read_bytes()
    for asked in REFUSED:
        done = journal(forked, *asked)
        assert done.returncode == 2 and "nothing was saved" in done.stderr, done
        assert done.stderr.count("\n") == 1
    assert (forked / LOG).read_bytes() == held
    assert journal(forked, "wake").returncode == 0
    order = said.partition("merge instead. Run: ")[2].splitlines()[0]
    if how == "stash":
        assert f"run: {order};" in done.stderr
    subprocess.run(["sh", "-c", order], cwd=forked, check=True)
    assert texts(forked) == ["a", "m", "n", "o"]
    assert journal(forked, "note", "p").stdout.startswith("Saved as #4.\n")
