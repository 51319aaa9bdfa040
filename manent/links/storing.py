"""Outlines as compact JSON-able lists, for stores of facts, and back."""

from __future__ import annotations

from typing import Any

from manent.links.link import Heading, Link, LinkKind, Outline

_KINDS = tuple(LinkKind)
_INDEX = {kind: index for index, kind in enumerate(_KINDS)}


def outline_to_json(outline: Outline) -> list[Any]:
    """Return an outline as lists of plain values."""
    return [
        [
            [_INDEX[k.kind], k.target, k.heading, k.block, k.alias, k.line, k.column]
            for k in outline.links
        ],
        [[h.level, h.text, h.line, h.source] for h in outline.headings],
        list(outline.blocks),
        list(outline.tags),
        outline.tasks_open,
        outline.tasks_done,
    ]


def outline_from_json(stored: list[Any]) -> Outline:
    """Return the outline that `outline_to_json` stored."""
    links, headings, blocks, tags, opened, done = stored
    return Outline(
        tuple(Link(_KINDS[kind], *rest) for kind, *rest in links),
        tuple(Heading(*heading) for heading in headings),
        tuple(blocks),
        tuple(tags),
        opened,
        done,
    )


def headings_from_json(stored: list[Any]) -> tuple[str, ...]:
    """Return the texts of the headings alone of what `outline_to_json` stored."""
    return tuple(text for _, text, *_ in stored[1])
