"""Text aimed at a model: orders to it, forged messages, bait, and what hides them.

``find`` reads one Reading. The rules are data (``english``, ``western``,
``further``); ``matching`` finds where they match, ``mood`` and ``verdict``
decide what that is worth, ``carriers`` and ``characters`` look at what hides text.
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.scan.injection.characters import unseen
from manent.scan.injection.kinds import KINDS
from manent.scan.injection.matching import candidates
from manent.scan.injection.verdict import judged
from manent.scan.reading import Reading
from manent.scan.span import Context, Span

__all__ = ["KINDS", "RULES", "find"]

RULES = KINDS
"""The rules of this family as their pages list them, by kind."""


def find(reading: Reading, context: Context) -> Iterator[Span]:
    """Yield what in ``reading`` is aimed at a model, and what in it hides text."""
    found = candidates(reading)
    if found:
        yield from judged(reading, context, found)
    if reading.plain and not reading.text.isascii():
        yield from unseen(reading)
