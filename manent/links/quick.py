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

from manent import late
from manent.links.structure import Structure, blank
from manent.links.wikilink import WIKILINK

_MAX_CHARS = 64 * 1024
"""Longer bodies go to the parser, whose time is linear whatever they hold."""

_INDENTED = late.pattern(r"\n[ >*+.)\d-]*(?: {4}|\t)")
_UNDERLINE = late.pattern(r"\n[ >]*(?:-+|=+)[ \t]*(?=\n|\Z)")
_DELIMITERS = late.pattern(r"\n[ >:|-]+(?=\n|\Z)")
# Written out, a beginning is searched for as a literal; ``+`` and ``{3,}`` are tried everywhere.
_FENCE = late.pattern(r"\n(```+)[^`\n]*\n(?:[^\n]*\n)*?\1`*[ \t]*(?=\n|\Z)")
_RUN = late.pattern(r"``*")
_HEADING = late.pattern(r"\n( {0,3})(#{1,6})(?:[ \t][^\n]*)?(?=\n|\Z)")
_NESTED_HEADING = late.pattern(r"\n[ \t]*(?:[>*+-]|\d{1,9}[.)])[ \t>*+.)\d-]*#{1,6}(?:[ \t\n]|\Z)")
_LINK = late.pattern(r"""\[([^\[\]\n|^]?[^\[\]\n|]*)\]\(([^\s()<>\[\]&`"'|\0]+)\)(?!\])""")


def structure(body: str) -> Structure | None:
    """Return the structure of a body, or None where only a parser can tell."""
    if len(body) > _MAX_CHARS:
        return None
    # A newline before the first line lets every pattern begin with a literal one.
    text = "\n" + body
    # One character is looked for twenty times as fast as three: first whether it is there.
    ticks = "`" in text
    fences = _fences(text) if ticks and "```" in text else []
    if fences is None:
        return None
    if fences:
        text = blank(text, fences)
        ticks = "`" in text
    if "<" in text or "\\" in text or "\r" in text or (":" in text and "]:" in text):
        return None
    if ("~" in text and "~~~" in text) or ("$" in text and text.count("$") > 1):
        return None
    if ("    " in text or "\t" in text) and _INDENTED.search(text):
        return None
    for found in _UNDERLINE.finditer(text):
        if found.start() and text[found.start() - 1] != "\n":
            return None
    if "|" in text and any("|" in row[0] and "-" in row[0] for row in _DELIMITERS.finditer(text)):
        return None  # a table: what stands beyond its last column is dropped
    if "[[" in text and not _whole_wikilinks(text, ticks):
        return None
    spans = _spans(text) if ticks else []
    if spans is None:
        return None
    visible = blank(text, spans)
    links = _links(visible) if "(" in visible and "](" in visible else []
    headings = _headings(visible) if "#" in visible else []
    if links is None or headings is None:
        return None
    return Structure([(start - 1, end - 1) for start, end in fences + spans], headings, links)


def _fences(text: str) -> list[tuple[int, int]] | None:
    """Return the fenced code, or None when a fence is not of the plain form."""
    fences = [(found.start() + 1, found.end()) for found in _FENCE.finditer(text)]
    inside = [text.count("```", *fence) for fence in fences]
    # Two marks each: a longer fence, or one inside another, is left to the parser.
    plain = sum(inside) == text.count("```") and all(count == 2 for count in inside)
    return fences if plain else None


def _whole_wikilinks(text: str, ticks: bool) -> bool:
    """Return whether each ``[[`` closes on its line, with no code in between.

    To a parser a wikilink may go on over lines and swallow what else stands there.
    """
    links = WIKILINK.findall(text)
    if len(links) != text.count("[["):
        return False
    return not ticks or not any("`" in part for link in links for part in link)


def _spans(text: str) -> list[tuple[int, int]] | None:
    """Return the code spans, or None when one is not of the plain form.

    Plain: runs of backticks pair off in order, each pair of one length, on one line
    and with no bar between that could end a table's cell.
    """
    runs = [found.span() for found in _RUN.finditer(text)]
    if len(runs) % 2:
        return None
    spans: list[tuple[int, int]] = []
    for (start, opened), (closes, end) in zip(runs[::2], runs[1::2], strict=True):
        inside = text[opened:closes]
        if opened - start != end - closes or "\n" in inside or "|" in inside:
            return None
        spans.append((start, end))
    return spans


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
    headings: list[tuple[int, int, int]] = []
    at = visible.find("#")
    while at >= 0:
        # Few lines hold the sign: those are looked at, each from the newline before it.
        line = visible.rfind("\n", 0, at)
        if at > line + 1 and _NESTED_HEADING.match(visible, line):
            return None
        found = _HEADING.match(visible, line)
        if found:
            headings.append((len(found[2]), found.start(2) - 1, found.end() - 1))
        end = visible.find("\n", at)
        at = visible.find("#", end) if end >= 0 else -1
    return headings
