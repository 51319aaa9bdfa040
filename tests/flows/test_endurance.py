"""Pushes at once, and processes that die: nothing lost, nothing half accepted.

A seeded form of a few seconds; ``MANENT_ENDURE=1`` runs the full one.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from repositories import GIT, Clone, note

FULL = bool(os.environ.get("MANENT_ENDURE"))
KILLS = 500 if FULL else 6
SECONDS = 60 if FULL else 4
CLIENTS = 8 if FULL else 3


def manent(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "manent", *arguments], capture_output=True, check=False, text=True
    )


def another(clone: Clone, name: str) -> Clone:
    place = clone.path.parent / name
    shutil.copytree(clone.path, place, symlinks=True)
    return Clone(place, clone.brain)


def test_a_killed_push_leaves_nothing_half_done(clone: Clone) -> None:
    """The whole process group of a push dies at a random moment; the next one heals."""
    draw = random.Random(7)
    for number in range(KILLS):
        tip = clone.commit({f"memory/n{number}.md": note(f"n{number}")})
        before = clone.brain_git("rev-parse", "main")
        push = subprocess.Popen(
            [GIT, "push", "-q", "origin", "HEAD:main"],
            cwd=clone.path, env=clone.environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(draw.uniform(0, 3))
        try:
            os.killpg(push.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        push.wait()
        for lock in clone.brain.rglob("*.lock"):
            lock.unlink()  # what git itself asks its user to do after a crash
        assert clone.brain_git("rev-parse", "main") in (before, tip)
        pushed = clone.push()
        assert pushed.accepted, pushed.said
        assert clone.brain_git("rev-parse", "main") == tip
    clone.brain_git("fsck", "--strict")
    last = clone.commit({"memory/last.md": note("last")})
    assert clone.push().accepted and last
    index = json.loads(manent("index", "--status", "--json", str(clone.brain)).stdout)
    assert (index["notes"], index["current"]) == (4 + KILLS, True)


def test_clients_that_push_at_once(clone: Clone) -> None:
    """Every accepted push is in the history and in the index; names stay unique."""
    end = time.monotonic() + SECONDS
    accepted: list[str] = []
    names: set[str] = set()

    def work(number: int) -> None:
        mine = another(clone, f"client-{number}")
        count = 0
        while time.monotonic() < end:
            mine.git("fetch", "-q", "origin")
            mine.git("reset", "-q", "--hard", "origin/main")
            # Every second name is one that all of them want.
            name = f"shared-{count}" if count % 2 else f"own-{number}-{count}"
            tip = mine.commit({f"memory/c{number}/{name}.md": note(name)})
            if mine.push().accepted:
                accepted.append(tip)
                names.add(name)
            count += 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    history = set(clone.brain_git("rev-list", "main").split())
    assert accepted and history >= set(accepted)
    listed = clone.brain_git("ls-tree", "-r", "--name-only", "main").split()
    stems = [Path(path).stem for path in listed if path.endswith(".md")]
    assert len(stems) == len(set(stems))
    assert clone.push("origin/main:main").status in (0, 1)
    manent("index", str(clone.brain))
    found = json.loads(manent("list", str(clone.brain), "--json").stdout)
    assert names <= {row["name"] for row in found.get("notes", found.get("hits", []))}


def test_a_read_only_object_store_refuses_plainly(clone: Clone) -> None:
    if os.geteuid() == 0:
        return test_a_full_disk_refuses_plainly(clone)
    objects = clone.brain / "objects"
    mode = objects.stat().st_mode
    objects.chmod(0o555)
    try:
        clone.commit({"memory/third.md": note("third")})
        assert clone.push().status != 0
    finally:
        objects.chmod(mode)
    return None


def test_a_full_disk_refuses_plainly(clone: Clone) -> None:
    """The state folder cannot be written to: judged in memory, or refused; never skipped."""
    shutil.rmtree(clone.brain / "manent")
    (clone.brain / "manent").write_text("in the way")
    clone.commit({"memory/bad.md": note("bad", "m.rossi" + "@posta-privata.it")})
    assert clone.push().status != 0
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted or "manent: refused" in pushed.said
