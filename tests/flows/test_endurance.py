"""Pushes at once, processes that die, disks that fill: nothing lost, nothing half accepted.

A seeded form of a few seconds each; ``make endure`` runs the full one, and its
figures stand in eval/README.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import GIT, Clone, Pushed, mail, note

FULL = bool(os.environ.get("MANENT_ENDURE"))
KILLS = int(os.environ.get("MANENT_ENDURE_KILLS", "500")) if FULL else 8
SECONDS = 60 if FULL else 5
CLIENTS = 8 if FULL else 3


def manent(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "manent", *arguments], capture_output=True, check=False, text=True
    )


def indexed(brain: Path) -> Any:
    return json.loads(manent("index", "--status", "--json", str(brain)).stdout)


def names(brain: Path) -> set[str]:
    found = json.loads(manent("list", str(brain), "--json").stdout)
    return {row["name"] for row in found.get("notes", found.get("hits", []))}


def another(clone: Clone, name: str) -> Clone:
    place = clone.path.parent / name
    shutil.copytree(clone.path, place, symlinks=True)
    return Clone(place, clone.brain)


# -- processes that die -------------------------------------------------------------


def worker_of(brain: Path) -> int | None:
    """Return the process that answers hooks of the brain, by the id the kernel gives."""
    here = Path.cwd()
    try:
        os.chdir(brain / "manent")
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect("gate.sock")
            raw = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", raw)[0])
    except OSError:
        return None
    finally:
        os.chdir(here)


def kill_group(leader: int) -> None:
    """End a process, those it started, and those that answer for it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        group = os.getpgid(leader)
        if group != os.getpgid(0):
            os.killpg(group, signal.SIGKILL)


def test_a_killed_push_leaves_nothing_half_done(clone: Clone) -> None:
    """Hooks and indexer die at a random moment, together or alone; the next push heals."""
    draw = random.Random(7)
    clone.brain_git("config", "manent.worker", "60")
    span = 0.0
    for name in ("first-of-all", "second-of-all"):  # the second finds a worker, as most do
        clone.commit({f"memory/{name}.md": note(name)})
        began = time.monotonic()
        assert clone.push().accepted
        span = time.monotonic() - began
    counts = {"before the branch moved": 0, "after it moved": 0, "when all was over": 0}
    for number in range(KILLS):
        tip = clone.commit({f"memory/n{number}.md": note(f"n{number}")})
        before = clone.brain_git("rev-parse", "main")
        push = subprocess.Popen(
            [GIT, "push", "-q", "origin", "HEAD:main"],
            cwd=clone.path, env=clone.environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(draw.uniform(0, span))
        # How long a push takes changes with what else the machine does: nearly all kills
        # are to find one under way, and some its end.
        over = push.poll() is not None
        span *= 0.85 if over else 1.03
        victims = draw.choice(("push", "push", "worker", "both"))
        worker = worker_of(clone.brain) if victims != "push" else None
        if worker is not None:
            kill_group(worker)
        if victims != "worker":
            kill_group(push.pid)
        push.wait()
        for lock in clone.brain.rglob("*.lock"):
            lock.unlink()  # what git itself asks its user to do after a crash
        after = clone.brain_git("rev-parse", "main")
        assert after in (before, tip)
        when = "after it moved" if after == tip else "before the branch moved"
        counts["when all was over" if over else when] += 1
        pushed = clone.push()
        assert pushed.accepted, pushed.said
        assert clone.brain_git("rev-parse", "main") == tip
    print(f"{KILLS} kills: {', '.join(f'{count} {when}' for when, count in counts.items())}")
    clone.brain_git("fsck", "--strict")
    state = indexed(clone.brain)
    assert (state["notes"], state["current"]) == (5 + KILLS, True)
    # What came about by interruptions is what is made at once.
    found = [(h["path"], h["score"]) for h in hits(clone.brain, "text note")]
    shutil.rmtree(clone.brain / "manent")
    assert manent("index", str(clone.brain)).returncode == 0
    assert found == [(h["path"], h["score"]) for h in hits(clone.brain, "text note")]


def hits(brain: Path, query: str) -> list[dict[str, Any]]:
    said = json.loads(manent("search", str(brain), query, "-k", "50", "--json").stdout)
    return list(said["hits"])


# -- pushes at once -----------------------------------------------------------------


def test_clients_that_push_at_once(clone: Clone) -> None:
    """Every accepted push is in the history and in the index. Two pushes that were clean
    alone break nothing together: names stay unique, no index names what its readers
    may not see."""
    clone.brain_git("config", "manent.audiences", "team,board")
    clone.commit({"memory/plan.md": note("plan", audience="[team]")})
    assert clone.push().accepted
    end = time.monotonic() + SECONDS
    accepted: list[str] = []
    added: set[str] = set()
    refused: list[str] = []

    def step(number: int, count: int) -> tuple[dict[str | bytes, bytes | None], str]:
        kind = count % 4
        if kind == 2:  # narrows the plan, or opens it again
            label = "board" if (count // 4) % 2 else "team"
            return {"memory/plan.md": note("plan", f"{number} {count}", audience=f"[{label}]")}, ""
        if kind == 3:  # an index of the team's that names the plan
            text = f"See [[plan]]. {count}"
            name = f"index-{number}"
            return {f"memory/{name}.md": note(name, text, audience="[team]")}, name
        # Every second new name is one that all of them want.
        name = f"shared-{count}" if kind else f"own-{number}-{count}"
        return {f"memory/c{number}/{name}.md": note(name)}, name

    def work(number: int) -> None:
        mine = another(clone, f"client-{number}")
        count = 0
        while time.monotonic() < end:
            mine.git("fetch", "-q", "origin")
            mine.git("reset", "-q", "--hard", "origin/main")
            files, name = step(number, count)
            tip = mine.commit(files)
            pushed = mine.push()
            if pushed.accepted:
                accepted.append(tip)
                added.update({name} - {""})
            else:
                refused.append(pushed.said)
            count += 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_gate = sum("manent: refused" in said for said in refused)
    print(f"{len(accepted)} accepted, {by_gate} refused, {len(refused) - by_gate} came too late")
    history = set(clone.brain_git("rev-list", "main").split())
    assert accepted and history >= set(accepted)
    listed = clone.brain_git("ls-tree", "-r", "--name-only", "main").split()
    stems = [Path(path).stem for path in listed if path.endswith(".md")]
    assert len(stems) == len(set(stems))
    # Whoever asks first catches up with what a push that came too late left behind.
    assert added <= names(clone.brain)
    found = [(h["path"], h["score"]) for h in hits(clone.brain, "text note plan")]
    assert indexed(clone.brain)["current"] is True
    shutil.rmtree(clone.brain / "manent")
    assert found == [(h["path"], h["score"]) for h in hits(clone.brain, "text note plan")]
    lint = manent(
        "lint", str(clone.brain), "--strict-content", "--audiences", "team,board", "--json"
    )
    rules = {f["rule"] for f in json.loads(lint.stdout)["findings"] if f["severity"] == "error"}
    assert not rules, rules


# -- storage that says no -----------------------------------------------------------


@contextlib.contextmanager
def mounted(place: Path, *options: str) -> Iterator[None]:
    """Mount something at ``place``; skips plainly where the test may not."""
    asked = ["mount", *options, str(place)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"this user mounts nothing: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def plain(pushed: Pushed) -> bool:
    """Nothing that only a programmer understands."""
    return "Traceback" not in pushed.said


def whole(clone: Clone, tips: set[str]) -> None:
    """The brain is sound, stands at one of ``tips``, and takes the next push."""
    assert clone.brain_git("rev-parse", "main") in tips
    clone.brain_git("fsck", "--strict")
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    # A push that landed and could not be indexed is caught up with by whoever comes next.
    assert manent("index", str(clone.brain)).returncode == 0
    assert indexed(clone.brain)["current"] is True


def test_a_read_only_object_store_refuses_plainly(clone: Clone) -> None:
    objects = clone.brain / "objects"
    before = clone.brain_git("rev-parse", "main")
    clone.commit({"memory/third.md": note("third")})
    with mounted(objects, "--bind", "-o", "ro", str(objects)):
        pushed = clone.push()
        assert pushed.status != 0 and plain(pushed), pushed.said
        assert clone.brain_git("rev-parse", "main") == before
    whole(clone, {before})


def test_a_full_disk_refuses_plainly(clone: Clone, tmp_path: Path) -> None:
    """The brain's own disk runs full, at whatever it is that does not fit."""
    disk = tmp_path / "disk"
    disk.mkdir()
    clone.brain_git("config", "manent.worker", "0")
    draw = random.Random(3)
    with mounted(disk, "-t", "tmpfs", "-o", "size=24m", "tmpfs"):
        shutil.copytree(clone.brain, disk / "brain.git", symlinks=True)
        clone.brain = disk / "brain.git"
        clone.git("remote", "set-url", "origin", str(clone.brain))
        filler = disk / "filler"
        for number in range(40 if FULL else 5):
            before = clone.brain_git("rev-parse", "main")
            tip = clone.commit({f"memory/n{number}.md": note(f"n{number}", "word " * 4000)})
            room = draw.choice((0, 4, 16, 64, 200, 600)) << 10
            _fill(filler, disk, room)
            pushed = clone.push()
            assert plain(pushed), pushed.said
            assert clone.brain_git("rev-parse", "main") == (tip if pushed.accepted else before)
            filler.unlink()
            whole(clone, {before, tip})


def _fill(filler: Path, disk: Path, room_bytes: int) -> None:
    free = shutil.disk_usage(disk).free - room_bytes
    with filler.open("wb") as file, contextlib.suppress(OSError):
        while free > 0:
            file.write(b"\0" * min(free, 1 << 16))
            file.flush()
            free -= 1 << 16


def test_files_that_may_not_grow_refuse_plainly(clone: Clone) -> None:
    """The same without a disk of its own: the kernel ends every write past a size."""
    clone.brain_git("config", "manent.worker", "0")
    limits = [0, 100, 1000, 5000, 20_000, 100_000, 1_000_000]
    for number, limit in enumerate(limits if FULL else limits[1::2]):
        before = clone.brain_git("rev-parse", "main")
        tip = clone.commit({f"memory/n{number}.md": note(f"n{number}", "word " * 400)})
        done = subprocess.run(
            [GIT, "push", "origin", "HEAD:main"], cwd=clone.path, env=clone.environment,
            capture_output=True, check=False,
            preexec_fn=lambda size=limit: resource.setrlimit(  # type: ignore[misc]
                resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY)
            ),
        )  # fmt: skip
        pushed = Pushed(done.returncode, done.stderr.decode("utf-8", "replace"))
        assert plain(pushed), pushed.said
        assert clone.brain_git("rev-parse", "main") == (tip if pushed.accepted else before)
        for lock in clone.brain.rglob("*.lock"):
            lock.unlink()
        whole(clone, {before, tip})


def test_a_state_folder_that_cannot_be_used(clone: Clone) -> None:
    """Judged without it, and refused where it is needed; never skipped."""
    shutil.rmtree(clone.brain / "manent")
    (clone.brain / "manent").write_text("in the way")
    clone.commit({"memory/bad.md": note("bad", mail())})
    assert clone.push().refused
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.refused and "no plain folder" in pushed.said
    (clone.brain / "manent").unlink()
    assert clone.push().accepted


# -- other repositories -------------------------------------------------------------


def test_a_brain_that_borrows_its_objects(clone: Clone, tmp_path: Path) -> None:
    """A repository with alternates: what it has from there it has, what is new is judged."""
    other = tmp_path / "other.git"
    asked = [GIT, "clone", "-q", "--bare", "--shared", str(clone.brain), str(other)]
    subprocess.run(asked, check=True)
    assert (other / "objects/info/alternates").exists()
    assert manent("hooks", "install", "--repo", str(other)).returncode == 0
    clone.git("remote", "set-url", "origin", str(other))
    clone.brain = other
    clone.commit({"memory/bad.md": note("bad", mail())})
    assert clone.push().refused
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted and "1 commit, 1 file" in pushed.said, pushed.said
    assert indexed(other)["notes"] == 4


def test_another_object_format_is_refused_plainly(clone: Clone, tmp_path: Path) -> None:
    longer = tmp_path / "longer.git"
    asked = [GIT, "init", "-q", "--bare", "--object-format=sha256", str(longer)]
    subprocess.run(asked, check=True)
    for command in (
        ("hooks", "install", "--repo", str(longer)),
        ("brain", "status", str(longer)),
        ("brain", "create", str(tmp_path / "b.git"), "--from", str(longer)),
        ("list", str(longer)),
    ):
        done = manent(*command)
        assert done.returncode == 2 and "sha256" in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
    # Its hooks put there by hand all the same.
    for name in ("pre-receive", "post-receive", "reference-transaction"):
        shutil.copy2(clone.brain / "hooks" / name, longer / "hooks" / name)
    work = Clone(tmp_path / "work", longer)
    subprocess.run([*asked[:3], *asked[4:5], str(work.path)], check=True)
    work.git("remote", "add", "origin", str(longer))
    work.commit({"memory/first.md": note("first")})
    pushed = work.push()
    assert pushed.refused and "sha256" in pushed.said and plain(pushed), pushed.said


@pytest.mark.parametrize("name", ["with: colon and  spaces", "a:b", " lead"])
def test_a_brain_whose_path_has_colons_and_spaces(clone: Clone, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    clone.brain.rename(tmp_path / name / "brain.git")
    clone.brain = tmp_path / name / "brain.git"
    clone.git("remote", "set-url", "origin", f"file://{clone.brain}")
    clone.commit({"memory/bad.md": note("bad", mail())})
    assert clone.push().refused
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    assert manent("brain", "status", str(clone.brain)).returncode == 0
