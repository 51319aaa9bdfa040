"""The part of a body that shows why a note was found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from manent.search.languages import CODES
from manent.search.postings import term_of
from manent.search.query import Question
from manent.search.tokenizer import UNSPACED, analyse, is_unspaced, raw_tokens
from manent.values import dataclass

_CHUNK = re.compile(rf"{UNSPACED}|(?:(?!{UNSPACED})\S)+")
"""A character of a script without spaces, or whatever else stands between spaces."""
_LONGEST = 200_000
"""Characters of a body that are looked at."""
_BEGUN = 5
"""Letters from which a word of the query also marks longer words."""
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Snippet:
    """One line cut from a body. marks: (start, end) of what matched in ``text``."""

    text: str
    marks: tuple[tuple[int, int], ...]


def snippet(body: str, terms: str | Iterable[str], width: int = 160) -> Snippet:
    """Return about ``width`` characters of the body, where most of the terms stand.

    terms: a query, or its words. White space becomes single spaces; the first of
    equally good places wins; a body without any of them gives its beginning.
    Takes time in proportion to the body.
    """
    query = terms if isinstance(terms, str) else " ".join(terms)
    pieces = _pieces(body[:_LONGEST], _Wanted(query))
    first, last = _window(pieces, max(1, width))
    return _rendered(pieces, first, last, max(1, width))


class _Piece(NamedTuple):
    """A word as it stands. size: with the space before it. found: words of the query it matches."""

    text: str
    size: int
    found: frozenset[int]


def _pieces(body: str, wanted: _Wanted) -> list[_Piece]:
    known: dict[str, frozenset[int]] = {}
    chunks = list(_CHUNK.finditer(body))
    pieces = []
    for place, chunk in enumerate(chunks):
        text = chunk.group()
        glued = place > 0 and chunks[place - 1].end() == chunk.start()
        if text not in known:
            known[text] = wanted.of(text)
        found = known[text]
        if is_unspaced(text):  # it matches as half of a pair, with either neighbour
            pairs = (body[chunk.start() - 1 : chunk.end()], body[chunk.start() : chunk.end() + 1])
            found = found.union(*(wanted.pair(pair) for pair in pairs))
        pieces.append(_Piece(text, len(text) + (not glued), found))
    return pieces


class _Wanted:
    """Says which words of a query a piece of text matches, by their places in it."""

    def __init__(self, query: str) -> None:
        self._exact: dict[bytes, set[int]] = {}
        self._begun: list[tuple[str, int]] = []
        question = Question(query)
        telling = {asked for asked in question.words if question.expands(asked)}
        for place, asked in enumerate(question.words):
            if telling and asked not in telling:
                continue
            if asked.lone and any(len(other.text) > 1 for other in question.words):
                continue  # its pairs are looked for
            for term in question.terms(asked, range(len(CODES))).values():
                self._exact.setdefault(term, set()).add(place)
            if len(asked.text) >= _BEGUN:
                self._begun.append((asked.text, place))

    def of(self, chunk: str) -> frozenset[int]:
        found: set[int] = set()
        for form in (form for raw in raw_tokens(chunk) for form in analyse(raw)):
            for place in range(len(CODES)) if form.word else (None,):
                found |= self._exact.get(term_of(form.text, place), set())
            found.update(p for text, p in self._begun if form.text.startswith(text))
        return frozenset(found)

    def pair(self, text: str) -> set[int]:
        return self._exact.get(term_of(text, None), set())


def _window(pieces: list[_Piece], width: int) -> tuple[int, int]:
    """Return the range of pieces within ``width`` that holds most different words.

    Two ends move forward only, so each piece is added and dropped once.
    """
    counts: Counter[int] = Counter()
    best, best_at = 0, (0, 0)
    start = size = 0
    for end, piece in enumerate(pieces):
        size += piece.size
        counts.update(piece.found)
        while size > width + 1 and start < end:
            size -= pieces[start].size
            for place in pieces[start].found:
                counts[place] -= 1
                if not counts[place]:
                    del counts[place]
            start += 1
        if len(counts) > best:
            best, best_at = len(counts), (start, end + 1)
    return _centred(pieces, best_at, width)


def _centred(pieces: list[_Piece], at: tuple[int, int], width: int) -> tuple[int, int]:
    """Drop what stands before the first match, then fill up on both sides."""
    first, last = at
    while first < last and not pieces[first].found:
        first += 1
    size = sum(piece.size for piece in pieces[first:last])
    lead = (width - size) // 3
    while first and lead >= pieces[first - 1].size:
        first -= 1
        lead -= pieces[first].size
        size += pieces[first].size
    while last < len(pieces) and size + pieces[last].size <= width + 1:
        size += pieces[last].size
        last += 1
    return first, last


def _rendered(pieces: list[_Piece], first: int, last: int, width: int) -> Snippet:
    if first == last and pieces:  # the first piece alone is too long
        last = first + 1
    text = _ELLIPSIS if first else ""
    marks: list[tuple[int, int]] = []
    for place in range(first, last):
        piece = pieces[place]
        if place > first and piece.size > len(piece.text):
            text += " "
        shown = piece.text[:width]
        if piece.found:
            start = len(text)
            if marks and marks[-1][1] == start:
                start = marks.pop()[0]
            marks.append((start, len(text) + len(shown)))
        text += shown
    cut = last < len(pieces) or any(len(piece.text) > width for piece in pieces[first:last])
    return Snippet(text + (_ELLIPSIS if cut else ""), tuple(marks))
