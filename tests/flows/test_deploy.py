"""The server recipe, run below a scratch root by a user of its own."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import GIT, note, phone

SETUP = Path(__file__).resolve().parent.parent.parent / "deploy" / "setup.sh"


def _setup(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {"MANENT_ROOT": str(root), "MANENT_USER": getpass.getuser()}
    return subprocess.run(
        ["sh", str(SETUP), *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root in which manent is installed already: this very environment."""
    home = tmp_path / "opt" / "manent" / "bin"
    home.mkdir(parents=True)
    python = home / "python"
    # The wheel's own test installs it for real; here pip has nothing left to do.
    python.write_text(f'#!/bin/sh\n[ "$2" = pip ] && exit 0\nexec "{sys.executable}" "$@"\n')
    (home / "manent").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m manent "$@"\n')
    for program in (python, home / "manent"):
        program.chmod(0o755)
    (tmp_path / "manent.whl").write_bytes(b"")
    return tmp_path


def test_it_makes_a_brain_that_refuses(root: Path) -> None:
    for _ in range(2):  # safe to run again
        done = _setup(root, str(root / "manent.whl"), "team-memory")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "the gate is at work" in done.stdout
    brain = root / "srv/brains/team-memory.git"
    work = root / "work"
    subprocess.run([GIT, "clone", "-q", brain, work], check=True, capture_output=True)
    (work / "call.md").write_bytes(note("call", f"Call {phone()}."))
    subprocess.run([GIT, "add", "."], cwd=work, check=True)
    subprocess.run([GIT, "commit", "-qm", "call"], cwd=work, check=True)
    pushed = subprocess.run(
        [GIT, "push", "origin", "HEAD:main"], cwd=work, capture_output=True, text=True
    )
    assert pushed.returncode != 0
    assert "manent: refused" in pushed.stderr


@pytest.mark.parametrize("arguments", [(), ("missing.whl", "x"), ("{wheel}", "../x"), ("{wheel}",)])
def test_wrong_use_is_one_line(root: Path, arguments: tuple[str, ...]) -> None:
    wheel = str(root / "manent.whl")
    done = _setup(root, *(a.replace("{wheel}", wheel) for a in arguments))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (root / "srv").exists()
