"""Which paths of a Tree are notes: the ignore file, templates, and the root files."""

from __future__ import annotations

import re
from dataclasses import dataclass

from manent.links.resolve import stem_of
from manent.tree import is_secret

IGNORE_FILE = ".manentignore"
EXEMPT = frozenset({"readme", "contributing", "claude", "agents", "gemini"})
"""Root files (``<stem>.md``, any case) that need no frontmatter and are private."""
MEMORY = "MEMORY.md"
HOME = "HOME.md"
QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)
class Ignore:
    """What ``.manentignore`` says: prefixes left out, and prefixes of templates."""

    prefixes: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Tell whether ``path`` stands at or below a prefix, whole components compared."""
        return any(path == p or path.startswith(p + "/") for p in self.prefixes + self.templates)


def parse(text: str) -> Ignore:
    """Read an ignore file: a prefix a line, ``#`` comments, ``templates: <prefix>``.

    A line that names nothing (``/``, ``..``) is passed over: it can hide nothing.
    """
    prefixes: list[str] = []
    templates: list[str] = []
    # Not splitlines: a file name may hold what Unicode takes for the end of a line.
    for line in re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        target = prefixes
        if entry.startswith("templates:"):
            entry, target = entry.removeprefix("templates:").strip(), templates
        parts = [part for part in entry.split("/") if part not in ("", ".")]
        if parts and ".." not in parts:
            target.append("/".join(parts))
    return Ignore(tuple(prefixes), tuple(templates))


def is_note_path(path: str, ignore: Ignore) -> bool:
    """Tell whether a file at ``path`` is a note: ``*.md`` in any case, in no hidden place."""
    if path[-3:].lower() != ".md" or path[-4:-3] in ("", "/"):
        return False
    if "." in path[:-3] and (path[0] == "." or "/." in path):
        folders = path.split("/")[:-1]
        if any(f.startswith(".") for f in folders):
            return False
    return not is_secret(path) and not ignore.covers(path)


def is_exempt(path: str) -> bool:
    """Tell whether ``path`` is one of the root files that need no frontmatter."""
    return "/" not in path and stem_of(path).lower() in EXEMPT


def quarantine_of(path: str) -> str | None:
    """Return the agent's folder a path stands in (``quarantine/<agent>``), "" when
    it stands right below ``quarantine/``, None outside."""
    parts = path.split("/")
    if parts[0] != QUARANTINE or len(parts) < 2:
        return None
    return f"{QUARANTINE}/{parts[1]}" if len(parts) > 2 else ""
