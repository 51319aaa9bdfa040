"""Words nearly asked for: the beginnings of longer ones, and one slip of the keyboard.

Only for a word that no visible document holds, and only to terms that some
visible document holds: what is hidden can neither be found nor suggest that it
is there. Which terms stand in, when there are many, depends on visible counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manent.search.asked import Asked
from manent.search.constants import CUT_OFF, FUZZY_SHORTEST_STEM
from manent.search.languages import CODES, STOP_BITS
from manent.search.postings import TAG, tagged, term_of
from manent.search.segment import Segment
from manent.search.tokenizer import encoded
from manent.values import dataclass

Held = Sequence[tuple[Segment, NDArray[np.bool_] | None]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A term that stands in for a word. kind: ``prefix`` or ``fuzzy``. df: visible documents."""

    term: bytes
    kind: str
    df: int


def expansions(
    held: Held,
    asked: Asked,
    terms: dict[int, bytes],
    prefix_shortest: int,
    fuzzy_shortest: int,
    most: int,
) -> list[Candidate]:
    """Return up to ``most`` terms that stand in for a word, most frequent first.

    terms: what the word is indexed as, by language (none of them has a visible
    posting). Words begun win over words misspelled.
    """
    found: list[tuple[bytes, int]] = []
    kind = "prefix"
    if len(asked.text) >= prefix_shortest:
        found = _begun(held, asked, prefix_shortest, most)
    if not found and asked.word and len(asked.text) >= fuzzy_shortest:
        kind = "fuzzy"
        found = _first(_misspelled(held, asked.text, terms), most)
    return [Candidate(term, kind, df) for term, df in found]


def _first(found: dict[bytes, int], most: int) -> list[tuple[bytes, int]]:
    """Return the most frequent terms, equals in byte order."""
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:most]


def _begun(held: Held, asked: Asked, shortest: int, most: int) -> list[tuple[bytes, int]]:
    """Return the visible terms that begin as asked, or are what stemming left of the word."""
    found: dict[bytes, int] = {}
    text = asked.text
    if asked.word:
        for length in range(max(shortest, len(text) - CUT_OFF), len(text)):
            for place in range(len(CODES)):
                term = tagged(text[:length], place)
                if not _is_grammar(term) and (df := _visible(held, term)):
                    found[term] = df
    start = encoded(text) if asked.word else term_of(text, None)
    return _first(found | _longer(held, start, most), most)


def _longer(held: Held, text: bytes, most: int) -> dict[bytes, int]:
    """Return the ``most`` most frequent visible terms that begin with ``text``, or a few more.

    A beginning may have thousands of them, so each segment's are taken in order
    of frequency, and only until nothing further down can still be among the
    first (Fagin's threshold algorithm).
    """
    ranked = []
    for segment, live in held:
        low, high = segment.prefixed(text)
        counts = _frequencies(segment, live, low, high)
        order = np.lexsort((np.arange(len(counts)), -counts))
        ranked.append((segment, (order + low).tolist(), counts[order].tolist()))
    found: dict[bytes, int] = {}
    for depth in range(max((len(numbers) for _, numbers, _ in ranked), default=0)):
        bound = sum(counts[depth] for _, _, counts in ranked if depth < len(counts))
        if not bound or (len(found) >= most and _first(found, most)[-1][1] > bound):
            break
        if len(held) == 1 and len(found) >= most:
            break  # equals come in byte order here
        for segment, numbers, counts in ranked:
            if depth < len(numbers) and counts[depth]:
                term = segment.term(numbers[depth])
                if term not in found and not _is_grammar(term):
                    found[term] = _visible(held, term)
    return found


def _visible(held: Held, term: bytes) -> int:
    """Return how many visible documents hold a term."""
    total = 0
    for segment, live in held:
        number = segment.find(term)
        if number >= 0:
            documents, _ = segment.postings(number)
            total += len(documents) if live is None else int(np.count_nonzero(live[documents]))
    return total


def _misspelled(held: Held, text: str, terms: dict[int, bytes]) -> dict[bytes, int]:
    """Return the visible terms one insertion, deletion, change or swap away from a word.

    A stem is compared with stems of its own language alone: which languages
    hidden documents are in must not show.
    """
    wanted: dict[str, set[bytes]] = {}
    for place, asked in terms.items():
        for stem in (text, _stem(asked)):
            if len(stem) >= FUZZY_SHORTEST_STEM:
                wanted.setdefault(stem, set()).add(tagged("", place))
    near = {
        term
        for stem, tags in sorted(wanted.items())
        for term in _slips(held, stem)
        if term[-2:] in tags and not _is_grammar(term)
    }
    found = {term: _visible(held, term) for term in near}
    return {term: df for term, df in found.items() if df}


def _slips(held: Held, stem: str) -> set[bytes]:
    """Return the terms one slip away from a stem, in any language, visible or not.

    One slip leaves the first or the second half of a word whole, but for a swap
    across the middle, which is looked up as it is: so two ranges hold them all.
    """
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cdist

    middle = len(stem) // 2
    swapped = stem[: middle - 1] + stem[middle] + stem[middle - 1] + stem[middle + 1 :]
    near = {tagged(swapped, place) for place in range(len(CODES))}
    for segment, _ in held:
        numbers = _halves(segment, stem[:middle], stem[middle:])
        terms = [term for term in map(segment.term, numbers) if term[-2:-1] == TAG]
        if terms:
            stems = list(map(_stem, terms))
            away = cdist([stem], stems, scorer=OSA.distance, score_cutoff=1, dtype=np.uint8)[0]
            near.update(terms[place] for place in np.flatnonzero(away <= 1).tolist())
    return near


def _halves(segment: Segment, first: str, second: str) -> list[int]:
    """Return the terms that share a half with a stem, and about its length."""
    low, high = segment.prefixed(encoded(first))
    numbers = np.concatenate(
        [np.arange(low, high), np.array(segment.ending(encoded(second)), np.int64)]
    )
    size = len(encoded(first + second)) + 2  # the tag
    slack = 1 if (first + second).isascii() else 4  # bytes of a letter; a slip keeps its script
    near: list[int] = numbers[np.abs(segment.term_sizes(numbers) - size) <= slack].tolist()
    return near


def _frequencies(
    segment: Segment, live: NDArray[np.bool_] | None, low: int, high: int
) -> NDArray[np.int64]:
    """Return how many visible documents hold each term of a range."""
    if low >= high:
        return np.zeros(0, np.int64)
    starts = segment.starts(low, high)
    if live is None:
        return np.diff(starts)
    documents, _ = segment.postings(low, high)
    return np.diff(np.concatenate(([0], np.cumsum(live[documents])))[starts])


def _stem(term: bytes) -> str:
    """Return the stem of a term that bears the tag of a language."""
    return term[:-2].decode("utf-8", "surrogatepass")


def _is_grammar(term: bytes) -> bool:
    """Whether a term is a word that carries nothing in its language."""
    if term[-2:-1] != TAG:
        return False
    return bool(STOP_BITS.get(_stem(term), 0) >> _PLACES[term[-1:]] & 1)


_PLACES = {code.encode(): place for place, code in enumerate(CODES)}
