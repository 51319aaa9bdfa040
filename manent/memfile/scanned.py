"""The gate's scanners over memory files, and characters that nobody sees."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from manent import late
from manent.memfile.audited import MemoryFile
from manent.memfile.document import BOM, Document
from manent.scan.injection.carriers import Carriers
from manent.scan.scanner import Scanner
from manent.scan.span import Context, Span
from manent.scan.unseen import UNSEEN


@cache
def _scanner() -> Scanner:
    return Scanner(Context(), ("secrets", "injection"))


_STRETCH = 64_000
"""Characters that are scanned at once: a reading of a text in another way (decoded, folded,
as HTML) reads all that it is given, and one odd character anywhere calls for it. 1 MB of one
grown file took 3.7 s of processor time whole, 1.7 s by 64,000, 1.6 s by 16,000."""

_OVERLAP = 2_000
"""Characters after a part that are read with it: what is said may run on."""

_REACH = 21_000
"""Characters that a hidden element reaches at most for the scanners, and a bit more."""


def spans_of(file: MemoryFile) -> list[Span]:
    """Return what the scanners find in a file, worked out once."""
    found: list[Span] | None = file.__dict__.get("scanned")
    if found is None:
        found = file.__dict__["scanned"] = list(_spans(file))
    return found


def _spans(file: MemoryFile) -> Iterator[Span]:
    text, scanner = file.doc.text, _scanner()
    for start, end in stretches(file):
        for span in scanner.scan(text[start : end + _OVERLAP]):
            if span.start < end - start:
                yield replace(span, start=span.start + start, end=span.end + start)


def stretches(file: MemoryFile) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that are scanned by themselves: whole blocks, in nothing hidden."""
    ends, start, text = file.line_ends, 0, file.doc.text
    for line in file.doc.cuts() if len(text) > 2 * _STRETCH else ():
        at = ends[line - 1]
        if at - start >= _STRETCH:
            before = text[max(start, at - _REACH) : at + 1]
            if not Carriers(before).holding(len(before) - 1, len(before)):
                yield start, at
                start = at
    yield start, len(text)


def place_of(file: MemoryFile, span: Span) -> tuple[int, int]:
    """Return the first and last line of a span."""
    starts = file.line_ends
    last = max(1, len(file.doc.lines))
    first = min(bisect_right(starts, span.start), last)
    return first, min(max(first, bisect_right(starts, max(span.start, span.end - 1))), last)


_UNSEEN = late.pattern(f"[{UNSEEN}]")
_SHOWN = late.pattern(
    # Emoji are joined and dressed by characters that draw nothing themselves.
    "[#*0-9\u00a9\u00ae\u200d\u203c-\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f]"
    "|(?<=[\u2190-\u3299\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2190-\u3299\U0001f000-\U0001faff])"
    "|\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f"
    # Scripts that are written with joiners.
    "|(?<=[\u0600-\u06ff\u0900-\u0dff])[\u200c\u200d]"
)


def unseen_lines(doc: Document) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, names of characters) where something stands that draws nothing."""
    if _UNSEEN.search(doc.text) is None:
        return
    for number, raw in enumerate(doc.lines, 1):
        line = raw.removeprefix(BOM) if number == 1 else raw
        if line.isascii() or _UNSEEN.search(line) is None:
            continue
        left = _SHOWN.sub("", _SHOWN.sub("", line))
        found = sorted(set(_UNSEEN.findall(left)) - {"\u00ad", "\ufe0f", "\ufe0e"})
        if found:
            yield (
                number,
                [f"U+{ord(c):04X} {unicodedata.name(c, 'unnamed').lower()}" for c in found],
            )
