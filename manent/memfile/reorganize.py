"""Files of a memory directory, written, removed and renamed as one step, after a backup."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from manent.errors import Refused, UsageError
from manent.memfile import workspace
from manent.memfile.manifest import WORKSPACE

BACKUP = ".memory-backup"
SKIPPED = frozenset({".git", "node_modules", "dist", "build", BACKUP})

SHAPES = (
    '{"op": "write_file", "path": "a.md", "content": "..."}',
    '{"op": "delete_file", "path": "a.md"}',
    '{"op": "rename_file", "path": "a.md", "to": "b.md"}',
)
"""What an operation looks like."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One step. to: the new name of a renamed file."""

    op: str
    path: str
    content: str = ""
    to: str = ""


def operations(given: Any) -> list[Operation]:
    """Read a list of operations. Raises UsageError for what is none, with the shapes."""
    if not isinstance(given, list) or not given:
        raise UsageError("ops is a list of operations", "; ".join(SHAPES))
    return [_operation(place, each) for place, each in enumerate(given, 1)]


def _operation(place: int, each: Any) -> Operation:
    wanted = {"write_file": {"path", "content"}, "delete_file": {"path"}}
    wanted["rename_file"] = {"path", "to"}
    kind = each.get("op") if isinstance(each, Mapping) else None
    if kind not in wanted:
        raise UsageError(f"operation {place} is none of ours", "; ".join(SHAPES))
    given = {key: value for key, value in each.items() if key != "op"}
    if set(given) != wanted[kind] or not all(isinstance(v, str) for v in given.values()):
        raise UsageError(f"operation {place} ({kind}) has other fields", "; ".join(SHAPES))
    return Operation(kind, **given)


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
    that fails afterwards is undone with those before it. Raises Refused.
    """
    with workspace.writing(folder):
        _judge(folder, steps)
        backup = _backed_up(folder, moment)
        before = {path: _standing(folder / path) for path in _touched(steps)}
        try:
            for step in steps:
                _carry_out(folder, step)
        except BaseException:
            _put_back(folder, before)
            raise
        return backup


def _touched(steps: Sequence[Operation]) -> list[str]:
    return [path for step in steps for path in (step.path, step.to) if path]


def _judge(folder: Path, steps: Sequence[Operation]) -> None:
    """Refuse all of it when one step may not be, or cannot be, carried out."""
    there = set(markdown_files(folder))
    for place, step in enumerate(steps, 1):
        for path in filter(None, (step.path, step.to)):
            if said := _fault(folder, path):
                raise Refused(f"operation {place}: {path!r} {said}", "nothing was changed")
        if step.op != "write_file" and step.path not in there:
            raise Refused(f"operation {place}: {step.path!r} is not there", "nothing was changed")
        if step.op == "rename_file" and step.to in there:
            raise Refused(f"operation {place}: {step.to!r} stands already", "nothing was changed")
        there -= {step.path} if step.op != "write_file" else set()
        there |= {step.to} if step.op == "rename_file" else set()
        there |= {step.path} if step.op == "write_file" else set()


def _fault(folder: Path, path: str) -> str:
    pure = PurePosixPath(path)
    if not path or "\0" in path or "\\" in path or pure.is_absolute() or path.startswith("~"):
        return "is no relative path"
    if ".." in pure.parts or pure.as_posix() != path:
        return "leads elsewhere"
    if pure.suffix != ".md" or pure.name == ".md":
        return "is no Markdown file (.md)"
    if SKIPPED & set(pure.parts) or WORKSPACE in pure.parts:
        return "lies in a folder that is left alone"
    at = folder
    for part in pure.parts:
        at = at / part
        if at.is_symlink():
            return "goes through a symlink"
        if at != folder / path and at.exists() and not at.is_dir():
            return "goes through a file"
    return "is a folder" if at.is_dir() else ""


def _backed_up(folder: Path, moment: str) -> Path:
    """Copy every Markdown file under ``.memory-backup/<moment>/``."""
    home = folder / BACKUP
    if home.is_symlink():
        raise Refused(f"{home} is a symlink", "nothing was changed")
    number, backup = 1, home / moment
    while backup.exists():
        number += 1
        backup = home / f"{moment}-{number}"
    backup.mkdir(parents=True)
    for name in markdown_files(folder):
        copy = backup / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(workspace.read_inside(folder, name))
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


def _put_back(folder: Path, before: Mapping[str, bytes | None]) -> None:
    for path, data in before.items():
        if data is None:
            (folder / path).unlink(missing_ok=True)
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            workspace.replace_file(folder / path, data)
