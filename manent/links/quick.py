"""The structure of a plainly written body, without a parser.

Most notes use no more of Markdown than paragraphs, lists, ``#`` headings, fences
at the margin, code spans that close on their line, and links on one line. Of
such a body a few literal searches tell as much as a parser would, several times
faster. Whatever could make the answer depend on more than one line at a time
(indented code, HTML, escapes, math, reference definitions, underlined headings,
marks left unpaired) makes `structure` give up; a property test and the public
vaults hold that otherwise it agrees with the parser.
"""

from __future__ import annotations

import re

from manent.links.structure import Structure, blank

_INDENTED = re.compile(r"\n[ >*+.)\d-]*(?: {4}|\t)")
_UNDERLINE = re.compile(r"\n[ >]*(?:-+|=+)[ \t]*(?=\n|\Z)")
_FENCE = re.compile(r"\n(`{3,})[^`\n]*\n(?:[^\n]*\n)*?\1`*[ \t]*(?=\n|\Z)")
_SPAN = re.compile(r"(?<!`)(`+)[^`\n|]+\1(?!`)")
_HEADING = re.compile(r"\n( {0,3})(#{1,6})(?:[ \t][^\n]*)?(?=\n|\Z)")
_NESTED_HEADING = re.compile(r"\n[ \t]*(?:[>*+-]|\d{1,9}[.)])[ \t>*+.)\d-]*#{1,6}(?:[ \t\n]|\Z)")
_LINK = re.compile(r"""\[([^\[\]\n|^]?[^\[\]\n|]*)\]\(([^\s()<>\[\]&`"'|\0]+)\)(?!\])""")


def structure(body: str) -> Structure | None:
    """Return the structure of a body, or None where only a parser can tell."""
    if "<" in body or "\\" in body or "\r" in body or "]:" in body or "~~~" in body:
        return None
    if body.count("$") > 1:
        return None
    # A newline before the first line lets every pattern begin with a literal one.
    text = "\n" + body
    if ("    " in text or "\t" in text) and _INDENTED.search(text):
        return None
    for found in _UNDERLINE.finditer(text):
        if found.start() and text[found.start() - 1] != "\n":
            return None
    hidden = _code(text) if "`" in text else []
    if hidden is None:
        return None
    visible = blank(text, hidden)
    links = _links(visible) if "](" in visible else []
    headings = _headings(visible) if "#" in visible else []
    if links is None or headings is None:
        return None
    return Structure([(start - 1, end - 1) for start, end in hidden], headings, links)


def _code(text: str) -> list[tuple[int, int]] | None:
    """Return fences and code spans, or None when a backtick is left over."""
    fences: list[tuple[int, int]] = []
    if "```" in text:
        fences = [(found.start() + 1, found.end()) for found in _FENCE.finditer(text)]
        if text.count("```") != sum(text.count("```", *fence) for fence in fences):
            return None
        if any(text.count("```", *fence) != 2 for fence in fences):
            return None
        text = blank(text, fences)
    spans = [found.span() for found in _SPAN.finditer(text)]
    if text.count("`") != sum(text.count("`", *span) for span in spans):
        return None
    return fences + spans


def _links(visible: str) -> list[tuple[int, int, str, bool]] | None:
    """Return the Markdown links, or None when one is not of the plain form."""
    links: list[tuple[int, int, str, bool]] = []
    for found in _LINK.finditer(visible):
        start = found.start()
        if visible[start - 1] == "[" or "\0" in found[0]:
            return None
        embeds = visible[start - 1] == "!"
        links.append((start - 1 - embeds, found.end() - 1, found[2], embeds))
    return links if len(links) == visible.count("](") else None


def _headings(visible: str) -> list[tuple[int, int, int]] | None:
    """Return the headings, or None when one stands inside a quote or list."""
    if _NESTED_HEADING.search(visible):
        return None
    return [
        (len(found[2]), found.start(2) - 1, found.end() - 1) for found in _HEADING.finditer(visible)
    ]
