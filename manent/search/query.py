"""A query: any text at all, read as words and never as a language of operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manent.search.languages import CODES, STOP_BITS
from manent.search.postings import term_of
from manent.search.tokenizer import analyse, is_unspaced, raw_tokens

LONGEST = 1 << 16
"""Characters of a query that are read."""

MOST_WORDS = 256
"""Distinct words of a query that are looked for, the first ones."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One word of a query. word: stemmed where it is looked for. times: it occurs."""

    text: str
    word: bool
    times: int

    @property
    def compound(self) -> bool:
        """Whether it is an identifier made of words, which are asked for beside it."""
        joined = not self.word and ("-" in self.text or "." in self.text)
        return joined and not any(character.isdigit() for character in self.text)

    @property
    def lone(self) -> bool:
        """Whether it is one character of a script without spaces, whose pairs say more."""
        return not self.word and len(self.text) == 1 and is_unspaced(self.text)


class Question:
    """A query taken apart. words: in the order they first stand in it."""

    def __init__(self, query: str) -> None:
        times: dict[tuple[str, bool], int] = {}
        for raw in raw_tokens(query[:LONGEST]):
            for form in analyse(raw):
                key = (form.text, form.word)
                if key in times or len(times) < MOST_WORDS:
                    times[key] = times.get(key, 0) + 1
        self.words = [Asked(text, word, count) for (text, word), count in times.items()]
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
