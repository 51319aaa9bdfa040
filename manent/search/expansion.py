"""Words nearly asked for: the beginnings of longer ones, and one slip of the keyboard.

Only for a word that no visible document holds, and only to terms that some
visible document holds: what is hidden can neither be found nor suggest that it
is there. Which terms stand in, when there are many, depends on visible counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manent.search.languages import CODES, STOP_BITS
from manent.search.postings import TAG
from manent.search.query import Asked
from manent.search.segment import FUZZY_SHORTEST, Segment
from manent.search.tokenizer import encoded

Held = Sequence[tuple[Segment, NDArray[np.bool_] | None]]

_CUT_OFF = 3
"""Letters a stem may be shorter than the beginning of its word that was typed."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A term that stands in for a word. kind: ``prefix`` or ``fuzzy``. df: visible documents."""

    term: bytes
    kind: str
    df: int


def expansions(
    held: Held,
    asked: Asked,
    terms: list[bytes],
    *,
    prefix_shortest: int,
    fuzzy_shortest: int,
    most: int,
) -> list[Candidate]:
    """Return up to ``most`` terms that stand in for a word, most frequent first.

    terms: what the word is indexed as, a stem for each language (none of them
    has a visible posting). Words begun win over words misspelled.
    """
    if asked.word and not terms:
        return []  # a word of grammar in every language here
    found: dict[bytes, int] = {}
    kind = "prefix"
    if len(asked.text) >= prefix_shortest:
        found = _begun(held, asked.text, prefix_shortest)
    if not found and asked.word and len(asked.text) >= fuzzy_shortest:
        kind = "fuzzy"
        stems = {asked.text} | {_stem(term) for term in terms}
        found = _misspelled(held, sorted(stems))
    best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:most]
    return [Candidate(term, kind, df) for term, df in best]


def _begun(held: Held, text: str, shortest: int) -> dict[bytes, int]:
    """Return the visible terms that begin with ``text``, or are what stemming left of it."""
    found: dict[bytes, int] = defaultdict(int)
    connected = any(connector in text for connector in "-.")
    for segment, live in held:
        low, high = segment.prefixed(encoded(text))
        for number, df in _frequencies(segment, live, low, high):
            term = segment.term(number)
            if _is_grammar(term) or (not connected and (b"-" in term or b"." in term)):
                continue  # an identifier is found by its parts
            found[term] += df
        for length in range(max(shortest, len(text) - _CUT_OFF), len(text)):
            for place in segment.languages:
                _add(found, segment, live, encoded(text[:length]) + TAG + CODES[place].encode())
    return found


def _misspelled(held: Held, stems: list[str]) -> dict[bytes, int]:
    """Return the visible terms one insertion, deletion, change or swap away from a stem.

    One slip leaves the first or the second half of a word whole, but for a swap
    across the middle, which is looked up as it is: so two ranges hold them all.
    """
    from rapidfuzz.distance import OSA

    found: dict[bytes, int] = {}
    for segment, live in held:
        near: set[int] = set()
        for stem in stems:
            if len(stem) < FUZZY_SHORTEST:
                continue
            for number in _halves(segment, stem):
                if OSA.distance(stem, _stem(segment.term(number)), score_cutoff=1) <= 1:
                    near.add(number)
        for number in near:
            term = segment.term(number)
            if TAG in term and not _is_grammar(term):
                _add(found, segment, live, term)
    return found


def _halves(segment: Segment, stem: str) -> Iterable[int]:
    middle = len(stem) // 2
    low, high = segment.prefixed(encoded(stem[:middle]))
    numbers = np.concatenate(
        [np.arange(low, high), np.array(segment.ending(encoded(stem[middle:])), np.int64)]
    )
    size = len(encoded(stem)) + 2  # the tag
    near = numbers[np.abs(segment.term_sizes(numbers) - size) <= 4]
    swapped = stem[: middle - 1] + stem[middle] + stem[middle - 1] + stem[middle + 1 :]
    across = (
        segment.find(encoded(swapped) + TAG + CODES[place].encode()) for place in segment.languages
    )
    return [*near.tolist(), *(number for number in across if number >= 0)]


def _frequencies(
    segment: Segment, live: NDArray[np.bool_] | None, low: int, high: int
) -> list[tuple[int, int]]:
    """Return (term, visible documents) of the terms in a range that any visible one holds."""
    if low >= high:
        return []
    starts = segment.starts(low, high)
    if live is None:
        counts = np.diff(starts)
    else:
        documents, _ = segment.postings(low, high)
        counts = np.diff(np.concatenate(([0], np.cumsum(live[documents])))[starts])
    held = np.flatnonzero(counts)
    return list(zip((held + low).tolist(), counts[held].tolist(), strict=True))


def _add(
    found: dict[bytes, int], segment: Segment, live: NDArray[np.bool_] | None, term: bytes
) -> None:
    number = segment.find(term)
    if number < 0:
        return
    documents, _ = segment.postings(number)
    df = int(live[documents].sum()) if live is not None else len(documents)
    if df:
        found[term] = found.get(term, 0) + df


def _stem(term: bytes) -> str:
    return term.partition(TAG)[0].decode("utf-8", "surrogatepass")


def _is_grammar(term: bytes) -> bool:
    stem, tag, code = term.partition(TAG)
    if not tag:
        return False
    bits = STOP_BITS.get(stem.decode("utf-8", "surrogatepass"), 0)
    return bool(bits >> CODES.index(code.decode()) & 1)
