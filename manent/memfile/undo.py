"""What takes operations back that a writer did not live to end.

Before the first step a note of all that the steps may leave is put beside the backup, and
taken away after the last. Whoever comes next finds it and puts the folder back, except
where somebody has written since: what is none of the states in the note stays.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from manent.errors import ManentError
from manent.memfile import workspace
from manent.memfile.manifest import digest
from manent.memfile.operations import BACKUP, Operation
from manent.memfile.places import is_file, is_folder, is_symlink

_NOTE = ".undo.json"
COMING = ".coming-"
"""How the name of a backup begins that is not whole yet."""


def note(
    backup: Path,
    steps: Sequence[Operation],
    before: Mapping[str, bytes | None],
    made: Sequence[str],
) -> None:
    """Say, before the first step, what each path holds and what a step may leave there."""
    states = _states(steps, before)
    paths = [
        {"path": path, "there": data is not None, "states": sorted(states[path])}
        for path, data in before.items()
    ]
    text = json.dumps({"paths": paths, "made": list(made)})
    workspace.replace_file(backup / _NOTE, text.encode())


def _states(steps: Sequence[Operation], before: Mapping[str, bytes | None]) -> dict[str, set[str]]:
    """Return the digests of what stands at each path before and after any of the steps."""
    holds = dict(before)
    states = {path: {_digest(data)} for path, data in holds.items()}
    for step in steps:
        if step.op == "rename_file":
            holds[step.to], holds[step.path] = holds[step.path], None
        else:
            holds[step.path] = step.content.encode() if step.op == "write_file" else None
        for path in filter(None, (step.path, step.to)):
            states[path].add(_digest(holds[path]))
    return states


def _digest(data: bytes | None) -> str:
    return "" if data is None else digest(data)


def done(backup: Path) -> None:
    """Take the note away: what was asked for is there, or nothing of it."""
    (backup / _NOTE).unlink(missing_ok=True)


def recovered(folder: Path) -> bool:
    """Undo what was broken off in a folder; tell whether anything was. Call it while writing."""
    home = folder / BACKUP
    if not is_folder(home) or is_symlink(home):
        return False
    for left in home.glob(f"{COMING}*"):
        if is_folder(left) and not is_symlink(left):
            shutil.rmtree(left)
    found = False
    for backup in sorted(home.iterdir()):
        if is_file(backup / _NOTE) and not is_symlink(backup / _NOTE):
            _undo(folder, backup)
            done(backup)
            found = True
    return found


def _undo(folder: Path, backup: Path) -> None:
    try:
        read = json.loads(workspace.read_file(backup / _NOTE))
        paths, made = list(_paths(read["paths"])), [str(name) for name in read["made"]]
    except (ManentError, ValueError, KeyError, TypeError, RecursionError):
        return  # no note of ours
    ours = [(path, there) for path, there, states in paths if _held(folder, path) in states]
    for path, there in ours:
        workspace.draft(folder / path).unlink(missing_ok=True)
        if not there:
            (folder / path).unlink(missing_ok=True)
    for name in made:
        place = folder / name
        if ".." not in place.parts and is_folder(place) and not any(place.iterdir()):
            place.rmdir()
    for path, there in ours:
        if there:
            data = workspace.read_inside(backup, path)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            workspace.replace_file(folder / path, data)


def _paths(read: Any) -> Iterator[tuple[str, bool, set[str]]]:
    for each in read:
        path = str(each["path"])
        if path.endswith(".md"):
            yield path, bool(each["there"]), {str(state) for state in each["states"]}


def _held(folder: Path, path: str) -> str | None:
    """Return the digest of what stands at a path, "" for nothing, None for what is not ours."""
    place = folder / path
    if not is_file(place) and not is_symlink(place) and ".." not in place.parts:
        return "" if not is_folder(place) else None
    try:
        return digest(workspace.read_inside(folder, path))
    except ManentError:
        return None
