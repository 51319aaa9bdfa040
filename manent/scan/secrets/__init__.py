"""Keys, tokens and passwords in a text.

A secret in a code block or in quotation marks is a secret all the same, so no
finding of this family is ever a mention.
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import digest_of
from manent.scan.reading import Reading
from manent.scan.secrets.kinds import KINDS
from manent.scan.secrets.marks import marks
from manent.scan.secrets.named import named
from manent.scan.secrets.tokens import Hit, tokens
from manent.scan.span import Context, Family, Span, mask

__all__ = ["KINDS", "find"]

GUESSED = frozenset({"reversed", "rot13"})
"""Layers that turn any text into another: in them only published forms count."""


def find(reading: Reading, context: Context) -> Iterator[Span]:
    """Yield the secrets of one reading, the surest first; none lies in another.

    context: part of every scanner's call; secrets are the same everywhere.
    """
    text, raw = reading.text, reading.raw
    found = [*tokens(text, raw)]
    if not GUESSED & set(reading.layer.split("+")):
        found += [*marks(text, raw), *named(text, raw)]
    for hit in apart(found):
        start, end = reading.origin(hit.start, hit.end)
        yield Span(
            start,
            end,
            Family.SECRET,
            hit.kind,
            reading.layer,
            mask(hit.value),
            digest_of("".join(hit.value.split())),
        )


def apart(hits: list[Hit]) -> Iterator[Hit]:
    """Yield the hits that touch none yielded before."""
    taken: list[tuple[int, int]] = []
    for hit in hits:
        if all(hit.end <= start or end <= hit.start for start, end in taken):
            taken.append((hit.start, hit.end))
            yield hit
