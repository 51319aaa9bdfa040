"""What a Markdown parser must say about a body: what is code, a heading, a link.

Everything else (wikilinks, tags, block ids, tasks) is read from the text that
remains visible, by the same patterns whichever parser answered.
"""

from __future__ import annotations

from manent.values import dataclass, field

BLANK = "\0"
"""Stands for a hidden character: neither a blank nor part of any word, link or tag."""


@dataclass(slots=True)
class Structure:
    """Places in a body, as offsets in code points, in no particular order.

    hidden: code, math, HTML and its comments. headings: level, start, end of the
    whole element. links: start, end, destination (escapes undone, percent signs
    kept), whether it embeds; wikilinks are not among them. html: what of the hidden is
    HTML. blocks: where whole HTML blocks stand. text: those of them whose text is not
    hidden: links count in it, and nothing else does.
    """

    hidden: list[tuple[int, int]] = field(default_factory=list)
    headings: list[tuple[int, int, int]] = field(default_factory=list)
    links: list[tuple[int, int, str, bool]] = field(default_factory=list)
    html: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    text: list[tuple[int, int]] = field(default_factory=list)


def blank(text: str, hidden: list[tuple[int, int]]) -> str:
    """Return ``text`` with the hidden places blanked, its length and lines unchanged."""
    if not hidden:
        return text
    parts: list[str] = []
    done = 0
    for start, end in sorted(hidden):
        if end <= done:
            continue
        start = max(start, done)
        parts.append(text[done:start])
        parts.append(_blanked(text[start:end]))
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _blanked(piece: str) -> str:
    if "\n" not in piece:
        return BLANK * len(piece)
    return "\n".join(BLANK * len(line) for line in piece.split("\n"))
