"""What moves a brain's refs past its gate, or holds its gate up: other tools on the machine."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from repositories import GIT, Clone, mail, note
from test_push import listener_of

from manent.cli.hook import READY


def in_brain(clone: Clone, *arguments: str, folder: Path | None = None) -> bool:
    """Run git in the brain or a folder; tell whether it did what it was asked."""
    command = [GIT, "-C", str(folder or clone.brain), *arguments]
    return not subprocess.run(command, env=clone.environment, capture_output=True).returncode


@pytest.fixture
def settled(clone: Clone) -> Clone:
    """A brain that something was pushed to where it lies now: its hooks are pinned there."""
    clone.commit({"memory/settled.md": note("settled")})
    assert clone.push().accepted
    return clone


def bad(clone: Clone) -> str:
    return clone.commit({"memory/bad.md": note("bad", mail())})


@pytest.mark.parametrize(
    "ref", ["refs/heads/side", "refs/heads/team/side", "refs/tags/v1", "refs/remotes/up/main"]
)
def test_what_another_tool_brought_is_judged_when_it_is_pushed_on(clone: Clone, ref: str) -> None:
    tip = bad(clone)
    assert in_brain(clone, "fetch", "-q", str(clone.path), f"{tip}:{ref}")
    for target in ("main", "other"):
        pushed = clone.push(f"{tip}:refs/heads/{target}")
        assert pushed.refused and "memory/bad.md:6" in pushed.said, pushed.said
    # Nor does a good commit on top of it, on the branch itself.
    clone.git("rm", "-q", "memory/bad.md")
    later = clone.commit({"memory/good.md": note("good")})
    assert clone.push(f"{later}:refs/heads/side").refused


RENAMED = {
    "renamed": ("branch", "-m", "side", "other"),
    "copied": ("branch", "-c", "side", "other"),
    "linked": ("symbolic-ref", "refs/heads/other", "refs/heads/side"),
    "packed": ("pack-refs", "--all"),
}


@pytest.mark.parametrize("how", RENAMED)
def test_a_ref_by_another_name_is_judged_no_less(clone: Clone, how: str) -> None:
    """Git asks no hook for the new name of a branch."""
    tip = bad(clone)
    assert in_brain(clone, "fetch", "-q", str(clone.path), f"{tip}:refs/heads/side")
    assert in_brain(clone, *RENAMED[how])
    pushed = clone.push(f"{tip}:main")
    assert pushed.refused and "memory/bad.md:6" in pushed.said, pushed.said


def test_derived_data_that_is_deleted_lets_nothing_in(clone: Clone) -> None:
    tip = bad(clone)
    assert in_brain(clone, "fetch", "-q", str(clone.path), f"{tip}:refs/heads/side")
    shutil.rmtree(clone.brain / "manent")
    assert clone.push(f"{tip}:main").refused
    (clone.brain / "manent.judged").unlink()
    assert clone.push(f"{tip}:main").refused
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/good.md": note("good")})
    assert clone.push().accepted


@pytest.mark.parametrize("how", ["copied", "linked"])
def test_a_protected_branch_moved_past_every_hook_is_said_and_judged(
    settled: Clone, how: str
) -> None:
    start = settled.git("rev-parse", "HEAD")
    tip = bad(settled)
    assert in_brain(settled, "fetch", "-q", str(settled.path), f"{tip}:refs/heads/side")
    moved = {
        "copied": ("branch", "-f", "-c", "side", "main"),
        "linked": ("symbolic-ref", "refs/heads/main", "refs/heads/side"),
    }
    assert in_brain(settled, *moved[how])
    assert settled.brain_git("rev-parse", "main") == tip
    status = subprocess.run(
        [sys.executable, "-m", "manent", "brain", "status", str(settled.brain)],
        capture_output=True, text=True, env=settled.environment,
    )  # fmt: skip
    assert status.returncode == 1 and "which no gate has judged" in status.stdout
    settled.commit({"memory/good.md": note("good")})
    pushed = settled.push()
    assert pushed.refused and "memory/bad.md:6" in pushed.said, pushed.said
    assert start != tip


def test_git_looks_after_a_brain(settled: Clone) -> None:
    """It packs refs, which drops the files of single ones: that moves nothing."""
    settled.git("switch", "-q", "-c", "side")
    assert settled.push("HEAD:refs/heads/side", "HEAD:refs/tags/v1").accepted
    for command in (("pack-refs", "--all"), ("gc", "-q"), ("pack-refs", "--all", "--no-prune")):
        settled.commit({f"memory/{command[-1].strip('-')}.md": note(command[-1].strip("-"))})
        assert settled.push("HEAD:main").accepted
        assert in_brain(settled, *command), command
        tip = settled.brain_git("rev-parse", "main")
        assert not in_brain(settled, "update-ref", "-d", "refs/heads/main"), command
        assert settled.brain_git("rev-parse", "main") == tip
    settled.brain_git("config", "gc.auto", "1")
    settled.brain_git("config", "gc.autoDetach", "false")
    for number in range(3):
        settled.commit({f"memory/n{number}.md": note(f"n{number}")})
        pushed = settled.push("HEAD:main")
        assert pushed.accepted and "fatal" not in pushed.said, pushed.said


def test_what_the_gate_let_in_does_not_grow_for_ever(clone: Clone) -> None:
    place = clone.brain / "manent.judged"
    place.write_text("".join(f"{n:040x}\n" for n in range(3000)) + place.read_text())
    clone.commit({"memory/fine.md": note("fine")})
    assert clone.push().accepted
    lines = place.read_text().split()
    assert len(lines) < 500 and clone.git("rev-parse", "HEAD") in lines
    clone.commit({"memory/good.md": note("good")})
    assert "read 1 commit," in clone.push().said


def test_what_was_judged_is_not_judged_again_elsewhere(clone: Clone) -> None:
    clone.commit({"memory/fine.md": note("fine")})
    assert clone.push("HEAD:refs/heads/team/side").accepted
    pushed = clone.push("HEAD:main")
    assert pushed.accepted and "read 0 commits" in pushed.said, pushed.said


def test_branches_from_before_the_hooks_are_judged_when_they_are_pushed(
    clone: Clone, tmp_path: Path
) -> None:
    old = tmp_path / "old.git"
    assert in_brain(clone, "clone", "-q", "--bare", str(clone.path), str(old), folder=tmp_path)
    tip = bad(clone)
    assert in_brain(clone, "push", "-q", str(old), "HEAD:refs/heads/side", folder=clone.path)
    installed = subprocess.run(
        [sys.executable, "-m", "manent", "hooks", "install", "--repo", str(old), "--server"],
        capture_output=True, text=True, env=clone.environment,
    )  # fmt: skip
    assert installed.returncode == 0, installed.stderr
    assert "no gate has judged what refs/heads/side leads to" in installed.stdout
    clone.git("remote", "set-url", "origin", str(old))
    pushed = clone.push(f"{tip}:main")
    assert pushed.refused and "memory/bad.md:6" in pushed.said, pushed.said


def test_a_verdict_is_on_one_move_alone(clone: Clone) -> None:
    """A push that the gate let pass and something else refused leaves its verdict behind."""
    start = clone.git("rev-parse", "HEAD")
    update = clone.brain / "hooks/update"
    update.write_text("#!/bin/sh\nexit 1\n")
    update.chmod(0o755)
    left = clone.commit({"memory/left.md": note("left")})
    assert not clone.push().accepted
    update.unlink()
    clone.git("reset", "-q", "--hard", start)
    clone.commit({"memory/other.md": note("other")})
    assert clone.push().accepted
    assert in_brain(clone, "fetch", "-q", str(clone.path), left)
    tip = clone.brain_git("rev-parse", "main")
    assert not in_brain(clone, "update-ref", "refs/heads/main", left)
    assert not in_brain(clone, "update-ref", "refs/heads/main", left, tip)
    assert clone.brain_git("rev-parse", "main") == tip


def test_the_verdict_on_a_new_ref_moves_none_that_stands(clone: Clone) -> None:
    update = clone.brain / "hooks/update"
    update.write_text("#!/bin/sh\nexit 1\n")
    update.chmod(0o755)
    clone.brain_git("config", "manent.protectedBranch", "kept")
    left = clone.commit({"memory/left.md": note("left")})
    assert not clone.push("HEAD:kept").accepted
    update.unlink()
    clone.commit({"memory/other.md": note("other")})
    assert clone.push("HEAD:kept").accepted
    assert not in_brain(clone, "update-ref", "refs/heads/kept", left)


@pytest.mark.parametrize("setting", ["", None])
def test_a_protected_branch_without_a_name_is_that_of_head(
    settled: Clone, tmp_path: Path, setting: str | None
) -> None:
    if setting is None:
        settled.brain_git("config", "--unset", "manent.protectedBranch")
    else:
        settled.brain_git("config", "manent.protectedBranch", setting)
    tip = bad(settled)
    assert not in_brain(settled, "fetch", "-q", str(settled.path), f"{tip}:refs/heads/main")
    beside = tmp_path / "beside"
    assert in_brain(settled, "worktree", "add", "-q", "-b", "side", str(beside))
    assert in_brain(settled, "fetch", "-q", str(settled.path), tip)
    assert not in_brain(settled, "update-ref", "refs/heads/main", tip, folder=beside)


class TestALinkedWorktree:
    def test_commits_to_no_protected_branch(self, settled: Clone, tmp_path: Path) -> None:
        beside = tmp_path / "beside"
        assert in_brain(settled, "worktree", "add", "-q", str(beside), "main")
        tip = settled.brain_git("rev-parse", "main")
        (beside / "memory/bad.md").write_bytes(note("bad", mail()))
        assert in_brain(settled, "add", ".", folder=beside)
        assert not in_brain(settled, "commit", "-qm", "bad", folder=beside)
        assert settled.brain_git("rev-parse", "main") == tip

    def test_takes_pushes_through_the_gate(self, settled: Clone, tmp_path: Path) -> None:
        beside = tmp_path / "beside"
        assert in_brain(settled, "worktree", "add", "-q", "-b", "side", str(beside))
        settled.git("remote", "set-url", "origin", str(beside))
        good = settled.commit({"memory/good.md": note("good")})
        assert settled.push("HEAD:main").accepted
        assert settled.brain_git("rev-parse", "main") == good
        bad(settled)
        assert settled.push("HEAD:main").refused
        status = subprocess.run(
            [sys.executable, "-m", "manent", "brain", "status", str(settled.brain)],
            capture_output=True, text=True, env=settled.environment,
        )  # fmt: skip
        assert status.returncode == 0 and "the index stands there" in status.stdout, status


@pytest.fixture
def worker(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A worker that waits for pushes."""
    clone.brain_git("config", "manent.worker", "120")
    clone.commit({"memory/third.md": note("third")})
    assert clone.push().accepted
    place = clone.brain / "manent/gate.sock"
    deadline = time.monotonic() + 60
    while not place.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process = listener_of(place)
    monkeypatch.chdir(place.parent)  # a socket's path may have 107 bytes
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(60)
        probe.connect(place.name)
        # Until it has made ready it says nothing, and pushes do their own work.
        assert probe.recv(1) == READY
    yield process
    os.kill(process, signal.SIGKILL)


def test_a_worker_that_was_stopped_holds_no_push_up(clone: Clone, worker: int) -> None:
    os.kill(worker, signal.SIGSTOP)
    clone.commit({"memory/fourth.md": note("fourth")})
    began = time.monotonic()
    assert clone.push().accepted
    assert time.monotonic() - began < 60
    bad(clone)
    assert clone.push().refused
    os.kill(worker, signal.SIGCONT)
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/fifth.md": note("fifth")})
    assert clone.push().accepted


def test_one_that_is_stopped_while_it_judges_refuses_in_the_end(
    clone: Clone, worker: int, tmp_path: Path
) -> None:
    clone.brain_git("config", "manent.timeout", "1")
    chained = clone.brain / "hooks/pre-receive.chained"
    judging = tmp_path / "judging"
    chained.write_text(f"#!/bin/sh\necho $PPID > {judging}\nkill -STOP $PPID\n")
    chained.chmod(0o755)
    tip = clone.brain_git("rev-parse", "main")
    clone.commit({"memory/fourth.md": note("fourth")})
    pushed = clone.push()
    assert not Path(f"/proc/{judging.read_text().strip()}").exists()
    assert pushed.refused and "manent.timeout" in pushed.said, pushed.said
    assert clone.brain_git("rev-parse", "main") == tip
