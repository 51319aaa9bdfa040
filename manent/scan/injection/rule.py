# ruff: noqa: E501
"""What a rule of this family is, and the small language its patterns are written in.

A pattern is RE2 syntax with three shorthands: a space stands for whatever may
stand between two words (blanks, line breaks, markup, commas), `` ~3 `` for up to
three words of any kind between two others, and ``{name}`` for one of a list of
words. Accented Latin letters also match without their accent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from manent import late
from manent.values import dataclass

BLANK = r"\s\x{a0}\x{2000}-\x{200a}\x{202f}\x{3000}"
GAP = rf"[{BLANK}*_~>#|/,:;()\[\]\"'`“”‘’«»„=+\\–—…-]+"
"""Between two words of one order: anything but a full stop."""

TIGHT = r"[\s\x{3000}*_~`\"'-]*"
"""Between two words of a script that writes none apart."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of finding of this family, as its page says it.

    order: a plain order, which a file that speaks to the vault's own agents may hold.
    """

    kind: str
    what: str
    why: str
    flagged: str
    accepted: str
    source: str
    order: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of a kind.

    weight: 2 is enough to be said alone, 1 needs company of another kind nearby
    or a hidden carrier.
    quoted: the weight where the match stands in code; None means the same.
    checks: names of what must hold of the words around it (``mood``).
    marks: one of these stands in every match as it is (lower case).
    """

    kind: str
    pattern: str
    language: str = "en"
    weight: int = 2
    quoted: int | None = None
    checks: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


EDGE = r"(?:^|[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x{bf}\x{2000}-\x{206f}\x{3000}-\x{303f}\x{ff00}-\x{ff0f}])"
"""Before a word, where \\b will not do: it knows ASCII letters only."""

ENDING = r"[^\s.!?,;:。！？]*"
"""What ``%`` stands for: any ending of a word."""

ANY = r"[^\s.!?,;:()|]+"
ANY_TIGHT = r"[^。！？!?\n，；;]{1,4}"

_PIECE = late.pattern(r"\\.|\[(?:\\.|[^\]\\])*\]| ~\d+ | \?| |%")


def filled(pattern: str, words: Mapping[str, str]) -> str:
    """Return the pattern with its word lists in it."""
    while re.search(r"\{[a-z][a-z-]*\}", pattern):
        pattern = re.sub(r"\{([a-z][a-z-]*)\}", lambda m: f"(?:{words[m[1]]})", pattern)
    return pattern


def compiled(pattern: str, words: Mapping[str, str], *, tight: bool = False) -> str:
    """Return the RE2 pattern that a pattern in shorthand stands for.

    tight: the script writes words without blanks between them.
    """
    pattern = filled(pattern, {"any": ANY_TIGHT if tight else ANY, **words})
    gap = TIGHT if tight else GAP

    def piece(match: re.Match[str]) -> str:
        found = match[0]
        if found == " ":
            return gap
        if found == " ?":
            return f"(?:{gap})?"
        if found == "%":
            return ENDING
        if found.startswith(" ~"):
            return f"{gap}(?:{words['any']}{gap}){{0,{found[2:-1]}}}"
        return found

    return _accents(_PIECE.sub(piece, pattern))


def edged(pattern: str) -> str:
    """Return a pattern of a language with letters beyond ASCII, starting at a word's edge."""
    return EDGE + "[وف]?" + re.sub(r"\\b(?=[(\w\[]|[^\x00-\x7f])", "", pattern)


def _accents(pattern: str) -> str:
    return re.sub("[à-öø-ÿœıłńśźżąęćğşİőűčřšž]", _with_bare, pattern)


def _with_bare(match: re.Match[str]) -> str:
    letter = match[0]
    bare = {"ı": "i", "ł": "l", "ß": "ss", "ø": "o", "œ": "oe", "æ": "ae"}.get(letter)
    bare = bare or unicodedata.normalize("NFD", letter)[0]
    return f"(?:{letter}|{bare})"
