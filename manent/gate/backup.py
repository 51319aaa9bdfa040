"""Copies of a brain that can be checked, and a brain made from one.

A backup is a folder: the history as one bundle, the brain's own configuration, the
agents file, and the state that no push restores (gap register, audit). Whatever can
be made anew from the history is left out. MANIFEST.json says what is there, with a
digest of each file; a restore that finds another digest makes nothing.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault
from manent.gate import install
from manent.gate.index import catch_up
from manent.gate.policy import read_policy
from manent.repo.command import Git, clean
from manent.repo.judged import FILE as JUDGED
from manent.repo.open import Environment, Repository, discover
from manent.values import dataclass

MANIFEST, HISTORY, CONFIG, AGENTS, STATE = (
    "MANIFEST.json",
    "history.bundle",
    "config",
    "agents.json",
    "state",
)
VERSION = 1
_SQLITE = b"SQLite format 3\0"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of a backup. agents: the agents file it holds, for the operator to place."""

    path: Path
    refs: int
    notes: int
    state: int
    agents: Path | None


def back_up(
    repository: Repository, state: Path | None, target: Path, now: datetime.datetime
) -> Path:
    """Write a backup of the brain below ``target`` and return its folder.

    state: the folder of the brain's state, which may not exist. The backup appears
    under its name when it is whole. Raises EnvironmentFault where it cannot be made.
    """
    stamp = now.strftime("%Y-%m-%dT%H%M%SZ")
    final = target / f"{repository.path.name.removesuffix('.git')}-{stamp}.backup"
    draft = target / f".{final.name}.new"
    try:
        draft.mkdir(mode=0o700, parents=True)
        refs = _history(repository, draft)
        shutil.copyfile(repository.path / "config", draft / CONFIG)
        if (repository.path / JUDGED).is_file():
            _private(repository.path / JUDGED, draft / JUDGED)
        agents = read_policy(repository.section()).agents
        if agents and Path(agents).is_file():
            _private(Path(agents), draft / AGENTS)
        if state is not None and state.is_dir():
            _copy_state(state, draft / STATE)
        manifest = {"version": VERSION, "made": stamp, "head": repository.head_ref, "refs": refs}
        manifest["files"] = {name: _digest(draft / name) for name in _files(draft)}
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        draft.rename(final)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise EnvironmentFault(f"cannot back up to {final}: {error.strerror}") from error
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return final


def _history(repository: Repository, draft: Path) -> dict[str, str]:
    refs = repository.refs()
    if refs:  # git makes no bundle of nothing
        repository.git.run("bundle", "create", "-q", str((draft / HISTORY).absolute()), "--all")
        held = repository.git.run("bundle", "list-heads", str((draft / HISTORY).absolute()))
        lines = (line.split(" ", 1) for line in held.decode().splitlines())
        # What the bundle holds: a push may have come between the two looks.
        refs = {ref: oid for oid, ref in lines if ref != "HEAD"}
    return refs


def _copy_state(state: Path, target: Path) -> None:
    """Copy files; databases by their own backup, which is whole beside a writer."""
    target.mkdir(mode=0o700)
    for place in sorted(state.rglob("*")):
        copied = target / place.relative_to(state)
        if place.is_symlink() or place.name.endswith(("-wal", "-shm", "-journal")):
            continue
        if place.is_dir():
            copied.mkdir(mode=0o700)
        elif place.is_file():
            _private(place, copied)


def _private(source: Path, target: Path) -> None:
    target.touch(mode=0o600)
    with source.open("rb") as file:
        is_database = file.read(len(_SQLITE)) == _SQLITE
    if not is_database:
        shutil.copyfile(source, target)
        return
    with (
        contextlib.closing(sqlite3.connect(source, timeout=30)) as held,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        held.backup(copy)


def restore(
    backup: Path,
    path: Path,
    state: Path | None,
    environment: Environment,
    processes: int = 1,
) -> Restored:
    """Make a brain at ``path`` from a backup, hooks and index included.

    state: where its state goes; a folder that holds something is refused. The history
    is taken as it is: it was judged when it came in, and allowances of then may have
    expired since. Raises EnvironmentFault for a backup that is not whole.
    """
    manifest = _checked(backup)
    for place in (path, state):
        if place is not None and place.exists() and any(place.iterdir()):
            raise EnvironmentFault(f"{place} exists and is not empty", "name another folder")
    try:
        repository = _made(backup, path, manifest, environment)
        _same_refs(repository, manifest)
        # A hooks path outside is what the operator of this configuration wanted.
        install.install(repository, install.SERVER, allow_outside=True)
        if (backup / JUDGED).is_file():
            _private(backup / JUDGED, repository.path / JUDGED)
        notes = catch_up(repository, read_policy(repository.section()), processes)
        repository.close()
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    copied = _restore_state(backup / STATE, state)
    agents = backup / AGENTS
    return Restored(
        repository.path,
        len(manifest["refs"]),
        notes,
        copied,
        agents if agents.is_file() else None,
    )


def _made(backup: Path, path: Path, manifest: Any, environment: Environment) -> Repository:
    path.mkdir(parents=True, exist_ok=True)
    git = Git("", path, clean(environment))
    git.run("init", "-q", "--bare", "--object-format=sha1", ".")
    shutil.copyfile(backup / CONFIG, path / "config")
    repository = discover(path, environment, light=True)
    assert repository is not None
    install.unpin(repository)
    if manifest["head"]:
        repository.git.run("symbolic-ref", "HEAD", manifest["head"])
    if manifest["refs"]:
        bundle = str((backup / HISTORY).absolute())
        repository.git.run(
            "-c", "transfer.fsckObjects=true", "-c", "core.hooksPath=/dev/null",
            "fetch", "-q", "--no-write-fetch-head", bundle, "+refs/*:refs/*",
            env={"GIT_ALLOW_PROTOCOL": "file"},
        )  # fmt: skip
    return repository


def _same_refs(repository: Repository, manifest: Any) -> None:
    if repository.refs() != manifest["refs"]:
        raise EnvironmentFault("the backup's history leads to other refs than it says", _OTHER)


def _restore_state(held: Path, state: Path | None) -> int:
    if state is None or not held.is_dir():
        return 0
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    count = 0
    for place in sorted(held.rglob("*")):
        target = state / place.relative_to(held)
        if place.is_dir():
            target.mkdir(mode=0o700, exist_ok=True)
        else:
            target.touch(mode=0o600)
            shutil.copyfile(place, target)
            count += 1
    return count


_OTHER = "take another backup"


def _checked(backup: Path) -> Any:
    """Return the manifest once every file of the backup is what it says."""
    try:
        manifest = json.loads((backup / MANIFEST).read_text(encoding="utf-8"))
        version, files = manifest["version"], dict(manifest["files"])
        dict(manifest["refs"]), str(manifest["head"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EnvironmentFault(f"{backup} is no backup of a brain", _OTHER) from error
    if version != VERSION:
        raise EnvironmentFault(f"{backup} was made by another version", "use a newer manent")
    for name in _files(backup):
        if name != MANIFEST and name not in files:
            raise EnvironmentFault(f"{backup / name} was not there when it was made", _OTHER)
    for name, digest in files.items():
        try:
            same = _digest(backup / name) == digest
        except OSError:
            same = False
        if not same:
            raise EnvironmentFault(f"{backup / name} is not what it was when it was made", _OTHER)
    return manifest


def _files(folder: Path) -> Iterator[str]:
    for place in sorted(folder.rglob("*")):
        if place.is_file():
            yield os.fspath(place.relative_to(folder))


def _digest(place: Path) -> str:
    digest = hashlib.sha256()
    with place.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
