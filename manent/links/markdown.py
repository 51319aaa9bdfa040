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
from collections.abc import Callable
from functools import cache
from urllib.parse import unquote

from manent.links import quick
from manent.links.comments import without_comments
from manent.links.heading import headings_of
from manent.links.link import Link, LinkKind, Outline, Written
from manent.links.place import Places, placed
from manent.links.properties import property_links
from manent.links.structure import BLANK, Structure, blank
from manent.links.wikilink import WIKILINK, escaped, wikilink

_TAG = re.compile(
    r"#([^\s\0!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]+)"
)
_BLOCK = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_TASK = re.compile(r"\[([ xX])\][ \t]")
_TASK_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\{\{|%7B%7B")
_LABEL = re.compile(r"\[([^\[\]\n]{0,400})\]\(\Z")


def outline(note: Written, dendron: bool = False) -> Outline:
    """Return all that other notes and the vault can know of a note's links and places.

    dendron: wikilinks are written ``[[label|target]]``.
    """
    body = without_comments(note.body)
    found = quick.structure(body) or _parser()(body)
    visible = blank(body, found.hidden)
    places = Places(visible, note.body_line)
    links = list(property_links(note, dendron))
    links += _body_links(visible, found, places, dendron)
    headings = headings_of(body, found, Places(body, note.body_line))
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


# Links of the body.


def _body_links(visible: str, found: Structure, places: Places, dendron: bool) -> list[Link]:
    written = _wikilinks(visible, dendron) if "[[" in visible else []
    taken = [(start, end) for start, end, _ in written]
    for start, end, url, embeds in found.links:
        link = _markdown_link(url, embeds)
        if link and not _holds(taken, start, end):
            written.append((start, end, link))
    written.sort(key=_by_start)
    return [placed(link, places.at(start)) for start, _, link in written]


def _by_start(entry: tuple[int, int, Link]) -> int:
    return entry[0]


def _holds(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a wikilink stands at, in or around this Markdown link."""
    index = bisect_right(taken, (start, end))
    before = index > 0 and taken[index - 1][1] > start
    return before or (index < len(taken) and taken[index][0] < end)


def _wikilinks(visible: str, dendron: bool) -> list[tuple[int, int, Link]]:
    links: list[tuple[int, int, Link]] = []
    for match in WIKILINK.finditer(visible):
        start = match.start()
        if escaped(visible, start):
            continue
        embeds = start > 0 and visible[start - 1] == "!" and not escaped(visible, start - 1)
        kind = LinkKind.EMBED if embeds else LinkKind.WIKILINK
        link = wikilink(match, kind, dendron)
        if link is None:
            continue
        if not link.alias and visible.startswith(")", match.end()):
            link = _labelled(link, visible[max(0, start - 404) : start])
        links.append((start - embeds, match.end(), link))
    return links


def _labelled(link: Link, before: str) -> Link:
    """Give a wikilink written as the destination of ``[label](...)`` its label."""
    label = _LABEL.search(before)
    if label is None:
        return link
    return Link(link.kind, link.target, link.heading, link.block, label[1].strip())


def _markdown_link(url: str, embeds: bool) -> Link | None:
    if not url or _ELSEWHERE.match(url) or url.endswith("/"):
        return None
    path, _, fragment = url.partition("#")
    target, anchor = unquote(path).strip(), unquote(fragment).strip()
    if "\0" in target or "\n" in target or not (target or anchor):
        return None
    kind = LinkKind.EMBED if embeds else LinkKind.MARKDOWN
    if anchor.startswith("^"):
        return Link(kind, target, block=anchor[1:])
    return Link(kind, target, anchor)


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
