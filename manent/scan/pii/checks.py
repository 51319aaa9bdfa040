"""Check digits, in pure functions of a string of digits.

Each takes the canonical form (digits, or digits and upper-case letters, no
separators) and says whether its check holds. Sources are the standards named
in each docstring; tests hold them against python-stdnum.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

_VERHOEFF_PRODUCT = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_VERHOEFF_ORDER = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)
_LUHN_DOUBLE = str.maketrans("0123456789", "0246813579")


def luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn check (ISO/IEC 7812-1, annex B)."""
    single, double = digits[-1::-2], digits[-2::-2].translate(_LUHN_DOUBLE)
    return (sum(single.encode()) + sum(double.encode()) - 48 * len(digits)) % 10 == 0


def weighted(digits: str, weights: Sequence[int]) -> int:
    """Return the sum of each digit times its weight; the shorter of the two ends it."""
    return sum(map(mul, map(int, digits), weights))


def mod_97(text: str) -> int:
    """Return ISO/IEC 7064 MOD 97-10 of digits and upper-case letters (A is 10)."""
    return int("".join(str(int(c, 36)) for c in text)) % 97


def mod_11_10(digits: str) -> bool:
    """Whether the last digit is the ISO/IEC 7064 MOD 11,10 check."""
    check = 5
    for digit in digits[:-1]:
        check = ((check or 10) * 2 % 11 + int(digit)) % 10
    return ((check or 10) * 2 % 11 + int(digits[-1])) % 10 == 1


def mod_11_2(text: str) -> bool:
    """Whether the last character (X is ten) is the ISO/IEC 7064 MOD 11-2 check."""
    total = 0
    for digit in text[:-1]:
        total = (total + int(digit)) * 2 % 11
    return (total + (10 if text[-1] == "X" else int(text[-1]))) % 11 == 1


def verhoeff(digits: str) -> bool:
    """Whether the last digit is the Verhoeff check (J. Verhoeff, 1969)."""
    check = 0
    for index, digit in enumerate(reversed(digits)):
        turned = _VERHOEFF_ORDER[index % 8][int(digit)]
        check = int(_VERHOEFF_PRODUCT[check][int(turned)])
    return check == 0


def ean(digits: str) -> bool:
    """Whether the last digit is the EAN-13 check (GS1 general specifications)."""
    body = reversed(digits[:-1])
    total = sum(int(digit) * (1 if index % 2 else 3) for index, digit in enumerate(body))
    return (total + int(digits[-1])) % 10 == 0


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_and_month(day: int, month: int) -> bool:
    """Whether some year has this day (29 February counts)."""
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]


def yymmdd(digits: str) -> bool:
    """Whether six digits read as a year, a month and a day."""
    return day_and_month(int(digits[4:6]), int(digits[2:4]))


def ddmmyy(digits: str) -> bool:
    """Whether six digits read as a day, a month and a year."""
    return day_and_month(int(digits[:2]), int(digits[2:4]))


def born(digits: str) -> bool:
    """Whether eight digits read as a day somebody alive may be born on (1870 to 2049)."""
    return 1870 <= int(digits[:4]) <= 2049 and yymmdd(digits[2:])


def patterned(digits: str) -> bool:
    """Whether digits are a placeholder: one digit throughout, or a plain count."""
    return len(set(digits)) == 1 or digits in "012345678901234567890"
