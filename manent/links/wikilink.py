"""The grammar of one wikilink: ``[[target#heading^block|alias]]``."""

from __future__ import annotations

import re

from manent.links.link import Link, LinkKind

WIKILINK = re.compile(r"\[\[([^\[\]|\n\0]*)(?:\|((?:[^\[\]\n\0]|\[[^\[\]\n\0]*\])*))?\]\]")
"""No brackets, line ends or blanked characters in a target; paired brackets in an alias."""

_TARGET = re.compile(r"([^#^]*)(?:#(?!\^)(.*?))?(?:#?\^([A-Za-z0-9-]+))?", re.DOTALL)


def wikilink(match: re.Match[str], kind: LinkKind, dendron: bool) -> Link | None:
    """Return the link a match of ``WIKILINK`` stands for, unplaced; None for ``[[]]``."""
    target, alias = match[1], (match[2] or "").strip()
    if match[2] is not None and target.endswith("\\"):
        target = target[:-1]
    if dendron and match[2] is not None:
        target, alias = alias, target.strip()
    if "://" in target:
        return None
    parts = _TARGET.fullmatch(target.strip())
    if parts is None:
        return Link(kind, target.strip(), alias=alias)
    name, heading, block = (part.strip() if part else "" for part in parts.groups())
    if not (name or heading or block):
        return None
    return Link(kind, name, heading, block, alias)


def escaped(text: str, at: int) -> bool:
    """Return whether a backslash stands before ``at`` that is not itself escaped."""
    slashes = 0
    while at > slashes and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1
