"""The outline of a note: its links, headings, block ids, tags and tasks.

A parser says what is code, math or HTML; what remains visible is read by the
patterns below, which follow Obsidian:

- ``[[target#heading|alias]]``, with ``!`` before it an embed; the alias pipe may
  be escaped, as tables need; ``#^id`` (or ``^id``) names a block.
- ``[text](<note.md> "title")`` is a link to a note unless it has a scheme or
  points at a folder; ``[text]([[note]])`` is one wikilink with an alias.
- ``#tag`` after a blank: letters of any script, digits, ``-``, ``_`` and ``/``,
  not digits alone.
- An unquoted ``key: [[note]]`` in the frontmatter is a list in a list to YAML;
  the reader keeps its text, so it is one link like any quoted one.

All of it is linear in the length of the note.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from manent.links import quick
from manent.links.comments import without_comments
from manent.links.link import Heading, Link, LinkKind, Outline
from manent.links.structure import BLANK, Structure, blank
from manent.note import Note

EDGES = {
    "provenance": LinkKind.PROVENANCE,
    "supersedes": LinkKind.SUPERSEDES,
    "contradicts": LinkKind.CONTRADICTS,
}
"""The list fields of the frontmatter that are typed edges."""

WIKILINK = re.compile(r"\[\[([^\[\]|\n\0]*)(?:\|((?:[^\[\]\n\0]|\[[^\[\]\n\0]*\])*))?\]\]")
_TAG = re.compile(
    r"#([^\s\0!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]+)"
)
_BLOCK = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_TASK = re.compile(r"\[([ xX])\][ \t]")
_TASK_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_TARGET = re.compile(r"([^#^]*)(?:#(?!\^)(.*?))?(?:#?\^([A-Za-z0-9-]+))?", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\{")
_LABEL = re.compile(r"\[([^\[\]\n]{0,400})\]\(\Z")


def outline(note: Note, dendron: bool = False) -> Outline:
    """Return all that other notes and the vault can know of a note's links and places.

    dendron: wikilinks are written ``[[label|target]]``.
    """
    body = without_comments(note.body)
    found = quick.structure(body) or _parser()(body)
    visible = blank(body, found.hidden)
    places = _Places(visible, note.body_line)
    links = list(_property_links(note, dendron))
    links += _body_links(visible, found, places, dendron)
    headings = _headings(body, found, _Places(body, note.body_line))
    opened, done = _tasks(visible)
    return Outline(tuple(links), headings, _blocks(visible), _tags(visible), opened, done)


@cache
def _parser() -> Callable[[str], Structure]:
    try:
        from manent.links import pulldown
    except ImportError:
        from manent.links import commonmark

        return commonmark.structure
    return pulldown.structure


class _Places:
    """Lines and columns of growing offsets, each character looked at once."""

    __slots__ = ("done", "line", "newline", "text")

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.line = first_line
        self.newline = -1
        self.done = 0

    def at(self, offset: int) -> tuple[int, int]:
        self.line += self.text.count("\n", self.done, offset)
        last = self.text.rfind("\n", self.done, offset)
        if last >= 0:
            self.newline = last
        self.done = max(self.done, offset)
        return self.line, offset - self.newline


# Links of the body.


def _body_links(visible: str, found: Structure, places: _Places, dendron: bool) -> list[Link]:
    written = _wikilinks(visible, dendron) if "[[" in visible else []
    taken = [(start, end) for start, end, _ in written]
    for start, end, url, embeds in found.links:
        link = _markdown_link(url, embeds)
        if link and not _holds(taken, start, end):
            written.append((start, end, link))
    written.sort(key=_by_start)
    return [_placed(link, places.at(start)) for start, _, link in written]


def _by_start(entry: tuple[int, int, Link]) -> int:
    return entry[0]


def _placed(link: Link, place: tuple[int, int]) -> Link:
    return Link(link.kind, link.target, link.heading, link.block, link.alias, place[0], place[1])


def _holds(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a wikilink stands at, in or around this Markdown link."""
    index = bisect_right(taken, (start, end))
    before = index > 0 and taken[index - 1][1] > start
    return before or (index < len(taken) and taken[index][0] < end)


def _wikilinks(visible: str, dendron: bool) -> list[tuple[int, int, Link]]:
    links: list[tuple[int, int, Link]] = []
    for match in WIKILINK.finditer(visible):
        start = match.start()
        if _escaped(visible, start):
            continue
        embeds = start > 0 and visible[start - 1] == "!" and not _escaped(visible, start - 1)
        kind = LinkKind.EMBED if embeds else LinkKind.WIKILINK
        link = wikilink(match, kind, dendron)
        if link is None:
            continue
        if not link.alias and visible.startswith(")", match.end()):
            link = _labelled(link, visible[max(0, start - 404) : start])
        links.append((start - embeds, match.end(), link))
    return links


def _escaped(text: str, at: int) -> bool:
    slashes = 0
    while at > slashes and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _labelled(link: Link, before: str) -> Link:
    """Give a wikilink written as the destination of ``[label](...)`` its label."""
    label = _LABEL.search(before)
    if label is None:
        return link
    return Link(link.kind, link.target, link.heading, link.block, label[1].strip())


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


def _markdown_link(url: str, embeds: bool) -> Link | None:
    if not url or _SCHEME.match(url) or url.endswith("/"):
        return None
    path, _, fragment = url.partition("#")
    target, anchor = unquote(path).strip(), unquote(fragment).strip()
    if "\0" in target or "\n" in target or not (target or anchor):
        return None
    kind = LinkKind.EMBED if embeds else LinkKind.MARKDOWN
    if anchor.startswith("^"):
        return Link(kind, target, block=anchor[1:])
    return Link(kind, target, anchor)


# Links of the frontmatter.


def _property_links(note: Note, dendron: bool) -> Iterator[Link]:
    header = note.text[: len(note.text) - len(note.body)]
    if not note.frontmatter or not ("[[" in header or EDGES.keys() & note.frontmatter.keys()):
        return
    starts = [0] + [found.end() for found in re.finditer("\n", header)]
    ends = sorted(note.key_lines.values())
    for key, value in note.frontmatter.items():
        first = note.key_lines.get(key, 1)
        following = next((line for line in ends if line > first), len(starts))
        region = header[starts[first - 1] : starts[following - 1]]
        kind = EDGES.get(key, LinkKind.PROPERTY)
        places = _Places(region, first)
        for link, written in _links_of_value(value, kind, dendron):
            at = region.find(written, places.done)
            yield _placed(link, places.at(at) if at >= 0 else (first, 1))


def _links_of_value(value: Any, kind: LinkKind, dendron: bool) -> Iterator[tuple[Link, str]]:
    for text in _strings(value):
        matches = list(WIKILINK.finditer(text)) if "[[" in text else []
        for match in matches:
            link = wikilink(match, kind, dendron)
            if link:
                yield link, match[0]
        if not matches and kind is not LinkKind.PROPERTY and text.strip():
            yield Link(kind, text.strip()), text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)


# Headings.

_HEADING_MAX_CHARS = 1000
_ATX = re.compile(r"#{1,6}(?=[ \t\r\n]|\Z)")
_CLOSING_MARKS = re.compile(r"(?:\A|[ \t])#+[ \t]*\Z")
_BLOCK_AT_END = re.compile(r"[ \t]\^[A-Za-z0-9-]+[ \t]*\Z")
_MARKS = re.compile(r"[\\`\[<*=~_]")
_MARKUP = re.compile(
    r"\\([!-/:-@\[-`{-~])"
    r"|(`{1,8})(?!`)(.{1,400}?)(?<!`)\2(?!`)"
    r"|!?\[\[([^\[\]|]{0,400})(?:\|([^\[\]]{0,400}))?\]\]"
    r"|!?\[([^\[\]]{0,400})\]\([^()]{0,400}\)"
    r"|</?[A-Za-z][^<>]{0,200}>"
    r"|(?:\*+|==|~~)(?=\S)|(?<=\S)(?:\*+|==|~~)"
    r"|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"
)


def _headings(body: str, found: Structure, places: _Places) -> tuple[Heading, ...]:
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
        text = _CLOSING_MARKS.sub("", element[marks.end() :])
    else:
        text = " ".join(line.lstrip(" \t>") for line in element.split("\n")[:-1])
    text = _BLOCK_AT_END.sub("", text.replace(BLANK, ""))
    return " ".join(text.split())


def _shown(raw: str) -> str:
    """Return the text of a heading as a reader sees it."""
    if not _MARKS.search(raw):
        return raw
    return " ".join(_MARKUP.sub(_unmarked, raw).split())


def _unmarked(match: re.Match[str]) -> str:
    escaped, _, code, target, alias, label = match.groups()
    return escaped or code or alias or (target or "").strip("#^ ") or label or ""


# Block ids, tags, tasks.


def _blocks(visible: str) -> tuple[str, ...]:
    if "^" not in visible:
        return ()
    found = (
        match[1]
        for match in _BLOCK.finditer(visible)
        if match.start() == 0 or visible[match.start() - 1] in " \t\n>"
    )
    return tuple(dict.fromkeys(found))


def _tags(visible: str) -> tuple[str, ...]:
    if "#" not in visible:
        return ()
    text = WIKILINK.sub(lambda match: BLANK * len(match[0]), visible)
    found = (
        match[1]
        for match in _TAG.finditer(text)
        if (match.start() == 0 or text[match.start() - 1].isspace()) and not match[1].isdigit()
    )
    return tuple(dict.fromkeys(found))


def _tasks(visible: str) -> tuple[int, int]:
    """Return how many task boxes stand open, and how many are ticked."""
    counts = [0, 0]
    for match in _TASK.finditer(visible):
        line = visible.rfind("\n", max(0, match.start() - 200), match.start()) + 1
        marker = _TASK_MARKER.match(visible, line, match.start())
        if marker and marker.end() == match.start():
            counts[match[1] != " "] += 1
    return counts[0], counts[1]
