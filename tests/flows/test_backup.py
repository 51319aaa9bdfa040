"""A brain is backed up and made again from the copy: history, policy, hooks, state."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import GIT, Clone, mail, note


def manent(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "manent", *arguments]
    return subprocess.run(command, capture_output=True, check=False, text=True)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """State as other commands keep it: a database in use, and lines of text."""
    folder = tmp_path / "state"
    (folder / "audit").mkdir(parents=True)
    (folder / "audit/2026.jsonl").write_text('{"who": "ada"}\n')
    with contextlib.closing(sqlite3.connect(folder / "gaps.sqlite")) as database, database:
        database.execute("pragma journal_mode = wal")
        database.execute("create table gap (question text)")
        database.execute("insert into gap values ('who feeds the otters?')")
    return folder


def _backed_up(clone: Clone, state: Path, target: Path) -> Path:
    done = manent(
        "brain", "backup", str(clone.brain), "--to", str(target), "--state", str(state)
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def test_everything_comes_back(clone: Clone, state: Path, tmp_path: Path) -> None:
    agents = tmp_path / "agents.json"
    agents.write_text('{"ada": {"read": "*", "write": "*"}}')
    clone.brain_git("config", "manent.agents", str(agents))
    clone.brain_git("config", "manent.audiences", "team,board")
    clone.commit({"memory/otters.md": note("otters", "They sleep.")})
    assert clone.push("HEAD:main", "HEAD:side").accepted
    # A database that is being written to: its newest rows stand beside it.
    with contextlib.closing(sqlite3.connect(state / "gaps.sqlite")) as database:
        database.execute("insert into gap values ('and when?')")
        database.commit()
        made = _backed_up(clone, state, tmp_path / "kept")
    assert made.stat().st_mode & 0o777 == 0o700
    before, judged = clone.refs(), (clone.brain / "manent.judged").read_text()
    shutil.rmtree(clone.brain)
    agents.unlink()

    again, new = tmp_path / "again.git", tmp_path / "new-state"
    done = manent("brain", "restore", str(made), str(again), "--state", str(new))
    assert done.returncode == 0, done.stderr
    assert "2 refs, 4 notes indexed" in done.stdout
    assert (made / "agents.json").read_text() == '{"ada": {"read": "*", "write": "*"}}'
    shutil.copy(made / "agents.json", agents)
    clone.brain = again
    clone.git("remote", "set-url", "origin", str(again))
    assert clone.refs() == before
    assert (again / "manent.judged").read_text() == judged
    assert clone.brain_git("config", "manent.audiences") == "team,board"
    assert (new / "audit/2026.jsonl").read_text() == '{"who": "ada"}\n'
    with contextlib.closing(sqlite3.connect(new / "gaps.sqlite")) as database:
        assert len(database.execute("select * from gap").fetchall()) == 2
    assert manent("brain", "status", str(again)).returncode == 0
    clone.commit({"memory/bad.md": note("bad", mail())})
    assert clone.push().refused
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_what_was_allowed_then_is_no_hindrance(clone: Clone, state: Path, tmp_path: Path) -> None:
    """A restore judges nothing again: what is in the history was judged when it came."""
    clone.brain_git("config", "manent.strictContent", "false")
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    assert clone.push().accepted
    clone.brain_git("config", "manent.strictContent", "true")
    made = _backed_up(clone, state, tmp_path / "kept")
    done = manent("brain", "restore", str(made), str(tmp_path / "again.git"))
    assert done.returncode == 0, done.stderr


def test_an_empty_brain_comes_back_too(tmp_path: Path) -> None:
    assert manent("brain", "create", str(tmp_path / "b.git")).returncode == 0
    kept = manent("brain", "backup", str(tmp_path / "b.git"), "--to", str(tmp_path / "kept"))
    made = kept.stdout.strip()
    done = manent("brain", "restore", made, str(tmp_path / "again.git"))
    assert done.returncode == 0, done.stderr
    head = subprocess.run(
        [GIT, "symbolic-ref", "HEAD"], cwd=tmp_path / "again.git", capture_output=True, text=True
    )
    assert head.stdout.strip() == "refs/heads/main"


@pytest.mark.parametrize("damage", ["a bit", "a file gone", "a file more", "no manifest", "newer"])
def test_a_damaged_backup_makes_nothing(
    clone: Clone, state: Path, tmp_path: Path, damage: str
) -> None:
    made = _backed_up(clone, state, tmp_path / "kept")
    bundle, manifest = made / "history.bundle", made / "MANIFEST.json"
    if damage == "a bit":
        raw = bytearray(bundle.read_bytes())
        raw[-30] ^= 1
        bundle.write_bytes(bytes(raw))
    elif damage == "a file gone":
        (made / "state/gaps.sqlite").unlink()
    elif damage == "a file more":
        (made / "state/more.txt").write_text("x")
    elif damage == "no manifest":
        manifest.unlink()
    else:
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 9}))
    done = manent("brain", "restore", str(made), str(tmp_path / "again.git"))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert not (tmp_path / "again.git").exists()


def test_nothing_is_overwritten(clone: Clone, state: Path, tmp_path: Path) -> None:
    made = _backed_up(clone, state, tmp_path / "kept")
    done = manent("brain", "restore", str(made), str(clone.brain))
    assert done.returncode == 2 and "not empty" in done.stderr
    other = tmp_path / "other.git"
    done = manent("brain", "restore", str(made), str(other), "--state", str(state))
    assert done.returncode == 2 and "not empty" in done.stderr
    assert not other.exists()
