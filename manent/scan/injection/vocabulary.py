# ruff: noqa: E501
"""The words that tell which rules of a language a text can match.

One file a language in ``words/``, written from the rules by
``python -m manent.scan.injection.written`` and held fresh by a test: reading
the needs off the patterns takes a second, reading the file a few milliseconds.
Every set of words has a bit; a text has the bits of the sets of which it holds a
word, and a rule can match only where all its bits are.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import add
from pathlib import Path
from typing import Any

from manent.scan.injection.needs import LETTERS

FOLDER = Path(__file__).parent / "words"

_DEVANAGARI = re.compile("[\u0900-\u0963]")
_ARABIC_AND = re.compile("[وف]")
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
_LETTERS = bytes(c if 97 <= c <= 122 else c + 32 if 65 <= c <= 90 else 32 for c in range(256))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language, each with the bits of the sets it is in.

    words: whole words; known: the same, to intersect with. beginnings: starts of words, by their length. parts: for
    scripts that set no words apart, strings, by their first two characters. needs: the bits of each rule, in the
    order of the rules. ascii: all of it is ASCII, so that bytes can be read as
    they are. bits: of words seen before.
    """

    needs: tuple[int, ...]
    words: dict[str, int]
    known: frozenset[str]
    beginnings: dict[int, dict[str, int]]
    parts: dict[str, list[tuple[str, int]]]
    ascii: bool
    bits: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, code: str) -> Vocabulary:
        """Return the vocabulary of a language."""
        return cls.of(json.loads((FOLDER / f"{code}.json").read_text("utf-8")))

    @classmethod
    def of(cls, data: dict[str, Any]) -> Vocabulary:
        """Return the vocabulary that ``described`` wrote."""
        needs = tuple(sum(1 << bit for bit in bits) for bits in data["needs"])
        bits: dict[str, int] = {}
        for number, forms in enumerate(data["sets"]):
            for form in forms.split():
                form = form.replace("_", " ")
                bits[form] = bits.get(form, 0) | 1 << number
        if data["tight"]:
            parts: dict[str, list[tuple[str, int]]] = {}
            for form, mask in sorted(bits.items()):
                parts.setdefault(form[:2], []).append((form, mask))
            return cls(needs, {}, frozenset(), {}, parts, False)
        words = {form: mask for form, mask in bits.items() if not form.endswith("*")}
        beginnings: dict[int, dict[str, int]] = {}
        for form, mask in bits.items():
            if form.endswith("*"):
                beginnings.setdefault(len(form) - 1, {})[form[:-1]] = mask
        return cls(
            needs, words, frozenset(words), beginnings, {}, all(form.isascii() for form in bits)
        )

    def told(self, raw: bytes) -> int:
        """Return the bits of the sets of which a text, as UTF-8, holds a word."""
        return united(self.held(Said(raw)).values())

    def held(self, said: Said) -> dict[str, int]:
        """Return the words (or parts) of the vocabulary that a text holds, each with its bits.

        A word that ends as it likes is given as the text has it.
        """
        if self.parts:
            text = said.lower
            begun = self.parts.keys() & {*text, *map(add, text, text[1:])}
            return {p: bits for head in begun for p, bits in self.parts[head] if p in text}
        words = said.words(ascii_only=self.ascii)
        if not self.beginnings:
            return {word: self.words[word] for word in self.known.intersection(words)}
        bits_of = self.bits
        found = {word: bits_of[word] if word in bits_of else self._bits(word) for word in words}
        return {word: bits for word, bits in found.items() if bits}

    def _bits(self, word: str) -> int:
        mask = self.words.get(word, 0)
        for length, beginnings in self.beginnings.items():
            mask |= beginnings.get(word[:length], 0)
        if len(self.bits) >= REMEMBERED:
            self.bits.clear()
        if len(word) <= 40:
            self.bits[word] = mask
        return mask

    def again(self, said: Said, telling: dict[str, int]) -> int:
        """Return the bits of those of ``telling`` (from ``held``) that a part of the text holds."""
        if self.parts:
            text = said.lower
            return united(bits for part, bits in telling.items() if part in text)
        words = telling.keys() & said.words(ascii_only=self.ascii)
        return united(telling[word] for word in words)


REMEMBERED = 1 << 15
"""How many words of texts a vocabulary remembers the bits of."""


def united(masks: Iterable[int]) -> int:
    """Return the bits that any of ``masks`` has."""
    mask = 0
    for bits in masks:
        mask |= bits
    return mask


class Said:
    """A stretch of text as UTF-8 and its words, cut apart once for all languages."""

    __slots__ = ("_lower", "_plain", "_raw", "_spaced")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._lower: str | None = None
        self._plain: list[str] | None = None
        self._spaced: list[str] | None = None

    @property
    def lower(self) -> str:
        """The text in lower case."""
        if self._lower is None:
            self._lower = self._raw.decode("utf-8", "ignore").lower()
        return self._lower

    def words(self, *, ascii_only: bool) -> list[str]:
        """Return the words in lower case; ascii_only: bytes beyond ASCII set words apart."""
        if ascii_only or self._raw.isascii():
            if self._plain is None:
                self._plain = self._raw.translate(_LETTERS).decode("ascii").split()
            return self._plain
        if self._spaced is None:
            self._spaced = _spaced(self.lower)
        return self._spaced


def _spaced(lower: str) -> list[str]:
    # The marks of Devanagari are no letters to ``re``: asked for only where there are some.
    letters = LETTERS if _DEVANAGARI.search(lower) else _LETTERS_ONLY
    words = letters.findall(lower)
    if _ARABIC_AND.search(lower):
        # In Arabic "and" is written together with the word after it.
        words += [word[1:] for word in words if word[0] in "وف"]
    return words


def described(each: list[list[frozenset[str]]], tight: bool) -> dict[str, Any]:
    """Return the sets that rules need as JSON has them: every set once, by number."""
    numbers: dict[str, int] = {}
    needs = []
    for sets in each:
        spelled = [" ".join(sorted(_spelled(forms))) for forms in sets]
        needs.append([numbers.setdefault(forms, len(numbers)) for forms in spelled])
    return {"tight": tight, "needs": needs, "sets": list(numbers)}


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
