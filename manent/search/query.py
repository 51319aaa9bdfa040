"""A query: any text at all, read as words and never as a language of operators."""

from __future__ import annotations

from collections.abc import Sequence

from manent.search.asked import Asked, words_of
from manent.search.languages import CODES, STOP_BITS
from manent.search.postings import term_of


class Question:
    """A query taken apart. words: in the order they first stand in it."""

    def __init__(self, query: str) -> None:
        self.words = words_of(query)
        self._ignored = [self._grammar(place) for place in range(len(CODES))]

    def _grammar(self, place: int) -> int:
        """Return the bit of a language if its words of grammar are to be left out.

        They are, unless the query has nothing else to offer in that language.
        """
        bit = 1 << place
        if all(a.word and STOP_BITS.get(a.text, 0) & bit for a in self.words):
            return 0
        return bit

    def expands(self, asked: Asked) -> bool:
        """Whether other terms may stand in for a word: not for one of grammar, in any language."""
        bits = STOP_BITS.get(asked.text, 0) if asked.word else 0
        return not any(bits & ignored for ignored in self._ignored)

    def terms(self, asked: Asked, languages: Sequence[int]) -> dict[int, bytes]:
        """Return what a word is indexed as in documents of these languages.

        A document is compared with the query as its own language reads it:
        ``die`` counts in an English note and not in a German one. What is no
        word of a language is indexed alike in all, and stands under -1.
        """
        if not asked.word:
            return {-1: term_of(asked.text, None)}
        bits = STOP_BITS.get(asked.text, 0)
        return {p: term_of(asked.text, p) for p in languages if not bits & self._ignored[p]}
