"""Files of a memory directory, written, removed and renamed as one step, after a backup."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from manent.errors import Refused
from manent.memfile import undo, workspace
from manent.memfile.operations import BACKUP, SKIPPED, Operation, judged
from manent.memfile.places import is_folder

_SPARE = len(f"/{BACKUP}/{undo.COMING}-999") + len("..manent-new")
"""Bytes that a backup's path, and a file being written, add to a path besides the moment."""


def markdown_files(folder: Path) -> list[str]:
    """Return the Markdown files under a folder, sorted; links are not followed."""
    names = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in files:
            path = Path(place) / name
            if name.endswith(".md") and not path.is_symlink():
                names.append(path.relative_to(folder).as_posix())
    return sorted(names)


def reorganized(folder: Path, steps: Sequence[Operation], moment: str) -> Path:
    """Carry all steps out, or none; return where everything was backed up before.

    moment: names the backup. Every path is judged before anything is written; a step
    that fails afterwards is undone with those before it, by the next writer where this
    one dies. Raises Refused.
    """
    with workspace.writing(folder):
        undo.recovered(folder)
        judged(folder, steps, _SPARE + len(moment))
        backup = _backed_up(folder, moment)
        before = {path: _standing(folder / path) for path in _touched(steps)}
        made = _folders_to_make(folder, before)
        undo.note(backup, steps, before, [p.relative_to(folder).as_posix() for p in made])
        try:
            for step in steps:
                _carry_out(folder, step)
        except BaseException:
            _put_back(folder, before, made)
            undo.done(backup)
            raise
        undo.done(backup)
        return backup


def recovered(folder: Path) -> bool:
    """Undo operations that were broken off in a folder; tell whether there were any."""
    if not is_folder(folder / BACKUP):
        return False
    with workspace.writing(folder):
        return undo.recovered(folder)


def _touched(steps: Sequence[Operation]) -> list[str]:
    return [path for step in steps for path in (step.path, step.to) if path]


def _backed_up(folder: Path, moment: str) -> Path:
    """Copy every Markdown file under ``.memory-backup/<moment>/``."""
    home = folder / BACKUP
    if home.is_symlink():
        raise Refused(f"{home} is a symlink", "nothing was changed")
    number, backup = 1, home / moment
    while backup.exists():
        number += 1
        backup = home / f"{moment}-{number}"
    coming = home / f"{undo.COMING}{backup.name}"
    coming.mkdir(parents=True)
    for name in markdown_files(folder):
        copy = coming / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.touch(mode=stat.S_IMODE((folder / name).stat().st_mode) & 0o666 | 0o600)
        copy.write_bytes(workspace.read_inside(folder, name))
    coming.rename(backup)
    return backup


def _standing(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _carry_out(folder: Path, step: Operation) -> None:
    path = folder / step.path
    if step.op == "write_file":
        path.parent.mkdir(parents=True, exist_ok=True)
        workspace.replace_file(path, step.content.encode("utf-8", "surrogatepass"))
    elif step.op == "delete_file":
        path.unlink()
    else:
        target = folder / step.to
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)


def _folders_to_make(folder: Path, paths: Iterable[str]) -> list[Path]:
    """Return the folders that are not there yet, the deepest first."""
    parents = {p for path in paths for p in (folder / path).parents if p.is_relative_to(folder)}
    return sorted((p for p in parents if not p.exists()), key=lambda p: -len(p.parts))


def _put_back(folder: Path, before: Mapping[str, bytes | None], made: Sequence[Path]) -> None:
    """Undo: what is new goes first, lest it be taken for what comes back in its place."""
    for path, data in before.items():
        if data is None:
            (folder / path).unlink(missing_ok=True)
    for empty in made:
        if empty.is_dir():
            empty.rmdir()
    for path, data in before.items():
        if data is not None:
            workspace.replace_file(folder / path, data)
