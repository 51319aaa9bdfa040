"""A lock that a killed git left is taken away, and no other."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from manent.repo.locks import drop_left
from manent.repo.open import Repository, discover


@pytest.fixture(params=["working tree", "bare"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    """An empty repository."""
    bare = ["--bare"] if request.param == "bare" else []
    subprocess.run(["git", "init", "-q", *bare, "-b", "main", str(tmp_path)], check=True)
    found = discover(tmp_path, os.environ)
    assert found is not None
    return found


LOCKS = ("index.lock", "HEAD.lock", "refs/heads/main.lock", "next-index-4.lock", "packed-refs.lock")


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_nobody_holds_is_removed(repository: Repository, name: str) -> None:
    since = time.time_ns()
    (repository.path / name).touch()
    assert drop_left(repository, since)
    assert not (repository.path / name).exists()


def test_an_older_lock_is_somebody_elses(repository: Repository) -> None:
    lock = repository.path / "index.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    assert drop_left(repository, time.time_ns())
    assert lock.exists()


def test_a_lock_stays_while_a_git_runs_there(repository: Repository) -> None:
    lock = repository.path / "index.lock"
    since = time.time_ns()
    lock.touch()
    with subprocess.Popen(
        ["git", "cat-file", "--batch"],
        cwd=repository.workdir or repository.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as running:
        assert not drop_left(repository, since)
        assert lock.exists()
        assert running.stdin is not None
        running.stdin.close()
        running.wait()
    assert drop_left(repository, since)
    assert not lock.exists()
