"""The record that a ref may move: written by the gate, asked for by the hook
``reference-transaction``, so that no other tool moves the protected branch.

An empty file ``verdicts/<ref>/<old id>-<new id>`` in the state folder: the hook is a
shell script and only looks whether it is there. Whatever else moves a ref: what the gate
has let in is told by ids (``manent.repo.judged``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from manent.errors import EnvironmentFault
from manent.repo.incoming import RefUpdate
from manent.repo.judged import is_judged, note_judged, protected_ref, thin_out
from manent.repo.open import Repository, shared_folder

FOLDER = "verdicts"
HOLDS_SECONDS = 3600
"""A push that was judged but never landed is judged again after this."""


def record(repository: Repository, updates: Sequence[RefUpdate]) -> None:
    """Note that the gate has let these updates pass. Raises EnvironmentFault."""
    for update in updates:
        place = _place(repository, update)
        try:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.touch(mode=0o600)
        except (FileExistsError, NotADirectoryError) as error:
            what = f"the verdict cannot be noted in {place.parent}: {error.strerror}"
            raise EnvironmentFault(what, "remove what is in the way: it is rebuilt") from error
    note_judged(repository, [update.new for update in updates if not update.deletes])


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
    thin_out(repository)


def moved_past(repository: Repository) -> str:
    """Return what is to be said where the protected branch stands at what no gate has let in."""
    ref = protected_ref(repository)
    tip = repository.ref(ref)
    if not tip or is_judged(repository, ref, tip):
        return ""
    return (
        f"{ref} stands at {tip[:10]}, which no gate has judged: another tool moved it; "
        "the next push is judged from what was let in"
    )


def _place(repository: Repository, update: RefUpdate) -> Path:
    return _folder(repository) / update.ref / f"{update.old}-{update.new}"


def _folder(repository: Repository) -> Path:
    return shared_folder(repository) / FOLDER
