"""Keys, tokens and passwords in a text.

A secret in a code block or in quotation marks is a secret all the same, so no
finding of this family is ever a mention.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import islice

from manent import late
from manent.finding import digest_of
from manent.scan.engine import Search, choice
from manent.scan.reading import Reading
from manent.scan.secrets.kinds import KINDS
from manent.scan.secrets.marks import marks, marks_source
from manent.scan.secrets.mended import mended, mended_source
from manent.scan.secrets.named import cues_source, named
from manent.scan.secrets.tokens import Hit, tokens, tokens_source
from manent.scan.span import Context, Family, Span, mask

__all__ = ["KINDS", "find"]

GUESSED = frozenset({"reversed", "reversed-words", "rot13"})
"""Layers that turn any text into another: in them only published forms count."""


ENOUGH = 1000
"""Secrets of one sort after which a text is not searched further: it is refused anyway."""


def find(reading: Reading, context: Context) -> Iterator[Span]:
    """Yield the secrets of one reading, the surest first; none lies in another.

    context: part of every scanner's call; secrets are the same everywhere.
    """
    text, raw = _whole(reading)
    formed, told = (screen.first(raw) is not None for screen in _screens())
    if not formed and not told:
        return
    guessed = GUESSED & set(reading.layer.split("+"))
    found = list(islice(tokens(text, raw), ENOUGH)) if formed else []
    if formed and not guessed:
        found += islice(mended(text, raw), ENOUGH)
    if told and not guessed:
        found += islice(marks(text, raw), ENOUGH)
        found += islice(named(text, raw), ENOUGH)
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


@cache
def _screens() -> tuple[Search, Search]:
    """Return two searches for all that is looked for: clean text costs two passes.

    One for published forms, whole or broken; one for marks and for the words that
    call something a secret. Together they would be one automaton of three times
    the size: what a search spends on building it is most of a first use.
    """
    formed = choice(tokens_source(), mended_source())
    told = choice(marks_source(), cues_source())
    return Search(formed, case=True), Search(told)


def _whole(reading: Reading) -> tuple[str, bytes]:
    """Return the text and its UTF-8 form, lone surrogates replaced letter for letter."""
    text, raw = reading.text, reading.raw
    if len(text) != len(raw):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            text = _LONE.sub("\ufffd", text)
            raw = text.encode("utf-8")
    return text, raw


_LONE = late.pattern("[\ud800-\udfff]")


def apart(hits: list[Hit]) -> Iterator[Hit]:
    """Yield the hits that touch none yielded before."""
    starts: list[int] = []
    ends: list[int] = []
    for hit in hits:
        at = bisect_right(starts, hit.start)
        if (at and ends[at - 1] > hit.start) or (at < len(starts) and starts[at] < hit.end):
            continue
        starts.insert(at, hit.start)
        ends.insert(at, hit.end)
        yield hit
