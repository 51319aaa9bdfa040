"""Headings and blocks that a link points at: found as Obsidian and renderers would."""

from __future__ import annotations

import pytest

from manent.links.anchors import anchor_found
from manent.links.link import Link, LinkKind
from manent.links.markdown import outline
from manent.links.storing import outline_from_json, outline_to_json
from manent.note import read

TEXT = """# Setup: The short way
## wifi 2.4 vs 5.0
### CI/CD & DevOps
# C# notes
## Città *alta*
## See [[Target|the alias]] now
## ?
# Setup
## Details
# Setup
## Other
A paragraph. ^Block-1
"""
OUTLINE = outline(read(TEXT.encode()))


@pytest.mark.parametrize(
    "heading",
    ["", "Setup The short way", "Setup: The short way", "setup - the SHORT way", "wifi 2 4 vs 5 0",
     "CI CD & DevOps", "C# notes", "C notes", "citta\u0300 ALTA", "See the alias now",
     "See Target the alias now", "?", "Setup The short way#wifi 2.4 vs 5.0",
     "Setup The short way#CI CD DevOps", "wifi 2.4 vs 5.0#CI/CD & DevOps", "Setup#Details",
     "Setup#Other", "C# notes#?"],
)  # fmt: skip
def test_heading_is_found(heading: str) -> None:
    assert anchor_found(Link(LinkKind.WIKILINK, "a", heading), OUTLINE)


@pytest.mark.parametrize(
    "heading",
    ["Nope", "!", "Details#Setup", "CI/CD & DevOps#wifi 2.4 vs 5.0", "Setup#Details#Other",
     "setup-the-short", "cicd--devops", "Setup#Nope"],
)  # fmt: skip
def test_heading_is_not_found(heading: str) -> None:
    assert not anchor_found(Link(LinkKind.WIKILINK, "a", heading), OUTLINE)


@pytest.mark.parametrize(
    ("slug", "found"),
    [("setup-the-short-way", True), ("cicd--devops", True), ("wifi-24-vs-50", True),
     ("setup-1", True), ("details-1", False), ("setup-x", False), ("città-alta", True)],
)  # fmt: skip
def test_slugs_of_markdown_links(slug: str, found: bool) -> None:
    assert anchor_found(Link(LinkKind.MARKDOWN, "a.md", slug), OUTLINE) == found


def test_blocks() -> None:
    assert anchor_found(Link(LinkKind.WIKILINK, "a", block="block-1"), OUTLINE)
    assert not anchor_found(Link(LinkKind.WIKILINK, "a", block="block-2"), OUTLINE)


def test_outline_comes_back_from_json() -> None:
    import json

    stored = json.loads(json.dumps(outline_to_json(OUTLINE)))
    assert outline_from_json(stored) == OUTLINE
