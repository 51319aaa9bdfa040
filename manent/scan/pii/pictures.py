"""How the numbers that are looked for may be written, and whether a stretch of text shows one.

Most digits in notes are dates, hashes, versions and prices. One pass of the engine over
the outline of a stretch says whether anything in it stands as a number would, before it
is cut into tokens: the outline has one sign a letter, so it is a small alphabet that the
engine reads at once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from string import ascii_letters, digits

from manent.scan.engine import Patterns, choice
from manent.scan.pii.bank import CARD_PICTURES
from manent.scan.pii.national import NUMBERS, Number


def _pictures() -> tuple[dict[str, list[tuple[Number, int]]], frozenset[str]]:
    """Return what each picture may be, and every beginning of a picture at a separator."""
    table: dict[str, list[tuple[Number, int]]] = defaultdict(list)
    for number in NUMBERS:
        for rank, pictures in enumerate((number.surely, number.likely, number.perhaps)):
            for picture in pictures:
                table[picture].append((number, rank))
    beginnings = set()
    for picture in (*table, *CARD_PICTURES):
        for index, mark in enumerate(picture):
            if mark not in "0A":
                beginnings.add(picture[:index])
        beginnings.add(picture)
    return dict(table), frozenset(beginnings)


PROBABLY = 1
"""Rank of a ``likely`` picture in the registry's order."""

PICTURES, BEGINNINGS = _pictures()
"""What each picture may be, with its rank there; and what the pictures begin with."""

WHOLE = CARD_PICTURES | PICTURES.keys()
"""Every picture of a national number or a card."""

WEAK = frozenset(
    picture for picture, entries in PICTURES.items() if all(rank > PROBABLY for _, rank in entries)
)
"""Pictures that count beside a telling word only."""


class _Outline(dict[int, str]):
    """One sign for each letter: what the grammar of numbers tells apart.

    ``0`` a digit, ``A`` an ASCII letter (``X`` is that letter), ``x`` another that joins
    what it touches, a space for all spaces; a mark stands for itself, and one that only
    looks like it for another sign, for it joins words otherwise.
    """

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        if letter.isspace():
            return " "
        return "x" if letter.isalnum() and letter < "\u2e80" else "o"


_OUTLINE = _Outline(
    {code: chr(code) for code in range(128)}
    | {ord(c): "0" for c in digits}
    | {ord(c): "A" for c in ascii_letters}
    | dict.fromkeys(map(ord, "xX"), "X")
    | {code: " " for code in range(128) if chr(code).isspace()}
    | dict.fromkeys(map(ord, "€£¥"), "$")
    | dict.fromkeys(map(ord, "‐‑–"), "-")
    | dict.fromkeys(map(ord, "‒—−﹣－•∙⋅·．／：（"), "m")
    | {ord("°"): "@", ord("№"): "n"}
)

_MARKS = {
    " ": " {1,3}",
    "№": " {0,2}n {0,2}",
    **{mark: rf" {{0,2}}[m{re.escape(mark)}] {{0,2}}" for mark in "-.:/+_("},
}
"""How the separators of a picture may look in an outline."""

_FREE = r"(?:^|[^0AXx_$+%^\-./\\,~@#&]|(?:^|[^0])[\-./_#]|(?:^|[^0AXx_])[\\,~@&])"
"""What may stand before a number: nothing that joins it to the word before."""
_STUCK = r"(?:^|[^0AX])[AX]{2,6}"
"""A word that a missing space stuck to a number."""
_ENDS = r"(?:$|[^0AXx_@%\-./,:\\]|[./,:](?:$|[^0])|[\-\\](?:$|[^0AXx]))"
_BETWEEN = r"[ ()\[\]/.m\-]{0,3}"
_EXTENSION = r" ?(?:X|A[AX]A|A{5}|A{9})\.? ?0"
_DIALLED = rf"[ +(\[]{{0,3}}0(?:[ ()\[\]/.m\-]{{0,3}}0){{5,19}}(?:{_ENDS}|{_EXTENSION})"
"""What may be dialled; behind it, a word for an extension."""
_ACCOUNT = r"[AX]{2}(?:[ m._\-]{0,3}0){2}(?:[ m._\-]{0,3}[0AX]){11}"
"""What may be an IBAN: the shortest has fifteen letters and digits."""
_ROW = r"[0AX](?:[ .\-][0AX]){8}"
"""What may be spelled letter by letter."""


def _drawn(picture: str) -> str:
    """Return a picture as a pattern over outlines."""
    runs = re.findall(r"0+|A+|B+|[^0AB]", picture)
    return "".join(_MARKS.get(run) or f"{_SIGN[run[0]]}{{{len(run)}}}" for run in runs)


_SIGN = {"0": "0", "A": "[AX]", "B": "[0AX]"}


_ASCII = bytes(ord(_OUTLINE[code]) if code < 128 else 0 for code in range(256))


def shown(stretch: str) -> tuple[bool, bool]:
    """Whether anything in a stretch of one line is written as a number, and as one to be dialled.

    A number: a national one, a card or an account. Each answer is yes more often than
    the grammar's own, and never no where that says yes.
    """
    if stretch.isascii():
        outline = stretch.encode().translate(_ASCII)
    else:
        outline = stretch.translate(_OUTLINE).encode()
    found = _grammar().which(outline)
    return 0 in found, 1 in found


def _merged(pictures: Iterable[str]) -> set[str]:
    """Return pictures with ``B`` where both a digit and a letter may stand.

    Where digits may turn into letters, one stands for hundreds.
    """
    found = set(pictures)
    for at in range(max(map(len, found))):
        for picture in [picture for picture in found if picture[at : at + 1] == "0"]:
            other = f"{picture[:at]}A{picture[at + 1 :]}"
            if other in found:
                found -= {picture, other}
                found.add(f"{picture[:at]}B{picture[at + 1 :]}")
    return found


@cache
def _grammar() -> Patterns:
    known = _merged(picture for picture in WHOLE if set(picture) <= {"0", "A", *_MARKS})
    pictures = choice(*map(_drawn, known))
    numbers = choice(*(_drawn(picture) for picture in known if picture[0] != "A"))
    return Patterns(
        [
            f"{_FREE}(?:(?:{pictures}){_ENDS}|{_ACCOUNT})|{_STUCK}(?:{numbers}){_ENDS}|{_ROW}",
            f"(?:{_FREE}|{_STUCK}){_DIALLED}",
        ],
        case=True,
    )
