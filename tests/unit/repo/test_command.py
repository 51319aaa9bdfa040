"""Commands of git that are started before they are asked for."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from manent.repo.command import Git, clean
from manent.repo.incoming import RefUpdate, ask_ahead, reached
from manent.repo.open import Repository


def made(folder: Path) -> Git:
    subprocess.run(["git", "init", "-q", "--bare", str(folder / "r.git")], check=True)
    return Git(str(folder / "r.git"), folder, clean({}))


def children() -> set[str]:
    listed = Path(f"/proc/self/task/{Path('/proc/self').resolve().name}/children")
    if not listed.exists():
        pytest.skip("this system does not list a process's children")
    return set(listed.read_text().split())


def test_what_was_started_ahead_answers_once(tmp_path: Path) -> None:
    git = made(tmp_path)
    before = children()
    git.ahead("hash-object", "--stdin", given=b"text")
    assert len(children() - before) == 1
    ahead = git.run("hash-object", "--stdin", given=b"text")
    assert children() == before
    assert git.run("hash-object", "--stdin", given=b"text") == ahead
    assert git.run("hash-object", "--stdin", given=b"other") != ahead


@pytest.mark.parametrize(
    "asked",
    [{"given": b"other"}, {"given": b"text", "env": {"GIT_TRACE": "0"}}],
    ids=["another input", "another environment"],
)
def test_other_words_are_not_answered_by_it(tmp_path: Path, asked: dict[str, object]) -> None:
    git = made(tmp_path)
    before = children()
    git.ahead("hash-object", "--stdin", given=b"text")
    out = git.run("hash-object", "--stdin", **asked)  # type: ignore[arg-type]
    assert out == made(tmp_path).run("hash-object", "--stdin", **asked)  # type: ignore[arg-type]
    assert len(children() - before) == 1
    git.close()
    assert children() == before


def test_its_failure_is_that_of_the_command(tmp_path: Path) -> None:
    git = made(tmp_path)
    git.ahead("cat-file", "-p", "0" * 40)
    status, out, said = git.attempt("cat-file", "-p", "0" * 40)
    assert (status, out, said) == git.attempt("cat-file", "-p", "0" * 40)
    assert status == 128 and "Not a valid object name" in said


def test_a_time_out_leaves_no_command_behind(tmp_path: Path) -> None:
    git = made(tmp_path)
    git.run("config", "alias.wait", "!exec sleep 60")
    before = children()

    def over(number: int, frame: object) -> None:
        raise TimeoutError

    held = signal.signal(signal.SIGALRM, over)
    try:
        for early in (False, True):
            if early:
                git.ahead("wait")
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                git.run("wait")
            assert time.monotonic() - began < 30
            assert children() == before
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, held)


def test_a_push_is_read_the_same_ahead_or_not(tmp_path: Path) -> None:
    git = made(tmp_path)
    tree = git.run("mktree").decode().strip()
    person = {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER")
              for what in ("NAME", "EMAIL")}  # fmt: skip
    tip = git.run("commit-tree", tree, "-m", "one", env=person).decode().strip()
    update = RefUpdate("0" * 40, tip, "refs/heads/main")
    plain = Repository(tmp_path / "r.git", None, {}, light=True)
    ahead = Repository(tmp_path / "r.git", None, {}, light=True)
    before = children()
    ask_ahead(ahead, [update, RefUpdate(tip, "0" * 40, "refs/heads/gone")])
    assert reached(ahead, [tip], {}) == reached(plain, [tip], {}) == ([tip], {tip, tree})
    assert ahead.section() == plain.section()
    ahead.close()
    plain.close()
    assert children() == before


def test_nothing_is_asked_of_tags_before_they_are_read(tmp_path: Path) -> None:
    made(tmp_path)
    repository = Repository(tmp_path / "r.git", None, {}, light=True)
    before = children()
    ask_ahead(repository, [RefUpdate("0" * 40, "1" * 40, "refs/tags/one")])
    assert len(children() - before) == 1  # the settings alone
    repository.close()
    assert children() == before
