"""The text of HTML blocks, in which links count as in any other text.

To a Markdown parser an HTML block is one piece, whatever stands in it. Here each is
read once more as a line of text, in which tags, code and links are what they are in
a paragraph. Nothing is looked for in tags and comments, nor in what ``<pre>``,
``<script>``, ``<style>`` and ``<textarea>`` hold, which is code or never shown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from manent import late
from manent.links.structure import BLANK, Structure

_RAW = late.pattern(
    r"""<!--.*?(?:-->|\Z)"""
    r"""|<(?:script|pre|style|textarea)(?=[\s/>]).*?(?:</(?:script|pre|style|textarea)\s*>|\Z)"""
    r"""|(?P<tag></?[a-z](?:[^<>"']|"[^"]{0,1000}"|'[^']{0,1000}'){0,2000}>)""",
    re.DOTALL | re.IGNORECASE,
)
_LEAD = BLANK + " "
"""Before it a line is nothing but a paragraph: no fence, no list, no code by its indent."""
_APART = "\n\n"
_ONE_LINE = {ord("\n"): " ", ord("\r"): " "}

_LAST = 1 << 62

Span = tuple[int, int]


def with_text(body: str, found: Structure, parser: Callable[[str], Structure]) -> Structure:
    """Return the structure with the links of HTML blocks, and hidden there only what hides."""
    blocks = [(a, b) for a, b in sorted(found.blocks) if _may_matter(body, a, b)]
    if not blocks:
        return found
    raw: list[Span] = []
    places: list[Span] = []
    lines: list[str] = []
    length = 0
    for start, end in blocks:
        length += len(_LEAD)
        places.append((length, start))
        held = _raw(body, start, end)
        raw += held
        lines.append(_LEAD + _line(body[start:end], [(a - start, b - start) for a, b in held]))
        length += end - start + len(_APART)
    # What a reference means may be said anywhere in the note.
    rest = body if "]:" in body else ""
    inner = parser(_APART.join([*lines, rest]))
    hidden = [span for span in found.hidden if not _within(blocks, span)] + raw
    hidden += [_moved(places, a, b) for a, b in inner.hidden if b <= length]
    links = [(*_moved(places, a, b), url, x) for a, b, url, x in inner.links if b <= length]
    return Structure(
        hidden, found.headings, found.links + links, found.html, found.blocks, text=blocks
    )


def _may_matter(body: str, start: int, end: int) -> bool:
    return body.find("[", start, end) >= 0 or body.find("%%", start, end) >= 0


def _raw(body: str, start: int, end: int) -> list[Span]:
    return [found.span() for found in _RAW.finditer(body, start, end) if not found["tag"]]


def _line(piece: str, hidden: list[Span]) -> str:
    """Return a block on one line, each character in its place."""
    done = 0
    parts: list[str] = []
    for start, end in hidden:
        parts += [piece[done:start], BLANK * (end - start)]
        done = end
    return "".join([*parts, piece[done:]]).translate(_ONE_LINE)


def _moved(places: list[Span], start: int, end: int) -> Span:
    line, block = places[bisect_right(places, (start, _LAST)) - 1]
    return start - line + block, end - line + block


def _within(blocks: list[Span], span: Span) -> bool:
    index = bisect_right(blocks, (span[0], _LAST)) - 1
    return index >= 0 and span[1] <= blocks[index][1]
