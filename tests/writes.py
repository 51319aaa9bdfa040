"""A vault or a brain that is served for writing, with calls made by hand."""

from __future__ import annotations

import datetime
import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manent.access import OWNER, Identity
from manent.repo.open import discover, state_folder
from manent.server.answer import Answer, Fence, Question
from manent.server.brain import Brain
from manent.server.served import Served
from manent.server.tool import Asked, Call, Found, Touch
from manent.server.tools import append, write
from manent.server.writing import Writing
from manent.vault.record import NoteRecord

NOW = datetime.datetime(2026, 3, 9, 12, 0, tzinfo=datetime.UTC)
SCOUT = Identity("scout", frozenset({"ops"}), "quarantine/scout")
TIDE = Identity("tide", frozenset({"ops", "team"}), "quarantine/tide")


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    """Run git; return what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=given, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def served_at(folder: Path) -> Served:
    """Return a folder, or a bare repository, as a server serves it."""
    repository = discover(folder, os.environ)
    if repository is None:
        return Served(folder, None, "", "", folder / ".manent", os.environ)
    state, branch = state_folder(repository), repository.head_branch
    if repository.is_bare:
        return Served(None, repository, "", branch, state, os.environ)
    assert repository.workdir is not None
    prefix = folder.resolve().relative_to(repository.workdir.resolve()).as_posix()
    inner = "" if prefix == "." else prefix
    held = state / f"at-{inner.replace('/', '-')}" if inner else state
    return Served(folder, repository, inner, branch, held, os.environ)


@dataclass
class Desk:
    """A server's writing side over one vault."""

    folder: Path
    git: bool = False
    push: bool = False
    now: datetime.datetime = NOW
    fence: Fence = field(default_factory=lambda: Fence(b"k" * 32))

    def __post_init__(self) -> None:
        self.brain = Brain(served_at(self.folder))
        self.brain.start().result()
        self.writing = Writing(self.brain, self.git, self.push)

    def close(self) -> None:
        """Stop."""
        self.writing.close()
        self.brain.close()

    def ask(
        self, identity: Identity, tool: str, arguments: Mapping[str, Any], asked: Asked
    ) -> Answer | Question:
        """Call a tool as the dispatcher does; raise what it raises."""

        def search(query: str, k: int) -> Found:
            raise AssertionError("a write searches nothing")

        def touched(notes: Sequence[NoteRecord]) -> Mapping[str, Touch]:
            return {}

        with self.brain.lease() as lane:
            call = Call(
                tool, identity, lane.view(identity), arguments, self.now, self.fence, search,
                touched, lambda: secrets.token_hex(4), asked, None, self.writing,
            )  # fmt: skip
            chosen = {"brain_write": write, "brain_append": append}[tool]
            answer: Answer | Question = chosen.TOOL.call(call)
            return answer

    def write(
        self, identity: Identity = OWNER, asked: Asked | None = None, **arguments: str
    ) -> Any:
        """Write a note; return the answer's document, or the question."""
        given = {"description": "A note", "type": "reference", "body": "Text."} | arguments
        return _said(self.ask(identity, "brain_write", given, asked or Asked()))

    def append(
        self, identity: Identity = OWNER, asked: Asked | None = None, **arguments: str
    ) -> Any:
        """Append to a note; return the answer's document, or the question."""
        return _said(self.ask(identity, "brain_append", arguments, asked or Asked()))

    def text(self, path: str) -> str:
        """Return the file at a path of the vault."""
        return (self.folder / path).read_bytes().decode()


def _said(answer: Answer | Question) -> Any:
    return answer if isinstance(answer, Question) else dict(answer.document)


def yes(question: Question) -> Asked:
    """Return the retry of a person who says yes."""
    return reply(question, {"action": "accept", "content": {"write": True}})


def reply(question: Question, answer: Any) -> Asked:
    """Return a retry with some answer."""
    return Asked(True, {question.key: answer}, question.state)
