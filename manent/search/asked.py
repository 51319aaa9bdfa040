"""The words of a query. Importing this loads nothing heavy."""

from __future__ import annotations

from manent.search.particles import is_japanese, is_particle
from manent.search.tokenizer import analyse, is_unspaced, raw_tokens
from manent.values import dataclass

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


def words_of(query: str) -> list[Asked]:
    """Return the distinct words of any text, in the order they first stand in it.

    Chinese words of grammar and of asking are left out where there are others.
    """
    times: dict[tuple[str, bool], int] = {}
    for raw in raw_tokens(query[:LONGEST]):
        for form in analyse(raw):
            key = (form.text, form.word)
            if key in times or len(times) < MOST_WORDS:
                times[key] = times.get(key, 0) + 1
    found = [Asked(text, word, count) for (text, word), count in times.items()]
    if query.isascii() or is_japanese(query[:LONGEST]):
        return found
    return [asked for asked in found if asked.word or not is_particle(asked.text)] or found
