"""The words that tell which rules of a language a text can match.

One file a language in ``words/``, written from the rules by
``python -m manent.scan.injection.written`` and held fresh by a test: reading
the needs off the patterns takes a second, reading the file a few milliseconds.
A rule matches in one way or several, and each way needs up to five sets of
words. Every word has a mask with a bit for each way and each of its needs that the
word meets, so that what a stretch of text can match falls out of a handful of
operations, however many rules there are.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from operator import add
from pathlib import Path
from typing import Any

from manent import late
from manent.scan.injection.needs import LETTERS, MOST_NEEDS
from manent.values import dataclass, field

FOLDER = Path(__file__).parent / "words"

_DEVANAGARI = late.pattern("[\u0900-\u0963]")
_ARABIC_AND = late.pattern("[وف]")
_WORD = late.pattern(r"[^\W\d_]+")
LETTERS_ONLY = bytes(c if 97 <= c <= 122 else c + 32 if 65 <= c <= 90 else 32 for c in range(256))


REMEMBERED = 1 << 15
"""How many words of texts a vocabulary remembers, about."""

LONGEST = 40
"""Longer words are looked up every time: nothing is remembered of what has no bound."""

Masks = list[tuple[str, int]]
"""Words or parts, each with its mask."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language, each with its mask.

    owners: for each way to match, the number of its rule. free: a bit for each need
    that a way does not have.
    words: whole words. beginnings: starts of words, by their length. parts: for
    scripts that set no words apart, strings, by their first two characters. ascii:
    all of it is ASCII, so that bytes can be read as they are.
    seen: words met before; telling: those of them that some way needs.
    """

    owners: tuple[int, ...]
    free: int
    words: dict[str, int]
    beginnings: dict[int, dict[str, int]]
    parts: dict[str, Masks]
    ascii: bool
    seen: set[str] = field(default_factory=set, repr=False, compare=False)
    telling: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, code: str) -> Vocabulary:
        """Return the vocabulary of a language."""
        return cls.of(json.loads((FOLDER / f"{code}.json").read_text("utf-8")))

    @classmethod
    def of(cls, data: dict[str, Any]) -> Vocabulary:
        """Return the vocabulary that ``described`` wrote."""
        owners = tuple(data["owners"])
        sets, free = _masks(data["needs"], len(data["sets"]))
        masks: dict[str, int] = {}
        for forms, mask in zip(data["sets"], sets, strict=True):
            for form in forms.replace("_", "\0").split():
                form = form.replace("\0", " ")
                masks[form] = masks.get(form, 0) | mask
        if data["tight"]:
            parts: dict[str, Masks] = {}
            for form, mask in sorted(masks.items()):
                parts.setdefault(form[:2], []).append((form, mask))
            return cls(owners, free, {}, {}, parts, False)
        words = {form: mask for form, mask in masks.items() if not form.endswith("*")}
        beginnings: dict[int, dict[str, int]] = {}
        for form, mask in masks.items():
            if form.endswith("*"):
                beginnings.setdefault(len(form) - 1, {})[form[:-1]] = mask
        plain = all(form.isascii() for form in masks)
        return cls(owners, free, words, beginnings, {}, plain)

    def possible(self, told: int) -> int:
        """Return a bit for each way of which every need is met; told: the masks, united."""
        told |= self.free
        able = (1 << len(self.owners)) - 1
        while told and able:
            able &= told
            told >>= len(self.owners)
        return able

    def every(self, ways: int) -> int:
        """Return the bits of all the needs of the ways whose bits are given."""
        return united(ways << place * len(self.owners) for place in range(MOST_NEEDS))

    def told(self, words: set[str]) -> dict[str, int]:
        """Return which of the words a rule needs, each with its mask."""
        if not self.beginnings:
            table = self.words
            return {word: table[word] for word in table.keys() & words}
        fresh = words - self.seen
        long = self._met(fresh) if fresh else {}
        telling = self.telling
        return {word: telling[word] for word in telling.keys() & words} | long

    def _met(self, words: set[str]) -> dict[str, int]:
        """Look up words not met before and remember them; return the long ones instead."""
        if len(self.seen) >= REMEMBERED:
            self.seen.clear()
            self.telling.clear()
        long: dict[str, int] = {}
        for word in words:
            mask = self.words.get(word, 0)
            for length, beginnings in self.beginnings.items():
                mask |= beginnings.get(word[:length], 0)
            if len(word) > LONGEST:
                long[word] = mask
                continue
            self.seen.add(word)
            if mask:
                self.telling[word] = mask
        return long

    def held(self, lower: str) -> dict[str, int]:
        """Return the parts that a text in lower case holds, each with its mask."""
        begun = self.parts.keys() & {*lower, *map(add, lower, lower[1:])}
        return {part: mask for head in begun for part, mask in self.parts[head] if part in lower}


def _masks(needs: list[list[int]], count: int) -> tuple[list[int], int]:
    """Return the mask of each of ``count`` sets, and the bits of needs that are not there."""
    sets, free = [0] * count, 0
    for way, needed in enumerate(needs):
        for place in range(MOST_NEEDS):
            bit = 1 << place * len(needs) + way
            if place < len(needed):
                sets[needed[place]] |= bit
            else:
                free |= bit
    return sets, free


def united(masks: Iterable[int]) -> int:
    """Return the bits that any of ``masks`` has."""
    mask = 0
    for bits in masks:
        mask |= bits
    return mask


def plain_words(raw: bytes) -> list[str]:
    """Return the words of ASCII letters in a text as UTF-8, in lower case."""
    return raw.translate(LETTERS_ONLY).decode("ascii").split()


def spaced_words(lower: str) -> list[str]:
    """Return the words of a text in lower case."""
    # The marks of Devanagari are no letters to ``re``: asked for only where there are some.
    letters = LETTERS if _DEVANAGARI.search(lower) else _WORD
    words = letters.findall(lower)
    if _ARABIC_AND.search(lower):
        # In Arabic "and" is written together with the word after it.
        words += [word[1:] for word in words if word[0] in "وف"]
    return words


def described(each: list[list[list[frozenset[str]]]], tight: bool) -> dict[str, Any]:
    """Return what the ways of each rule need as JSON has it: every set once, by number."""
    numbers: dict[str, int] = {}
    owners, needs = [], []
    for rule, ways in enumerate(each):
        for sets in ways:
            spelled = [" ".join(sorted(_spelled(forms))) for forms in sets]
            needs.append([numbers.setdefault(forms, len(numbers)) for forms in spelled])
            owners.append(rule)
    return {"tight": tight, "owners": owners, "needs": needs, "sets": list(numbers)}


def _spelled(forms: frozenset[str]) -> set[str]:
    lower = {form.lower().replace(" ", "_") for form in forms}
    return lower | {_bare(form) for form in lower}


def _bare(word: str) -> str:
    """Return a Latin word without the accents of its letters."""
    if any(unicodedata.category(c) == "Lo" for c in word) or not _latin(word):
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return bare.replace("ı", "i").replace("ł", "l").replace("ß", "ss").replace("ø", "o")


def _latin(word: str) -> bool:
    return all("LATIN" in unicodedata.name(c, "") for c in word if c.isalpha())
