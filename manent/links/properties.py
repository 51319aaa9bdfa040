"""The links of a note's frontmatter.

A wikilink or a Markdown link anywhere in a value is a link; every item of
``provenance``, ``supersedes`` and ``contradicts`` is one too, also as a plain name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from manent import late
from manent.links.destination import to_note
from manent.links.link import Link, LinkKind, Written
from manent.links.parsing import structure_of
from manent.links.place import Places, overlaps, placed
from manent.links.wikilink import WIKILINK, wikilink

EDGES = {
    "provenance": LinkKind.PROVENANCE,
    "supersedes": LinkKind.SUPERSEDES,
    "contradicts": LinkKind.CONTRADICTS,
}
"""The list fields of the frontmatter that are typed edges."""

_MAY_LINK = late.pattern(r"\[\[|\][(:]|\\")
"""What every header with a link in it holds as written: YAML makes brackets of escapes alone,
and joins what stands on two lines without a blank only where a backslash ends the first."""

_Found = tuple[int, int, Link | None]


def property_links(note: Written, dendron: bool) -> Iterator[Link]:
    """Yield the links of the frontmatter, key by key."""
    if not note.frontmatter:
        return
    header = note.text[: len(note.text) - len(note.body)]
    if not (EDGES.keys() & note.frontmatter.keys() or _MAY_LINK.search(header)):
        return
    starts = [0] + [found.end() for found in re.finditer("\n", header)]
    ends = sorted(note.key_lines.values())
    for key, value in note.frontmatter.items():
        first = note.key_lines.get(key, 1)
        after = bisect_right(ends, first)
        following = ends[after] if after < len(ends) else len(starts)
        region = header[starts[first - 1] : starts[following - 1]]
        kind = EDGES.get(key, LinkKind.PROPERTY)
        places = Places(region, first)
        begun = passed = region.find(":") + 1
        for link, written in _links_of_value(value, kind, dendron):
            # A picture may stand inside the text of the link before; a name may not.
            at = region.find(written, begun if written.startswith(("[", "![")) else passed)
            yield placed(link, places.at(at) if at >= 0 else (first, 1))
            begun, passed = max(begun, at + 1), max(passed, at + len(written))


def _links_of_value(value: Any, kind: LinkKind, dendron: bool) -> Iterator[tuple[Link, str]]:
    for text in _strings(value):
        found = [
            (match.start(), match.end(), wikilink(match, kind, dendron))
            for match in (WIKILINK.finditer(text) if "[[" in text else ())
        ]
        if "](" in text or "]:" in text:
            found = sorted([*found, *_markdown_links(text, kind, found)], key=lambda f: f[:2])
        for start, end, link in found:
            if link:
                yield link, text[start:end]
        if not found and kind is not LinkKind.PROPERTY and text.strip():
            yield Link(kind, text.strip()), text


def _markdown_links(text: str, kind: LinkKind, wikilinks: list[_Found]) -> Iterator[_Found]:
    """Yield the Markdown links to notes, those around or inside a wikilink left out."""
    taken = [(start, end) for start, end, _ in wikilinks]
    indent = len(text) - len(text.lstrip())
    if kind is LinkKind.PROPERTY:
        kind = LinkKind.MARKDOWN
    for start, end, url, _ in structure_of(text[indent:]).links:
        place = (start + indent, end + indent)
        link = to_note(url, kind)
        if link and not overlaps(taken, *place):
            yield *place, link


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
