"""What a person decides lands whole or not at all, and takes nothing of theirs along."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from vaults import note, refused_values, write

from manent.change import Change
from manent.cli.carrying import Carried, How, carry, mend, person_at
from manent.cli.opening import locate
from manent.errors import EnvironmentFault, Refused, UsageError
from manent.gate.admit import ChangeRefused


def git(folder: Path, *arguments: str, status: int = 0) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def seeded(root: Path, files: dict[str, str | bytes] | None = None) -> Path:
    write(root, files or {"memory/a.md": note("a"), "memory/b.md": note("b")})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "seed")
    return root


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return seeded(tmp_path / "work")


@pytest.fixture
def brain(work: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "-q", "--bare", str(work), "brain.git")
    return tmp_path / "brain.git"


MOVE: dict[str, bytes | None] = {"memory/a.md": None, "notes/c.md": note("a", "Moved.").encode()}


def carried(
    root: Path, edits: dict[str, bytes | None], message: str = "move(a): away", **how: Any
) -> Carried:
    place = locate(str(root))
    return carry(
        place,
        How(person_at(place), **how),
        lambda found: [Change(edits, message, "ada", {"By": "Ada"})],
    )


def state(root: Path) -> dict[str, bytes]:
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file() and ".git" not in p.relative_to(root).parts
    }


def test_without_commit_the_files_change_and_nothing_else(work: Path) -> None:
    head, index = git(work, "rev-parse", "HEAD"), git(work, "ls-files", "-s")
    carried(work, MOVE)
    assert not (work / "memory/a.md").exists()
    assert (work / "notes/c.md").read_bytes() == MOVE["notes/c.md"]
    assert (git(work, "rev-parse", "HEAD"), git(work, "ls-files", "-s")) == (head, index)


def test_a_commit_takes_its_paths_and_leaves_what_the_user_has_under_way(work: Path) -> None:
    write(work, {"memory/b.md": note("b", "Staged."), "new.txt": "staged too\n"})
    git(work, "add", "memory/b.md", "new.txt")
    write(work, {"memory/b.md": note("b", "Modified after."), "loose.txt": "untracked\n"})
    before = git(work, "diff", "--cached"), git(work, "diff")
    done = carried(work, MOVE, commit=True)
    assert git(work, "show", "--name-status", "--no-renames", "--format=", "HEAD").split("\n") == [
        "D\tmemory/a.md",
        "A\tnotes/c.md",
    ]
    assert (git(work, "diff", "--cached"), git(work, "diff")) == before
    assert git(work, "ls-files", "--others") == "loose.txt"
    assert done.commits == [git(work, "rev-parse", "HEAD")]
    assert git(work, "log", "-1", "--format=%an <%ae>%n%B") == (
        "Ada Tester <ada@example.org>\nmove(a): away\n\nBy: Ada"
    )


def test_a_commit_runs_the_users_hooks_and_takes_the_users_variables(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = work / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\necho "Seen: by the hook" >> "$1"\n')
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    carried(work, MOVE, commit=True)
    assert git(work, "log", "-1", "--format=%an|%(trailers:key=Seen,valueonly)") == (
        "Grace|by the hook"
    )


def test_a_hook_that_refuses_leaves_everything_as_it_was(work: Path, capsys: Any) -> None:
    hook = work / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho first words >&2\necho second words >&2\nexit 1\n")
    hook.chmod(0o755)
    write(work, {"memory/b.md": note("b", "Staged.")})
    git(work, "add", "memory/b.md")
    before = state(work), git(work, "ls-files", "-s"), git(work, "rev-parse", "HEAD")
    with pytest.raises(Refused, match="first words"):
        carried(work, MOVE, commit=True)
    assert (state(work), git(work, "ls-files", "-s"), git(work, "rev-parse", "HEAD")) == before
    assert "second words" in capsys.readouterr().err


@pytest.mark.parametrize("stage", [True, False])
def test_a_path_with_unsaved_edits_is_refused(work: Path, stage: bool) -> None:
    write(work, {"memory/a.md": note("a", "Mine.")})
    if stage:
        git(work, "add", "memory/a.md")
    before = state(work)
    with pytest.raises(Refused, match=r"memory/a\.md has edits"):
        carried(work, MOVE, commit=True)
    assert state(work) == before


@pytest.mark.parametrize("flag", ["skip-worktree", "assume-unchanged"])
def test_a_file_git_was_told_not_to_look_at_is_refused(work: Path, flag: str) -> None:
    git(work, "update-index", f"--{flag}", "memory/a.md")
    before, index = state(work), git(work, "ls-files", "-sv")
    with pytest.raises(Refused, match=flag):
        carried(work, MOVE, commit=True)
    assert (state(work), git(work, "ls-files", "-sv")) == (before, index)
    git(work, "update-index", f"--no-{flag}", "memory/a.md")
    assert len(carried(work, MOVE, commit=True).commits) == 1


def test_a_file_git_does_not_know_may_be_committed(work: Path) -> None:
    write(work, {"drafts/d.md": note("d")})
    carried(work, {"drafts/d.md": None, "memory/d.md": note("d").encode()}, commit=True)
    assert git(work, "show", "--name-only", "--format=", "HEAD") == "memory/d.md"
    assert git(work, "status", "--porcelain") == ""


def test_during_a_merge_nothing_is_committed(work: Path) -> None:
    (work / ".git/MERGE_HEAD").write_text(git(work, "rev-parse", "HEAD") + "\n")
    with pytest.raises(Refused, match="a merge is under way"):
        carried(work, MOVE, commit=True)


@pytest.mark.parametrize("where", ["work", "brain"])
@pytest.mark.parametrize("how", [{"dry_run": True}, {"dry_run": True, "commit": True}])
def test_a_dry_run_shows_a_diff_that_git_applies_and_touches_nothing(
    request: pytest.FixtureRequest, work: Path, where: str, how: dict[str, bool]
) -> None:
    root: Path = request.getfixturevalue(where)
    before = state(work), git(root, "rev-parse", "HEAD"), git(root, "count-objects", "-v")
    edits = MOVE | {"memory/b.md": note("b", "No end").encode()[:-1], "ä b.txt": b"x\n"}
    shown = carried(root, edits, "move(a): away", **how).diff
    assert (state(work), git(root, "rev-parse", "HEAD"), git(root, "count-objects", "-v")) == before
    assert b"rename from memory/a.md\nrename to notes/c.md\n" in shown
    subprocess.run(["git", "apply", "-"], cwd=work, input=shown, check=True)
    assert not (work / "memory/a.md").exists()
    for path, content in edits.items():
        assert content is None or (work / path).read_bytes() == content


@pytest.mark.parametrize("commit", [True, False])
def test_what_the_gate_refuses_changes_nothing(work: Path, commit: bool) -> None:
    before = state(work), git(work, "rev-parse", "HEAD")
    bad = note("b", refused_values()["email"]).encode()
    with pytest.raises(ChangeRefused):
        carried(work, MOVE | {"memory/b.md": bad}, commit=commit)
    with pytest.raises(ChangeRefused):
        carried(work, MOVE, f"move: {refused_values()['phone']}", commit=commit)
    assert (state(work), git(work, "rev-parse", "HEAD")) == before


def test_a_plain_folder_is_changed_and_never_committed(tmp_path: Path) -> None:
    root = write(tmp_path / "plain", {"memory/a.md": note("a")})
    with pytest.raises(UsageError, match="no git repository"):
        carried(root, MOVE, commit=True)
    carried(root, MOVE)
    assert "notes/c.md" in state(root) and "memory/a.md" not in state(root)


def test_a_vault_below_the_root_of_its_repository(tmp_path: Path) -> None:
    whole = seeded(tmp_path / "whole", {"vault/memory/a.md": note("a"), "other.txt": "x\n"})
    carried(whole / "vault", MOVE, commit=True)
    assert git(whole, "ls-files") == "other.txt\nvault/notes/c.md"


def test_a_brain_needs_a_word_on_how(brain: Path) -> None:
    with pytest.raises(UsageError, match="--commit or --dry-run"):
        carried(brain, MOVE)


def test_a_brain_gets_a_commit_without_a_checkout(brain: Path) -> None:
    old = git(brain, "rev-parse", "main")
    done = carried(brain, MOVE, commit=True)
    assert done.commits == [git(brain, "rev-parse", "main")]
    assert git(brain, "rev-parse", "main^") == old
    assert git(brain, "ls-tree", "-r", "--name-only", "main") == "memory/b.md\nnotes/c.md"
    assert git(brain, "log", "-1", "--format=%cn <%ce>") == "Ada Tester <ada@example.org>"


def test_a_brain_that_moves_meanwhile_is_read_again(brain: Path, work: Path) -> None:
    seen: list[str] = []

    def propose(found: Any) -> list[Change]:
        seen.append(found.vault.tree.read("memory/b.md").decode())
        if len(seen) == 1:
            write(work, {"memory/b.md": note("b", "Pushed meanwhile.")})
            git(work, "commit", "-qam", "meanwhile")
            git(work, "push", "-q", str(brain), "main")
        edits = {"memory/b.md": (seen[-1] + "One more line.\n").encode()}
        return [Change(edits, "add: a line", "ada")]

    place = locate(str(brain))
    carry(place, How(person_at(place), commit=True), propose)
    now = git(brain, "show", "main:memory/b.md")
    assert "Pushed meanwhile." in now and now.endswith("One more line.")


def test_several_changes_on_a_brain_land_together(brain: Path) -> None:
    series = [Change({f"n/{i}.md": note(f"n{i}").encode()}, f"add: {i}", "ada") for i in range(5)]
    old = git(brain, "rev-parse", "main")
    place = locate(str(brain))
    how = How(person_at(place), commit=True)
    done = carry(place, how, lambda found: series)
    assert git(brain, "rev-list", "--reverse", f"{old}..main").split() == done.commits
    bad = Change({"n/6.md": note("n6", refused_values()["email"]).encode()}, "add: 6", "ada")
    more = Change({"n/5.md": note("n5").encode()}, "add: 5", "ada")
    with pytest.raises(ChangeRefused):
        carry(place, how, lambda found: [more, bad])
    assert git(brain, "rev-parse", "main") == done.commits[-1]


def test_commits_on_a_brain_are_signed_as_the_person_has_configured(
    brain: Path, tmp_path: Path, clean_home: Path
) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    with (clean_home / ".gitconfig").open("a") as file:
        file.write(f"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {key}.pub\n")
    git(brain, "config", "commit.gpgSign", "true")
    carried(brain, MOVE, commit=True)
    assert "-----BEGIN SSH SIGNATURE-----" in git(brain, "cat-file", "commit", "main")


@pytest.mark.parametrize("where", ["work", "brain"])
def test_author_and_committer_are_whom_the_variables_name(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    for role, name in (("AUTHOR", "Ann"), ("COMMITTER", "Cem")):
        monkeypatch.setenv(f"GIT_{role}_NAME", name)
        monkeypatch.setenv(f"GIT_{role}_EMAIL", f"{name}@example.org")
    root = request.getfixturevalue(where)
    carried(root, MOVE, commit=True)
    said = git(root, "log", "-1", "--format=%an %ae %cn %ce", "HEAD")
    assert said == "Ann Ann@example.org Cem Cem@example.org"


@pytest.mark.parametrize("where", ["work", "brain"])
def test_what_cannot_be_signed_is_refused_alike(
    request: pytest.FixtureRequest, where: str, capsys: Any
) -> None:
    root = request.getfixturevalue(where)
    for key, value in (
        ("commit.gpgSign", "true"),
        ("gpg.format", "ssh"),
        ("user.signingkey", str(root / "no-key.pub")),
    ):
        git(root, "config", key, value)
    tip = git(root, "rev-parse", "HEAD")
    with pytest.raises(Refused, match="git did not commit"):
        carried(root, MOVE, commit=True)
    assert git(root, "rev-parse", "HEAD") == tip
    assert capsys.readouterr().err


KILLED = """
import os, sys
from pathlib import Path
from manent.change import Change
from manent.cli.carrying import How, carry, person_at
from manent.cli.opening import locate
from manent.gate import laying
root, commit, after = sys.argv[1], sys.argv[2] == "commit", int(sys.argv[3])
real = laying.place
def place(folder, path, content):
    global after
    if after == 0:
        os.kill(os.getpid(), 9)
    after -= 1
    real(folder, path, content)
laying.place = place
edits = {"memory/a.md": None, "memory/b.md": b"changed", "notes/c.md": b"---\\nname: c\\n"
         b"description: d\\ntype: reference\\n---\\nText.\\n"}
edits["memory/b.md"] = edits["notes/c.md"].replace(b"name: c", b"name: b")
at = locate(root)
carry(at, How(person_at(at), commit=commit), lambda found: [Change(edits, "move: it", "ada")])
"""


@pytest.mark.parametrize("how", ["commit", "files"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_killed_command_is_undone_by_the_next_one(work: Path, how: str, after: int) -> None:
    before = state(work), git(work, "ls-files", "-s")
    code = [sys.executable, "-c", KILLED, str(work), how, str(after)]
    assert subprocess.run(code, check=False).returncode == -signal.SIGKILL
    mend(locate(str(work)))
    assert (state(work), git(work, "ls-files", "-s")) == before
    assert git(work, "status", "--porcelain") == ""
    carried(work, MOVE, commit=how == "commit")


@pytest.mark.parametrize("hook", ["pre-commit", "post-commit"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_command_killed_within_a_hook_leaves_the_old_state_or_the_new(
    work: Path, hook: str, number: int
) -> None:
    place = work / f".git/hooks/{hook}"
    place.parent.mkdir(exist_ok=True)
    # The command is git's parent; git is ended too, as a terminal would.
    place.write_text(
        "#!/bin/sh\n"
        f"command=$(ps -o ppid= -p $PPID)\nkill -{number} $command\nsleep 0.3\n"
        + ("kill -9 $PPID\n" if hook == "pre-commit" else "")
    )
    place.chmod(0o755)
    before, head = state(work), git(work, "rev-parse", "HEAD")
    code = [sys.executable, "-c", KILLED, str(work), "commit", "99"]
    assert subprocess.run(code, check=False, capture_output=True).returncode != 0
    place.unlink()
    (work / ".git/index.lock").unlink(missing_ok=True)
    for lock in (work / ".git").glob("next-index-*.lock"):
        lock.unlink()
    mend(locate(str(work)))
    assert git(work, "status", "--porcelain") == ""
    landed = hook == "post-commit"
    assert (git(work, "rev-parse", "HEAD") != head) == landed
    assert (state(work) != before) == landed


def test_a_file_changed_meanwhile_is_left(work: Path) -> None:
    def propose(found: Any) -> list[Change]:
        found.vault.tree.read("memory/a.md")
        return [Change({"memory/a.md": note("a", "Ours.").encode()}, "change: it", "ada")]

    from manent.gate import carrying

    folder = carrying.Folder(work, None)
    changes = propose(type("F", (), {"vault": type("V", (), {"tree": _Tree(work)})}))
    with pytest.raises(EnvironmentFault, match="changed meanwhile"):
        carrying.write(folder, changes, {"memory/a.md": b"what stood there when it was read"})
    assert (work / "memory/a.md").read_text() == note("a")


class _Tree:
    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> bytes:
        return (self._root / path).read_bytes()


def test_a_damaged_record_is_named_and_nothing_is_done(work: Path) -> None:
    journal = work / ".git/manent/carrying.json"
    journal.parent.mkdir(exist_ok=True)
    journal.write_text(json.dumps({"root": 1}))
    with pytest.raises(EnvironmentFault, match=r"carrying\.json is damaged"):
        carried(work, MOVE)
    assert (work / "memory/a.md").exists()
