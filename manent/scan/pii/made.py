"""Values for the examples on the pages: made when needed, so that none is tracked.

A national number is drawn from its picture, with a date put where dates go, until
its own rule holds.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from manent.scan.pii.bank import IBAN_LENGTHS, is_card, is_iban
from manent.scan.pii.checks import patterned
from manent.scan.pii.national import NUMBERS, Number
from manent.scan.pii.numbers import canonical

if TYPE_CHECKING:
    from random import Random

_TRIES = 400_000
_CONSONANTS = "BCDFGHLMNPRSTVZ"
_STARTS = {
    "ae-emirates-id": "7841985",
    "ch-ahv": "756",
    "cn-ric": "11010519850412",
    "in-pan": "BCDP",
    "lu-matricule": "19850412",
    "mx-curp": "BACD850412HDFBCD",
}
"""How numbers start whose grammar is too narrow to be met by chance."""


def made(kind: str, chance: Random) -> str:
    """Return a value of ``kind`` that its rule accepts. Raises KeyError for an unknown kind."""
    if kind in _CONTACTS:
        return _CONTACTS[kind](chance)
    number = next((number for number in NUMBERS if number.kind == kind), None)
    if number is None:
        raise KeyError(kind)
    return _number(number, chance)


def _number(number: Number, chance: Random) -> str:
    picture = (*number.surely, *number.likely, *number.perhaps)[0]
    start = _STARTS.get(number.kind, "")
    for _ in range(_TRIES):
        value = _drawn(picture, start, chance)
        code = canonical(value)
        digits = "".join(c for c in code if c.isdigit())
        if number.holds(code) and not patterned(digits):
            return value + ")" * (value.count("(") - value.count(")"))
    raise KeyError(f"no {number.kind} was found in {_TRIES} tries")


def _drawn(picture: str, start: str, chance: Random) -> str:
    size = sum(mark in "0A" for mark in picture)
    marks = list(start) + [""] * (size - len(start))
    date = chance.choice(("", "850412", "120485", "19850412", "120498"))
    at = chance.randrange(0, 8)
    for index, digit in enumerate(date if not start else ""):
        if at + index < size:
            marks[at + index] = digit
    slots = iter(marks)
    return "".join(_slot(mark, next(slots), chance) if mark in "0A" else mark for mark in picture)


def _slot(mark: str, wanted: str, chance: Random) -> str:
    if wanted and wanted.isdigit() == (mark == "0"):
        return wanted
    if mark == "0":
        return chance.choice(string.digits)
    return chance.choice(chance.choice((_CONSONANTS, string.ascii_uppercase)))


def _email(chance: Random) -> str:
    name = "".join(chance.choices(string.ascii_lowercase, k=7))
    return f"{name}@{''.join(chance.choices(string.ascii_lowercase, k=9))}.it"


def _phone(chance: Random) -> str:
    return f"+39 347 {chance.randint(200, 999)} {chance.randint(1000, 9999)}"


def _iban(chance: Random) -> str:
    body = "".join(chance.choices(string.digits, k=IBAN_LENGTHS["DE"] - 4))
    return next(c for n in range(100) if is_iban(c := f"DE{n:02d}{body}"))


def _card(chance: Random) -> str:
    body = "4" + "".join(chance.choices(string.digits, k=14))
    return next(c for n in range(10) if is_card(c := f"{body}{n}", carded=False))


def _ip(chance: Random) -> str:
    return f"93.184.{chance.randint(1, 254)}.{chance.randint(1, 254)}"


def _coordinates(chance: Random) -> str:
    return f"45.{chance.randint(10_000, 99_999)}, 9.{chance.randint(10_000, 99_999)}"


_CONTACTS = {
    "email": _email,
    "phone": _phone,
    "iban": _iban,
    "card": _card,
    "ip": _ip,
    "coordinates": _coordinates,
}
