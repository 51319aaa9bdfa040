"""The server recipe, run below a scratch root by a user of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from repositories import GIT, Clone, note, phone
from servers import installed, setup

DEPLOY = Path(__file__).resolve().parent.parent.parent / "deploy"


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


def test_the_nightly_backup_and_its_restore(root: Path) -> None:
    assert setup(root, str(root / "manent.whl"), "team-memory").returncode == 0
    state = root / "var/lib/manent/team-memory"
    (state / "audit.jsonl").write_text('{"who": "ada"}\n')
    kept = root / "var/backups/manent"
    old = kept / "team-memory-2020-01-01T000000Z.backup"
    old.mkdir()
    os.utime(old, (0, 0))
    done = subprocess.run(
        [str(root / "opt/manent/libexec/backup"), str(kept)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (made,) = kept.iterdir()
    assert (made / "state/audit.jsonl").read_text() == '{"who": "ada"}\n'
    assert (made / "agents.json").read_text() == "{}\n"
    again = root / "srv/brains/again.git"
    manent = str(root / "opt/manent/bin/manent")
    asked = [manent, "brain", "restore", str(made), str(again), "--state", str(root / "state")]
    assert subprocess.run(asked, capture_output=True).returncode == 0
    assert (root / "state/audit.jsonl").exists()
    assert subprocess.run([manent, "brain", "status", str(again)]).returncode == 0


def test_the_ci_workflow_judges_a_pull_request(tmp_path: Path) -> None:
    """Its own commands, but for the installation, on a vault and a branch of it."""
    workflow = yaml.safe_load((DEPLOY / "ci/gate.yml").read_text())
    job = workflow["jobs"]["gate"]
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}
    assert set(workflow[True]) == {"pull_request_target"}  # `on`, as YAML 1.1 reads it
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert [c for c in commands if "pull_request" in c] == []
    hub, vault = tmp_path / "hub.git", Clone(tmp_path / "vault", tmp_path / "hub.git")
    subprocess.run([GIT, "init", "-q", "--bare", str(hub)], check=True)
    subprocess.run([GIT, "clone", "-q", str(hub), str(vault.path)], check=True, capture_output=True)
    base = vault.commit({"memory/first.md": note("first", audience="[team]")})
    vault.push("HEAD:main")
    checkout = tmp_path / "checkout"
    subprocess.run([GIT, "clone", "-q", "-b", "main", str(hub), str(checkout)], check=True)
    bin_ = installed(tmp_path / "server") / "opt/manent/bin"
    for text, expected in (("Text.", 0), (f"Call {phone()}.", 1)):
        head = vault.commit({"memory/second.md": note("second", text)})
        assert vault.push("+HEAD:refs/pull/7/head").accepted
        variables = {"BASE": base, "HEAD": head, "NUMBER": "7"}
        script = "set -e\n" + "\n".join(c for c in commands if "pip install" not in c)
        done = subprocess.run(
            ["sh", "-c", script], cwd=checkout, capture_output=True, text=True,
            env={**os.environ, **variables, "PATH": f"{bin_}:{os.environ['PATH']}"},
        )  # fmt: skip
        assert done.returncode == expected, done.stderr
        report = json.loads((checkout / "gate.sarif").read_text())
        errors = [r["ruleId"] for r in report["runs"][0]["results"] if r["level"] == "error"]
        assert errors == ["pii"] * expected
        assert phone() not in json.dumps(report)


def test_pre_commit_hooks_name_commands_that_exist(tmp_path: Path) -> None:
    hooks = yaml.safe_load((DEPLOY.parent / ".pre-commit-hooks.yaml").read_text())
    vault = Clone(tmp_path, tmp_path)
    vault.git("init", "-q", "-b", "main", ".")
    vault.commit({"memory/first.md": note("first")})
    vault.git("update-ref", "refs/remotes/origin/main", "HEAD")
    vault.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    for hook, stage in zip(hooks, ("pre-commit", "pre-push"), strict=True):
        assert hook["stages"] == [stage]
        _, *arguments = hook["entry"].split()
        asked = [sys.executable, "-m", "manent", *arguments]
        assert subprocess.run(asked, cwd=tmp_path, capture_output=True).returncode == 0
    vault.write({"memory/bad.md": note("bad", phone())})
    asked = [sys.executable, "-m", "manent", *hooks[0]["entry"].split()[1:]]
    assert subprocess.run(asked, cwd=tmp_path, capture_output=True).returncode == 1
    vault.git("commit", "-qm", "bad")
    asked = [sys.executable, "-m", "manent", *hooks[1]["entry"].split()[1:]]
    assert subprocess.run(asked, cwd=tmp_path, capture_output=True).returncode == 1


def test_systemd_reads_the_units(root: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    units = sorted((DEPLOY / "root/etc/systemd/system").iterdir())
    done = subprocess.run(
        [analyze, "verify", *map(str, units)], capture_output=True, text=True, check=False
    )
    faults = [x for x in done.stderr.splitlines() if "Unknown" in x or "Failed to parse" in x]
    assert not faults, done.stderr
