"""Summaries carried onto other memories, by real rebases and picks: stopped, settled or refused."""

from __future__ import annotations

import io
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import Clone

from manent import record
from manent.journal import gitstate
from manent.journal import merge as driver
from manent.journal.command import run

MANENT = [sys.executable, "-m", "manent"]
LOG, TWO = "journal/LOG.txt", "journal/TREE/2"
DAY = "2026-03-0{}"


def log(*lines: str, days: str) -> bytes:
    rows = enumerate(zip(days, lines, strict=True))
    return b"".join(record.log_record(i, DAY.format(day), text) for i, (day, text) in rows)


def level(*lines: str) -> bytes:
    return b"".join(record.tree_record(text) for text in lines)


def git(top: Path, *argv: str, code: int | None = 0) -> str:
    done = subprocess.run(["git", *argv], cwd=top, capture_output=True, text=True, check=False)
    assert code is None or done.returncode == code, f"git {argv}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def manent(top: Path, *argv: str, code: int = 0) -> str:
    done = subprocess.run([*MANENT, *argv], cwd=top, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def texts(top: Path) -> list[str]:
    raw = (top / LOG).read_bytes()
    return [
        record.split_line(record.log_line(raw[i : i + 320], i // 320))[2]
        for i in range(0, len(raw), 320)
    ]


def summed(top: Path) -> list[str]:
    """What each summary of two says, where it is of the two that stand there."""
    raw = (top / TWO).read_bytes()
    return [raw[i : i + 288].decode().rstrip() for i in range(0, len(raw), 288)]


@pytest.fixture
def kept(clone: Clone) -> Clone:
    """A clone whose brain holds a journal of two memories; the driver is there, no hook is."""
    attributes = "\n".join(driver.ATTRIBUTES).encode() + b"\n"
    clone.commit({LOG: log("a", "b", days="11"), TWO: level("a b"), ".gitattributes": attributes,
                  "journal/.gitignore": b"/.lock\n"})  # fmt: skip
    assert clone.push().accepted
    driver.install(str(clone.path), f"'{sys.executable}' -P -m manent", dict(os.environ))
    return clone


def upstream_notes(clone: Clone, tmp_path: Path, *lines: str, days: str) -> None:
    """Let somebody else push these notes."""
    other = Clone(tmp_path / "other", clone.brain)
    clone.git("clone", "-q", str(clone.brain), str(other.path))
    other.commit({LOG: log("a", "b", *lines, days="11" + days)})
    assert other.push().accepted
    clone.git("fetch", "-q")


def live(clone: Clone, *lines: str, commits: bool) -> None:
    """Note and sleep here, as one who commits each step or as one who commits by hand."""
    how = ["--commit"] if commits else []
    for line in lines:
        manent(clone.path, "journal", "note", line, *how)
    done = manent(clone.path, "journal", "sleep", "2-3", " ".join(lines[:2]), *how)
    assert "2-3 saved." in done
    if not commits:
        git(clone.path, "add", "-A")
        git(clone.path, "commit", "-q", "-m", "by hand")


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("how", [["rebase"], ["rebase", "--apply"], ["pull", "--rebase"]])
def test_a_rebase_that_nothing_would_settle_is_stopped(
    kept: Clone, tmp_path: Path, how: list[str], commits: bool
) -> None:
    upstream_notes(kept, tmp_path, "x", days="1")
    live(kept, "m", "n", commits=commits)
    asked = how if how[0] == "pull" else [*how, "origin/main"]
    said = git(kept.path, *asked, code=None)
    assert "the summary of #2-3 would be carried onto other memories" in said
    order = said.partition("merge instead. Run: ")[2].splitlines()[0]
    subprocess.run(["sh", "-c", order], cwd=kept.path, check=True)
    assert texts(kept.path) == ["a", "b", "m", "n"] and summed(kept.path) == ["a b", "m n"]
    git(kept.path, "merge", "-q", "-m", "both", "origin/main")
    manent(kept.path, "journal", "merge", "--settle")
    git(kept.path, "commit", "-q", "--amend", "--no-edit")
    pushed = kept.push()
    assert pushed.accepted, pushed.said
    assert texts(kept.path) == ["a", "b", "x", "m", "n"] and summed(kept.path) == ["a b"]


@pytest.mark.parametrize("commits", [True, False])
def test_a_rebase_that_a_hook_settles_goes_on(kept: Clone, tmp_path: Path, commits: bool) -> None:
    manent(kept.path, "hooks", "install")
    upstream_notes(kept, tmp_path, "x", days="1")
    live(kept, "m", "n", commits=commits)
    git(kept.path, "rebase", "-q", "origin/main")
    assert texts(kept.path) == ["a", "b", "x", "m", "n"] and summed(kept.path) == ["a b"]
    assert git(kept.path, "status", "--porcelain", "-uno") == ""
    pushed = kept.push()
    assert pushed.accepted, pushed.said


@pytest.mark.parametrize("commits", [True, False])
def test_a_rebase_that_moves_no_memory_goes_on(kept: Clone, tmp_path: Path, commits: bool) -> None:
    other = Clone(tmp_path / "other", kept.brain)
    kept.git("clone", "-q", str(kept.brain), str(other.path))
    other.commit({"x.txt": b"1\n"})
    assert other.push().accepted
    live(kept, "m", "n", commits=commits)
    git(kept.path, "pull", "-q", "--rebase")
    assert summed(kept.path) == ["a b", "m n"] and texts(kept.path) == ["a", "b", "m", "n"]
    pushed = kept.push()
    assert pushed.accepted, pushed.said


def test_a_note_alone_is_rebased_and_its_summary_written_after(kept: Clone, tmp_path: Path) -> None:
    upstream_notes(kept, tmp_path, "x", days="1")
    manent(kept.path, "journal", "note", "m", "--commit")
    git(kept.path, "pull", "-q", "--rebase")
    manent(kept.path, "journal", "sleep", "2-3", "x m", "--commit")
    pushed = kept.push()
    assert pushed.accepted, pushed.said


STALE = {
    "pull": ["pull", "-q", "--rebase"],
    "rebase": ["rebase", "-q", "origin/main"],
    "rebase of no upstream": ["rebase", "-q", "origin/main"],
    "by patches": ["rebase", "-q", "--apply", "origin/main"],
    "pick": ["cherry-pick", "ORIG"],
}


@pytest.mark.parametrize("hooks", [True, False])
@pytest.mark.parametrize("how", STALE)
@pytest.mark.parametrize("summed_here", [True, False])
def test_upstream_keeps_its_summaries(
    kept: Clone, tmp_path: Path, how: str, hooks: bool, summed_here: bool
) -> None:
    """One stale clone that rebases moves nothing of what is upstream, and cuts none of it."""
    if hooks:
        manent(kept.path, "hooks", "install")
    other = Clone(tmp_path / "other", kept.brain)
    kept.git("clone", "-q", str(kept.brain), str(other.path))
    other.commit({LOG: log("a", "b", "x", "y", days="1111")})
    other.commit({TWO: level("a b", "x y"), "journal/TREE/4": level("a b x y")})
    assert other.push().accepted
    kept.git("fetch", "-q")
    manent(kept.path, "journal", "note", "m", "--commit")
    manent(kept.path, "journal", "note", "n", "--commit")
    if summed_here and hooks and how != "pick":
        manent(kept.path, "journal", "sleep", "2-3", "m n", "--commit")
    if how == "pick":
        git(kept.path, "checkout", "-q", "-b", "mine")
        git(kept.path, "branch", "-q", "-f", "main", "origin/main")
        git(kept.path, "checkout", "-q", "main")
        git(kept.path, "cherry-pick", "main..mine")
    else:
        if "no upstream" in how:
            git(kept.path, "branch", "--unset-upstream")
        git(kept.path, *STALE[how])
    manent(kept.path, "journal", "wake")
    assert texts(kept.path) == ["a", "b", "x", "y", "m", "n"]
    assert summed(kept.path) == ["a b", "x y"]
    assert (kept.path / "journal/TREE/4").read_bytes() == level("a b x y")
    assert git(kept.path, "status", "--porcelain", "-uno") == ""
    git(kept.path, "branch", "-q", "-u", "origin/main")
    pushed = kept.push()
    assert pushed.accepted, pushed.said


@pytest.mark.parametrize("first", [["wake"], ["note", "later", "--commit"], None])
def test_a_merge_without_hooks_is_mended_as_the_refusal_says(
    kept: Clone, tmp_path: Path, first: list[str] | None
) -> None:
    upstream_notes(kept, tmp_path, "x", days="1")
    live(kept, "m", "n", commits=False)
    git(kept.path, "merge", "-q", "-m", "both", "origin/main")
    if first:
        manent(kept.path, "journal", *first)
    else:
        pushed = kept.push()
        words = " ".join(word for word in pushed.said.replace("remote:", " ").split())
        assert "of memories that the merge has moved" in words, words
        manent(kept.path, "journal", "merge", "--settle")
        git(kept.path, "commit", "-q", "--amend", "--no-edit")
    pushed = kept.push()
    assert pushed.accepted, pushed.said
    assert summed(kept.path) == ["a b"]
    assert git(kept.path, "status", "--porcelain", "-uno") == ""


def test_a_merge_whose_level_a_command_has_cut_is_staged_by_settle(
    kept: Clone, tmp_path: Path
) -> None:
    upstream_notes(kept, tmp_path, "x", days="1")
    live(kept, "m", "n", commits=False)
    git(kept.path, "merge", "-q", "-m", "both", "origin/main")
    (kept.path / TWO).write_bytes(level("a b"))
    (kept.path / ".git/manent/journal-merged").unlink()
    manent(kept.path, "journal", "merge", "--settle")
    git(kept.path, "commit", "-q", "--amend", "--no-edit")
    pushed = kept.push()
    assert pushed.accepted, pushed.said


def side_summary(kept: Clone) -> None:
    """Leave on `side` a note and a summary that main, with another note, knows nothing of."""
    git(kept.path, "checkout", "-q", "-b", "side")
    live(kept, "m", "n", commits=True)
    git(kept.path, "checkout", "-q", "main")
    manent(kept.path, "journal", "note", "x", "--commit")
    manent(kept.path, "journal", "note", "y", "--commit")


def test_a_summary_that_is_picked_onto_other_memories_is_refused(kept: Clone) -> None:
    """The picked commit changes no log, so git asks no driver and runs no hook of ours."""
    side_summary(kept)
    git(kept.path, "cherry-pick", "side")
    assert texts(kept.path)[2:] == ["x", "y"] and summed(kept.path) == ["a b", "m n"]
    pushed = kept.push()
    assert pushed.refused and "[journal-tree]" in pushed.said
    assert "the summary of #2-3 was made of other memories than stand there now" in pushed.said
    assert "made of other memories" in manent(
        kept.path, "gate", "range", "origin/main..HEAD", code=1
    )
    words = " ".join(w for w in pushed.said.replace("remote:", " ").split())
    order = words.partition("cut it back with: manent ")[2].partition(" --commit")[0].split()
    manent(kept.path, *order, "--commit")
    pushed = kept.push()
    assert pushed.accepted, pushed.said
    assert summed(kept.path) == ["a b"]
    manent(kept.path, "journal", "sleep", "2-3", "x y", "--commit")
    pushed = kept.push()
    assert pushed.accepted, pushed.said


def test_a_note_and_its_summary_that_are_picked_together_are_stopped(
    kept: Clone, tmp_path: Path
) -> None:
    git(kept.path, "checkout", "-q", "-b", "side")
    live(kept, "m", "n", commits=False)
    git(kept.path, "checkout", "-q", "main")
    (kept.path / LOG).write_bytes(log("a", "b", "x", days="111"))
    git(kept.path, "commit", "-q", "-am", "x")
    said = git(kept.path, "cherry-pick", "side", code=1)
    assert "the summary of #2-3 would be carried onto other memories" in said
    assert "Run: git cherry-pick --abort" in said
    git(kept.path, "cherry-pick", "--abort")
    assert summed(kept.path) == ["a b"] and texts(kept.path) == ["a", "b", "x"]


def test_a_summary_that_is_picked_onto_the_same_memories_is_accepted(kept: Clone) -> None:
    git(kept.path, "checkout", "-q", "-b", "side")
    live(kept, "m", "n", commits=True)
    git(kept.path, "checkout", "-q", "main")
    git(kept.path, "cherry-pick", "side~2", "side~1")
    kept.commit({"x.txt": b"1\n"})
    git(kept.path, "cherry-pick", "side")
    pushed = kept.push()
    assert pushed.accepted, pushed.said
    assert summed(kept.path) == ["a b", "m n"]


def test_a_note_and_its_summary_that_were_stashed_are_popped_and_cut_back(
    kept: Clone, tmp_path: Path
) -> None:
    upstream_notes(kept, tmp_path, "x", days="1")
    for line in ("m", "n"):
        manent(kept.path, "journal", "note", line)
    manent(kept.path, "journal", "sleep", "2-3", "m n")
    git(kept.path, "stash", "-q")
    git(kept.path, "merge", "-q", "--ff-only", "origin/main")
    git(kept.path, "stash", "pop")
    assert texts(kept.path) == ["a", "b", "x", "m", "n"]
    manent(kept.path, "journal", "wake")
    assert summed(kept.path) == ["a b"]
    git(kept.path, "commit", "-q", "-am", "by hand")
    pushed = kept.push()
    assert pushed.accepted, pushed.said


def test_what_was_wrong_and_is_said_again_rightly_is_accepted(kept: Clone) -> None:
    side_summary(kept)
    git(kept.path, "cherry-pick", "side")
    manent(kept.path, "journal", "forget", "2-3", "--commit")
    # The same words, of these memories this time.
    manent(kept.path, "journal", "sleep", "2-3", "m n", "--commit")
    pushed = kept.push()
    assert pushed.accepted, pushed.said


def test_a_summary_without_its_memories_is_one_finding(kept: Clone) -> None:
    """It is of memories that the commit does not hold, and of no others."""
    for line in ("m", "n"):
        manent(kept.path, "journal", "note", line)
    manent(kept.path, "journal", "sleep", "2-3", "m n")
    memories = (kept.path / LOG).read_bytes()[640:]
    said = f"by hand\n\n{record.summary_line(2, 4, memories)}"
    git(kept.path, "commit", "-q", "-m", said, "--", TWO)
    pushed = kept.push()
    assert pushed.refused and "made of other memories" not in pushed.said
    assert "1 finding " in pushed.said and "[journal-tree]" in pushed.said


# ---------------------------------------------------------------- whatever is done


class Life:
    """One clone that commits every step; its summaries say exactly what they were made of."""

    def __init__(self, clone: Clone, name: str, draw: random.Random) -> None:
        self.clone, self.top, self.name, self.draw = clone, clone.path, name, draw
        self.made = 0
        self.day = 1
        git(self.top, "config", "manent.journalCommit", "true")
        driver.install(str(self.top), f"'{sys.executable}' -P -m manent", dict(os.environ))

    def ask(self, *argv: str) -> str:
        out, err = io.BytesIO(), io.BytesIO()
        place, today = ["--dir", str(self.top / "journal")], DAY.format(self.day)
        run([*place, *argv], dict(os.environ), io.BytesIO(), out, err, today, "manent")
        return out.getvalue().decode() + err.getvalue().decode()

    def note(self) -> None:
        self.day = min(9, self.day + (self.draw.random() < 0.15))
        assert "Saved as" in self.ask("note", f"{self.name}{self.made}")
        self.made += 1

    def sleep(self) -> None:
        due = json.loads(self.ask("sleep", "--json"))["next"]
        if due:
            lo, hi = (int(end) for end in due["block"].split("-"))
            said = self.ask("sleep", due["block"], " ".join(texts(self.top)[lo : hi + 1]))
            assert f"{due['block']} saved." in said

    def forget(self) -> None:
        self.ask("forget", self.draw.choice(["0-1", "2-3", "4-5", "4-7"]))

    def pick(self) -> None:
        """Take a commit of somebody else's that is not here yet."""
        git(self.top, "fetch", "-q", "--all")
        others = git(self.top, "rev-list", "--no-merges", "--all", "--not", "HEAD").split()
        if others and git(self.top, "cherry-pick", self.draw.choice(others), code=None).count(":"):
            git(self.top, "cherry-pick", "--abort", code=None)

    def take_in(self) -> None:
        git(self.top, "fetch", "-q", "origin")
        if self.draw.random() < 0.5:
            said = git(self.top, "rebase", "-q", "origin/main", code=None)
            if not gitstate.under_way(str(self.top / ".git")):
                return
            assert "merge instead. Run: git rebase --abort" in said, said
            git(self.top, "rebase", "--abort")
        git(self.top, "merge", "-q", "-m", "both", "origin/main")
        if "Cut back" in self.ask("merge", "--settle"):
            parents = git(self.top, "rev-list", "--parents", "-1", "HEAD").split()
            if len(parents) > 2 and git(self.top, "diff", "--cached", "--name-only"):
                git(self.top, "commit", "-q", "--amend", "--no-edit")

    def push(self) -> None:
        """Push, and mend what is refused as the refusal says."""
        for _ in range(6):
            self.take_in()
            pushed = self.clone.push()
            if pushed.accepted:
                return
            said = " ".join(word for word in pushed.said.split() if word != "remote:")
            for order in re.findall(
                r"cut it back with: manent journal --dir journal (\S+ \S+)", said
            ):
                self.ask(*order.split())
            assert "made of other memories" in said or "of memories that the merge" in said, said
            if "of memories that the merge" in said:
                self.ask("merge", "--settle", "--commit")
        raise AssertionError(f"never accepted: {pushed.said}")


def stale(clone: Clone) -> list[str]:
    """The summaries at the brain that do not say what stands beneath them."""
    raw = subprocess.run(
        ["git", "-C", str(clone.brain), "show", f"main:{LOG}"], capture_output=True, check=True
    ).stdout
    said = [raw[i : i + 320].decode().split()[2] for i in range(0, len(raw), 320)]
    assert record.log_fault(None, raw) is None
    wrong = []
    names = clone.brain_git("ls-tree", "-r", "--name-only", "main", "--", "journal/TREE/")
    for path in names.split():
        size = int(path.rpartition("/")[2])
        held = clone.brain_git("show", f"main:{path}").splitlines()
        wrong += [
            f"{path} {k}" for k, line in enumerate(held)
            if line.split() != said[k * size : (k + 1) * size]
        ]  # fmt: skip
    return wrong


@pytest.mark.parametrize("seed", range(30) if os.environ.get("MANENT_ENDURE") else [1, 2, 3])
def test_no_summary_at_a_brain_is_of_other_memories(kept: Clone, tmp_path: Path, seed: int) -> None:
    """Notes, summaries, picks, rebases, merges at random, every step committed, pushed for real."""
    draw = random.Random(seed)
    other = Clone(tmp_path / "second", kept.brain)
    kept.git("clone", "-q", str(kept.brain), str(other.path))
    lives = [Life(kept, "k", draw), Life(other, "o", draw)]
    for one, another in (lives, lives[::-1]):
        git(one.top, "remote", "add", "beside", str(another.top))
    for _ in range(4):
        for life in draw.sample(lives, 2):
            steps = [life.note] * 3 + [life.sleep] * 3 + [life.pick] * 2 + [life.forget]
            for step in draw.choices(steps, k=draw.randrange(2, 8)):
                step()
        draw.choice(lives).push()
        assert stale(kept) == []
    for life in lives:
        life.push()
    assert stale(kept) == []
