"""The record that a ref may move: written by the gate, asked for by the hook
``reference-transaction``, so that no other tool moves the protected branch.

An empty file ``verdicts/<ref>/<old id>-<new id>`` in the state folder: the hook is a
shell script and only looks whether it is there. Of other refs it notes that they have
moved without one (``manent.repo.ungated``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manent.repo.incoming import LANDS_IN, RefUpdate
from manent.repo.open import Repository, shared_folder
from manent.repo.ungated import note_ungated

FOLDER = "verdicts"
HOLDS_SECONDS = 3600
"""A push that was judged but never landed is judged again after this."""


def record(repository: Repository, updates: Iterable[RefUpdate]) -> None:
    """Note that the gate has let these updates pass."""
    for update in updates:
        place = _place(repository, update)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.touch(mode=0o600)


@contextmanager
def passing(repository: Repository, update: RefUpdate) -> Iterator[None]:
    """Let one update pass for the time of the block."""
    record(repository, [update])
    try:
        yield
    finally:
        _place(repository, update).unlink(missing_ok=True)


def forget(repository: Repository, updates: Iterable[RefUpdate], now_seconds: float) -> None:
    """Remove the notes of updates that have landed, and those that never did."""
    for update in updates:
        _place(repository, update).unlink(missing_ok=True)
    folder = _folder(repository)
    oldest = now_seconds - HOLDS_SECONDS
    for place in folder.rglob("*"):
        if place.is_file() and place.lstat().st_mtime < oldest:
            place.unlink(missing_ok=True)


def never_judged(repository: Repository, protected: str) -> list[str]:
    """Note of all refs but the protected branch that no gate has judged what they lead to.

    For a repository that becomes a brain. Returns the refs.
    """
    asked = ("for-each-ref", "--format=%(refname)", *LANDS_IN)
    refs = repository.git.run(*asked).decode("utf-8", "surrogateescape").splitlines()
    others = [ref for ref in refs if ref != f"refs/heads/{protected}"]
    note_ungated(repository, others)
    return others


def _place(repository: Repository, update: RefUpdate) -> Path:
    return _folder(repository) / update.ref / f"{update.old}-{update.new}"


def _folder(repository: Repository) -> Path:
    return shared_folder(repository) / FOLDER
