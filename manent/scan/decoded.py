"""What a decoder gives back: a text, and the way from it to the one that it was read from.

Most decoders rewrite the places that a pattern finds and leave the rest as it
stands (``rewrite``); others take parts out of a text (``extract``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Protocol

from manent import late
from manent.scan.engine import Offsets, Search
from manent.scan.trace import Piece, Trace
from manent.values import dataclass


class Places(Protocol):
    """What finds places in a text: a pattern, or one that looks only where it can match."""

    def finditer(self, text: str, /) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right."""
        ...


class Sought:
    """A pattern whose matches lie within those of one that the engine seeks.

    The engine is an order quicker where there are few, as in most texts.
    """

    def __init__(self, sought: str, pattern: str) -> None:
        self._seek = cache(lambda: Search(sought, case=True))
        self._pattern = late.pattern(pattern)

    def finditer(self, text: str, /) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right."""
        raw = text.encode("utf-8", "replace")
        offsets = Offsets(raw, text)
        for begin, finish in self._seek().all(raw, 0, len(raw)):
            yield from self._pattern.finditer(text, offsets.of(begin), offsets.of(finish))


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a layer reads as, and the way back."""

    text: str
    trace: Trace


def rewrite(pattern: Places, change: Callable[[re.Match[str]], str], text: str) -> Decoded | None:
    """Return the text with every match replaced; None where that changes nothing."""
    new = _replaced(pattern, change, text)
    if new == text:
        return None

    def pieces() -> Iterator[Piece]:
        at = 0
        for match in pattern.finditer(text):
            if match.start() > at:
                yield match.start() - at, at, match.start()
            yield len(change(match)), match.start(), match.end()
            at = match.end()
        if at < len(text):
            yield len(text) - at, at, len(text)

    return Decoded(new, Trace(pieces))


def _replaced(pattern: Places, change: Callable[[re.Match[str]], str], text: str) -> str:
    parts: list[str] = []
    at = 0
    for match in pattern.finditer(text):
        parts += text[at : match.start()], change(match)
        at = match.end()
    return "".join((*parts, text[at:])) if parts else text


SEPARATOR = "\n\n"
"""What stands between two extracted parts: a paragraph break, so that no match spans them."""


def extract(parts: list[tuple[str, int, int]]) -> Decoded | None:
    """Return the parts (decoded text, start, end) as one text, a blank line between them."""
    if not parts:
        return None

    def pieces() -> Iterator[Piece]:
        for text, start, end in parts:
            yield len(text), start, end
            yield len(SEPARATOR), end, end

    return Decoded(SEPARATOR.join(text for text, _, _ in parts), Trace(pieces))
