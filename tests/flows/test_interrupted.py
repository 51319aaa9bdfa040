"""A command killed at any moment leaves the old state or the new one, hooks or not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asked import ask
from vaults import note, write

KILLS = int(os.environ.get("MANENT_KILLS", "5"))
SLOW_SECONDS = 0.7
HOOKS = {
    "pre-commit": f"#!/bin/sh\nsleep {SLOW_SECONDS}\n",
    "commit-msg": f"#!/bin/sh\necho 'Seen: yes' >> \"$1\"\nsleep {SLOW_SECONDS}\n",
    "post-commit": f"#!/bin/sh\nsleep {SLOW_SECONDS}\n",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def vault_with(root: Path, hook: str) -> Path:
    assert ask("init", str(root)).code == 0
    drafts = {
        f"quarantine/tide/n{i}.md": note(f"n{i}", status="quarantine", author="tide")
        for i in range(KILLS)
    }
    write(root, {**drafts, "memory/hub.md": note("hub", "[n](../quarantine/tide/n0.md)")})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "drafts")
    place = root / ".git/hooks" / hook
    place.write_text(HOOKS[hook])
    place.chmod(0o755)
    return root


def begun(root: Path, name: str) -> subprocess.Popen[bytes]:
    """Start a promotion in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "manent", "promote", str(root), "--note", name,
         "--to", "memory", "--commit"],
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def killed(process: subprocess.Popen[bytes], alone: bool) -> None:
    """Kill the command: it alone, so that its git goes on, or git and hook with it."""
    if alone:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def whole(root: Path, name: str) -> bool:
    """Tell whether the note is promoted: the history, the index and the files all say so."""
    assert git(root, "status", "--porcelain") == ""
    assert not (root / ".git/manent/carrying.json").exists()
    moved = (root / f"memory/{name}.md").exists()
    assert moved != (root / f"quarantine/tide/{name}.md").exists()
    return moved


@pytest.mark.parametrize("alone", [True, False], ids=["command", "group"])
@pytest.mark.parametrize("hook", HOOKS)
def test_the_next_command_finds_the_old_state_or_the_new(
    tmp_path: Path, hook: str, alone: bool
) -> None:
    root = vault_with(tmp_path / "vault", hook)
    began = time.monotonic()
    assert begun(root, "n0").wait() == 0
    usual = time.monotonic() - began
    draw = random.Random(f"{hook}:{alone}")
    for i in range(1, KILLS):
        head = git(root, "rev-parse", "HEAD")
        process = begun(root, f"n{i}")
        # Half of the time within the hook, which is where most of it goes.
        early = draw.uniform(0.1, usual)
        time.sleep(early if i % 2 else max(0.1, usual - draw.uniform(0.1, SLOW_SECONDS)))
        killed(process, alone)
        found = ask("promote", str(root))  # at once: git may be at it still
        lock = root / ".git/index.lock"
        if found.code == 2 and lock.exists() and not alone:
            lock.unlink()  # git itself was killed between its two locks, and asks for that
            found = ask("promote", str(root))
        assert found.code == 0, found.errors
        assert whole(root, f"n{i}") == (git(root, "rev-parse", "HEAD") != head)


def test_what_the_user_committed_after_a_kill_is_not_put_back(tmp_path: Path) -> None:
    root = vault_with(tmp_path / "vault", "pre-commit")
    process = begun(root, "n0")
    while not (root / "memory/n0.md").exists():
        time.sleep(0.01)
    time.sleep(0.2)
    killed(process, alone=False)
    for lock in (root / ".git").glob("*.lock"):
        lock.unlink()
    (root / ".git/hooks/pre-commit").unlink()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "by hand")
    (root / "memory/hub.md").write_text(note("hub", "And edited since."))
    assert ask("promote", str(root)).code == 0
    assert git(root, "status", "--porcelain") == "M memory/hub.md"
    assert (root / "memory/n0.md").exists()
