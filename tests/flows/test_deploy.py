"""The server recipe, run below a scratch root by a user of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from repositories import GIT, note, phone
from servers import installed, setup


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root in which manent is installed already: this very environment."""
    return installed(tmp_path)


def test_it_makes_a_brain_that_refuses(root: Path) -> None:
    for _ in range(2):  # safe to run again
        done = setup(root, str(root / "manent.whl"), "team-memory")
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
    done = setup(root, *(a.replace("{wheel}", wheel) for a in arguments))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (root / "srv").exists()


def test_what_the_operator_changed_stays(root: Path) -> None:
    wheel = str(root / "manent.whl")
    assert setup(root, wheel, "team-memory").returncode == 0
    conf = root / "etc/nginx/snippets/manent.conf"
    mine = conf.read_text() + "# ours\n"
    conf.write_text(mine)
    agents = root / "etc/manent/agents.json"
    agents.write_text('{"ada": {"write": "*"}}\n')
    program = root / "opt/manent/libexec/git-http"
    program.write_text("#!/bin/sh\nexit 9\n")
    again = setup(root, wheel, "team-memory")
    assert again.returncode == 0 and f"{conf} differs and stays" in again.stdout
    assert conf.read_text() == mine and "# ours" not in (root / f"{conf}.new").read_text()
    assert "ada" in agents.read_text()
    assert "gate transport http" in program.read_text()


def test_nobody_gets_in_before_somebody_is_named(root: Path) -> None:
    assert setup(root, str(root / "manent.whl"), "team-memory").returncode == 0
    brain = root / "srv/brains/team-memory.git"
    named = subprocess.run(
        [GIT, "config", "manent.agents"], cwd=brain, capture_output=True, text=True
    )
    assert named.stdout.strip() == str(root / "etc/manent/agents.json")
    serve = [str(root / "opt/manent/bin/manent"), "gate", "transport", "ssh", "ada"]
    done = subprocess.run(
        [*serve, "--root", str(root / "srv/brains")], capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "SSH_ORIGINAL_COMMAND": "git-upload-pack team-memory"},
    )  # fmt: skip
    assert done.returncode == 1 and "does not know ada" in done.stderr
