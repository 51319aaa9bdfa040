"""Asia, from China to Pakistan: national numbers, each with the rule that its issuer gives it."""

from __future__ import annotations

from manent.scan.pii.checks import (
    born,
    day_and_month,
    mod_11_2,
    patterned,
    verhoeff,
    weighted,
    yymmdd,
)
from manent.scan.pii.national.number import N12, N13, Number

_PROVINCES = frozenset(
    """
    11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63
    64 65 71 81 82 83
    """.split()
)


def ric(code: str) -> bool:
    """China, GB 11643: province, birth, serial, ISO 7064 MOD 11-2."""
    if code[:2] not in _PROVINCES or not code[:17].isdigit() or code[17] not in "0123456789X":
        return False
    return born(code[6:14]) and mod_11_2(code)


_ROC = dict(zip("ABCDEFGHJKLMNPQRSTUVXYWZIO", range(10, 36), strict=True))


def tw_id(code: str) -> bool:
    """Taiwan: letter of the place, sex or residence digit, check."""
    if code[1] not in "1289":
        return False
    place = _ROC[code[0]]
    return (place // 10 + place % 10 * 9 + weighted(code[1:], range(8, 0, -1)) + int(code[9])) % (
        10
    ) == 0


def hkid(code: str) -> bool:
    """Hong Kong: one or two letters, six digits, check modulo 11 (A is ten)."""
    head = code[:-7]
    values = [36] * (2 - len(head)) + [ord(c) - 55 for c in head]
    total = weighted(code[-7:-1], range(7, 1, -1)) + values[0] * 9 + values[1] * 8
    check = -total % 11
    return ("A" if check == 10 else str(check)) == code[-1]


def my_number(code: str) -> bool:
    """Japan: weights 6 to 2 and 7 to 2, eleven minus the remainder."""
    remainder = weighted(code, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return not patterned(code) and (0 if remainder <= 1 else 11 - remainder) == int(code[11])


def rrn(code: str) -> bool:
    """South Korea: birth, sex and century. The check digit ended in October 2020."""
    return code[6] in "12345678" and yymmdd(code[:6]) and code[7:] != "000000"


def rrn_checked(code: str) -> bool:
    """South Korea, with the check digit of numbers given before October 2020."""
    check = -weighted(code, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11 % 10
    return rrn(code) and check == int(code[12])


def nric(code: str) -> bool:
    """Singapore: S, T, F, G, M, seven weighted digits, letter."""
    if code[0] not in "STFGM":
        return False
    total = weighted(code[1:8], (2, 7, 6, 5, 4, 3, 2))
    total += {"S": 0, "T": 4, "F": 0, "G": 4, "M": 3}[code[0]]
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "M": "XWUTRQPNJLK"}
    if code[0] == "M":
        return letters["M"][10 - total % 11] == code[8] or letters["M"][total % 11] == code[8]
    return letters.get(code[0], "XWUTRQPNMLK")[total % 11] == code[8]


def nric_unchecked(code: str) -> bool:
    """Singapore, where the word stands beside it: the last letter may be mistyped."""
    return code[0] in "STFGM" and not patterned(code[1:8])


def mykad(code: str) -> bool:
    """Malaysia: birth, place of birth in use, serial."""
    place = int(code[6:8])
    return yymmdd(code[:6]) and place not in (0, 17, 18, 19, 20, 69, 70, 73, 80, 81, 94, 95, 96, 97)


def th_id(code: str) -> bool:
    """Thailand: thirteen digits, weights 13 to 2, modulo 11."""
    check = (11 - weighted(code[:12], range(13, 1, -1)) % 11) % 10
    return code[0] not in "09" and check == int(code[12]) and not patterned(code[:12])


def nik(code: str) -> bool:
    """Indonesia: region, birth (day plus 40 for women), serial; no check digit."""
    day = int(code[6:8])
    if not day_and_month(day - 40 if day > 40 else day, int(code[8:10])):
        return False
    return 11 <= int(code[:2]) <= 97 and code[12:] != "0000"


def aadhaar(code: str) -> bool:
    """India: twelve digits, not starting with 0 or 1, no palindrome, Verhoeff."""
    return code[0] not in "01" and code != code[::-1] and verhoeff(code)


def pan(code: str) -> bool:
    """India, tax number of a person: the fourth letter is P; no public check."""
    return code[3] == "P" and code[5:9] != "0000"


def cnic(code: str) -> bool:
    """Pakistan: region 1 to 7, family, serial; no check digit."""
    return code[0] in "1234567" and code[5:12] != "0000000" and not patterned(code)


def vn_cccd(code: str) -> bool:
    """Vietnam: province, sex and century, year, serial; no check digit."""
    return code[0] == "0" and 1 <= int(code[:3]) <= 96 and code[6:] != "000000"


NUMBERS = (
    Number(
        "cn-ric", "Chinese resident identity number", "GB 11643-1999", ric,
        ("身份证", "身分证", "公民身份", "证件号", "resident identity"),
        surely=("0" * 18, "0" * 17 + "A"), perhaps=("000000 00000000 0000", "000000 00000000 000A"),
    ),
    Number(
        "tw-id", "Taiwanese national identity number", "Ministry of the Interior, Taiwan",
        tw_id, ("身分證", "身份證", "統一編號", "居留證"), likely=("A000000000",), alone=True,
    ),
    Number(
        "hk-id", "Hong Kong identity card number", "Immigration Department, Hong Kong", hkid,
        ("=HKID", "hkid", "身份證", "身分證", "hong kong", "香港"),
        surely=("A000000(0", "A000000(A", "AA000000(0", "AA000000(A"),
        perhaps=("A0000000", "AA0000000", "A000000A", "A000000-0"),
    ),
    Number(
        "jp-my-number", "Japanese My Number", "Ministerial Ordinance 85 of 2014, Japan",
        my_number, ("マイナンバー", "個人番号", "my number", "mynumber"),
        perhaps=(N12, "0000 0000 0000", "0000-0000-0000"),
    ),
    Number(
        "kr-rrn", "Korean resident registration number", "Resident Registration Act, South Korea",
        rrn,
        ("주민등록번호", "주민번호", "=RRN", "rrn", "외국인등록번호", "주민",
         "resident registration"),
        likely=("000000-0000000",), perhaps=(N13, "000000 0000000"),
    ),
    Number(
        "kr-rrn", "Korean resident registration number", "Resident Registration Act, South Korea",
        rrn_checked, ("주민등록번호", "주민번호"), perhaps=(N13,), alone=True,
    ),
    Number(
        "sg-nric", "Singaporean NRIC or FIN", "ICA, Singapore", nric,
        ("=NRIC", "=FIN", "nric", "singapore"), likely=("A0000000A",), alone=True,
    ),
    Number(
        "sg-nric", "Singaporean NRIC or FIN", "ICA, Singapore", nric_unchecked,
        ("=NRIC", "=FIN", "nric"), perhaps=("A0000000A",), alone=True,
    ),
    Number(
        "my-mykad", "Malaysian MyKad number", "JPN, Malaysia", mykad,
        ("mykad", "=NRIC", "nric", "kad pengenalan", "=IC", "no. kp", "=KP"),
        likely=("000000-00-0000",), perhaps=(N12, "000000 00 0000"),
    ),
    Number(
        "th-id", "Thai identity number", "Department of Provincial Administration, Thailand",
        th_id, ("บัตรประชาชน", "เลขประจำตัว", "thai id", "thai"),
        surely=("0-0000-00000-00-0", "0 0000 00000 00 0"), perhaps=(N13,),
    ),
    Number(
        "id-nik", "Indonesian NIK", "Act 23 of 2006, Indonesia", nik,
        ("=NIK", "nik", "=KTP", "ktp", "kependudukan", "penduduk"), perhaps=("0" * 16,
        "000000 000000 0000"),
    ),
    Number(
        "vn-cccd", "Vietnamese citizen identity number", "Decree 137/2015, Vietnam", vn_cccd,
        ("=CCCD", "cccd", "căn cước", "=CMND"), perhaps=(N12, "000 000 000 000"),
    ),
    Number(
        "in-aadhaar", "Indian Aadhaar number", "UIDAI, India", aadhaar,
        ("aadhaar", "aadhar", "adhaar", "uidai", "आधार", "ಆಧಾರ್", "ஆதார்", "ఆధార్"),
        likely=("0000 0000 0000", "0000-0000-0000", "0000:0000:0000"),
        perhaps=(N12, "0000.0000.0000"), alone=True,
    ),
    Number(
        "in-pan", "Indian PAN", "Income Tax Department, India", pan,
        ("=PAN", "pan card", "permanent account", "पैन"), perhaps=("AAAAA0000A",),
    ),
    Number(
        "pk-cnic", "Pakistani CNIC", "NADRA, Pakistan", cnic,
        ("=CNIC", "cnic", "nadra", "شناختی"), likely=("00000-0000000-0",), perhaps=(N13,),
    ),
)  # fmt: skip
"""Asia, from China to Pakistan."""
