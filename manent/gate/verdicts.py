"""The record that a ref may move: written by the gate, asked for by the hook
``reference-transaction``, so that no other tool moves the protected branch.

An empty file ``verdicts/<ref>/<new id>`` in the state folder: the hook is a shell
script and only looks whether it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manent.repo.incoming import RefUpdate
from manent.repo.open import Repository, state_folder

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
    folder = state_folder(repository) / FOLDER
    oldest = now_seconds - HOLDS_SECONDS
    for place in folder.rglob("*"):
        if place.is_file() and place.lstat().st_mtime < oldest:
            place.unlink(missing_ok=True)


def _place(repository: Repository, update: RefUpdate) -> Path:
    return state_folder(repository) / FOLDER / update.ref / update.new
