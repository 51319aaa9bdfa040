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
from collections.abc import Iterable, Set
from functools import reduce
from operator import add, or_
from pathlib import Path
from typing import Any

from manent import late
from manent.scan.injection.needs import LETTERS, MOST_NEEDS
from manent.values import dataclass, field

FOLDER = Path(__file__).parent / "words"

_DEVANAGARI = (b"\xe0\xa4", b"\xe0\xa5")
"""What one of the bytes of every letter and mark of Devanagari begins with."""

_ARABIC_AND = "وف"
_WORD = late.pattern(r"[^\W\d_]+")
LETTERS_ONLY = bytes(c if 97 <= c <= 122 else c + 32 if 65 <= c <= 90 else 32 for c in range(256))
_LETTERS_AND_BEYOND = LETTERS_ONLY[:128] + bytes(range(128, 256))


REMEMBERED = 1 << 15
"""How many words of texts a vocabulary remembers, about."""

LONGEST = 40
"""Longer words are looked up every time: nothing is remembered of what has no bound."""

Masks = dict[str, int]
"""Words or parts, each with its mask."""

HEAD = 3
"""By how many letters it is told whether a word may have a known beginning."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language, each with its mask.

    owners: for each way to match, the number of its rule. free: a bit for each need
    that a way does not have.
    words: whole words. beginnings: starts of words, by their length. parts: for
    scripts that set no words apart, strings, by their first two characters and their
    length. ascii: all of it is ASCII, so that bytes can be read as they are.
    heads: how the beginnings begin. seen: words met before; telling: those of them that
    some way needs.
    """

    owners: tuple[int, ...]
    free: int
    words: Masks
    beginnings: dict[int, Masks]
    parts: dict[str, dict[int, Masks]]
    ascii: bool
    heads: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set, repr=False, compare=False)
    telling: Masks = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, code: str) -> Vocabulary:
        """Return the vocabulary of a language."""
        return cls.of(json.loads((FOLDER / f"{code}.json").read_text("utf-8")))

    @classmethod
    def of(cls, data: dict[str, Any]) -> Vocabulary:
        """Return the vocabulary that ``described`` wrote."""
        owners = tuple(data["owners"])
        sets, free = _masks(data["needs"], len(data["sets"]))
        masks: Masks = {}
        for forms, mask in zip(data["sets"], sets, strict=True):
            for form in forms.split():
                masks[form] = masks.get(form, 0) | mask
        masks = {form.replace("_", " "): mask for form, mask in masks.items()}
        if data["tight"]:
            parts: dict[str, dict[int, Masks]] = {}
            for form, mask in masks.items():
                parts.setdefault(form[:2], {}).setdefault(len(form), {})[form] = mask
            return cls(owners, free, {}, {}, parts, False)
        words: Masks = {}
        beginnings: dict[int, Masks] = {}
        for form, mask in masks.items():
            if form[-1] == "*":
                beginnings.setdefault(len(form) - 1, {})[form[:-1]] = mask
            else:
                words[form] = mask
        plain = "".join(masks).isascii()
        heads = frozenset(form[:HEAD] for known in beginnings.values() for form in known)
        return cls(owners, free, words, beginnings, {}, plain, heads)

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

    def told(self, words: set[str]) -> Masks:
        """Return which of the words a rule needs, each with its mask."""
        if not self.beginnings:
            table = self.words
            return {word: table[word] for word in table.keys() & words}
        fresh = words - self.seen
        if fresh and len(self.seen) >= REMEMBERED:
            # What is forgotten is met again at once: no word of this text may be missed.
            self.seen.clear()
            self.telling.clear()
            fresh = words
        long = self._met(fresh) if fresh else None
        telling = self.telling
        told = {word: telling[word] for word in telling.keys() & words}
        return told | long if long else told

    def _met(self, words: set[str]) -> Masks:
        """Look up words not met before and remember them; return the long ones instead."""
        long: Masks = {}
        table, heads = self.words, self.heads
        for word in words:
            mask = table.get(word, 0)
            if word[:HEAD] in heads or word[:2] in heads or word[:1] in heads:
                for length, beginnings in self.beginnings.items():
                    mask |= beginnings.get(word[:length], 0)
            if len(word) > LONGEST:
                long[word] = mask
                continue
            self.seen.add(word)
            if mask:
                self.telling[word] = mask
        return long

    def held(self, lower: str) -> Masks:
        """Return the parts that a text in lower case holds, each with its mask."""
        found: Masks = {}
        for head in self.parts.keys() & {*lower, *map(add, lower, lower[1:])}:
            known = self.parts[head].items()
            at = lower.find(head)
            while at >= 0:
                for length, parts in known:
                    part = lower[at : at + length]
                    if part in parts:
                        found[part] = parts[part]
                at = lower.find(head, at + 1)
        return found


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
    return reduce(or_, masks, 0)


def lower_case(raw: bytes) -> str:
    """Return a text as UTF-8 in lower case; what is no UTF-8 is left out."""
    return raw.decode("utf-8", "ignore").lower()


def spaced_words(raw: bytes, plain: Set[str] = frozenset()) -> set[str]:
    """Return the words of a text as UTF-8, in lower case.

    plain: words of ASCII letters, known to be such.
    """
    # The marks of Devanagari are no letters to ``re``: asked for only where there are some.
    if any(lead in raw for lead in _DEVANAGARI):
        words = set(LETTERS.findall(lower_case(raw)))
    else:
        words = set(lower_case(raw.translate(_LETTERS_AND_BEYOND)).split())
        rough = [word for word in words - plain if not word.isalpha()]
        if rough:
            words.difference_update(rough)
            words.update(_WORD.findall(" ".join(rough)))
    # In Arabic "and" is written together with the word after it.
    words.update([word[1:] for word in words if word[0] in _ARABIC_AND])
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
