"""The national numbers that are looked for: how they are written, and what holds.

A picture is how a number looks: ``0`` for a digit, ``A`` for an ASCII letter,
separators as they are. ``surely`` pictures count on their own, ``likely`` ones
unless the words around say it is something else, ``perhaps`` ones only beside a
word from ``words`` (or, with ``alone``, when the text is nothing but the number).
The rules check what the issuer's grammar fixes, on the canonical form (upper
case, no separators): check digits, dates of birth, ranges never issued.
"""

from manent.scan.pii.national import america, asia, east, north, south, west
from manent.scan.pii.national.number import GENERIC, Number

NUMBERS = (
    *west.NUMBERS,
    *north.NUMBERS,
    *east.NUMBERS,
    *america.NUMBERS,
    *asia.NUMBERS,
    *south.NUMBERS,
)
"""Every national number. Where two hold and no word decides, the first names the finding."""

ALL_WORDS = tuple(dict.fromkeys(word for number in NUMBERS for word in number.words))
"""The words of every national number."""

__all__ = ["ALL_WORDS", "GENERIC", "NUMBERS", "Number"]
