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
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from manent import late
from manent.scan.injection import needs
from manent.scan.injection.needs import LETTERS, MOST_NEEDS
from manent.scan.injection.rule import Rule
from manent.values import dataclass

FOLDER = Path(__file__).parent / "words"

_DEVANAGARI = (b"\xe0\xa4", b"\xe0\xa5")
"""What one of the bytes of every letter and mark of Devanagari begins with."""

_ARABIC_AND = "وف"
_WORD = late.pattern(r"[^\W\d_]+")
_LETTERS_ONLY = bytes(c if 97 <= c <= 122 else c + 32 if 65 <= c <= 90 else 32 for c in range(256))
_LETTERS_AND_BEYOND = _LETTERS_ONLY[:128] + bytes(range(128, 256))


REMEMBERED = 1 << 15
"""How many words of texts a vocabulary remembers, about."""

LONGEST = 40
"""Longer words are looked up every time: nothing is remembered of what has no bound."""

Masks = dict[str, int]
"""Words or parts, each with its mask."""

HEAD = 3
"""By how many letters it is told whether a word may have a known beginning."""

ACROSS = frozenset({"forged-role"})
"""Kinds whose matches may run on over the end of a paragraph."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way for a rule, by its number, to match.

    order: for each of its needs, as they stand in a match, the bit of words that meet it,
    and how many words after the one before it they stand at most.
    """

    rule: int
    order: tuple[tuple[int, int], ...]


class Marks:
    """Signs of which one stands in every match of a rule.

    A single byte is found ten to fifty times as quickly as two in a row: each sign is asked
    for only where the byte that it begins with stands at all.
    """

    __slots__ = ("_heads",)

    def __init__(self, marks: Iterable[str]) -> None:
        """Sort signs by their first byte."""
        heads: dict[bytes, list[bytes]] = {}
        for mark in marks:
            raw = mark.encode()
            heads.setdefault(raw[:1], []).append(raw)
        self._heads = tuple((head, _told_by(head, each)) for head, each in heads.items())

    def stand(self, raw: bytes, begin: int, finish: int) -> bool:
        """Whether one of them stands between two places."""
        for head, pattern in self._heads:
            at = raw.find(head, begin, finish)
            if at >= 0 and (pattern is None or pattern.search(raw, at, finish)):
                return True
        return False


def _told_by(head: bytes, marks: list[bytes]) -> re.Pattern[bytes] | None:
    """Return the pattern of signs with the same first byte; None where that says it all."""
    if head in marks:
        return None
    return late.bytes_pattern(b"|".join(map(re.escape, marks)))


class Ways:
    """The ways to match of all rules of a language, each with a bit.

    masks: for each set of words, by number, a bit for each way and each of its needs
    that the set meets; the lowest bits are those of the rarest needs. of_rule: the ways of
    each rule. across: those of rules that may run on over the end of a paragraph. marked:
    those of rules with marks, by the marks.
    """

    def __init__(self, rows: list[list[Any]], count: int, chosen: Sequence[Rule]) -> None:
        """Number the ways of ``rows``; count: of sets of words. chosen: the rules."""
        self._count = len(rows)
        self._all = (1 << len(rows)) - 1
        self._free = 0
        self._each: list[Way] = []
        masks = [0] * count
        self.of_rule = [0] * len(chosen)
        for number, (rule, rarest, sets, within) in enumerate(rows):
            self.of_rule[rule] |= 1 << number
            bits = [1 << place * len(rows) + number for place in range(len(sets))]
            bits.insert(rarest, bits.pop(0))
            for needed, bit in zip(sets, bits, strict=True):
                masks[needed] |= bit
            self._each.append(Way(rule, tuple(zip(bits, within, strict=True))))
            for place in range(len(sets), MOST_NEEDS):
                self._free |= 1 << place * len(rows) + number
        self.masks = tuple(masks)
        rules = list(zip(self.of_rule, chosen, strict=True))
        self.across = united(mask for mask, rule in rules if rule.kind in ACROSS)
        marked: dict[tuple[str, ...], int] = {}
        for mask, rule in rules:
            if rule.marks:
                marked[rule.marks] = marked.get(rule.marks, 0) | mask
        self.marked = [(Marks(marks), mask) for marks, mask in marked.items()]

    def possible(self, told: int) -> int:
        """Return a bit for each way of which every need is met; told: the masks, united."""
        told |= self._free
        able, count = self._all, self._count
        while told and able:
            able &= told
            told >>= count
        return able

    def rules(self, able: int) -> Iterator[int]:
        """Yield the rules with a way in ``able``."""
        while able:
            rule = self._each[(able & -able).bit_length() - 1].rule
            able &= ~self.of_rule[rule]
            yield rule

    def of(self, rule: int) -> list[Way]:
        """Return the ways of a rule."""
        bits = self.of_rule[rule]
        first = (bits & -bits).bit_length() - 1
        return self._each[first : bits.bit_length()]


class Words:
    """The words that the rules of a language need, each with its mask.

    ascii: all of them are ASCII, so that bytes can be read as they are. seen: words met before.
    """

    def __init__(self, masks: Masks) -> None:
        """Sort forms of words, each with its mask."""
        self.ascii = "".join(masks).isascii()
        self._whole: Masks = {}
        self._beginnings: dict[int, Masks] = {}
        for form, mask in masks.items():
            if form[-1] == "*":
                self._beginnings.setdefault(len(form) - 1, {})[form[:-1]] = mask
            else:
                self._whole[form] = mask
        self._heads = {form[:HEAD] for known in self._beginnings.values() for form in known}
        self.seen: set[str] = set()
        self._telling: Masks = {}

    def told(self, words: Set[str]) -> Masks:
        """Return which of the words a rule needs, each with its mask."""
        fresh = words - self.seen
        if fresh and len(self.seen) >= REMEMBERED:
            # What is forgotten is met again at once: no word of this text may be missed.
            self.seen.clear()
            self._telling.clear()
            fresh = words
        long = self._met(fresh) if fresh else None
        telling = self._telling
        told = {word: telling[word] for word in telling.keys() & words}
        return told | long if long else told

    def _met(self, words: Set[str]) -> Masks:
        """Look up words not met before and remember them; return the long ones instead."""
        long: Masks = {}
        table, heads = self._whole, self._heads
        for word in words:
            mask = table.get(word, 0)
            if word[:HEAD] in heads or word[:2] in heads or word[:1] in heads:
                for length, beginnings in self._beginnings.items():
                    mask |= beginnings.get(word[:length], 0)
            if len(word) > LONGEST:
                long[word] = mask
                continue
            self.seen.add(word)
            if mask:
                self._telling[word] = mask
        return long


class Parts:
    """The parts of texts that the rules of a language need whose script sets no words apart.

    They are kept by their first two characters and their length.
    """

    def __init__(self, masks: Masks) -> None:
        """Sort forms of parts, each with its mask."""
        self.known: dict[str, dict[int, Masks]] = {}
        for form, mask in masks.items():
            self.known.setdefault(form[:2], {}).setdefault(len(form), {})[form] = mask

    def held(self, lower: str, heads: Set[str]) -> Masks:
        """Return the parts that a text in lower case holds, each with its mask.

        heads: its characters, alone and in twos.
        """
        found: Masks = {}
        for head in self.known.keys() & heads:
            known = self.known[head].items()
            at = lower.find(head)
            while at >= 0:
                for length, parts in known:
                    part = lower[at : at + length]
                    if part in parts:
                        found[part] = parts[part]
                at = lower.find(head, at + 1)
        return found


def load(code: str, chosen: Sequence[Rule]) -> tuple[Ways, Words | Parts]:
    """Return the ways to match of a language, and the words or parts that tell them.

    chosen: its rules.
    """
    data = json.loads((FOLDER / f"{code}.json").read_text("utf-8"))
    ways = Ways(data["ways"], len(data["sets"]), chosen)
    masks: Masks = {}
    for forms, mask in zip(data["sets"], ways.masks, strict=True):
        for form in forms.split():
            masks[form] = masks.get(form, 0) | mask
    masks = {form.replace("_", " "): mask for form, mask in masks.items()}
    return ways, (Parts if data["tight"] else Words)(masks)


def united(masks: Iterable[int]) -> int:
    """Return the bits that any of ``masks`` has."""
    return reduce(or_, masks, 0)


def lower_case(raw: bytes) -> str:
    """Return a text as UTF-8 in lower case; what is no UTF-8 is left out."""
    return raw.decode("utf-8", "ignore").lower()


def plain_letters(raw: bytes) -> str:
    """Return a text as UTF-8 byte by byte: ASCII letters in lower case, blanks for the rest."""
    return raw.translate(_LETTERS_ONLY).decode("ascii")


def plain_words(raw: bytes) -> list[str]:
    """Return the words of ASCII letters in a text as UTF-8, in lower case."""
    return plain_letters(raw).split()


def words_of(raw: bytes, *, plain: bool) -> Collection[str]:
    """Return the words of a text; plain: bytes beyond ASCII set words apart."""
    return plain_words(raw) if plain or raw.isascii() else spaced_words(raw)


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


def described(each: list[list[needs.Way]], tight: bool) -> dict[str, Any]:
    """Return what the ways of each rule need as JSON has it: every set once, by number."""
    numbers: dict[str, int] = {}
    rows = []
    for rule, ways in enumerate(each):
        for way in ways:
            spelled = [" ".join(sorted(_spelled(need.forms))) for need in way.needs]
            sets = [numbers.setdefault(forms, len(numbers)) for forms in spelled]
            rows.append([rule, way.rarest, sets, [need.within for need in way.needs]])
    return {"tight": tight, "ways": rows, "sets": list(numbers)}


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
