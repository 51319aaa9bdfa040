"""The Near East, Africa, Oceania: national numbers, each with its issuer's rule."""

from __future__ import annotations

from manent.scan.pii.checks import luhn, patterned, weighted, yymmdd
from manent.scan.pii.national.number import N9, N10, N13, Number


def il_id(code: str) -> bool:
    """Israel: nine digits, Luhn."""
    return not patterned(code) and int(code) > 99_999 and luhn(code)


def emirates_id(code: str) -> bool:
    """United Arab Emirates: 784, year of birth, serial, Luhn."""
    return code.startswith("784") and 1900 <= int(code[3:7]) <= 2049 and luhn(code)


def sa_id(code: str) -> bool:
    """Saudi Arabia: 1 for citizens, 2 for residents, Luhn."""
    return code[0] in "12" and luhn(code)


def eg_id(code: str) -> bool:
    """Egypt: century, birth, governorate, serial, sex, check."""
    return code[0] in "23" and yymmdd(code[1:7]) and 1 <= int(code[7:9]) <= 88


def za_id(code: str) -> bool:
    """South Africa: birth, sex, citizenship 0 to 2, Luhn."""
    return yymmdd(code[:6]) and code[10] in "012" and luhn(code)


def tfn(code: str) -> bool:
    """Australia, tax file number: weights modulo 11."""
    return not patterned(code) and weighted(code, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def medicare(code: str) -> bool:
    """Australia, Medicare card: 2 to 6 in front, weights modulo 10, issue number."""
    return code[0] in "23456" and weighted(code, (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(code[8])


def ird(code: str) -> bool:
    """New Zealand, tax: two rounds of weights modulo 11."""
    code = code.zfill(9)
    if not 10_000_000 < int(code) < 150_000_000:
        return False
    check = -weighted(code, (3, 2, 7, 6, 5, 4, 3, 2)) % 11
    if check == 10:
        check = -weighted(code, (7, 4, 3, 2, 5, 2, 7, 6)) % 11
    return check == int(code[8])


NUMBERS = (
    Number(
        "il-id", "Israeli identity number", "Population Authority, Israel", il_id,
        ("תעודת זהות", "ת.ז", "ת״ז", "ת\"ז", "מספר זהות", "teudat zehut", "israeli id"),
        perhaps=(N9, "00000000-0", "0 0000000 0"),
    ),
    Number(
        "ae-emirates-id", "Emirates ID", "ICP, United Arab Emirates", emirates_id,
        ("emirates id", "الهوية", "=EID"), surely=("000-0000-0000000-0",),
        perhaps=("0" * 15, "000 0000 0000000 0"),
    ),
    Number(
        "sa-id", "Saudi identity number", "Absher, Saudi Arabia", sa_id,
        ("هوية", "الهوية", "إقامة", "الإقامة", "iqama", "saudi"), perhaps=(N10,),
    ),
    Number(
        "eg-id", "Egyptian national number", "Civil Status, Egypt", eg_id,
        ("الرقم القومي", "رقم قومي", "بطاقة", "egyptian"), perhaps=("0" * 14,),
    ),
    Number(
        "za-id", "South African identity number", "Identification Act 68 of 1997", za_id,
        ("south african", "=SA", "=RSA", "said", "sa id", "identiteitsnommer", "id-nommer",
        "id nommer",
         "=ID"),
        perhaps=(N13, "000000 0000 000", "000000 0000 00 0", "000000-0000-000"), alone=True,
    ),
    Number(
        "au-tfn", "Australian tax file number", "Australian Taxation Office", tfn,
        ("=TFN", "tfn", "tax file"), perhaps=("000 000 000", N9, "000-000-000"), alone=True,
    ),
    Number(
        "au-medicare", "Australian Medicare number", "Services Australia", medicare,
        ("medicare",), perhaps=("0000 00000 0", N10, "0000 00000 0-0", "0000-00000-0"),
    ),
    Number(
        "nz-ird", "New Zealand IRD number", "Inland Revenue, New Zealand", ird,
        ("=IRD", "ird", "inland revenue"), perhaps=("000-000-000", "00-000-000", N9, "00000000",
                                                  "000 000 000", "00 000 000"),
    ),
)  # fmt: skip
"""The Near East, Africa, Australia and New Zealand."""
