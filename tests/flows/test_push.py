"""A push: a bad note is refused and leaves nothing, a good one lands and is found."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from repositories import GIT, Clone, mail, note, phone


def manent(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "manent", *arguments],
        cwd=cwd, capture_output=True, check=False, text=True, encoding="utf-8",
    )  # fmt: skip


def test_a_good_note_lands_and_is_found(clone: Clone) -> None:
    tip = clone.commit({"memory/otters.md": note("otters", "They hold hands while they sleep.")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    assert "1 commit, 1 file" in pushed.said
    assert clone.brain_git("rev-parse", "main") == tip
    index = json.loads(manent("index", "--status", "--json", str(clone.brain)).stdout)
    assert (index["notes"], index["current"]) == (4, True)
    found = json.loads(manent("search", str(clone.brain), "sleep", "--json").stdout)
    assert [hit["name"] for hit in found["hits"]] == ["otters"]


def test_a_bad_note_is_refused_with_place_rule_and_advice(clone: Clone) -> None:
    before, refs = clone.objects(), clone.refs()
    tip = clone.commit({"memory/rossi.md": note("rossi", f"Call {phone()} or {mail()}.")})
    pushed = clone.push()
    assert pushed.refused
    assert f"{tip[:10]} memory/rossi.md:6:6: error: personal data: phone" in pushed.said
    assert "[pii]" in pushed.said
    assert "git commit --amend" in pushed.said
    assert "manent gate allow" in pushed.said
    # What was refused is nowhere: not in the message, not in the brain.
    assert phone() not in pushed.said and mail() not in pushed.said
    assert (clone.objects(), clone.refs()) == (before, refs)
    assert not list((clone.brain / "objects").glob("tmp_objdir*"))


def test_nothing_of_a_refused_push_stays_in_derived_data(clone: Clone) -> None:
    text = "## Heading that stays private\n\n" + mail()
    clone.commit({"memory/rossi.md": note("rossi", text)})
    assert clone.push().refused
    state = clone.brain / "manent"
    for path in state.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"Heading that stays private" not in content, path
            assert mail().encode() not in content, path


def test_a_mended_push_is_accepted(clone: Clone) -> None:
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    assert clone.push().refused
    clone.write({"memory/rossi.md": note("rossi", "Write to ada@example.org.")})
    clone.git("commit", "-q", "--amend", "--no-edit")
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_a_structural_fault_the_push_brings_is_refused(clone: Clone) -> None:
    clone.commit({"memory/broken.md": b"---\nname: broken\nname: twice\n---\nText.\n"})
    pushed = clone.push()
    assert pushed.refused
    assert "[frontmatter-invalid]" in pushed.said


def test_a_structural_fault_that_was_there_does_not_count(clone: Clone) -> None:
    """The fault comes in without the gate; pushes about other things still pass."""
    bad = clone.commit({"memory/broken.md": b"no frontmatter\n"})
    hook = clone.brain / "hooks/pre-receive"
    hook.chmod(0o644)
    (clone.brain / "hooks/reference-transaction").chmod(0o644)
    assert clone.push().accepted
    hook.chmod(0o755)
    (clone.brain / "hooks/reference-transaction").chmod(0o755)
    assert clone.brain_git("rev-parse", "main") == bad
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    clone.commit({"memory/broken.md": b"no frontmatter still\n"})
    assert clone.push().accepted


def test_findings_are_at_most_twenty_and_a_count(clone: Clone) -> None:
    files = {f"memory/n{i}.md": note(f"n{i}", f"{mail()} {i}") for i in range(30)}
    clone.commit(files)
    pushed = clone.push()
    assert pushed.refused
    assert "30 findings" in pushed.said
    assert pushed.said.count("[pii] [pii:") == 20
    assert "and 10 more" in pushed.said


def test_all_or_nothing(clone: Clone) -> None:
    refs = clone.refs()
    clone.git("branch", "good")
    clone.git("checkout", "-q", "good")
    clone.commit({"memory/fine.md": note("fine")})
    clone.git("checkout", "-q", "main")
    clone.commit({"memory/bad.md": note("bad", mail())})
    for options in ((), ("--atomic",)):
        pushed = clone.push("good", "HEAD:main", options=options)
        assert pushed.refused
        assert clone.refs() == refs


def test_a_side_branch_is_judged_and_does_not_move_the_index(clone: Clone) -> None:
    clone.commit({"memory/side.md": note("side")})
    assert clone.push("HEAD:side").accepted
    index = json.loads(manent("index", "--status", "--json", str(clone.brain)).stdout)
    assert (index["notes"], index["current"]) == (3, True)
    clone.commit({"memory/worse.md": note("worse", mail())})
    assert clone.push("HEAD:side").refused


def test_a_first_push_into_an_empty_brain(tmp_path: Path) -> None:
    made = manent("brain", "create", "brain.git", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    subprocess.run([GIT, "clone", "-q", "brain.git", "clone"], cwd=tmp_path, check=True)
    clone = Clone(tmp_path / "clone", tmp_path / "brain.git")
    clone.commit({"memory/first.md": note("first")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    found = manent("list", str(clone.brain), "--json")
    assert "first" in found.stdout


def test_a_second_push_after_the_index_was_deleted(clone: Clone) -> None:
    """Deleting derived data loses nothing: the next push makes it anew."""
    import shutil

    shutil.rmtree(clone.brain / "manent")
    clone.commit({"memory/third.md": note("third")})
    assert clone.push().accepted
    index = json.loads(manent("index", "--status", "--json", str(clone.brain)).stdout)
    assert (index["notes"], index["current"]) == (4, True)


def test_a_damaged_store_costs_time_not_the_verdict(clone: Clone) -> None:
    store = clone.brain / "manent/vault.sqlite"
    for name in ("vault.sqlite-wal", "vault.sqlite-shm"):
        (clone.brain / "manent" / name).unlink(missing_ok=True)
    store.write_bytes(b"SQLite format 3\0" + os.urandom(8000))
    clone.commit({"memory/bad.md": note("bad", mail())})
    assert clone.push().refused
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_a_deleted_note_that_others_point_at_is_said(clone: Clone) -> None:
    """A link that leads nowhere is a warning, unless the brain says otherwise."""
    clone.commit({"memory/second.md": None})
    assert clone.push("HEAD:side").accepted
    clone.brain_git("config", "manent.strictLinks", "true")
    pushed = clone.push()
    assert pushed.refused
    assert "memory/first.md" in pushed.said and "[link-unresolved]" in pushed.said


def test_content_that_is_not_strict_is_let_through_and_said(clone: Clone) -> None:
    clone.brain_git("config", "manent.strictContent", "false")
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_an_unreadable_policy_refuses(clone: Clone) -> None:
    clone.brain_git("config", "manent.maxNoteBytes", "many")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.refused
    assert "manent.maxNoteBytes" in pushed.said


def fingerprint(said: str) -> str:
    """Return the first fingerprint of personal data that a refusal names."""
    return next(word.strip("[]") for word in said.split() if word.startswith("[pii:"))


def test_an_allowance_in_accepted_history_lets_it_pass(clone: Clone) -> None:
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    said = clone.push().said
    mark = fingerprint(said)
    clone.git("reset", "-q", "--hard", "origin/main")
    allowed = manent("gate", "allow", mark, "--reason", "published", "--repo", str(clone.path))
    assert allowed.returncode == 0, allowed.stderr
    assert clone.push().accepted
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    assert "1 allowed" in pushed.said
    # It holds for its path alone.
    clone.git("mv", "memory/rossi.md", "memory/other.md")
    clone.commit({"memory/other.md": note("other", mail())})
    assert clone.push().refused


def test_an_allowance_on_top_of_what_it_allows_says_how_it_gets_there_first(clone: Clone) -> None:
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    said = clone.push().said
    mark = fingerprint(said)
    clone.git("branch", "-q", "--set-upstream-to", "origin/main")
    allowed = manent("gate", "allow", mark, "--reason", "published", "--repo", str(clone.path))
    assert allowed.returncode == 0 and "1 commit below it is not there yet" in allowed.stderr
    assert clone.push().refused
    commands = [line.strip() for line in allowed.stderr.splitlines() if line.startswith("  git")]
    clone.git("config", "push.default", "upstream")
    for command in (one for line in commands for one in line.split(" && ")):
        clone.git(*command.split()[1:])
    assert clone.git("rev-parse", "HEAD") == clone.brain_git("rev-parse", "main")
    assert "memory/rossi.md" in clone.brain_git("ls-tree", "-r", "--name-only", "main")


def test_an_allowance_is_a_commit_of_the_persons_own(clone: Clone) -> None:
    """Their hooks run, and what one of them refuses leaves nothing behind."""
    hook = clone.path / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ ! -f closed ] || exit 1\necho "Ticket: 7" >> "$1"\n')
    hook.chmod(0o755)
    clone.write({"memory/draft.md": note("draft")})
    marks = ["pii:0123456789abcdef", "secret:0123456789abcdef"]
    asked = ["gate", "allow", *marks, "--reason", "published", "--repo", str(clone.path)]
    allowed = manent(*asked)
    assert allowed.returncode == 0 and "2 findings" in allowed.stdout, allowed.stderr
    assert "Ticket: 7" in clone.git("log", "-1", "--format=%B")
    assert clone.git("show", "--name-only", "--format=", "HEAD") == ".manent-allow"
    # What was staged is staged still.
    assert clone.git("diff", "--cached", "--name-only") == "memory/draft.md"
    text, tip = (clone.path / ".manent-allow").read_bytes(), clone.git("rev-parse", "HEAD")
    assert all(mark.encode() in text for mark in marks)
    (clone.path / "closed").touch()
    again = manent("gate", "allow", "pii:fedcba9876543210", *asked[4:])
    assert again.returncode == 1, again.stderr
    assert clone.git("rev-parse", "HEAD") == tip
    assert (clone.path / ".manent-allow").read_bytes() == text


def test_an_expired_allowance_counts_no_more(clone: Clone) -> None:
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    said = clone.push().said
    mark = fingerprint(said)
    clone.git("reset", "-q", "--hard", "origin/main")
    asked = ["gate", "allow", mark, "--reason", "for a while", "--until", "2999-01-01"]
    assert manent(*asked, "--repo", str(clone.path)).returncode == 0
    standing = (clone.path / ".manent-allow").read_bytes()
    clone.commit({".manent-allow": standing.replace(b"2999", b"2020")})
    assert clone.push().accepted
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    assert clone.push().refused


BROKEN = {
    "an empty environment": {"PATH": "/usr/bin:/bin"},
    "no path": {"PATH": ""},
    "a foreign path": {"PATH": "/nowhere"},
    "an odd locale": {"LC_ALL": "xx_YY.KOI8-R", "PATH": "/usr/bin:/bin"},
    "python's own variables": {
        "PYTHONPATH": "/nowhere",
        "PYTHONHOME": "/nowhere",
        "PYTHONSTARTUP": "/nowhere",
        "PATH": "/usr/bin:/bin",
    },
}


@pytest.mark.parametrize("name", BROKEN)
def test_odd_surroundings_do_not_bend_the_gate(clone: Clone, name: str) -> None:
    clone.environment = {**BROKEN[name], "HOME": os.environ["HOME"]}
    clone.commit({"memory/bad.md": note("bad", mail())})
    pushed = clone.push()
    assert pushed.refused, pushed.said
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_a_brain_in_a_folder_with_an_odd_name(clone: Clone, tmp_path: Path) -> None:
    odd = tmp_path / "with space, \u00e9: \"quotes\" and 'more'"
    odd.mkdir()
    clone.brain.rename(odd / "brain.git")
    clone.brain = odd / "brain.git"
    clone.git("remote", "set-url", "origin", str(odd / "brain.git"))
    clone.commit({"memory/bad.md": note("bad", mail())})
    assert clone.push().refused
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_a_hook_whose_python_is_gone_refuses(clone: Clone) -> None:
    hook = clone.brain / "hooks/pre-receive"
    hook.write_text(hook.read_text().replace(sys.executable, "/nowhere/python"))
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.status != 0
    assert "push refused" in pushed.said


def test_a_time_out_refuses(clone: Clone) -> None:
    clone.brain_git("config", "manent.timeout", "1")
    clone.brain_git("config", "manent.maxNoteBytes", "64m")
    clone.brain_git("config", "manent.maxBlobBytes", "64m")
    clone.commit({f"memory/big{i}.txt": os.urandom(7_000_000).hex().encode() for i in range(3)})
    pushed = clone.push()
    assert pushed.refused
    assert "manent.timeout" in pushed.said


def test_the_operators_log_names_rules_and_never_the_text(clone: Clone) -> None:
    clone.commit({"memory/bad.md": note("bad", mail())})
    clone.push()
    lines = (clone.brain / "manent/gate.log").read_text().splitlines()
    row = json.loads(lines[-1])
    assert (row["accepted"], row["rules"], row["refs"]) == (False, ["pii"], ["refs/heads/main"])
    assert mail() not in lines[-1]


def test_the_gate_speaks_json(clone: Clone) -> None:
    """`gate pre-receive` by hand: what git would write on stdin, one document out."""
    tip = clone.commit({"memory/bad.md": note("bad", mail())})
    old = clone.brain_git("rev-parse", "main")
    clone.brain_git("fetch", "-q", str(clone.path), "HEAD")
    done = subprocess.run(
        [sys.executable, "-m", "manent", "gate", "pre-receive", "--json"],
        input=f"{old} {tip} refs/heads/main\n".encode(),
        capture_output=True, check=False, env={**os.environ, "GIT_DIR": str(clone.brain)},
    )  # fmt: skip
    said = json.loads(done.stdout)
    assert done.returncode == 1
    assert (said["version"], said["accepted"], said["refs"]) == (1, False, ["refs/heads/main"])
    assert said["findings"][0]["rule"] == "pii"
    assert said["findings"][0]["commit"] == tip
    assert mail() not in done.stdout.decode()


def test_a_folder_that_is_again_what_it_was_is_followed(clone: Clone) -> None:
    """What two commits of a push share with a third is reached by the first of them."""
    both = {"ideas/one.md": note("one"), "ideas/two.md": note("two")}
    clone.commit({**both})
    clone.commit({"ideas/one.md": note("one", "Other text.")})
    clone.commit({"ideas/one.md": both["ideas/one.md"]})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_a_worker_stays_behind_and_answers_the_next_push(clone: Clone) -> None:
    """Where the brain is set so: same verdicts, nothing kept of a refused push."""
    clone.brain_git("config", "manent.worker", "60")
    place = clone.brain / "manent/gate.sock"
    clone.commit({"memory/third.md": note("third")})
    assert clone.push().accepted
    deadline = time.monotonic() + 60
    while not place.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert place.stat().st_mode & 0o777 == 0o600
    before = clone.objects()
    clone.commit({"memory/bad.md": note("bad", mail())})
    pushed = clone.push()
    assert pushed.refused and "memory/bad.md:6" in pushed.said
    assert clone.objects() == before
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/fourth.md": note("fourth")})
    pushed = clone.push()
    assert pushed.accepted and "accepted" in pushed.said, pushed.said
    index = json.loads(manent("index", "--status", "--json", str(clone.brain)).stdout)
    assert (index["notes"], index["current"]) == (5, True)
    # An identity is that of this push, not of the one that left the worker.
    clone.commit({"memory/fifth.md": note("fifth")})
    assert clone.push(MANENT_IDENTITY="scribe").refused
    # A dead socket is passed over.
    clone.brain_git("config", "manent.worker", "0")
    os.kill(listener_of(place), signal.SIGKILL)
    assert clone.push().accepted


def test_a_worker_makes_ready_once_the_push_is_over(clone: Clone) -> None:
    """It has judged an invented note by then: the next push imports nothing."""
    clone.brain_git("config", "manent.worker", "60")
    place = clone.brain / "manent/gate.sock"
    clone.commit({"memory/third.md": note("third")})
    assert clone.push().accepted
    maps = Path(f"/proc/{listener_of(place)}/maps")
    if not maps.exists():
        pytest.skip("this system does not say what a process has loaded")
    deadline = time.monotonic() + 60
    while "re2" not in maps.read_text():
        assert time.monotonic() < deadline, "the scanners were not loaded"
        time.sleep(0.1)
    clone.commit({"memory/bad.md": note("bad", mail())})
    assert clone.push().refused
    os.kill(listener_of(place), signal.SIGKILL)


def test_a_worker_heeds_the_policy_of_now(clone: Clone) -> None:
    """It keeps what the config says only for as long as the files stay as they are."""
    clone.brain_git("config", "manent.worker", "60")
    place = clone.brain / "manent/gate.sock"
    clone.commit({"memory/third.md": note("third")})
    os.utime(clone.brain / "config", (1_700_000_000, 1_700_000_000))
    assert clone.push().accepted
    worker = listener_of(place)
    clone.brain_git("config", "manent.maxNoteBytes", "10")
    clone.commit({"memory/fourth.md": note("fourth")})
    pushed = clone.push()
    assert pushed.refused and "manent.maxNoteBytes" in pushed.said, pushed.said
    clone.brain_git("config", "--unset", "manent.maxNoteBytes")
    assert clone.push().accepted
    assert listener_of(place) == worker
    os.kill(worker, signal.SIGKILL)


def test_a_limit_of_one_push_binds_no_other(clone: Clone) -> None:
    """A worker would hand on what the shell of the first push was allowed."""
    place = clone.brain / "manent/gate.sock"
    place.unlink(missing_ok=True)
    clone.commit({"memory/third.md": note("third")})
    line = f"ulimit -f 100000; exec {GIT} push -q origin HEAD:main"
    subprocess.run(["sh", "-c", line], cwd=clone.path, env=clone.environment, check=True)
    assert not place.exists()


def listener_of(place: Path) -> int:
    """Return the process that listens there, by the id the kernel gives for its socket."""
    here = Path.cwd()
    os.chdir(place.parent)
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(place.name)
            raw = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", raw)[0])
    finally:
        os.chdir(here)


def test_a_checkout_follows_the_branch_and_stops_at_unsaved_edits(
    clone: Clone, tmp_path: Path
) -> None:
    place = tmp_path / "checkout"
    clone.brain_git("config", "manent.checkout", str(place))
    tip = clone.commit({"memory/third.md": note("third")})
    assert clone.push().accepted
    current = place / "current"
    assert current.resolve().name == tip
    assert (current / "memory/third.md").read_bytes() == note("third")
    older = current.resolve()
    sub = clone.commit({"memory/deep/er.md": note("er"), "memory/second.md": None})
    assert clone.push().accepted
    assert current.resolve().name == sub and not (current / "memory/second.md").exists()
    # What did not change has another name and no second copy; the older tree is as it was.
    assert (current / "memory/third.md").samefile(older / "memory/third.md")
    assert (older / "memory/second.md").exists() and not (older / "memory/deep").exists()
    (current / "memory/third.md").write_text("edited here\n")
    clone.commit({"memory/fourth.md": note("fourth")})
    pushed = clone.push()
    assert pushed.accepted and "memory/third.md" in pushed.said
    assert (current / "memory/third.md").read_text() == "edited here\n"
    (current / "memory/third.md").write_bytes(note("third"))
    fifth = clone.commit({"memory/fifth.md": note("fifth")})
    assert clone.push().accepted
    assert current.resolve().name == fifth


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_an_ignore_file_that_is_no_utf8_is_refused(clone: Clone, encoding: str) -> None:
    clone.commit({"memory/a.md": note("a"), ".manentignore": "# è\nattic\n".encode(encoding)})
    pushed = clone.push()
    assert pushed.refused and "[ignore-file]" in pushed.said
    clone.commit({".manentignore": "# è\nattic\n".encode()})
    assert clone.git("reset", "-q", "--soft", "origin/main") == ""
    clone.commit({})
    assert clone.push().accepted
