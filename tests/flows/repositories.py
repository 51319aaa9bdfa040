"""Small named builders over real repositories, real hooks and real pushes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

GIT = shutil.which("git") or "git"

NOTE = """---
name: {name}
description: {description}
type: reference
---
{text}
"""


def note(name: str, text: str = "Text.", description: str = "A note", **fields: str) -> bytes:
    """Return a well-formed note; further frontmatter fields by keyword."""
    whole = NOTE.format(name=name, description=description, text=text)
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return whole.replace("type: reference\n", f"type: reference\n{lines}").encode()


def phone() -> str:
    """Return a number no gate lets in, made here so that none is tracked."""
    return "+39 " + "347 " + "61 52 843"


def mail() -> str:
    """Return an address no gate lets in."""
    return "m.rossi" + "@" + "posta-privata" + ".it"


def git_variables() -> dict[str, str]:
    """Return the surroundings of a git command in a test."""
    return {"GIT_CONFIG_NOSYSTEM": "1", "HOME": os.environ["HOME"], "PATH": os.environ["PATH"]}


@dataclass(slots=True)
class Pushed:
    """What a push did. said: stderr of the client, hooks' words included."""

    status: int
    said: str

    @property
    def refused(self) -> bool:
        """The gate said no, in its own words."""
        return self.status != 0 and "manent: refused" in self.said

    @property
    def accepted(self) -> bool:
        """Everything landed."""
        return self.status == 0


@dataclass(slots=True)
class Clone:
    """A working copy of a brain, and the brain it pushes to."""

    path: Path
    brain: Path
    environment: dict[str, str] = field(default_factory=git_variables)

    def git(self, *arguments: str, given: bytes = b"", **variables: str) -> str:
        """Run git here; return what it printed."""
        done = subprocess.run(
            [GIT, *arguments],
            cwd=self.path,
            input=given,
            capture_output=True,
            check=False,
            env={**self.environment, **variables},
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: Mapping[str | bytes, bytes | None]) -> None:
        """Write files and stage them; None removes."""
        for path, content in files.items():
            target = self.path / os.fsdecode(path)
            if content is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        self.git("add", "-A", "-f")

    def commit(
        self, files: Mapping[str | bytes, bytes | None], message: str = "step", **variables: str
    ) -> str:
        """Commit these files; return the commit's id."""
        self.write(files)
        self.git("commit", "-q", "--allow-empty", "-F", "-", given=message.encode(), **variables)
        return self.git("rev-parse", "HEAD")

    def blob(self, content: bytes) -> str:
        """Write a blob; return its id."""
        return self.git("hash-object", "-w", "--stdin", given=content)

    def tree(self, entries: list[tuple[str, str, bytes]]) -> str:
        """Write a tree of (mode, id, name) exactly as given; return its id."""
        raw = b"".join(
            mode.lstrip("0").encode() + b" " + name + b"\0" + bytes.fromhex(oid)
            for mode, oid, name in entries
        )
        return self.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=raw)

    def entries(self, commit: str = "HEAD") -> list[tuple[str, str, bytes]]:
        """Return the root entries of a commit, as ``tree`` takes them."""
        rows = self.git("ls-tree", "-z", commit).split("\0")
        found = []
        for row in rows:
            if row:
                head, _, name = row.partition("\t")
                mode, _, oid = head.split(" ")
                found.append((mode, oid, os.fsencode(name)))
        return found

    def commit_tree(self, tree: str, *parents: str, message: str = "made") -> str:
        """Commit a tree by its id; return the commit's id."""
        asked = [part for parent in parents for part in ("-p", parent)]
        return self.git("commit-tree", tree, *asked, "-m", message)

    def push(self, *refspecs: str, options: tuple[str, ...] = (), **variables: str) -> Pushed:
        """Push to the brain; nothing is asserted."""
        done = subprocess.run(
            [GIT, "push", *options, "origin", *(refspecs or ("HEAD:main",))],
            cwd=self.path,
            capture_output=True,
            check=False,
            env={**self.environment, **variables},
        )
        return Pushed(done.returncode, done.stderr.decode("utf-8", "replace"))

    def brain_git(self, *arguments: str) -> str:
        """Run git in the brain."""
        return Clone(self.brain, self.brain, self.environment).git(*arguments)

    def refs(self) -> str:
        """Return the brain's refs, each with its id."""
        return self.brain_git("for-each-ref", "--format=%(refname) %(objectname)")

    def objects(self) -> set[str]:
        """Return the id of every object the brain holds."""
        listed = self.brain_git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        return set(listed.split())
