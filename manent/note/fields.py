"""What the loosely written values of frontmatter mean.

People write ``tags: a, b``, ``alias: Runbook`` and ``provenance: "[[Source]]"``.
These views read all of it. Where a value decides who may see a note they do the
opposite: what is not exactly as specified means private.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from manent import late

_LABEL = late.pattern(r"[a-z0-9]+(?:[_-][a-z0-9]+)*", re.ASCII)
_DATE = late.pattern(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:[Tt ]\s*\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s*(?:[Zz]|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
_COMPACT = late.pattern(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
_WIKILINK = late.pattern(r"\[\[([^\[\]|#^]*)(?:[#^][^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")


def labels(frontmatter: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the audience labels as written, none when the note is private.

    Private means: absent, empty, anything but a list of label slugs (one wrong
    item makes all of it unreadable). ``private`` itself is returned where it is
    written, so that ``private`` beside another label can be reported; who sees a
    note must treat it as no grant at all.
    """
    value = frontmatter.get("audience")
    if not isinstance(value, list):
        return ()
    if not all(isinstance(item, str) and _LABEL.fullmatch(item) for item in value):
        return ()
    return tuple(dict.fromkeys(value))


def tags(frontmatter: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tags of the frontmatter, without ``#``, in order, each once.

    A string is split at commas and blanks, as editors do; ``tag`` counts too.
    """
    return _listed(frontmatter, ("tags", "tag"), re.compile(r"[,\s]+"), "#")


def aliases(frontmatter: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the other names of a note; a string is split at commas; ``alias`` counts too."""
    return _listed(frontmatter, ("aliases", "alias"), re.compile(r"\s*,\s*"), "")


def _listed(
    frontmatter: Mapping[str, Any], keys: tuple[str, ...], comma: re.Pattern[str], mark: str
) -> tuple[str, ...]:
    found: list[str] = []
    if frontmatter.keys().isdisjoint(keys):
        return ()
    for key in keys:
        value = frontmatter.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                parts = [item] if isinstance(value, list) and not mark else comma.split(item)
                found.extend(part.strip().lstrip(mark) if mark else part.strip() for part in parts)
            elif isinstance(item, (int, float)) and not isinstance(item, bool):
                found.append(str(item))
    return tuple(dict.fromkeys(item for item in found if item))


def title(frontmatter: Mapping[str, Any], stem: str) -> str:
    """Return the title to show: the field where it is text or a number, else the file stem."""
    value = frontmatter.get("title")
    if isinstance(value, str) and value.strip():
        return " ".join(value.split())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return stem


def names(frontmatter: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Return the notes a list field names: plain names or wikilinks, without heading and alias.

    field: ``provenance``, ``supersedes`` or ``contradicts``. One string is one name.
    """
    value = frontmatter.get(field)
    found: list[str] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            links = [match[1].strip() for match in _WIKILINK.finditer(item)]
            found.extend(links or [item.strip()])
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            found.append(str(item))
    return tuple(dict.fromkeys(item for item in found if item))


def date(value: Any) -> str | None:
    """Return a written date as ``YYYY-MM-DD``, or None when it is no day of the calendar.

    Read: ``2026-03-09``, ``2026/3/9``, ``2026.3.9``, ``20260309`` (text or number), each of
    the first three also with a time, whose zone does not move the day.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return _day(value) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _day(text: str) -> str | None:
    # The notes of a vault share their days: most are read once.
    found = _DATE.fullmatch(text.strip()) or _COMPACT.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return datetime.date(*(int(part) for part in found.groups())).isoformat()
    except ValueError:
        return None
