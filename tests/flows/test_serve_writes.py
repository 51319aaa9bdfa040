"""Writes that become commits: whose they are, what they touch, and what a failure leaves."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import Clone
from vaults import note, refused_values
from vaults import write as write_files
from writes import NOW, SCOUT, Desk, git, served_at, yes

from manent.access import OWNER, Identity
from manent.errors import EnvironmentFault, ManentError, Refused
from manent.server.answer import Question
from manent.server.brain import Brain
from manent.server.draft import OVERWRITE
from manent.server.tool import Asked
from manent.server.writing import Writing

FILES = {
    "MEMORY.md": note("MEMORY", "- [[first]]", type="index"),
    "memory/first.md": note("first", audience="[ops]"),
    "memory/second.md": note("second"),
}
Make = Callable[..., Desk]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault in a repository of its own, with one commit."""
    folder = write_files(tmp_path / "vault", FILES)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "seed")
    return folder


@pytest.fixture
def at() -> Iterator[Make]:
    """Makes desks that are closed at the end."""
    made: list[Desk] = []

    def make(folder: Path, **more: Any) -> Desk:
        made.append(Desk(folder, **{"git": True, **more}))
        return made[-1]

    yield make
    for desk in made:
        desk.close()


def log(folder: Path, form: str = "%s", *more: str) -> list[str]:
    """Return the commits of a branch, newest first."""
    return git(folder, "log", f"--format={form}", *more).splitlines()


def hook(folder: Path, name: str, script: str) -> Path:
    """Install a hook of a working tree."""
    place = folder / ".git/hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    return place


# -- a working tree --------------------------------------------------------------------


def test_a_write_is_one_commit_of_its_own_path(vault: Path, at: Make) -> None:
    desk = at(vault)
    said = desk.write(SCOUT, name="port-map", body="Port 8080.")
    assert said["written"] and "commit" not in said, "ids hash what is hidden"
    assert log(vault, "%an <%ae> %cn <%ce> %at", "-1") == [
        f"scout <scout@manent> Ada Tester <ada@example.org> {int(NOW.timestamp())}"
    ]
    assert git(vault, "show", "--name-only", "--format=", "HEAD") == "quarantine/scout/port-map.md"
    assert "awaits promotion" in log(vault, "%s", "-1")[0]
    assert git(vault, "status", "--porcelain") == ""
    owner = desk.write(name="ours", body="Text.")
    assert owner["commit"] == git(vault, "rev-parse", "HEAD")
    assert log(vault, "%an <%ae>", "-1") == ["owner <owner@manent>"]
    assert "promotion" not in log(vault, "%B", "-1")[0]


def test_what_others_have_staged_and_edited_stays_theirs(vault: Path, at: Make) -> None:
    write_files(vault, {"memory/staged.md": note("staged"), "memory/loose.md": note("loose")})
    git(vault, "add", "memory/staged.md")
    (vault / "memory/second.md").write_text(note("second", "Edited."))
    before = git(vault, "status", "--porcelain")
    desk = at(vault)
    desk.write(SCOUT, name="port-map")
    desk.append(name="first", body="More.")
    assert git(vault, "status", "--porcelain") == before
    assert git(vault, "show", "--name-only", "--format=", "HEAD") == "memory/first.md"


def test_an_unchanged_write_makes_no_commit(vault: Path, at: Make) -> None:
    desk = at(vault)
    desk.write(SCOUT, name="port-map")
    before = git(vault, "rev-parse", "HEAD")
    said = desk.write(SCOUT, name="port-map", mode=OVERWRITE)
    assert said["status"] == "unchanged"
    assert git(vault, "rev-parse", "HEAD") == before


def test_without_git_only_the_file_is_written(vault: Path, at: Make) -> None:
    at(vault, git=False).write(SCOUT, name="port-map")
    assert len(log(vault)) == 1
    assert git(vault, "status", "--porcelain", "-uall") == "?? quarantine/scout/port-map.md"


def test_a_vault_below_the_root_of_its_repository(tmp_path: Path, at: Make) -> None:
    write_files(tmp_path / "repo/docs/vault", FILES)
    write_files(tmp_path / "repo", {"quarantine/scout/other.md": "not of the vault\n"})
    git(tmp_path / "repo", "init", "-q", "-b", "main")
    git(tmp_path / "repo", "add", ".")
    git(tmp_path / "repo", "commit", "-qm", "seed")
    desk = at(tmp_path / "repo/docs/vault")
    assert desk.write(SCOUT, name="other")["path"] == "quarantine/scout/other.md"
    changed = git(tmp_path / "repo", "show", "--name-only", "--format=", "HEAD")
    assert changed == "docs/vault/quarantine/scout/other.md"
    refused = desk.write(SCOUT, name="bad", body=refused_values()["email"])
    assert refused["refused"][0]["in"] == "body"


def test_a_failed_commit_undoes_no_write_and_is_swept_up(vault: Path, at: Make) -> None:
    broken = hook(vault, "pre-commit", "echo the hook says no >&2; exit 1")
    desk = at(vault)
    reported: list[tuple[str, str, str]] = []
    desk.writing._report = lambda *said: reported.append(said)
    agent = desk.write(SCOUT, name="port-map", body="Port 8080.")
    owner = desk.write(name="ours")
    assert agent["written"] and owner["written"]
    assert "not committed" in agent["remarks"][0] and "hook" not in agent["remarks"][0]
    assert "the hook says no" in owner["remarks"][-1]
    assert [(kind, who) for kind, _, who in reported] == [
        ("commit-failed", "scout"),
        ("commit-failed", "owner"),
    ]
    assert desk.text("quarantine/scout/port-map.md").endswith("Port 8080.\n")
    assert len(log(vault)) == 1
    broken.unlink()
    desk.append(name="first", body="More.")
    assert log(vault, "%an %s", "-3") == [
        "owner append(first): added to by owner",
        "owner write(ours): new by owner",
        "scout write(port-map): new by scout, awaits promotion",
    ]
    assert git(vault, "status", "--porcelain", "-uall") == ""


def test_what_was_left_over_is_swept_up_at_the_start(vault: Path, at: Make) -> None:
    broken = hook(vault, "pre-commit", "exit 1")
    first = at(vault)
    first.write(SCOUT, name="port-map")
    first.close()
    broken.unlink()
    at(vault).close()
    assert git(vault, "status", "--porcelain", "-uall") == ""
    assert log(vault, "%an", "-1") == ["scout"]


def test_a_leftover_that_somebody_edited_is_judged_before_it_is_committed(
    vault: Path, at: Make
) -> None:
    broken = hook(vault, "pre-commit", "exit 1")
    desk = at(vault)
    desk.write(SCOUT, name="port-map")
    place = vault / "quarantine/scout/port-map.md"
    clean = place.read_text()
    place.write_text(clean + refused_values()["email"] + "\n")
    broken.unlink()
    desk.append(name="first", body="More.")
    assert len(log(vault)) == 2, "what the gate refuses is not committed"
    place.write_text(clean + "An owner's line.\n")
    desk.append(name="first", body="And more.")
    assert git(vault, "status", "--porcelain", "-uall") == ""
    assert "An owner's line." in git(vault, "show", "HEAD:quarantine/scout/port-map.md")


def test_a_locked_index_costs_a_commit_and_no_write(vault: Path, at: Make) -> None:
    desk = at(vault)
    (vault / ".git/index.lock").touch()
    assert "not committed" in desk.write(SCOUT, name="port-map")["remarks"][0]
    (vault / ".git/index.lock").unlink()
    desk.write(SCOUT, name="other")
    assert git(vault, "status", "--porcelain", "-uall") == ""


def test_a_merge_under_way_costs_a_commit_and_no_write(vault: Path, at: Make) -> None:
    git(vault, "switch", "-qc", "side")
    (vault / "memory/second.md").write_text(note("second", "Side."))
    git(vault, "commit", "-qam", "side")
    git(vault, "switch", "-q", "main")
    (vault / "memory/second.md").write_text(note("second", "Main."))
    git(vault, "commit", "-qam", "main")
    subprocess.run(["git", "merge", "side"], cwd=vault, capture_output=True, check=False)
    desk = at(vault)
    assert desk.write(SCOUT, name="port-map")["remarks"]
    git(vault, "checkout", "-q", "--ours", "memory/second.md")
    git(vault, "add", "memory/second.md")
    git(vault, "commit", "-qm", "merged")
    desk.write(SCOUT, name="other")
    assert git(vault, "status", "--porcelain", "-uall") == ""


def test_a_write_whose_commit_failed_may_be_replaced(vault: Path, at: Make) -> None:
    broken = hook(vault, "pre-commit", "exit 1")
    desk = at(vault)
    desk.write(SCOUT, name="port-map", body="One.")
    assert desk.write(SCOUT, name="port-map", body="Two.", mode=OVERWRITE)["written"]
    broken.unlink()
    desk.write(SCOUT, name="other")
    assert "Two." in git(vault, "show", "HEAD:quarantine/scout/port-map.md")
    assert git(vault, "status", "--porcelain", "-uall") == ""


def test_the_first_commit_of_a_repository(tmp_path: Path, at: Make) -> None:
    folder = write_files(tmp_path / "fresh", FILES)
    git(folder, "init", "-q", "-b", "main")
    desk = at(folder)
    assert "remarks" not in desk.write(SCOUT, name="port-map")
    assert git(folder, "ls-files") == "quarantine/scout/port-map.md"
    assert "remarks" not in desk.write(name="ours")


def test_edits_that_no_commit_holds_are_not_replaced(vault: Path, at: Make) -> None:
    desk = at(vault)
    (vault / "memory/second.md").write_text(note("second", "Not committed."))
    with pytest.raises(Refused, match="edits that are not committed"):
        desk.write(name="second", body="New.", mode=OVERWRITE)
    assert "Not committed." in desk.text("memory/second.md")
    said = desk.append(name="second", body="More.")
    assert said["written"] and desk.text("memory/second.md").endswith("Not committed.\nMore.\n")


def test_a_path_git_ignores_is_refused(vault: Path, at: Make) -> None:
    (vault / ".gitignore").write_text("quarantine/\nattic/\n")
    for desk in (at(vault), at(vault, git=False)):
        with pytest.raises(Refused, match="ignored by git"):
            desk.write(SCOUT, name="port-map")
        with pytest.raises(Refused, match="ignored by git"):
            desk.write(name="port-map", dir="attic")


def test_an_allowance_of_the_vault_is_an_owners(vault: Path, at: Make) -> None:
    value = refused_values()["email"]
    desk = at(vault)
    sent = {"name": "contact", "body": f"Ask {value}"}
    print_of = desk.write(**sent)["refused"][0]["fingerprint"]  # type: ignore[arg-type]
    asked = [sys.executable, "-m", "manent", "gate", "allow", print_of, "--reason", "published"]
    subprocess.run([*asked, "--repo", str(vault)], check=True, capture_output=True)
    assert desk.write(**sent)["written"]  # type: ignore[arg-type]
    assert not desk.write(SCOUT, **sent)["written"]  # type: ignore[arg-type]


def test_the_servers_git_user_is_asked_for_at_the_start(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    brain = Brain(served_at(vault))
    with pytest.raises(EnvironmentFault, match="git does not know"):
        Writing(brain, git=True)
    Writing(brain).close()
    with pytest.raises(EnvironmentFault, match="in no git repository"):
        Writing(Brain(served_at(write_files(tmp_path / "plain", FILES))), git=True)


def test_nothing_of_ours_is_left_untracked_whatever_fails(vault: Path, at: Make) -> None:
    """A law: after the next commit that succeeds, git knows every file a write made."""
    draw = random.Random(9)
    desk = at(vault)
    for step in range(12):
        failing = draw.random() < 0.5
        broken = hook(vault, "pre-commit", f"exit {int(failing)}")
        name = f"note-{draw.randrange(4)}"
        with contextlib.suppress(ManentError):
            if draw.random() < 0.5:
                desk.write(SCOUT, name=name, body=f"Step {step}.", mode=OVERWRITE)
            else:
                desk.append(SCOUT, name=name, body=f"Step {step}.")
        untracked = git(vault, "ls-files", "--others")
        assert failing or untracked == "", untracked
        broken.unlink()
    desk.write(SCOUT, name="last")
    assert git(vault, "status", "--porcelain", "-uall") == ""


# -- a brain ---------------------------------------------------------------------------


def test_on_a_brain_a_write_lands_through_the_gate(clone: Clone, at: Make) -> None:
    desk = at(clone.brain, git=False)
    said = desk.write(SCOUT, name="port-map", body="Port 8080.")
    assert said["written"]
    assert log(clone.brain, "%an <%ae> %cn <%ce>", "-1", "main") == [
        "scout <scout@manent> Ada Tester <ada@example.org>"
    ]
    assert "awaits promotion" in log(clone.brain, "%s", "-1", "main")[0]
    clone.git("pull", "-q")
    assert (clone.path / "quarantine/scout/port-map.md").read_text().endswith("Port 8080.\n")
    assert clone.push().accepted
    refused = desk.write(SCOUT, name="bad", body=refused_values()["phone"])
    assert refused["refused"][0] | {"message": ""} == {
        "rule": "pii", "in": "body", "line": 1, "column": 1, "message": "",
        "fix": refused["refused"][0]["fix"],
    }  # fmt: skip
    assert desk.write(SCOUT, name="bad", **refused["with"])["written"]
    clone.brain_git("fsck", "--strict")


def test_a_brain_is_written_over_what_was_pushed_meanwhile(clone: Clone, at: Make) -> None:
    desk = at(clone.brain)
    clone.commit({"memory/third.md": note("third").encode()})
    assert clone.push().accepted
    with pytest.raises(Refused, match=r"exists already: memory/third\.md"):
        desk.write(name="third")
    desk.append(name="third", body="Appended.")
    assert clone.brain_git("show", "main:memory/third.md").endswith("Text.\nAppended.")


def test_pushes_and_writes_at_once_lose_nothing(clone: Clone, at: Make) -> None:
    """Both append to one note: whoever loses the race makes its change anew."""
    desk = at(clone.brain)
    faults: list[Exception] = []

    def write() -> None:
        try:
            for n in range(6):
                desk.append(name="first", body=f"server {n}")
        except Exception as fault:  # the test fails with it below
            faults.append(fault)

    writer = threading.Thread(target=write)
    writer.start()
    for n in range(4):
        while True:
            clone.git("fetch", "-q")
            clone.git("reset", "-q", "--hard", "origin/main")
            place = clone.path / "memory/first.md"
            place.write_text(place.read_text() + f"pushed {n}\n")
            clone.git("commit", "-qam", f"push {n}")
            if clone.push().accepted:
                break
    writer.join()
    assert not faults
    lines = clone.brain_git("show", "main:memory/first.md").splitlines()
    assert {f"server {n}" for n in range(6)} | {f"pushed {n}" for n in range(4)} <= set(lines)
    clone.brain_git("fsck", "--strict")


def test_approval_on_a_brain(clone: Clone, at: Make) -> None:
    desk = at(clone.brain)
    tip = clone.brain_git("rev-parse", "main")
    question = desk.write(SCOUT, Asked(True), name="port-map")
    assert isinstance(question, Question)
    assert clone.brain_git("rev-parse", "main") == tip
    assert desk.write(SCOUT, yes(question), name="port-map")["written"]
    assert isinstance(desk.append(SCOUT, yes(question), name="port-map", body="x"), Question)


def test_a_names_secret_is_kept_on_a_brain_too(clone: Clone, at: Make) -> None:
    desk = at(clone.brain)
    for name in ("first", "second", "no-such-note"):
        said = desk.write(SCOUT, name=name)
        assert said["path"] == f"quarantine/scout/{name}.md"
    assert clone.brain_git("show", "main:memory/first.md") != ""


def test_a_file_in_the_way_is_not_replaced_by_a_folder(clone: Clone, at: Make) -> None:
    clone.commit({"quarantine": b"a file\n"})
    assert clone.push().accepted
    with pytest.raises(Refused):
        at(clone.brain).write(SCOUT, name="port-map")
    assert clone.brain_git("show", "main:quarantine") == "a file"


def test_a_checkout_of_the_brain_follows(clone: Clone, at: Make, tmp_path: Path) -> None:
    clone.brain_git("config", "manent.checkout", str(tmp_path / "shown"))
    desk = at(clone.brain)
    desk.write(name="port-map")
    desk.close()
    assert (tmp_path / "shown/current/memory/port-map.md").is_file()


# -- on to a remote --------------------------------------------------------------------


@pytest.fixture
def remote(vault: Path, tmp_path: Path) -> Path:
    """A plain repository that the vault follows."""
    bare = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    git(vault, "remote", "add", "origin", str(bare))
    git(vault, "push", "-q", "-u", "origin", "main")
    return bare


def test_each_commit_is_pushed(vault: Path, remote: Path, at: Make) -> None:
    desk = at(vault, push=True)
    assert "remarks" not in desk.write(SCOUT, name="port-map")
    assert git(remote, "rev-parse", "main") == git(vault, "rev-parse", "main")


def test_a_remote_that_moved_on_is_reported_and_never_overwritten(
    vault: Path, remote: Path, at: Make, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(remote), "other")
    write_files(tmp_path / "other", {"memory/third.md": note("third")})
    git(tmp_path / "other", "add", ".")
    git(tmp_path / "other", "commit", "-qm", "third")
    git(tmp_path / "other", "push", "-q")
    tip = git(remote, "rev-parse", "main")
    desk = at(vault, push=True)
    agent, owner = desk.write(SCOUT, name="port-map"), desk.write(name="ours")
    assert agent["written"] and owner["written"]
    assert "not yet at the remote" in agent["remarks"][0]
    assert "moved" not in agent["remarks"][0]
    assert "the remote has moved on" in owner["remarks"][0]
    assert git(remote, "rev-parse", "main") == tip
    git(vault, "pull", "-q", "--rebase")
    desk.brain.reload()
    assert "remarks" not in desk.append(name="ours", body="More.")
    assert git(remote, "rev-parse", "main") == git(vault, "rev-parse", "main")


def test_a_remote_that_says_no_or_is_gone_costs_no_write(
    vault: Path, remote: Path, at: Make
) -> None:
    place = remote / "hooks/pre-receive"
    place.write_text("#!/bin/sh\necho 'manent: refused, nothing was kept: 1 finding' >&2\nexit 1\n")
    place.chmod(0o755)
    desk = at(vault, push=True)
    said = desk.write(name="ours")
    assert "the remote said no: refused, nothing was kept" in said["remarks"][0]
    remote.rename(remote.with_name("gone.git"))
    said = desk.append(name="ours", body="More.")
    assert said["written"] and "git cannot reach the remote" in said["remarks"][0]
    assert str(remote) not in json.dumps(said)


def test_a_remote_that_hangs_holds_nobody_up(vault: Path, remote: Path, at: Make) -> None:
    place = remote / "hooks/pre-receive"
    place.write_text("#!/bin/sh\nsleep 30\n")
    place.chmod(0o755)
    desk = at(vault, push=True)
    pushing = desk.writing._pushing
    assert pushing is not None
    pushing._limit = 1.0
    began = time.monotonic()
    said = desk.write(name="ours")
    assert time.monotonic() - began < 10
    assert "it took longer than 1 seconds" in said["remarks"][0]


def test_a_server_that_stops_leaves_no_push_behind(vault: Path, remote: Path) -> None:
    place = remote / "hooks/pre-receive"
    place.write_text("#!/bin/sh\nsleep 30\n")
    place.chmod(0o755)
    desk = Desk(vault, git=True, push=True)
    pushing = desk.writing._pushing
    assert pushing is not None
    git(vault, "commit", "-q", "--allow-empty", "-m", "more")
    assert pushing.push(0.2) == "the push is still under way"
    began = time.monotonic()
    pushing.close(0.2)
    assert time.monotonic() - began < 10
    desk.close()


def test_a_push_needs_a_remote_at_the_start(vault: Path) -> None:
    with pytest.raises(EnvironmentFault, match="no remote"):
        Writing(Brain(served_at(vault)), git=True, push=True)


def test_a_mirror_is_not_forced(vault: Path, remote: Path, at: Make, tmp_path: Path) -> None:
    git(vault, "config", "--add", "remote.origin.push", "+refs/heads/*:refs/heads/*")
    git(tmp_path, "clone", "-q", str(remote), "other")
    git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "ahead")
    git(tmp_path / "other", "push", "-q")
    tip = git(remote, "rev-parse", "main")
    assert at(vault, push=True).write(name="ours")["remarks"]
    assert git(remote, "rev-parse", "main") == tip


# -- killed, full, read-only -----------------------------------------------------------

WRITER = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from writes import SCOUT, Desk
desk = Desk(Path({folder!r}), git={commits})
print("ready", flush=True)
for n in range(10_000):
    desk.write(SCOUT, name=f"note-{{n % 3}}", body=f"Version {{n}}.\\n" * 400, mode="overwrite")
    print(n, flush=True)
"""


def writer(folder: Path, commits: bool) -> subprocess.Popen[str]:
    """Start a process that writes one note after the other."""
    source = textwrap.dedent(WRITER).format(path=sys.path, folder=str(folder), commits=commits)
    process = subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    return process


@pytest.mark.parametrize("kind", ["folder", "git", "brain"])
@pytest.mark.parametrize("whole_group", [True, False], ids=["with git", "alone"])
def test_a_kill_leaves_the_old_or_the_new(
    kind: str, whole_group: bool, vault: Path, clone: Clone, tmp_path: Path, at: Make
) -> None:
    plain = write_files(tmp_path / "plain", FILES)
    folder = {"folder": plain, "git": vault, "brain": clone.brain}[kind]
    draw = random.Random(whole_group)
    for _ in range(3):
        process = writer(folder, kind != "folder")
        time.sleep(draw.uniform(0.1, 0.9))
        if whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate()
        notes = _notes(folder, kind)
        for content in notes:
            body = content.split("---\n", 2)[2]
            assert len(set(body.splitlines())) == 1
            assert len(body.splitlines()) == 400
    time.sleep(0.5)  # a git that outlived its parent ends
    desk = at(folder, git=kind != "folder")
    assert desk.write(SCOUT, name="last")["written"]
    if kind == "git":
        assert "remarks" not in desk.write(SCOUT, name="very-last")
        assert git(vault, "status", "--porcelain", "-uall") == ""
    if kind != "folder":
        git(folder, "fsck", "--strict")
    else:
        assert not list(folder.rglob("**/.manent-*-*"))


def _notes(folder: Path, kind: str) -> list[str]:
    if kind != "brain":
        return [p.read_text() for p in (folder / "quarantine").rglob("note-*.md")]
    listed = git(folder, "ls-tree", "-r", "--name-only", "main", "quarantine/").splitlines()
    return [git(folder, "show", f"main:{path}") + "\n" for path in listed]


FULL = """
import json, random, resource, sys
sys.path[:0] = {path!r}
from pathlib import Path
from writes import SCOUT, Desk
from manent.errors import ManentError
desk = Desk(Path({folder!r}), git={commits})
desk.write(SCOUT, name="log", body="Old.")
desk.writing._thread.submit(lambda: None).result()
draw = random.Random(4)
words = ["".join(draw.choices("aeioulmnrst", k=6)) for _ in range(4000)]
body = "\\n".join(" ".join(draw.choices(words, k=12)) for _ in range(5000))
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, resource.RLIM_INFINITY))
for mode in ("overwrite", "create"):
    name = "log" if mode == "overwrite" else "fresh"
    try:
        desk.write(SCOUT, name=name, body=body, mode=mode)
    except ManentError as fault:
        print(json.dumps(str(fault)))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
print(json.dumps(desk.write(SCOUT, name="log", body="New.", mode="overwrite")["status"]))
desk.close()
"""


@pytest.mark.parametrize("kind", ["folder", "git", "brain"])
def test_a_full_disk_is_one_plain_error_and_loses_nothing(
    kind: str, vault: Path, clone: Clone
) -> None:
    """A limit on the size of files stands for it: the write fails halfway."""
    folder = clone.brain if kind == "brain" else vault
    source = FULL.format(path=sys.path, folder=str(folder), commits=kind == "git")
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(said) == 3, done.stderr
    assert all("File too large" in line or "disk full" in line for line in said[:2])
    assert said[2] == "overwritten"
    if kind == "brain":
        assert git(folder, "show", "main:quarantine/scout/log.md").endswith("New.")
        assert "fresh" not in git(folder, "ls-tree", "-r", "--name-only", "main")
        git(folder, "fsck", "--strict")
        return
    assert (vault / "quarantine/scout/log.md").read_text().endswith("New.\n")
    assert not (vault / "quarantine/scout/fresh.md").exists()
    assert not list(vault.rglob("**/.manent-*-*"))
    assert (git(vault, "status", "--porcelain", "-uall") == "") is (kind == "git")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_vault_is_one_plain_error(vault: Path, at: Make) -> None:
    desk = at(vault, git=False)
    (vault / "memory").chmod(0o500)
    try:
        with pytest.raises(EnvironmentFault, match="cannot write memory/port-map"):
            desk.write(name="port-map")
    finally:
        (vault / "memory").chmod(0o700)
    assert not (vault / "memory/port-map.md").exists()


def test_two_servers_of_one_vault_lose_nothing(vault: Path, at: Make) -> None:
    one, other = at(vault), at(vault)
    one.write(SCOUT, name="log", body="Begin.")
    faults: list[Exception] = []

    def work(desk: Desk, who: str) -> None:
        try:
            for n in range(4):
                desk.append(SCOUT, name="log", body=f"{who} {n}")
        except Exception as fault:  # the test fails with it below
            faults.append(fault)

    threads = [threading.Thread(target=work, args=a) for a in ((one, "one"), (other, "other"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    lines = one.text("quarantine/scout/log.md").splitlines()
    assert {f"{w} {n}" for w in ("one", "other") for n in range(4)} <= set(lines)
    assert git(vault, "status", "--porcelain", "-uall") == ""
    assert len(log(vault)) == 10


def test_an_owner_of_the_agents_file_signs_with_its_own_name(vault: Path, at: Make) -> None:
    marta = Identity("marta", None, "*")
    desk = at(vault)
    said = desk.write(marta, name="by-marta")
    assert "author: marta" in desk.text(said["path"])
    assert log(vault, "%an <%ae>", "-1") == ["marta <marta@manent>"]
    assert OWNER.name not in log(vault, "%s", "-1")[0]
