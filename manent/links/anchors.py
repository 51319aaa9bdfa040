"""Whether the heading or block a link points at is there.

Obsidian drops some punctuation when it writes a heading link, so punctuation
counts as a blank on both sides, and case and Unicode form do not count. In
``#A#B`` the heading B must stand below A. Markdown links may also use the slugs
that renderers make of headings (``#last-part``, ``#cicd--devops``, ``#setup-1``).
"""

from __future__ import annotations

import re

from manent import late
from manent.links.link import Heading, Link, LinkKind, Outline
from manent.links.resolve import fold

_PUNCTUATION = late.pattern(r"[\W_]+")
_NUMBERED = late.pattern(r"(.+)-\d{1,4}\Z", re.DOTALL)


def anchor_found(link: Link, outline: Outline) -> bool:
    """Return whether the place ``link`` names is in the outline of the note it points at."""
    if link.block:
        return fold(link.block) in {fold(block) for block in outline.blocks}
    if not link.heading:
        return True
    if _path_found(link.heading, outline.headings):
        return True
    return link.kind is LinkKind.MARKDOWN and _slug_found(link.heading, outline.headings)


def heading_key(text: str) -> str:
    """Return a heading as compared: punctuation read as a blank, folded."""
    key = " ".join(_PUNCTUATION.sub(" ", fold(text)).split())
    return key or text.strip()


def _keys(heading: Heading) -> set[str]:
    keys = {heading_key(heading.text)}
    if heading.source:
        keys.add(heading_key(heading.source))
    return keys


def _path_found(wanted: str, headings: tuple[Heading, ...]) -> bool:
    # `#` may be part of a heading (`C# notes`), so the whole is tried first.
    whole = heading_key(wanted)
    if any(whole in _keys(heading) for heading in headings):
        return True
    steps = [heading_key(step) for step in wanted.split("#") if step.strip()]
    return len(steps) > 1 and _descends(steps, headings)


def _descends(steps: list[str], headings: tuple[Heading, ...]) -> bool:
    """Return whether some chain of headings, each below the one before, reads like steps."""
    open_at: list[tuple[int, int]] = []  # (level, steps matched), of the sections we are in
    for heading in headings:
        while open_at and open_at[-1][0] >= heading.level:
            open_at.pop()
        reached = open_at[-1][1] if open_at else 0
        if steps[reached] in _keys(heading):
            reached += 1
            if reached == len(steps):
                return True
        open_at.append((heading.level, reached))
    return False


def _slug_found(wanted: str, headings: tuple[Heading, ...]) -> bool:
    slugs = [_PUNCTUATION.sub("", fold(heading.text)) for heading in headings]
    if _PUNCTUATION.sub("", fold(wanted)) in slugs:
        return True
    numbered = _NUMBERED.match(wanted)
    return numbered is not None and slugs.count(_PUNCTUATION.sub("", fold(numbered[1]))) > 1
