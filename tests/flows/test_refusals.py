"""What a refusal tells its pusher to do, done: each hint helps where it is given."""

from __future__ import annotations

import datetime
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import Clone, mail, note, phone
from vaults import refused_values


def manent(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "manent", *arguments]
    return subprocess.run(command, capture_output=True, check=False, text=True)


def remote(said: str) -> list[str]:
    """Return the lines the brain sent."""
    return [x.removeprefix("remote: ").rstrip() for x in said.splitlines() if "remote: " in x]


def told(said: str, start: str) -> str:
    """Return the one command among the brain's lines that begins with ``start``."""
    found = [line[line.index(start) :] for line in remote(said) if start in line]
    assert len(found) == 1, said
    return found[0].split("; or ")[0].split(", and ")[0]


def shell(clone: Clone, command: str) -> None:
    """Do what was told, as a person would who copies the line."""
    subprocess.run(["sh", "-ec", command], cwd=clone.path, env=clone.environment, check=True)


def test_a_rewrite_is_mended_by_what_it_says(clone: Clone) -> None:
    clone.commit({"memory/third.md": note("third")})
    assert clone.push().accepted
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.commit({"memory/fourth.md": note("fourth")})
    clone.git("branch", "--set-upstream-to=origin/main")
    pushed = clone.push("+HEAD:main")
    assert pushed.refused
    clone.git(*shlex.split(told(pushed.said, "git pull --rebase"))[1:])
    again = clone.push()
    assert again.accepted, again.said


def allow_all_the_same(clone: Clone, mark: str) -> None:
    """Write an allowance that never counts: the command refuses to, a hand does not."""
    done = manent("gate", "allow", mark, "--reason", "x", "--repo", str(clone.path))
    assert done.returncode == 2 and "no allowance ever covers" in done.stderr, done.stderr
    rows = [{"salt": "x"}, {"fingerprint": mark, "rule": "x", "reason": "x", "who": "x"}]
    clone.commit({".manent-allow": "".join(json.dumps(row) + "\n" for row in rows).encode()})


@pytest.mark.parametrize(
    "refspec", [":main", "+HEAD~1:main", "HEAD:refs/notes/x", "+HEAD^{tree}:refs/tags/t"]
)
def test_no_allowance_is_offered_for_what_none_covers(clone: Clone, refspec: str) -> None:
    clone.commit({"memory/third.md": note("third")})
    assert clone.push().accepted
    pushed = clone.push(refspec)
    assert pushed.refused and "gate allow" not in pushed.said
    if refspec == ":main":
        assert "git pull" not in pushed.said and "manent.allowRewrite true" in pushed.said
        mark = next(w.strip("[]") for w in pushed.said.split() if w.startswith("[history-rewrite:"))
        # Written all the same, it counts for nothing.
        allow_all_the_same(clone, mark)
        assert clone.push().accepted
        assert clone.push(refspec).refused


def test_a_forbidden_ref_is_pushed_where_it_says(clone: Clone) -> None:
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push("HEAD:refs/changes/1")
    assert pushed.refused
    command = told(pushed.said, "git push origin HEAD:")
    assert clone.push(command.split()[-1]).accepted


def test_a_ref_name_is_pushed_under_another(clone: Clone) -> None:
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push(f"HEAD:refs/heads/{mail()}")
    assert pushed.refused
    command = told(pushed.said, "git push origin HEAD:NAME")
    assert clone.push(command.split()[-1].replace("NAME", "side")).accepted


def test_a_file_name_is_moved(clone: Clone) -> None:
    name = f"memory/{mail()}.md"
    clone.commit({name: note("rossi")})
    pushed = clone.push()
    assert pushed.refused and "git mv it" in pushed.said and "git commit --amend" in pushed.said
    clone.git("mv", name, "memory/rossi.md")
    clone.git("commit", "-q", "--amend", "--no-edit")
    assert clone.push().accepted


def test_an_author_is_set_anew(clone: Clone) -> None:
    clone.commit(
        {"memory/third.md": note("third")}, GIT_AUTHOR_NAME=f"Call {'+39 ' + '347 61 52 843'}"
    )
    pushed = clone.push()
    assert pushed.refused
    command = told(pushed.said, "git commit --amend --reset-author")
    clone.git(*shlex.split(command)[1:], "--no-edit")
    assert clone.push().accepted


def test_the_allowance_is_spelled_out(clone: Clone) -> None:
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    pushed = clone.push()
    command = shlex.split(told(pushed.said, "manent gate allow "))
    assert command[-1] == "TEXT"
    clone.git("reset", "-q", "--hard", "HEAD~1")
    done = manent(*command[1:-1], "a published address", "--repo", str(clone.path))
    assert done.returncode == 0, done.stderr
    assert "in a push before this one" in pushed.said
    assert clone.push().accepted
    clone.commit({"memory/rossi.md": note("rossi", mail())})
    again = clone.push()
    assert again.accepted and "1 allowed" in again.said, again.said


@pytest.mark.parametrize("path", ["memory/mine.md", "memory/it's $HOME.md"])
def test_an_agent_moves_what_it_put_in_the_wrong_place(
    clone: Clone, tmp_path: Path, path: str
) -> None:
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps({"scout": {"read": [], "write": "quarantine/scout"}}))
    clone.brain_git("config", "manent.agents", str(agents))
    name = path.rpartition("/")[2].removesuffix(".md")
    clone.brain_git("config", "manent.frontmatter", "optional")
    clone.commit({path: note(name, status="quarantine", author="scout")})
    pushed = clone.push(MANENT_IDENTITY="scout")
    assert pushed.refused, pushed.said
    shell(clone, told(pushed.said, "mkdir"))
    clone.git("commit", "-q", "--amend", "--no-edit")
    pushed = clone.push(MANENT_IDENTITY="scout")
    assert "[identity]" not in pushed.said, pushed.said
    assert clone.git("show", f"HEAD:quarantine/scout/{name}.md")


@pytest.mark.parametrize("path", ["memory/latin.md", "memory/o'c afe $HOME.md"])
def test_a_file_in_another_encoding_is_brought_to_utf_8(clone: Clone, path: str) -> None:
    clone.brain_git("config", "manent.frontmatter", "optional")
    clone.commit({path: note("latin", "Caf\u00e9.").decode().encode("latin-1")})
    pushed = clone.push()
    assert pushed.refused and "[encoding]" in pushed.said, pushed.said
    shell(clone, told(pushed.said, "iconv"))
    clone.git("commit", "-q", "-a", "--amend", "--no-edit")
    assert clone.git("show", f"HEAD:{path}").endswith("Caf\u00e9.")
    assert "[encoding]" not in clone.push().said


@pytest.mark.parametrize("kind", ["address", "number"])
def test_no_rule_quotes_what_another_masks(clone: Clone, kind: str) -> None:
    said = {"address": mail(), "number": phone()}[kind]
    clone.brain_git("config", "manent.strictLinks", "true")
    clone.commit({"memory/bad.md": note("bad", f"See [[Call {said}]] and [it](<{said}.md>).")})
    pushed = clone.push()
    assert pushed.refused and "[link-unresolved]" in pushed.said and "[pii]" in pushed.said
    assert said not in pushed.said, pushed.said
    asked = ["gate", "range", "origin/main..HEAD", "--json"]
    command = [sys.executable, "-m", "manent", *asked]
    done = subprocess.run(command, cwd=clone.path, env=clone.environment, capture_output=True)
    assert b"link-unresolved" in done.stdout and said.encode() not in done.stdout, done


def test_an_agent_is_offered_no_allowance(clone: Clone, tmp_path: Path) -> None:
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps({"scribe": {"read": [], "write": "quarantine/scribe"}}))
    clone.brain_git("config", "manent.agents", str(agents))
    stamped = {"status": "quarantine", "author": "scribe"}
    clone.commit({"quarantine/scribe/x.md": note("x", mail(), **stamped)})
    pushed = clone.push(MANENT_IDENTITY="scribe")
    assert pushed.refused and "gate allow" not in pushed.said


def test_nothing_is_called_accepted_before_it_is(clone: Clone) -> None:
    """The verdict cannot be written down: the push is refused, and nothing else was said."""
    (clone.brain / "manent").rename(clone.brain / "elsewhere")
    (clone.brain / "manent").symlink_to(clone.brain / "elsewhere")
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.refused, pushed.said
    assert len(remote(pushed.said)) == 1 and "no plain folder" in pushed.said


def test_a_chained_hook_that_refuses_is_named(clone: Clone) -> None:
    hook = clone.brain / "hooks/pre-receive.chained"
    hook.write_text("#!/bin/sh\necho ours >&2\nexit 3\n")
    hook.chmod(0o755)
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push()
    assert pushed.refused and "stood here before (it ended with 3)" in pushed.said
    assert "accepted" not in pushed.said


def test_what_is_allowed_is_counted_and_nothing_else(clone: Clone) -> None:
    """A fault that two rooms name is one fault, and was allowed by nobody."""
    clone.commit({"memory/a?.md": note("a")})
    pushed = clone.push()
    assert pushed.refused and not [x for x in remote(pushed.said) if "allowed" in x]


def test_a_file_of_allowances_nobody_can_read_is_never_accepted(clone: Clone) -> None:
    clone.commit({".manent-allow": b"not json\n"})
    pushed = clone.push()
    assert pushed.refused and "line 1 of .manent-allow is no JSON" in pushed.said
    assert "manent gate allow" not in pushed.said
    clone.git("reset", "-q", "--hard", "HEAD~")
    clone.commit({"memory/fine.md": note("fine")})
    assert clone.push().accepted


def test_an_owner_mends_a_file_that_no_gate_had_judged(clone: Clone) -> None:
    tip = clone.commit({".manent-allow": b"not json\n"})
    clone.brain_git("fetch", "-q", str(clone.path), tip)
    (clone.brain / "refs/heads/main").write_text(f"{tip}\n")
    clone.commit({"memory/other.md": note("other")})
    assert clone.push().refused
    clone.commit({".manent-allow": b'{"salt": "x"}\n'})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def put_at_its_place(clone: Clone, what: str) -> str:
    """Commit a folder or a symlink where the allowances stand; return the commit."""
    place = clone.path / ".manent-allow"
    place.unlink(missing_ok=True)
    if what == "folder":
        return clone.commit({".manent-allow/rows": b'{"salt": "x"}\n'})
    (clone.path / "rows").write_bytes(b'{"salt": "x"}\n')
    place.symlink_to("rows")
    clone.git("add", "-A")
    clone.git("commit", "-q", "--no-verify", "-m", "a link")
    return clone.git("rev-parse", "HEAD")


@pytest.mark.parametrize("what", ["folder", "symlink"])
@pytest.mark.parametrize("before", ["file", "nothing"])
def test_nothing_but_a_file_takes_the_place_of_the_allowances(
    clone: Clone, what: str, before: str
) -> None:
    if before == "file":
        clone.commit({".manent-allow": b'{"salt": "x"}\n'})
        assert clone.push().accepted
    put_at_its_place(clone, what)
    pushed = clone.push()
    assert pushed.refused and "[allow-malformed]" in pushed.said, pushed.said
    assert f".manent-allow is a {what}, not a file" in pushed.said
    asked = ("gate", "range", "origin/main..HEAD", "--repo", str(clone.path))
    assert "[allow-malformed]" in manent(*asked).stderr
    # What stands there stays: no command takes it for nothing.
    mark = f"pii:{0:016x}"
    done = manent("gate", "allow", mark, "--reason", "x", "--repo", str(clone.path))
    assert done.returncode == 2 and "not a file" in done.stderr, done.stderr
    linted = manent("lint", str(clone.path))
    assert linted.returncode == 2 and "not a file" in linted.stderr, linted.stderr


def test_a_brain_whose_allowances_are_a_folder_is_not_written_over(clone: Clone) -> None:
    tip = put_at_its_place(clone, "folder")
    clone.brain_git("fetch", "-q", str(clone.path), tip)
    (clone.brain / "refs/heads/main").write_text(f"{tip}\n")
    asked = ("gate", "allow", f"pii:{0:016x}", "--reason", "x", "--repo", str(clone.brain))
    done = manent(*asked)
    assert done.returncode == 2 and "not a file" in done.stderr, done.stderr
    assert clone.brain_git("rev-parse", "main") == tip
    clone.commit({".manent-allow/rows": None, "memory/fine.md": note("fine")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def rows(salt: str, *marks: str) -> bytes:
    first: list[dict[str, str]] = [{"salt": salt}] if salt else []
    lines = [{"fingerprint": m, "rule": "pii", "reason": "x", "who": "Ada"} for m in marks]
    return "".join(json.dumps(row) + "\n" for row in first + lines).encode()


ONE, TWO = f"pii:{1:016x}", f"pii:{2:016x}"


@pytest.mark.parametrize("salt", ["", "other"])
def test_allowances_do_not_lose_their_salt_without_a_word(clone: Clone, salt: str) -> None:
    clone.commit({".manent-allow": rows("first", ONE, TWO)})
    assert clone.push().accepted
    clone.commit({".manent-allow": rows(salt, TWO)})
    pushed = clone.push()
    assert pushed.refused and "[allow-malformed]" in pushed.said, pushed.said
    assert "under which 1 allowance was made" in pushed.said
    asked = ("gate", "range", "origin/main..HEAD", "--repo", str(clone.path))
    assert "[allow-malformed]" in manent(*asked).stderr


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (rows("", ONE), rows("new", ONE)),  # what had none is keyed by the fixed one still
        (rows("first", ONE), rows("new", TWO)),
        (rows("first", ONE), rows("first")),
        (rows("first"), rows("new")),
        (rows("first", ONE), None),
    ],
)
def test_a_salt_changes_where_no_allowance_needs_it(
    clone: Clone, before: bytes, after: bytes | None
) -> None:
    clone.commit({".manent-allow": before})
    assert clone.push().accepted
    clone.commit({".manent-allow": after})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


@pytest.mark.parametrize(("until", "status"), [(-1, 2), (0, 0), (1, 0)])
def test_an_allowance_for_a_day_gone_by_is_not_written(
    clone: Clone, until: int, status: int
) -> None:
    today = datetime.datetime.now(datetime.UTC).date()
    day = (today + datetime.timedelta(days=until)).isoformat()
    tip = clone.git("rev-parse", "HEAD")
    asked = ("--reason", "x", "--until", day, "--repo", str(clone.path))
    done = manent("gate", "allow", ONE, *asked)
    assert done.returncode == status, done.stderr
    assert (clone.git("rev-parse", "HEAD") == tip) == bool(status)


@pytest.mark.parametrize("path", ["secrets/a.txt", ".manent/a", "link"])
def test_what_is_refused_whatever_the_policy_is_allowed_by_nobody(clone: Clone, path: str) -> None:
    def bad() -> str:
        if path == "link":
            (clone.path / path).symlink_to("/etc/passwd")
            clone.git("add", path)
            clone.git("commit", "-q", "--no-verify", "-m", "x")
        else:
            clone.write({path: b"x"})
            clone.git("add", "-f", path)
            clone.git("commit", "-q", "--no-verify", "-m", "x")
        return clone.push().said

    said = bad()
    assert "manent gate allow" not in said
    (fingerprint,) = re.findall(r"\[([a-z-]+:[0-9a-f]{16})\]", said)
    clone.git("reset", "-q", "--hard", "HEAD~")
    allow_all_the_same(clone, fingerprint)
    assert clone.push().accepted
    assert "refused, nothing was kept" in bad()


@pytest.mark.parametrize("before", ["f/", "f/call-", "x/y/"])
def test_a_number_begins_anew_in_each_part_of_a_name(clone: Clone, before: str) -> None:
    number = refused_values()["phone"]
    clone.commit({f"{before}{number}.txt": b"nothing\n"})
    pushed = clone.push()
    assert pushed.refused and "personal data" in pushed.said and number not in pushed.said


def test_what_a_hook_says_of_a_commit_speaks_of_no_push(clone: Clone) -> None:
    judged = ("gate", "staged", "--repo", str(clone.path))
    clone.write({"memory/rossi.md": note("rossi", mail())})
    said = manent(*judged).stdout + manent(*judged).stderr
    assert "manent: refused, nothing was committed: 1 finding" in said
    assert "an owner can allow it, in a commit before this one" in said
    assert "push" not in said
    base = clone.git("rev-parse", "HEAD")
    clone.git("commit", "-q", "--no-verify", "-m", "x")
    done = manent("gate", "range", f"{base}..HEAD", "--repo", str(clone.path))
    said = done.stdout + done.stderr
    assert "manent: refused: 1 finding" in said
    assert "it must leave every commit of the range" in said
    assert "push" not in said
