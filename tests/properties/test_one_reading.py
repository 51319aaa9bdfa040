"""A large push is judged in the reading that fills the vault: the verdict and the store are
those of two readings, and what cannot be read refuses."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_vaults import applied, edits, rows, slowly, vaults

from manent.errors import EnvironmentFault
from manent.facts.store import Store
from manent.gate import blobs, receive
from manent.gate.policy import Policy
from manent.gate.push import Push
from manent.gate.receive import judge, store_place
from manent.repo.git_tree import EMPTY_TREE
from manent.repo.incoming import ZERO, RefUpdate
from manent.repo.open import Repository
from manent.vault.vault import Vault

# What the scanners refuse, in files of every size that the gate treats in its own way.
_NUMBER = "+39 " + "347 " + "61 52 843"
_ODD_FILES: dict[str, bytes] = {
    "memory/number.md": f"---\nname: number\n---\nCall {_NUMBER}.\n".encode(),
    "memory/long.md": f"Call {_NUMBER}.\n".encode() + b"word " * (blobs.SMALL_BYTES // 4),
    "memory/twice.md": f"---\nname: number\n---\nCall {_NUMBER}.\n".encode(),
    "raw.txt": f"Call {_NUMBER}.\n".encode(),
    f"memory/call {_NUMBER}.md": b"---\nname: call\n---\nText.\n",
    "packed.md": b"PK\x03\x04 no archive",
}


def _git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=given, check=True, capture_output=True
    )
    return done.stdout.decode().strip()


def _commit(folder: Path, files: Mapping[str, bytes], *parents: str) -> str:
    """Return a commit of these files that no ref leads to."""
    index = {"GIT_INDEX_FILE": str(folder / "drawn")}
    (folder / "drawn").unlink(missing_ok=True)
    lines = []
    for path, content in files.items():
        oid = _git(folder, "hash-object", "-w", "--stdin", given=content)
        lines.append(f"100644 {oid}\t".encode() + path.encode("utf-8", "surrogateescape") + b"\0")
    command = ["git", "update-index", "-z", "--add", "--index-info"]
    subprocess.run(command, cwd=folder, input=b"".join(lines), check=True, env={**_ENV, **index})
    written = subprocess.run(
        ["git", "write-tree"], cwd=folder, check=True, capture_output=True, env={**_ENV, **index}
    )
    tree = written.stdout.decode().strip() if files else EMPTY_TREE
    asked = [part for parent in parents for part in ("-p", parent)]
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    return _git(folder, *who, "commit-tree", tree, *asked, "-m", "step")


_ENV = {"PATH": os.environ["PATH"]}


def _verdict(folder: Path, tip: str, strict: bool) -> tuple[Any, ...]:
    repository = Repository(folder, None, {}, light=True)
    try:
        update = RefUpdate(ZERO, tip, "refs/heads/main")
        verdict = judge(Push(repository, [update], Policy(strict_content=strict), processes=2))
        place = store_place(repository)
        assert place is not None
        store = Store(place)
        try:
            kept = rows(Vault(store))
        finally:
            store.close()
            store.discard()
        return verdict.accepted, verdict.findings, verdict.allowed, verdict.read, kept
    finally:
        repository.close()


def _both_ways(folder: Path, tip: str, strict: bool) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    with pytest.MonkeyPatch.context() as patch:
        apart = _verdict(folder, tip, strict)
        patch.setattr(receive, "PROCESSES_FROM", 0)
        return apart, _verdict(folder, tip, strict)


@slowly
@given(vaults(), st.data(), st.booleans())
def test_one_reading_says_what_two_say(
    files: dict[str, bytes], data: st.DataObject, strict: bool
) -> None:
    odd = data.draw(st.lists(st.sampled_from(sorted(_ODD_FILES)), unique=True))
    files |= {path: _ODD_FILES[path] for path in odd}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "brain.git"
        _git(Path(name), "init", "-q", "--bare", "-b", "main", str(folder))
        first = _commit(folder, files)
        tip = _commit(folder, applied(files, data.draw(edits(files))), first)
        apart, together = _both_ways(folder, tip, strict)
        assert together == apart


def test_what_cannot_be_read_refuses_though_the_vault_could_be_filled(tmp_path: Path) -> None:
    folder = tmp_path / "brain.git"
    _git(tmp_path, "init", "-q", "--bare", "-b", "main", str(folder))
    tip = _commit(folder, {"memory/a.md": b"---\nname: a\n---\nText.\n"} | _ODD_FILES)
    pending = blobs.Blobs.begin

    def broken(self: blobs.Blobs, objects: Any, *rest: Any) -> None:
        class Broken:
            headers = objects.headers

            def contents(self, oids: list[str]) -> Any:
                yield from list(objects.contents(oids))[:1]
                raise EnvironmentFault("git cat-file stopped")

        pending(self, Broken(), *rest)

    repository = Repository(folder, None, {}, light=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(receive, "PROCESSES_FROM", 0)
        patch.setattr(blobs.Blobs, "begin", broken)
        with pytest.raises(EnvironmentFault):
            judge(Push(repository, [RefUpdate(ZERO, tip, "refs/heads/main")], Policy()))
    repository.close()
