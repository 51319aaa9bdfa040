"""Bank accounts (IBAN) and payment cards: lengths, issuers' ranges, check digits.

Sources: SWIFT, IBAN registry release 101; ISO/IEC 7812 and the networks'
published ranges (Visa, Mastercard with the 2-series, American Express, Diners
Club, Discover, JCB, UnionPay, Maestro, Mir, RuPay, UATP, Troy, Verve, Elo).
"""

from __future__ import annotations

import re
from itertools import product

from manent import late
from manent.scan.pii.checks import luhn, mod_97
from manent.scan.pii.numbers import Row

IBAN_LENGTHS = {
    country: int(length)
    for length, countries in {
        "15": "NO", "16": "BE", "18": "DK FI FO GL NL SD FK", "19": "MK SI",
        "20": "AT BA EE KZ LT LU XK MN", "21": "CH HR LI LV",
        "22": "BG BH CR DE GB GE IE ME RS VA", "23": "AE GI IL IQ TL OM SO",
        "24": "AD CZ ES MD PK RO SA SE SK TN VG", "25": "LY PT ST",
        "26": "IS TR", "27": "BI DJ FR GR IT MC MR SM",
        "28": "AL AZ BY CY DO GT HN HU LB NI PL SV",
        "29": "BR EG PS QA UA", "30": "JO KW MU YE", "31": "MT SC", "32": "LC", "33": "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
"""How many characters an IBAN of each country has, the country's two included."""

_ALPHANUMERIC = frozenset(
    """
    AD AL AT AZ BG BH BR BY CH CY DO FR GB GE GI GR GT HN IE IQ IT JO KW KZ LB LC LI LT LU
    LV MC MD MK MT MU NI NL OM PK PS QA RO RU SA SC SM SV TR UA VG YE FK
    """.split()
) - {"AT", "LT"}
"""Countries whose accounts may hold letters; elsewhere all but the country is digits."""

_IBAN_START = late.pattern(r"[A-Z]{2}\d{2}[A-Z0-9]*\Z", re.IGNORECASE)


def iban_at(row: Row, index: int) -> tuple[int, str] | None:
    """Return where an IBAN that starts at a token of a row ends, and its canonical form.

    Groups may have any length; one separator is used throughout.
    """
    body = row.bodies[index].upper()
    length = IBAN_LENGTHS.get(body[:2])
    if length is None or (not _IBAN_START.match(body) and len(body) > 2):
        return None
    gap = ""
    at = index + 1
    while len(body) < length and at < len(row):
        if (gap and row.gaps[at] != gap) or row.gaps[at] not in " -._":
            return None
        gap = row.gaps[at]
        body += row.bodies[at].upper()
        at += 1
    return (row.ends[at - 1], body) if len(body) == length and is_iban(body) else None


def is_iban(code: str) -> bool:
    """Whether a canonical string is an IBAN: country, length, letters, check."""
    if IBAN_LENGTHS.get(code[:2]) != len(code) or not code[2:4].isdigit():
        return False
    if code[:2] not in _ALPHANUMERIC and not code[2:].isdigit():
        return False
    return set(code[4:]) != {"0"} and mod_97(code[4:] + code[:4]) == 1


_RANGES = (
    (13, "4", "4"), (16, "4", "4"), (19, "4", "4"),
    (16, "51", "55"), (16, "2221", "2720"),
    (15, "34", "34"), (15, "37", "37"),
    (14, "300", "305"), (14, "309", "309"), (14, "36", "36"), (14, "38", "39"),
    (16, "300", "305"), (16, "3095", "3095"), (16, "36", "36"), (16, "38", "39"),
    (16, "6011", "6011"), (16, "644", "649"), (16, "65", "65"), (19, "6011", "6011"),
    (19, "644", "649"), (19, "65", "65"),
    (16, "35", "35"), (19, "3528", "3589"), (15, "1800", "1800"), (15, "2131", "2131"),
    (16, "62", "62"), (17, "62", "62"), (18, "62", "62"), (19, "62", "62"), (16, "81", "81"),
    (16, "2200", "2204"), (19, "2200", "2204"), (16, "9792", "9792"), (16, "60", "60"),
    (16, "5060", "5061"), (19, "5060", "5061"), (16, "507865", "507964"), (16, "6500", "6509"),
    *((length, low, high) for length in range(12, 20)
      for low, high in (("50", "50"), ("56", "59"), ("63", "63"), ("67", "67"))),
)  # fmt: skip
"""Length, first and last prefix of the ranges that networks issue from."""


def in_issued_range(digits: str) -> bool:
    """Whether a network issues cards of this length and prefix."""
    return any(
        len(digits) == length and low <= digits[: len(low)] <= high for length, low, high in _RANGES
    )


def is_card(digits: str, *, carded: bool) -> bool:
    """Whether digits are a payment card: Luhn, and a range that is issued.

    carded: the words around speak of a card; then any range of the payment
    industry (3 to 6, and 2 of Mastercard and Mir) will do, for ranges move.
    """
    if len(set(digits)) == 1 or not luhn(digits):
        return False
    return in_issued_range(digits) or (carded and (digits[0] in "23456" or len(digits) == 15))


def _card_pictures() -> frozenset[str]:
    grouped = (
        "4 4 4 4", "4 4 4 1", "4 4 4 2", "4 4 4 3", "4 6 5", "4 6 4", "4 4 4 4 1", "4 4 4 4 2",
        "4 4 4 4 3", "6 13", "4 5 6", "8 8", "4 7 4", "5 5 5",
    )  # fmt: skip
    found = {"0" * length for length in range(12, 20)}
    for groups, mark in product(grouped, (" ", "-", ".", "/", "_")):
        found.add(mark.join("0" * int(group) for group in groups.split()))
    return frozenset(found)


CARD_PICTURES = _card_pictures()
"""How a card number may be written."""
