"""The links of a note's frontmatter.

A wikilink anywhere in a value is a link; every item of ``provenance``,
``supersedes`` and ``contradicts`` is one too, wikilink or plain name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from manent.links.link import Link, LinkKind, Written
from manent.links.place import Places, placed
from manent.links.wikilink import WIKILINK, wikilink

EDGES = {
    "provenance": LinkKind.PROVENANCE,
    "supersedes": LinkKind.SUPERSEDES,
    "contradicts": LinkKind.CONTRADICTS,
}
"""The list fields of the frontmatter that are typed edges."""


def property_links(note: Written, dendron: bool) -> Iterator[Link]:
    """Yield the links of the frontmatter, key by key."""
    header = note.text[: len(note.text) - len(note.body)]
    if not note.frontmatter or not ("[[" in header or EDGES.keys() & note.frontmatter.keys()):
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
        cursor = region.find(":") + 1
        for link, written in _links_of_value(value, kind, dendron):
            at = region.find(written, cursor)
            yield placed(link, places.at(at) if at >= 0 else (first, 1))
            cursor = max(cursor, at + len(written))


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
