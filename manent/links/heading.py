"""What a heading says."""

from __future__ import annotations

import re

from manent import late
from manent.links.link import Heading
from manent.links.place import Places
from manent.links.structure import BLANK, Structure

_HEADING_MAX_CHARS = 1000
_ATX = late.pattern(r"#{1,6}(?=[ \t\r\n]|\Z)")
_CLOSING_MARKS = late.pattern(r"(?:\A|[ \t])#+[ \t]*\Z")
_BLOCK_AT_END = late.pattern(r"[ \t]\^[A-Za-z0-9-]+[ \t]*\Z")
_MARKS = late.pattern(r"[\\`\[<*=~_]")
_MARKUP = late.pattern(
    r"\\([!-/:-@\[-`{-~])"
    r"|(`{1,8})(?!`)(.{1,400}?)(?<!`)\2(?!`)"
    r"|!?\[\[([^\[\]|]{0,400})(?:\|([^\[\]]{0,400}))?\]\]"
    r"|!?\[([^\[\]]{0,400})\]\([^()]{0,400}\)"
    r"|</?[A-Za-z][^<>]{0,200}>"
    r"|(?:\*+|==|~~)(?=\S)|(?<=\S)(?:\*+|==|~~)"
    r"|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"
)


def headings_of(body: str, found: Structure, places: Places) -> tuple[Heading, ...]:
    """Return the headings of a body that say anything, in order."""
    headings: list[Heading] = []
    for level, start, end in sorted(found.headings, key=lambda heading: heading[1]):
        raw = _heading_text(body[start : min(end, start + _HEADING_MAX_CHARS)])
        text = _shown(raw)
        if text:
            source = raw if "[" in raw else ""
            headings.append(Heading(level, text, places.at(start)[0], source))
    return tuple(headings)


def _heading_text(element: str) -> str:
    """Return what a heading says, still marked up, on one line."""
    element = element.strip()
    marks = _ATX.match(element)
    if marks:
        text = element[marks.end() :]
        if "#" in text:
            text = _CLOSING_MARKS.sub("", text)
    else:
        text = " ".join(line.lstrip(" \t>") for line in element.split("\n")[:-1])
    text = text.replace(BLANK, "")
    if "^" in text:
        text = _BLOCK_AT_END.sub("", text)
    return " ".join(text.split())


def _shown(raw: str) -> str:
    """Return the text of a heading as a reader sees it."""
    if not _MARKS.search(raw):
        return raw
    return " ".join(_MARKUP.sub(_unmarked, raw).split())


def _unmarked(match: re.Match[str]) -> str:
    escaped, _, code, target, alias, label = match.groups()
    return escaped or code or alias or (target or "").strip("#^ ") or label or ""
