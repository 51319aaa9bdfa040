"""Which memory file a path means: the file itself, the one it points to, or a folder's."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from manent import late
from manent.errors import EnvironmentFault, NotFound, Refused
from manent.memfile import workspace
from manent.memfile.document import BOM, Document, decoded, parse
from manent.memfile.manifest import WORKSPACE, is_memory_name
from manent.memfile.places import exists, is_file, is_folder, is_symlink

CANDIDATES = (
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".windsurfrules",
    ".clinerules",
)
"""Where a folder's memory file is looked for, in this order."""

_POINTER = late.pattern(
    r"(?:please |first |always )?(?:see|read|follow|use|refer to|@)?:?\s*"
    r"(?:\[[^\]\r\n]*\]\()?[@`*_\"']{0,3}(?:\./)?"
    r"((?:[\w.-]{1,255}/){0,40}(?:\.?[\w-]{1,250}\.mdc?|[\w-]{1,250}\.[\w-]{1,250}\.mdc?"
    r"|\.cursorrules))"
    r"[`*_\"')]{0,4}(?:\s+(?:for|in this|in the|file|instead|first)\b[^\r\n]{0,120})?[.!]?",
    2,
)
_POINTER_LINES = 3
_POINTER_CHARACTERS = 600
"""A line longer than that says more than where to look."""


def target_of(path: Path) -> Path:
    """Return the memory file that ``path`` means; a pointer is followed to what it names.

    Raises NotFound where a folder has none, EnvironmentFault where nothing is, Refused
    at a symlink, or at a file that is no memory file.
    """
    if is_symlink(path):
        raise Refused(f"{path} is a symlink", "name the file it points to, where it stands")
    if not exists(path):
        raise EnvironmentFault(f"{path} does not exist", "name a memory file or its folder")
    if is_folder(path):
        return _of_folder(path.parent if path.name == WORKSPACE else path)
    if not is_memory_name(path.name):
        raise Refused(f"{path.name} is no memory file", "Markdown, .mdc, .txt or .cursorrules")
    return _followed(path)


def _of_folder(folder: Path) -> Path:
    with contextlib.suppress(EnvironmentFault):  # whoever opens it says what is wrong with it
        found = workspace.find(workspace.nearest(folder))
        if found is not None:
            return found.source
    for name in CANDIDATES:
        path = folder / name
        if is_symlink(path):
            raise Refused(f"{path} is a symlink", "name the file it points to, where it stands")
        if is_file(path):
            return _followed(path)
    if is_file(folder / "MEMORY.md"):
        return folder / "MEMORY.md"
    raise NotFound(f"{folder} holds no memory file", f"one of {', '.join(CANDIDATES)}")


def _followed(path: Path) -> Path:
    """Follow pointers; a circle ends where it began."""
    seen: list[Path] = []
    while path not in seen:
        seen.append(path)
        named = pointed(parse(workspace.read_file(path)))
        following = path.parent / named if named else None
        if following is None or not exists(following) or _outside(path.parent, following):
            return path
        if is_symlink(following):
            raise Refused(f"{following} is a symlink", "name the file it points to")
        if not is_file(following) or not is_memory_name(following.name):
            return path
        path = Path(os.path.normpath(following))
    return seen[0]


def _outside(folder: Path, path: Path) -> bool:
    return not path.resolve().is_relative_to(folder.resolve())


def pointed(doc: Document) -> str | None:
    """Return the file that a document does nothing but point to, or None."""
    lines = [line.strip().removeprefix(BOM) for line in doc.lines if line.strip(f" \t\r\n{BOM}")]
    said = [line for line in lines if not line.startswith("#")]
    if len(lines) > _POINTER_LINES or len(said) != 1 or len(said[0]) > _POINTER_CHARACTERS:
        return None
    found = _POINTER.fullmatch(said[0])
    return found[1] if found else None


def is_compiled(path: Path) -> bool:
    """Whether a memory file has a workspace beside it that was made from it."""
    found = workspace.find(path.parent)
    return found is not None and found.manifest.source.name == path.name


_LINK_LINE = late.pattern(
    r"\s*[-*+][ \t]+(?:\[[^\]\r\n]+\]\(([^)\s]+\.md)\)|\[\[[^\]\r\n]+\]\]|`([\w./-]+\.md)`)"
)


def is_routing_list(path: Path) -> bool:
    """Whether a file mostly links to topic files beside it: there is nothing to split."""
    if path.name == "MEMORY.md":
        return True
    doc = parse(workspace.read_file(path))
    lines = [line for line in doc.lines if line.strip() and not line.lstrip().startswith("#")]
    links = [found for line in lines if (found := _LINK_LINE.match(line))]
    beside = [m for m in links if not (m[1] or m[2]) or _is_topic(path.parent, m[1] or m[2])]
    return len(beside) >= 2 and 2 * len(beside) >= len(lines)


def _is_topic(folder: Path, name: str) -> bool:
    """Whether a link leads to a file in the folder or right below it."""
    parts = name.removeprefix("./").split("/")
    return ".." not in parts and len(parts) <= 2 and is_file(folder / name)


def text_of(path: Path) -> str:
    """Return a memory file as text."""
    return decoded(workspace.read_file(path))
