"""Real histories through both hooks, commit by commit and whole.

What all steps together are refused for is what the whole is refused for; a refused
push is recorded, allowed by its fingerprints and pushed again. A sample in CI;
``MANENT_ENDURE=1`` replays every commit of every history.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from repositories import GIT, Clone

FULL = bool(os.environ.get("MANENT_ENDURE"))
EVERY = ("sapienza-it", "kepano", "logseq-docs", "foam-docs", "dendron-site", "eips")
HISTORIES = dict.fromkeys(EVERY, 10_000) if FULL else {"sapienza-it": 4, "kepano": 4}
"""How many commits of each, oldest first."""

SALT = b'{"salt": "replay"}\n'
ALLOW = ".manent-allow"


def manent(*arguments: str, cwd: Path, given: str = "", **variables: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "manent", *arguments], cwd=cwd, capture_output=True, check=False,
        text=True, input=given, env={**os.environ, **variables},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done


class Replay:
    """A brain, and a clone that holds a history to be pushed to it."""

    def __init__(self, folder: Path, history: Path) -> None:
        folder.mkdir()
        made = manent("brain", "create", "brain.git", "--frontmatter", "optional", cwd=folder)
        assert made.returncode == 0, made.stderr
        subprocess.run([GIT, "clone", "-q", "brain.git", "work"], cwd=folder, check=True)
        self.clone = Clone(folder / "work", folder / "brain.git")
        self.clone.git("fetch", "-q", "--no-tags", str(history), "HEAD")
        self.clone.commit({ALLOW: SALT})
        assert self.clone.push().accepted
        self.found: dict[str, dict[str, Any]] = {}
        self.refused = 0

    def tip(self) -> str:
        return self.clone.brain_git("rev-parse", "main")

    def onto(self, parent: str, commits: Sequence[str]) -> str:
        """Remake ``commits`` in a line on ``parent``, each with the allowances of there."""
        git = self.clone.git
        allow = git("rev-parse", f"{parent}:{ALLOW}")
        for commit in commits:
            listed = git("ls-tree", "-z", commit) + f"100644 blob {allow}\t{ALLOW}\0"
            given = listed.encode("utf-8", "surrogateescape")
            tree = git("mktree", "-z", given=given)
            head, _, message = git("cat-file", "commit", commit).partition("\n\n")
            lines = [x for x in head.split("\n") if not x.startswith(("tree ", "parent "))]
            raw = "\n".join([f"tree {tree}", f"parent {parent}", *lines, "", message, ""])
            made = ("hash-object", "-w", "-t", "commit", "--stdin")
            parent = git(*made, given=raw.encode("utf-8", "surrogateescape"))
        return parent

    def push(self, commits: Sequence[str]) -> None:
        """Push; where it is refused, record why, allow it and push again."""
        new = self.onto(self.tip(), commits)
        pushed = self.clone.push(f"{new}:main")
        if pushed.accepted:
            return
        assert pushed.refused, pushed.said
        self.refused += 1
        rows = self.verdict(new)
        errors = {row["fingerprint"]: row for row in rows if row["severity"] == "error"}
        assert f"{len(rows)} findings" in pushed.said or errors
        assert all(mark in errors for mark in _printed(pushed.said))
        self.found |= {m: row for m, row in errors.items() if row.get("commit")}
        self.clone.brain_git("config", "user.name", "Ada")
        self.clone.brain_git("config", "user.email", "ada@example.org")
        allowed = manent(
            "gate", "allow", *errors, "--reason", "replayed", "--repo", str(self.clone.brain),
            cwd=self.clone.brain,
        )  # fmt: skip
        assert allowed.returncode == 0, allowed.stderr
        self.clone.git("fetch", "-q", "origin")
        again = self.clone.push(f"{self.onto(self.tip(), commits)}:main")
        assert again.accepted, again.said

    def verdict(self, new: str) -> list[dict[str, Any]]:
        """Return all that the gate says of a push, where its hook prints twenty."""
        self.clone.git("branch", "-f", "asked", new)
        brain = self.clone.brain
        self.clone.brain_git(
            "fetch", "-q", "--no-tags", "--no-write-fetch-head", str(self.clone.path), "asked"
        )
        lines = f"{self.tip()} {new} refs/heads/main\n"
        asked = ("gate", "pre-receive", "--json")
        said = json.loads(manent(*asked, cwd=brain, given=lines, GIT_DIR=str(brain)).stdout)
        assert said["accepted"] is False
        return list(said["findings"])

    def files(self) -> list[str]:
        rows = self.clone.brain_git("ls-tree", "-r", "-z", "main").split("\0")
        return [row for row in rows if not row.endswith(f"\t{ALLOW}")]

    def notes(self) -> list[dict[str, Any]]:
        brain = str(self.clone.brain)
        status = manent("index", "--status", "--json", brain, cwd=self.clone.path)
        assert json.loads(status.stdout)["current"] is True
        listed = json.loads(manent("list", brain, "--json", cwd=self.clone.path).stdout)
        return list(listed.get("notes", listed.get("hits", [])))

    def hits(self, query: str) -> list[tuple[str, float]]:
        brain = str(self.clone.brain)
        asked = ("search", brain, query, "-k", "20", "--json")
        said = json.loads(manent(*asked, cwd=self.clone.path).stdout)
        return [(hit["path"], hit["score"]) for hit in said["hits"]]


def _printed(said: str) -> set[str]:
    """Return the fingerprints a refusal shows."""
    lines = [x for x in said.splitlines() if "]" in x and ": error: " in x]
    return {line.rsplit("[", 1)[1].split("]")[0] for line in lines}


@pytest.mark.parametrize("name", HISTORIES)
def test_steps_and_whole_agree(data: Path, tmp_path: Path, name: str) -> None:
    history = tmp_path / "history.git"
    bundle = data / "histories" / f"{name}.bundle"
    subprocess.run([GIT, "clone", "-q", "--bare", str(bundle), str(history)], check=True)
    listed = subprocess.run(
        [GIT, "rev-list", "--reverse", "HEAD"], cwd=history, capture_output=True, check=True
    ).stdout.decode()
    commits = listed.split()[: HISTORIES[name]]
    began = time.monotonic()
    steps = Replay(tmp_path / "steps", history)
    for commit in commits:
        steps.push([commit])
    between = time.monotonic()
    whole = Replay(tmp_path / "whole", history)
    whole.push(commits)
    print(
        f"{name}: {len(commits)} commits, {steps.refused} steps refused, "
        f"{len(whole.found)} content findings; {between - began:.0f} s in steps, "
        f"{time.monotonic() - between:.0f} s whole"
    )
    assert {m: (r["rule"], r["path"]) for m, r in steps.found.items()} == {
        m: (r["rule"], r["path"]) for m, r in whole.found.items()
    }
    assert steps.files() == whole.files()
    # What was indexed step by step is what was indexed at once.
    assert steps.notes() == whole.notes()
    for query in ("how to begin", "links between notes", name.partition("-")[0]):
        assert steps.hits(query) == whole.hits(query)
