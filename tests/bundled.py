"""Brains whose stores are published as a bundle and taken in elsewhere, for tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from manent.facts.store import STORE, Store
from manent.repo.git_tree import GitTree
from manent.repo.open import Repository
from manent.search.index import SearchIndex
from manent.search.opening import named_model
from manent.search.ranker import Setting
from manent.server.bundle.making import Published, Publisher
from manent.server.bundle.source import source_of
from manent.server.bundle.taking import Taker
from manent.server.served import Served
from manent.vault.commit import sync_commit
from manent.vault.vault import Vault

KEY = b"deployment-" + b"k" * 16
OTHER = b"deployment-" + b"o" * 16

Files = Mapping[str, bytes]


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder; return what it printed."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def brain_of(root: Path, states: Sequence[Files]) -> Path:
    """Return a bare repository that had these files, one commit each."""
    work = root / "work"
    work.mkdir(parents=True)
    git(work, "init", "-q", "-b", "main")
    for files in states:
        for left in git(work, "ls-files", "-z").split("\0"):
            (work / left).unlink(missing_ok=True) if left else None
        for path, content in files.items():
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_bytes(content)
        git(work, "add", "-A", "-f")
        git(work, "commit", "-q", "--allow-empty", "-m", "step")
    brain = root / "brain.git"
    git(root, "clone", "-q", "--bare", "work", "brain.git")
    return brain


def served_of(brain: Path, state: Path) -> Served:
    """Return a brain as a server has it, with its derived data in a folder of the test's."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    repository = Repository(brain, None, dict(os.environ))
    return Served(None, repository, "", "main", state, dict(os.environ), retriever="bm25")


def opened(served: Served) -> Vault:
    """Return the vault in the stores of what is served."""
    return Vault(Store(served.state / STORE), served.conventions())


def indexed(served: Served, *commits: str, model: str = "") -> Vault:
    """Bring the stores through these commits, each by its difference; embed the last."""
    assert served.repository is not None
    vault = opened(served)
    index = SearchIndex(vault, served.state / "search")
    if vault.stamp:
        vault.tree = GitTree(served.repository, vault.stamp)
    for commit in commits:
        sync_commit(vault, served.repository, commit)
        index.update()
    if model:
        assert named_model(model, index, Setting(model, served.state, None)).bring_up() == 0
    return vault


def published(served: Served, folder: Path, commit: str, key: bytes = KEY) -> Published:
    """Publish the bundle of a commit from stores that stand there."""
    assert served.repository is not None
    vault = opened(served)
    try:
        return Publisher(served.state, folder, key).publish(
            vault, GitTree(served.repository, commit)
        )
    finally:
        vault.store.close()


class Told(list[tuple[str, str]]):
    """Takes log lines: what came of a bundle, and why."""

    def __call__(self, event: str, level: str = "info", **fields: Any) -> None:
        """Take one."""
        self.append((event, str(fields.get("reason") or fields.get("fault") or "")))


def taken(served: Served, source: str, key: bytes = KEY) -> tuple[bool, Told]:
    """Fill the stores of what is served from a bundle, as a server does at its start."""
    told = Told()
    return Taker(served, source_of(source), key, told).take(), told


def stored(served: Served) -> dict[str, Any]:
    """Return every byte of the derived stores, but for the random name of the vault's."""
    vault = opened(served)
    name = vault.id
    db = vault.store.db
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found: dict[str, Any] = {
        table: sorted(map(repr, db.execute(f"SELECT * FROM {table}")))
        for table in tables
        if not table.startswith("sqlite_stat")
    }
    found["stamp"] = [row for row in found["stamp"] if "vault:id" not in row]
    vault.store.close()
    for folder in ("search", "vectors"):
        for path in sorted((served.state / folder).rglob("*")):
            # The first names the vault's store, the second its own making, by chance.
            if path.is_file() and path.name not in ("manifest.json", "current.json"):
                said = str(path.relative_to(served.state)).replace(name, "ID")
                found[said] = path.read_bytes()
    return found
