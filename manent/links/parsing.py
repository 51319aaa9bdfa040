"""Which parser reads a body: the quick way, pyromark, or markdown-it-py."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from manent.links import quick
from manent.links.structure import Structure


def structure_of(body: str) -> Structure:
    """Return what a parser says of a text, in which comments are text like any other."""
    found = quick.structure(body) or _parser()(body)
    if not found.blocks:
        return found
    from manent.links.html import with_text  # few notes hold any

    return with_text(body, found, _parser())


@cache
def _parser() -> Callable[[str], Structure]:
    try:
        from manent.links import pulldown
    except ImportError:
        from manent.links import commonmark

        return commonmark.structure
    return pulldown.structure
