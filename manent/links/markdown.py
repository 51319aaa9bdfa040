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
from operator import attrgetter

from manent import late
from manent.links.comments import without_comments
from manent.links.destination import to_note
from manent.links.heading import headings_of
from manent.links.link import Link, LinkKind, Outline, Written
from manent.links.parsing import structure_of
from manent.links.place import Places, overlaps
from manent.links.properties import property_links
from manent.links.structure import BLANK, Structure, blank
from manent.links.wikilink import WIKILINK, escaped, wikilink
from manent.values import replace

_TAG = late.pattern(
    r"#([^\s\0!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]+)"
)
_BLOCK = late.pattern(r"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_TASK = late.pattern(r"\[([ xX])\][ \t]")
_TASK_MARKER = late.pattern(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LABEL = late.pattern(r"\[([^\[\]\n]{0,400})\]\(\Z")


def outline(note: Written, dendron: bool = False) -> Outline:
    """Return all that other notes and the vault can know of a note's links and places.

    dendron: wikilinks are written ``[[label|target]]``.
    """
    body = without_comments(note.body)
    found = structure_of(body)
    visible = blank(body, found.hidden)
    links = list(property_links(note, dendron))
    links += _body_links(visible, found, note.body_line, dendron)
    headings = headings_of(body, found, Places(body, note.body_line))
    plain = blank(visible, found.text)
    opened, done = _tasks(plain)
    return Outline(tuple(links), headings, _blocks(plain), _tags(plain), opened, done)


def visible_text(body: str) -> str:
    """Return a body with code, comments, math and tags blanked, length and lines unchanged."""
    body = without_comments(body)
    return blank(body, structure_of(body).hidden)


# Links of the body.


def _body_links(visible: str, found: Structure, first_line: int, dendron: bool) -> list[Link]:
    links: list[Link] = []
    taken: list[tuple[int, int]] = []
    if "[[" in visible:
        links, taken = _wikilinks(visible, Places(visible, first_line), dendron)
    if found.links:
        places = Places(visible, first_line)
        for start, end, url, embeds in sorted(found.links):
            if not overlaps(taken, start, end):
                kind = LinkKind.EMBED if embeds else LinkKind.MARKDOWN
                link = to_note(url, kind, *places.at(start))
                if link:
                    links.append(link)
        if taken:
            links.sort(key=attrgetter("line", "column"))
    return links


def _wikilinks(
    visible: str, places: Places, dendron: bool
) -> tuple[list[Link], list[tuple[int, int]]]:
    """Return the wikilinks of a body, and where each stands."""
    links: list[Link] = []
    taken: list[tuple[int, int]] = []
    for match in WIKILINK.finditer(visible):
        start, end = match.span()
        before = visible[start - 1] if start else ""
        if before == "\\" and escaped(visible, start):
            continue
        embeds = before == "!" and not escaped(visible, start - 1)
        kind = LinkKind.EMBED if embeds else LinkKind.WIKILINK
        link = wikilink(match, kind, dendron, *places.at(start - embeds))
        if link is None:
            continue
        if before == "(" and not link.alias and visible.startswith(")", end):
            link = _labelled(link, visible[max(0, start - 404) : start])
        links.append(link)
        taken.append((start - embeds, end))
    return links, taken


def _labelled(link: Link, before: str) -> Link:
    """Give a wikilink written as the destination of ``[label](...)`` its label."""
    label = _LABEL.search(before) if before.endswith("](") else None
    return replace(link, alias=label[1].strip()) if label else link


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
    found = _tagged(visible) if "#" in visible else []
    if found and "[[" in visible:
        # `[[note #1]]` holds no tag.
        found = _tagged(WIKILINK.sub(_blanked, visible))
    return tuple(dict.fromkeys(found))


def _tagged(text: str) -> list[str]:
    return [
        match[1]
        for match in _TAG.finditer(text)
        if (match.start() == 0 or text[match.start() - 1].isspace()) and not match[1].isdigit()
    ]


def _blanked(match: re.Match[str]) -> str:
    return BLANK * len(match[0])


def _tasks(visible: str) -> tuple[int, int]:
    """Return how many task boxes stand open, and how many are ticked."""
    counts = [0, 0]
    for match in _TASK.finditer(visible):
        line = visible.rfind("\n", max(0, match.start() - 200), match.start()) + 1
        marker = _TASK_MARKER.match(visible, line, match.start())
        if marker and marker.end() == match.start():
            counts[match[1] != " "] += 1
    return counts[0], counts[1]
