"""Operations on the Markdown files of a folder: what they look like, and which may be done.

All of them are judged before the first is carried out, each against the folder as those
before it leave it: what would fail halfway is refused beforehand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from manent.errors import Refused, UsageError
from manent.links.resolve import fold
from manent.lint.rules.path_unportable import fault_of
from manent.memfile.manifest import WORKSPACE
from manent.memfile.places import is_symlink

BACKUP = ".memory-backup"
SKIPPED = frozenset({".git", "node_modules", "dist", "build", BACKUP})
_LEFT_ALONE = SKIPPED | {WORKSPACE}

SHAPES = (
    '{"op": "write_file", "path": "a.md", "content": "..."}',
    '{"op": "delete_file", "path": "a.md"}',
    '{"op": "rename_file", "path": "a.md", "to": "b.md"}',
)
"""What an operation looks like."""

_FIELDS = {
    "write_file": {"path", "content"},
    "delete_file": {"path"},
    "rename_file": {"path", "to"},
}
_LONGEST_PATH = 4000
"""Bytes of a whole path, its backup's included: Linux ends at 4096, and a writer's new file
has a longer name for a moment."""


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
    kind = each.get("op") if isinstance(each, Mapping) else None
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise UsageError(f"operation {place} is none of ours", "; ".join(SHAPES))
    given = {key: value for key, value in each.items() if key != "op"}
    if set(given) != _FIELDS[kind] or not all(isinstance(v, str) for v in given.values()):
        raise UsageError(f"operation {place} ({kind}) has other fields", "; ".join(SHAPES))
    for name, value in given.items():
        if not _is_text(value):
            raise UsageError(f"operation {place}: its {name} holds half a surrogate pair")
    return Operation(kind, **given)


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def judged(folder: Path, steps: Sequence[Operation], spare: int) -> None:
    """Raise Refused for all of it when one step may not be, or cannot be, carried out.

    spare: bytes that the path of a backup adds to that of a file.
    """
    there = _There(folder)
    for place, step in enumerate(steps, 1):
        for said in _faults(folder, there, step, spare):
            raise Refused(f"operation {place}: {said}", "nothing was changed")
        there.carry_out(step)


def _faults(folder: Path, there: _There, step: Operation, spare: int) -> Iterator[str]:
    """Yield what speaks against a step."""
    for path in (step.path, *((step.to,) if step.op == "rename_file" else ())):
        if said := _forbidden(folder, path):
            yield f"{path!r} {said}"
    if step.op != "write_file" and step.path not in there.files:
        yield f"{step.path!r} is not there"
    new = step.to if step.op == "rename_file" else step.path
    if step.op == "delete_file" or (step.op == "write_file" and new in there.files):
        return
    if step.op == "rename_file" and new in there.files:
        yield f"{new!r} stands already"
    if (fault := fault_of(new)) is not None:
        yield f"{new!r}: {fault.message}"
    if len(os.fsencode(folder / new)) + spare > _LONGEST_PATH:
        yield f"{new!r} is too long for a path in this folder"
    gone = step.path if step.op == "rename_file" else ""
    if said := there.clash(new, gone):
        yield f"{new!r} {said}"


def _forbidden(folder: Path, path: str) -> str:
    """Return why nothing may be done at a path, "" for nothing."""
    pure = PurePosixPath(path)
    if not path.strip() or "\0" in path or "\\" in path or pure.is_absolute() or path[0] == "~":
        return "is no relative path"
    if ".." in pure.parts or pure.as_posix() != path:
        return "leads elsewhere"
    if pure.suffix != ".md":
        return "is no Markdown file (.md)"
    if _LEFT_ALONE & {fold(part) for part in pure.parts}:
        return "lies in a folder that is left alone"
    at = folder
    for part in pure.parts:
        at = at / part
        if is_symlink(at):
            return "goes through a symlink"
    return ""


@dataclass
class _There:
    """What stands in a folder after some steps. files: the Markdown that may be worked on.

    names: folded path to the path as it is spelled, of everything; folders: paths of them.
    gone: files that a step took away.
    """

    folder: Path
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    names: dict[str, set[str]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for place, folders, files in os.walk(self.folder):
            here = Path(place).relative_to(self.folder)
            for name in (*folders, *files):
                path = (here / name).as_posix()
                self._name(path)
                link = is_symlink(self.folder / path)
                if name in folders and not link:
                    self.folders.add(path)
                elif name.endswith(".md") and name in files and not link:
                    self.files.add(path)
            folders[:] = [name for name in folders if name not in SKIPPED]

    def _name(self, path: str) -> None:
        self.names.setdefault(fold(path), set()).add(path)

    def clash(self, path: str, gone: str) -> str:
        """Return why a new file cannot stand there once ``gone`` is away, "" for nothing."""
        if path in self.folders:
            return "is a folder"
        parts = PurePosixPath(path).parts
        for depth in range(1, len(parts) + 1):
            part = "/".join(parts[:depth])
            others = self.names.get(fold(part), set()) - {part} - {gone}
            if others:
                return f"clashes with {min(others)!r}, which differs in case or spelling alone"
            stands = part in self.gone or part in self.names.get(fold(part), ())
            if depth < len(parts) and stands and part not in self.folders:
                return "goes through a file"
        return "stands already" if path in self.names.get(fold(path), ()) else ""

    def carry_out(self, step: Operation) -> None:
        """Take a step. A file that goes still bars a folder of its name: it may come back."""
        if step.op != "write_file":
            self.files.discard(step.path)
            self.names[fold(step.path)].discard(step.path)
            self.gone.add(step.path)
        new = {"write_file": step.path, "rename_file": step.to}.get(step.op)
        if new is None:
            return
        self.files.add(new)
        for part in (new, *(p.as_posix() for p in PurePosixPath(new).parents if p.name)):
            self._name(part)
            if part != new:
                self.folders.add(part)
