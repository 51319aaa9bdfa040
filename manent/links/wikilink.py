"""The grammar of one wikilink: ``[[target#heading^block|alias]]``."""

from __future__ import annotations

import re

from manent import late
from manent.links.link import Link, LinkKind

WIKILINK = late.pattern(r"\[\[([^\[\]|\n\0]*)(?:\|((?:[^\[\]\n\0]|\[[^\[\]\n\0]*\])*))?\]\]")
"""No brackets, line ends or blanked characters in a target; paired brackets in an alias."""

_TARGET = late.pattern(r"([^#^]*)(?:#(?!\^)(.*?))?(?:#?\^([A-Za-z0-9-]+))?", re.DOTALL)


def wikilink(
    match: re.Match[str], kind: LinkKind, dendron: bool, line: int = 0, column: int = 0
) -> Link | None:
    """Return the link a match of ``WIKILINK`` stands for; None for ``[[]]``."""
    target, label = match.groups()
    alias = ""
    if label is not None:
        alias = label.strip()
        target = target.removesuffix("\\")
        if dendron:
            target, alias = alias, target.strip()
    if "://" in target:
        return None
    target = target.strip()
    parts = _TARGET.fullmatch(target) if "#" in target or "^" in target else None
    if parts is None:
        return Link(kind, target, "", "", alias, line, column) if target else None
    name, heading, block = (part.strip() if part else "" for part in parts.groups())
    if not (name or heading or block):
        return None
    return Link(kind, name, heading, block, alias, line, column)


def escaped(text: str, at: int) -> bool:
    """Return whether a backslash stands before ``at`` that is not itself escaped."""
    slashes = 0
    while at > slashes and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1
