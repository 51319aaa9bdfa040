"""Which paths of a Tree are notes: the ignore file, templates, and the root files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from manent.links.resolve import stem_of
from manent.tree import IGNORE_FILE as IGNORE_FILE
from manent.tree import is_secret
from manent.values import dataclass

EXEMPT = frozenset({"readme", "contributing", "claude", "agents", "gemini"})
"""Root files (``<stem>.md``, any case) that need no frontmatter and are private."""
MEMORY = "MEMORY.md"
HOME = "HOME.md"
QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)
class Ignore:
    """What ``.manentignore`` says: prefixes left out, and prefixes of templates.

    everything: nobody can tell what it says, so all is left out.
    """

    prefixes: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    everything: bool = False

    def covers(self, path: str) -> bool:
        """Tell whether ``path`` stands at or below a prefix, whole components compared."""
        if not (self.prefixes or self.templates):
            return self.everything
        return self.everything or any(
            path == p or path.startswith(p + "/") for p in self.prefixes + self.templates
        )


def text_of(content: bytes) -> str:
    """Return the text of an ignore file, ``UNREADABLE`` where its bytes are no text.

    It is to be UTF-8. What says by its mark that it is UTF-16 or UTF-32, as some
    editors save it, is read as that: it hides what it was written to hide.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        wide = content.startswith((b"\xff\xfe\x00\x00", b"\x00\x00"))
        encoding = "utf-32" if wide else "utf-16"
    else:
        encoding = "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return UNREADABLE
    return UNREADABLE if "\0" in text else text


UNREADABLE = "\0"
"""Stands for a text that nobody can read; no file that can be read holds it."""


def parse(text: str) -> Ignore:
    """Read an ignore file: a prefix a line, ``#`` comments, ``templates: <prefix>``.

    A line that names nothing (``/``, ``..``) is passed over: it can hide nothing.
    A text that could not be read hides everything: what it names is not known.
    """
    if text == UNREADABLE:
        return Ignore(everything=True)
    prefixes: list[str] = []
    templates: list[str] = []
    for _, prefix, declares in _entries(text):
        if prefix:
            (templates if declares else prefixes).append(prefix)
    return Ignore(tuple(prefixes), tuple(templates))


def idle_lines(text: str) -> list[int]:
    """Return the numbers of the lines that are entries and hide nothing, from 1."""
    return [number for number, prefix, _ in _entries(text) if not prefix]


def _entries(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, prefix or "", whether it declares templates) of each entry."""
    # Not splitlines: a file name may hold what Unicode takes for the end of a line.
    lines = re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff"))
    for number, line in enumerate(lines, start=1):
        entry = line.strip()
        if not entry or entry.startswith("#") or text == UNREADABLE:
            continue
        declares = entry.startswith("templates:")
        parts = (
            entry.removeprefix("templates:").strip().split("/") if declares else entry.split("/")
        )
        named = [part for part in parts if part not in ("", ".")]
        yield number, "" if ".." in named else "/".join(named), declares


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
