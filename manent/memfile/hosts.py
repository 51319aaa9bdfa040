"""Which files a host reads for a project, and which of them with every session.

Each row follows the host's own manual:

- Claude Code: ``CLAUDE.md`` or ``.claude/CLAUDE.md``, ``CLAUDE.local.md``, and the
  rules in ``.claude/rules/`` that name no ``paths``; files further down load when
  something below them is read. ``MEMORY.md`` of the auto-memory folder loads to its
  200th line or 25 KB, whichever comes first.
- Codex and others: ``AGENTS.md``, in whose place an ``AGENTS.override.md`` of the same
  folder is read; files on the way down to the working folder, 32 KiB in all.
- Gemini CLI: ``GEMINI.md``, further down when something there is read.
- Cursor: ``.cursorrules``, ``AGENTS.md``, and the rules in ``.cursor/rules/`` whose
  ``alwaysApply`` is the boolean true.
- Copilot: ``.github/copilot-instructions.md``, and the instructions whose ``applyTo``
  is every file.
- Windsurf, Cline, Zed, Goose: their one file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath

from manent import late
from manent.memfile.document import Document

INDEXES = ("MEMORY.md", "index.md", "INDEX.md", "README.md")
"""What may lead into a memory directory, in the order in which it is looked for."""

NESTING = frozenset(
    {"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"}
)
"""Names that hold for the folder they stand in, wherever that is."""

ROOT_FILES = {
    "CLAUDE.md": ("claude",),
    ".claude/CLAUDE.md": ("claude",),
    "CLAUDE.local.md": ("claude",),
    "AGENTS.override.md": ("agents",),
    "AGENTS.md": ("agents", "cursor"),
    "GEMINI.md": ("gemini",),
    ".cursorrules": ("cursor",),
    ".github/copilot-instructions.md": ("copilot",),
    ".windsurfrules": ("windsurf",),
    ".clinerules": ("cline",),
    ".rules": ("zed",),
    ".goosehints": ("goose",),
}

PRUNED = frozenset(
    """
    .git .hg .svn node_modules bower_components dist build out target vendor .venv venv env
    __pycache__ .tox .nox .mypy_cache .ruff_cache .pytest_cache .next .nuxt .cache .gradle .idea
    site-packages .memory .memory-backup .manent coverage .terraform Pods DerivedData
    """.split()
)
"""Folders that hold nothing a person wrote for an agent."""

MANIFESTS = frozenset(
    """
    package.json pyproject.toml setup.py setup.cfg requirements.txt Cargo.toml go.mod Makefile
    pom.xml build.gradle build.gradle.kts composer.json Gemfile mix.exs CMakeLists.txt deno.json
    justfile pubspec.yaml Package.swift Dockerfile tsconfig.json flake.nix Pipfile
    """.split()
)
"""Files that a project's folder has, and a folder of notes has not."""

_MOST_ENTRIES = 200_000


@dataclass(slots=True)
class Listing:
    """What lies under a root. files, folders: relative, with ``/``; complete: all of it."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    complete: bool = True


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file some host reads. name: relative to the root.

    hosts: who reads it. always: with every session (a rule's own header may still
    say otherwise). nested: it holds for its folder.
    """

    name: str
    hosts: tuple[str, ...]
    always: bool
    nested: bool = False


def listed(root: Path) -> Listing:
    """Walk a root without following links; folders nobody writes in are left out."""
    found = Listing()
    for folder, folders, files in os.walk(root):
        here = Path(folder).relative_to(root).as_posix()
        prefix = "" if here == "." else f"{here}/"
        found.folders.update(prefix + name for name in folders)
        folders[:] = sorted(name for name in folders if name not in PRUNED)
        found.files.update(prefix + name for name in files)
        if len(found.files) + len(found.folders) > _MOST_ENTRIES:
            found.complete = False
            break
    return found


def host_files(listing: Listing) -> list[HostFile]:
    """Return the files of hosts among those listed, the root's first, each once."""
    found = [
        HostFile(name, hosts, True) for name, hosts in ROOT_FILES.items() if name in listing.files
    ]
    taken = {entry.name for entry in found}
    found.extend(entry for entry in _further(listing) if entry.name not in taken)
    return found


def _further(listing: Listing) -> Iterator[HostFile]:
    for name in sorted(listing.files):
        path = PurePosixPath(name)
        if path.name in NESTING:
            host = {"C": "claude", "A": "agents", "G": "gemini"}[path.name[0]]
            yield HostFile(name, (host,), False, True)
        elif (rule := _rule_host(path)) is not None:
            host, nested = rule
            yield HostFile(name, (host,), not nested, nested)


def _rule_host(path: PurePosixPath) -> tuple[str, bool] | None:
    """Return the host of a rule file and whether it holds for a folder below the root."""
    parts = path.parts
    for at, (first, second) in enumerate(pairwise(parts)):
        match first, second, path.suffix:
            case ".claude", "rules", ".md":
                return "claude", at > 0
            case ".cursor", "rules", ".mdc":
                return "cursor", at > 0
            case ".github", "instructions", ".md" if path.name.endswith(".instructions.md"):
                return "copilot", at > 0
            case ".clinerules", _, ".md":
                return "cline", at > 0
    return None


_FIELD = late.pattern(r"^([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def fields(doc: Document) -> dict[str, str]:
    """Return the one-line fields of a frontmatter as they are written.

    Cursor's headers are no strict YAML (``globs: *.ts`` is none), so they are read by line.
    """
    block = doc.frontmatter
    if block is None:
        return {}
    lines = doc.slice(block.start + 1, block.end - 1).replace("\r\n", "\n").replace("\r", "\n")
    return {match[1]: match[2] for match in _FIELD.finditer(lines)}


def is_always(name: str, doc: Document) -> bool:
    """Tell whether a rule file's own header lets it load with every session."""
    header = fields(doc)
    path = PurePosixPath(name)
    if path.suffix == ".mdc":
        return header.get("alwaysApply", "").split("#")[0].strip() == "true"
    if path.name.endswith(".instructions.md"):
        return header.get("applyTo", "").strip("'\" ") in ("**", "**/*", "*")
    return "paths" not in header and "globs" not in header


LOADED_LINES = 200
LOADED_BYTES = 25_000
AGENTS_BYTES = 32 << 10


def loaded_lines(name: str, doc: Document, hosts: tuple[str, ...], auto: bool) -> int:
    """Return how many lines of a file its host takes in."""
    if auto and name.endswith("MEMORY.md"):
        return _head(doc, LOADED_LINES, LOADED_BYTES)
    if hosts == ("agents",):
        return _head(doc, len(doc.lines), AGENTS_BYTES)
    return len(doc.lines)


def _head(doc: Document, most_lines: int, most_bytes: int) -> int:
    taken = 0
    for number, line in enumerate(doc.lines[:most_lines], 1):
        taken += len(line.encode("utf-8", "surrogateescape"))
        if taken > most_bytes:
            return max(1, number - 1)
    return min(most_lines, len(doc.lines))


def auto_memory(home: Path, project: Path) -> Path:
    """Return where Claude Code keeps what it remembers of a project.

    home: Claude Code's configuration folder, ``~/.claude`` unless told otherwise.
    """
    return home / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project)) / "memory"
