"""The brain that is served: moved by one thread, read by many, one state an answer."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from vaults import note, write

from manent.access import OWNER, Identity
from manent.facts.store import Store
from manent.repo.open import Repository, discover
from manent.server.answer import Answer
from manent.server.brain import Brain, NotReady
from manent.server.dispatch import Dispatcher
from manent.server.served import Served
from manent.vault.vault import Delta

TIDE = Identity("tide", frozenset({"team"}))
MOSS = Identity("moss", frozenset({"ops"}))
NOTES = 25


def folder(root: Path) -> Served:
    return Served(root, None, "", "", root / ".manent", retriever="bm25")


def brain_at(path: Path) -> Served:
    repository = discover(path, os.environ)
    assert isinstance(repository, Repository)
    return Served(None, repository, "", "main", path / "manent", retriever="bm25")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write(
        tmp_path / "vault",
        {
            "harbour.md": note("harbour", "The ferry.", audience="[team]"),
            "quay.md": note("quay", "Stone.", audience="[ops]"),
        },
    )


@pytest.fixture
def brain(vault: Path) -> Iterator[Brain]:
    made = Brain(folder(vault))
    made.start().result()
    yield made
    made.close()


def rows(brain: Brain, tool: str, key: str, identity: Identity = OWNER, /, **given: Any) -> Any:
    found = Dispatcher(brain).call(identity, tool, given)
    assert isinstance(found, Answer) and not found.failed, found.said()
    return found.document[key]


def listed(brain: Brain, identity: Identity = OWNER) -> list[str]:
    return [row["path"] for row in rows(brain, "brain_list", "notes", identity)]


def hits(brain: Brain, query: str) -> list[str]:
    return [row["path"] for row in rows(brain, "brain_search", "hits", query=query)]


class TestAFolder:
    def test_what_a_watcher_saw_is_read_and_nothing_else(self, brain: Brain, vault: Path) -> None:
        write(vault, {"new.md": note("new", "Rope."), "unseen.md": note("unseen", "Salt.")})
        (vault / "quay.md").unlink()
        assert brain.reload(["new.md", "quay.md"])
        assert listed(brain) == ["harbour.md", "new.md"]
        assert hits(brain, "rope") == ["new.md"] and hits(brain, "salt") == []
        assert brain.reload() and not brain.reload() and not brain.reload(["new.md"])
        assert hits(brain, "salt") == ["unseen.md"]

    def test_a_folder_that_was_renamed(self, brain: Brain, vault: Path) -> None:
        write(vault, {"a/one.md": note("one", "Rope."), "a/two.md": note("two", "Rope.")})
        assert brain.reload(["a/one.md", "a/two.md"])
        (vault / "a").rename(vault / "b")
        assert brain.reload(["a/one.md", "a/two.md", "b/one.md", "b/two.md"])
        assert hits(brain, "rope") == ["b/one.md", "b/two.md"]

    def test_what_is_ignored_decides_over_everything(self, brain: Brain, vault: Path) -> None:
        write(vault, {".manentignore": "quay.md\n"})
        assert brain.reload([".manentignore"])
        assert listed(brain) == ["harbour.md"]
        (vault / ".manentignore").unlink()
        assert brain.reload([".manentignore"])
        assert listed(brain) == ["harbour.md", "quay.md"]

    def test_views_follow_who_may_read_a_note(self, brain: Brain, vault: Path) -> None:
        assert listed(brain, TIDE) == ["harbour.md"] and listed(brain, MOSS) == ["quay.md"]
        write(vault, {"quay.md": note("quay", "Stone.", audience="[team]")})
        assert brain.reload(["quay.md"])
        assert listed(brain, TIDE) == ["harbour.md", "quay.md"] and listed(brain, MOSS) == []

    def test_listeners_hear_of_what_changed_and_of_nothing_else(
        self, brain: Brain, vault: Path
    ) -> None:
        heard: list[Delta] = []
        brain.listeners.append(heard.append)
        assert not brain.reload() and not heard
        write(vault, {"new.md": note("new")})
        assert brain.reload(["new.md"]) and len(heard) == 1

    def test_a_damaged_store_is_made_anew(self, brain: Brain, vault: Path) -> None:
        assert listed(brain)
        for file in (vault / ".manent").glob("*.sqlite*"):
            file.write_bytes(b"no database " * 1000)
        dispatcher = Dispatcher(brain)
        for _ in range(20):
            found = dispatcher.call(OWNER, "brain_search", {"query": "ferry"})
            assert isinstance(found, Answer) and "server failed" not in found.said()
            brain.reload()
            if not found.failed:
                break
        assert hits(brain, "ferry") == ["harbour.md"]

    def test_a_store_that_another_process_threw_away_is_filled_again(
        self, brain: Brain, vault: Path
    ) -> None:
        """Nobody is answered from the empty file that it left, nor from the one that is gone."""
        assert hits(brain, "ferry") == ["harbour.md"]
        for file in (vault / ".manent").glob("vault.sqlite*"):
            file.unlink()
        Store(vault / ".manent" / "vault.sqlite").close()
        dispatcher = Dispatcher(brain)
        for _ in range(20):
            found = dispatcher.call(OWNER, "brain_search", {"query": "ferry"})
            assert isinstance(found, Answer)
            if not found.failed:
                break
            brain.reload()
        assert hits(brain, "ferry") == ["harbour.md"]
        assert "harbour.md" in found.said()
        write(vault, {"new.md": note("new", "The lantern.")})
        assert brain.reload(["new.md"])
        assert hits(brain, "lantern") == ["new.md"]
        assert listed(brain) == ["harbour.md", "new.md", "quay.md"]


def test_who_asks_before_it_is_read_is_told_to_wait(vault: Path) -> None:
    brain = Brain(folder(vault))
    with pytest.raises(NotReady), brain.lease(0.01):
        raise AssertionError
    brain.start().result()
    assert listed(brain) == ["harbour.md", "quay.md"]
    brain.close()
    assert not brain.reload()


# -- a brain ---------------------------------------------------------------------------


def published(path: Path, number: int, notes: int = NOTES) -> None:
    """Move the branch on by one commit, which writes ``number`` into every note."""
    stream = [
        b"commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata 4\nmove\n"
        % (1_800_000_000 + number),
        b"from refs/heads/main^0\n" if number else b"",
        b"deleteall\n",
    ]
    for n in range(notes):
        content = note(f"n{n:02}", f"State {number} of all.", audience="[team]").encode()
        stream.append(b"M 100644 inline memory/n%02d.md\n" % n)
        stream.append(b"data %d\n%s\n" % (len(content), content))
    command = ["git", "fast-import", "--quiet", "--force"]
    subprocess.run(command, cwd=path, input=b"".join(stream), check=True)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    path = tmp_path / "brain.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    published(path, 0)
    return path


def test_each_answer_is_of_one_commit_never_half_of_a_push(bare: Path) -> None:
    brain = Brain(brain_at(bare))
    brain.start().result()
    dispatcher, ended, faults = Dispatcher(brain), threading.Event(), []

    def states(identity: Identity) -> set[str]:
        """Return which states one answer tells of; all notes must be in it."""
        found = dispatcher.call(identity, "brain_grep", {"pattern": "State", "limit": 100})
        assert isinstance(found, Answer) and len(found.document["matches"]) == NOTES
        return {row["text"] for row in found.document["matches"]}

    def read(identity: Identity) -> int:
        count = 0
        while not ended.is_set():
            seen = states(identity)
            if len(seen) != 1:
                faults.append(seen)
            found = dispatcher.call(identity, "brain_search", {"query": "state", "k": 50})
            assert isinstance(found, Answer) and len(found.document["hits"]) == NOTES
            count += 1
        return count

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read, identity) for identity in (OWNER, TIDE, TIDE)]
        for number in range(1, 9):
            published(bare, number)
            assert brain.reload()
        ended.set()
        assert all(reader.result() for reader in readers)
    assert not faults and states(TIDE) == {"State 8 of all."}
    brain.close()


def test_a_move_that_fails_leaves_what_stands_and_says_so(bare: Path) -> None:
    brain = Brain(brain_at(bare))
    brain.start().result()
    assert len(listed(brain)) == NOTES and brain.fault == ""
    ref = bare / "refs" / "heads" / "main"
    sound = ref.read_text()
    ref.write_text("f" * 40 + "\n")
    assert not brain.reload() and brain.fault
    assert len(listed(brain, TIDE)) == NOTES
    ref.write_text(sound)
    published(bare, 1, notes=3)
    assert brain.reload() and brain.fault == ""
    assert len(listed(brain, TIDE)) == 3
    brain.close()


def test_a_branch_that_goes_takes_nothing_with_it(bare: Path) -> None:
    brain = Brain(brain_at(bare))
    brain.start().result()
    subprocess.run(["git", "update-ref", "-d", "refs/heads/main"], cwd=bare, check=True)
    assert not brain.reload()
    assert len(listed(brain)) == NOTES
    brain.close()


def test_a_brain_without_a_commit_answers_with_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    brain = Brain(brain_at(path))
    brain.start().result()
    assert listed(brain) == [] and hits(brain, "ferry") == []
    published(path, 0, notes=2)
    assert brain.reload() and len(listed(brain)) == 2
    brain.close()


def test_of_the_past_while_the_branch_moves(bare: Path) -> None:
    """An answer of the past neither holds up a move nor leaves anything of it behind."""
    brain = Brain(brain_at(bare))
    brain.start().result()
    first = subprocess.run(
        ["git", "rev-parse", "main"], cwd=bare, check=True, capture_output=True, text=True
    ).stdout.strip()
    dispatcher = Dispatcher(brain)
    for number in range(1, 5):
        published(bare, number)
        with ThreadPoolExecutor(2) as pool:
            moved = pool.submit(brain.reload)
            old = pool.submit(dispatcher.call, OWNER, "brain_read", {"name": "n00", "rev": first})
            past, _ = old.result(), moved.result()
        assert isinstance(past, Answer) and "State 0" in past.document["body"]
        assert f"State {number}" in rows(brain, "brain_read", "body", name="n00")
    assert json.dumps(listed(brain)) and brain.fault == ""
    brain.close()
