"""Journal lines in searches through the server: an owner's, and whose they are."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from vaults import note, write

from manent import record
from manent.access import OWNER, Identity
from manent.repo.open import discover, state_folder
from manent.search.ranker import Setting
from manent.server.brain import Brain
from manent.server.journals import lines
from manent.server.served import Served

CLERK = Identity("clerk", frozenset({"team"}), journal="journal/clerk", history=True)
GUEST = Identity("guest", frozenset({"team"}), history=True)
WIDE = Identity("wide", None)

OWNERS = ("2026-03-01", "chose tea")
FIRST, SECOND = ("2026-02-01", "the clerk has tea"), ("2026-02-02", "tea again")


def log(*said: tuple[str, str]) -> bytes:
    return b"".join(record.log_record(i, day, text) for i, (day, text) in enumerate(said))


def git(top: Path, *argv: str, date: str = "2026-04-01") -> None:
    stamp = f"{date}T12:00:00Z"
    day = {"GIT_COMMITTER_DATE": stamp, "GIT_AUTHOR_DATE": stamp}
    subprocess.run(["git", *argv], cwd=top, check=True, env={**os.environ, **day})


def vault(top: Path) -> Path:
    """A vault whose clerk's journal grew by a line, and lost its first one."""
    files = {"a.md": note("a", audience="[team]"), "journal/LOG.txt": log(OWNERS)}
    write(top, files | {"journal/clerk/LOG.txt": log(FIRST, SECOND)})
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "one", date="2026-04-01")
    write(top, {"journal/clerk/LOG.txt": log(SECOND)})
    git(top, "commit", "-qam", "two", date="2026-04-03")
    return top


@pytest.fixture(params=["folder", "brain"])
def brain(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Brain]:
    root: Path | None = vault(tmp_path / "vault")
    place = tmp_path / "vault"
    if request.param == "brain":
        git(tmp_path, "clone", "-q", "--bare", "vault", "brain.git")
        root, place = None, tmp_path / "brain.git"
    repository = discover(place, os.environ)
    assert repository is not None
    found = Brain(Served(root, repository, "", "main", state_folder(repository), dict(os.environ)))
    found.reload()
    yield found
    found.close()


def seen(brain: Brain, identity: Identity, rev: str = "") -> set[tuple[str, str]]:
    if rev:
        with brain.past(rev, identity, Setting("", None, None, 1)) as (lane, view, _, commit):
            rows = lines(lane, view, "tea", 10, commit)
    else:
        with brain.lease() as lane:
            rows = lines(lane, lane.view(identity), "tea", 10, "")
    return {(str(row["date"]), str(row["text"])) for row in rows}


def test_a_journal_is_its_owners_alone(brain: Brain) -> None:
    assert seen(brain, OWNER) == {OWNERS, SECOND}
    assert seen(brain, CLERK) == {SECOND}
    assert seen(brain, GUEST) == seen(brain, WIDE) == set()


def test_of_the_past_an_agent_sees_what_is_there_today(brain: Brain) -> None:
    assert seen(brain, OWNER, "2026-04-02") == {OWNERS, FIRST, SECOND}
    assert seen(brain, CLERK, "2026-04-02") == {SECOND}
    assert seen(brain, GUEST, "2026-04-02") == set()
    assert seen(brain, CLERK, "2026-03-01") == set(), "before the first commit"
