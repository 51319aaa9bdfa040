"""A server follows what it serves: edits, checkouts, pushes; and being killed on the way."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from served_process import Server, running
from vaults import note, write

MANY = 300
_SECONDS = 60
"""Patience of a test, on a machine that does much else; how quick it is, the bench says."""


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + _SECONDS
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def many(word: str) -> dict[str, str]:
    return {f"memory/n{n:03}.md": note(f"n{n:03}", f"The {word} of all.") for n in range(MANY)}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = write(tmp_path / "vault", many("herring") | {"quay.md": note("quay", "Stone.")})
    git(tmp_path, "init", "-q", "-b", "main", str(root))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "herring")
    return root


@pytest.fixture
def bare(vault: Path, tmp_path: Path) -> Path:
    path = tmp_path / "brain.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(path))
    git(vault, "push", "-q", str(path), "main")
    return path


def test_edits_renames_and_removals_are_followed(vault: Path) -> None:
    with running(vault, "--retriever", "bm25") as server:
        assert server.paths(query="stone") == ["quay.md"]
        (vault / "quay.md").write_text(note("quay", "Of sand."))
        until(lambda: server.paths(query="sand") == ["quay.md"])
        (vault / "quay.md").rename(vault / "wharf.md")
        until(lambda: server.paths(query="sand") == ["wharf.md"])
        # As editors save: written beside, then put in its place.
        (vault / ".wharf.tmp").write_text(note("quay", "Of shingle."))
        (vault / ".wharf.tmp").replace(vault / "wharf.md")
        until(lambda: server.paths(query="shingle") == ["wharf.md"])
        (vault / "wharf.md").unlink()
        until(lambda: server.paths(query="shingle") == [])


def test_a_checkout_of_hundreds_of_files_is_followed_whole(vault: Path) -> None:
    git(vault, "checkout", "-qb", "other")
    write(vault, many("mackerel"))
    git(vault, "commit", "-qam", "mackerel")
    with running(vault, "--retriever", "bm25") as server:
        for branch, word, gone in (
            ("main", "herring", "mackerel"),
            ("other", "mackerel", "herring"),
        ):
            git(vault, "checkout", "-q", branch)
            until(lambda word=word: len(server.paths(query=word, k=50)) == 50)  # type: ignore[misc]
            until(lambda gone=gone: server.paths(query=gone, k=50) == [])  # type: ignore[misc]
            found = server.call("brain_list", limit=1000)
            assert len(found["notes"]) <= MANY + 1


def test_without_watching_nothing_is_followed(vault: Path) -> None:
    with running(vault, "--retriever", "bm25", "--no-watch") as server:
        (vault / "new.md").write_text(note("new", "Shingle."))
        time.sleep(1)
        assert server.paths(query="shingle") == []


def pushed(vault: Path, bare: Path, word: str) -> None:
    write(vault, many(word))
    git(vault, "commit", "-qam", word)
    git(vault, "push", "-q", str(bare), "main")


def states(server: Server) -> set[str]:
    """Return what one answer says of the notes: the same of all, or it is half of a push."""
    pattern = r"^The \w+ of all\.$"
    found = server.call("brain_grep", pattern=pattern, limit=1000)["matches"]
    return {row["text"] for row in found}


def test_a_push_is_followed_and_never_half_of_it_told(vault: Path, bare: Path) -> None:
    with running(bare, "--retriever", "bm25") as server:
        for word in ("mackerel", "sprat", "whiting"):
            pushed(vault, bare, word)
            seen: list[set[str]] = []

            def is_there(word: str = word, seen: list[set[str]] = seen) -> bool:
                seen.append(states(server))
                return seen[-1] == {f"The {word} of all."}

            until(is_there)
            assert all(len(state) == 1 for state in seen), seen


@pytest.mark.parametrize("seed", range(3))
def test_killed_while_it_follows_it_comes_back_whole(vault: Path, bare: Path, seed: int) -> None:
    """Whatever a killed server left of its stores, the next one answers of what is there."""
    draw = random.Random(seed)
    words = ["mackerel", "sprat", "whiting"]
    for word in words:
        with running(bare, "--retriever", "bm25", ends=False) as server:
            pushed(vault, bare, word)
            time.sleep(draw.random() * 0.4)
            server.process.kill()
    with running(bare, "--retriever", "bm25") as server:
        assert states(server) == {f"The {words[-1]} of all."}
        assert len(server.paths(query=words[-1], k=50)) == 50
        assert server.paths(query=words[0], k=50) == []
        assert len(server.call("brain_list", limit=1000)["notes"]) <= MANY + 1
