"""The rules of national numbers, one function a number: does this hold together?

Each takes the canonical form (upper case, no separators) that a picture in
``registry`` let through, and checks what the issuer's grammar fixes: check
digits, dates of birth, ranges never issued. Sources are in ``registry``.
"""

from __future__ import annotations

import re

from manent.scan.pii.checks import (
    born,
    day_and_month,
    ddmmyy,
    ean,
    luhn,
    mod_11_2,
    mod_11_10,
    mod_97,
    patterned,
    verhoeff,
    weighted,
    yymmdd,
)

# Italy

_OMOCODE = str.maketrans("LMNPQRSTUV", "0123456789")
_CODE_DIGITS = (6, 7, 9, 10, 12, 13, 14)
_CODE_MONTHS = "ABCDEHLMPRST"
_CODE_NAME = re.compile(r"(?=[A-Z]{3})[B-DF-HJ-NP-TV-Z]*[AEIOU]*X*\Z")
_ODD_DIGITS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_ODD_REST = (2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_CODE_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (*_ODD_DIGITS, *_ODD_DIGITS, *_ODD_REST),
        strict=True,
    )
)


def codice_fiscale(code: str) -> bool:
    """Decree of 23 December 1976: names, birth, place, check letter; omocodes included.

    A name is its consonants in order, then its vowels, then X; where two people
    share a code, digits turn into the letters LMNPQRSTUV.
    """
    place = list(code)
    for index in _CODE_DIGITS:
        place[index] = code[index].translate(_OMOCODE)
        if not place[index].isdigit():
            return False
    plain = "".join(place)
    day, month = int(plain[9:11]), _CODE_MONTHS.find(code[8]) + 1
    if not (day_and_month(day, month) or day_and_month(day - 40, month)):
        return False
    if code[11] not in "ABCDEFGHILMZ" or plain[12:15] == "000":
        return False
    if not (_CODE_NAME.match(code[:3]) and _CODE_NAME.match(code[3:6])):
        return False
    return _code_check(code) == code[15]


def _code_check(code: str) -> str:
    total = sum(_CODE_ODD[c] for c in code[0:15:2])
    total += sum(int(c) if c.isdigit() else ord(c) - 65 for c in code[1:15:2])
    return chr(65 + total % 26)


# Spain, Portugal, France, Germany, Austria, Switzerland

_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"


def dni(code: str) -> bool:
    """Real Decree 1553/2005: the letter is the number modulo 23."""
    return code[:-1] != "0" * (len(code) - 1) and _DNI[int(code[:-1]) % 23] == code[-1]


def nie(code: str) -> bool:
    """Foreigners in Spain: X, Y, Z stand for 0, 1, 2, then as a DNI."""
    return code[0] in "XYZ" and _DNI[int(str("XYZ".index(code[0])) + code[1:-1]) % 23] == code[-1]


def pt_nif(code: str) -> bool:
    """Decree-Law 14/2013: people's numbers start with 1, 2, 3 or 45; weights 9 to 2."""
    if code[0] not in "123" and code[:2] != "45":
        return False
    check = -weighted(code[:8], range(9, 1, -1)) % 11 % 10
    return not patterned(code) and check == int(code[8])


def nir(code: str) -> bool:
    """INSEE: sex, year, month, place, order, and a key modulo 97 (2A is 19, 2B is 18)."""
    month = code[3:5]
    if code[0] not in "12" or not month.isdigit():
        return False
    if not (1 <= int(month) <= 12 or 20 <= int(month) <= 42 or int(month) >= 50):
        return False
    if "A" in code or "B" in code:
        if code[5:7] not in ("2A", "2B"):
            return False
        code = code.replace("2A", "19", 1) if code[6] == "A" else code.replace("2B", "18", 1)
    if not code.isdigit() or code[7:10] == "000" or code[10:13] == "000":
        return False
    return 97 - int(code[:13]) % 97 == int(code[13:])


def steuer_id(code: str) -> bool:
    """BZSt: eleven digits, one of the first ten twice or thrice, ISO 7064 MOD 11,10."""
    body = code[:10]
    counts = sorted(body.count(digit) for digit in set(body))
    return code[0] != "0" and counts[-1] in (2, 3) and counts[-2:] != [2, 2] and mod_11_10(code)


def sozialversicherung(code: str) -> bool:
    """VKVV section 4: area, birth, initial of the name, serial, check digit."""
    if not ddmmyy(code[2:8]) or not 2 <= int(code[:2]) <= 89:
        return False
    letter = f"{ord(code[8]) - 64:02d}"
    digits = code[:8] + letter + code[9:11]
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    total = sum(sum(divmod(int(d) * w, 10)) for d, w in zip(digits, weights, strict=True))
    return total % 10 == int(code[11])


def at_svnr(code: str) -> bool:
    """Austria: serial and check digit, then the day of birth (months 13 to 15 on overflow)."""
    if code[0] == "0" or not (ddmmyy(code[4:]) or 13 <= int(code[6:8]) <= 15):
        return False
    return weighted(code, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(code[3])


def ahv(code: str) -> bool:
    """Switzerland: 756, nine digits, EAN-13 check; specimens in public documents are out."""
    if code in ("7561234567897", "7569217076985", "7563026070592"):
        return False
    return code.startswith("756") and code[3:12] != "0" * 9 and ean(code)


# The Low Countries, the islands, the north


def bsn(code: str) -> bool:
    """Netherlands: weights 9 to 2 and minus 1, modulo 11; a leading zero may be left out."""
    code = code.zfill(9)
    total = weighted(code[:8], range(9, 1, -1)) - int(code[8])
    return total % 11 == 0 and not patterned(code) and int(code) > 9_999_999


def be_nn(code: str) -> bool:
    """Belgium: birth, serial, 97 minus the rest; a 2 in front for those born from 2000."""
    month = int(code[2:4]) % 20
    if int(code[4:6]) > 31 or month > 12 or code[6:9] == "000":
        return False
    check = int(code[9:])
    return check in (97 - int(code[:9]) % 97, 97 - int("2" + code[:9]) % 97)


def lu_matricule(code: str) -> bool:
    """Luxembourg: birth, serial, a Luhn and a Verhoeff digit."""
    return born(code[:8]) and luhn(code[:12]) and verhoeff(code[:11] + code[12])


_NINO = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]\Z")


def nino(code: str) -> bool:
    """HMRC NIM39110: prefixes never issued are out; the suffix is A to D."""
    return _NINO.match(code) is not None and code[2:8] != "000000" and code[2:8] != "123456"


def nhs(code: str) -> bool:
    """NHS Data Dictionary: weights 10 to 2, eleven minus the remainder."""
    check = -weighted(code[:9], range(10, 1, -1)) % 11
    return not patterned(code) and check == int(code[9])


def pps(code: str) -> bool:
    """Ireland: weights 8 to 2, a second letter weighs 9, modulo 23."""
    if code[8:] and code[8] not in "ABCDEFGHIW":
        return False
    total = weighted(code[:7], range(8, 1, -1))
    total += 9 * (ord(code[8]) - 64) if code[8:] and code[8] != "W" else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[total % 23] == code[7] and code[:7] != "0000000"


def personnummer(code: str) -> bool:
    """Sweden: birth (day plus 60 for coordination numbers), serial, Luhn over ten digits."""
    ten = code[-10:]
    day = int(ten[4:6])
    if not (day_and_month(day, int(ten[2:4])) or day_and_month(day - 60, int(ten[2:4]))):
        return False
    if len(code) == 12 and not 1870 <= int(code[:4]) <= 2049:
        return False
    return ten[6:9] != "000" and luhn(ten)


def fodselsnummer(code: str) -> bool:
    """Norway: birth (D numbers add 40 to the day, H numbers to the month), two checks."""
    day, month = int(code[:2]), int(code[2:4])
    if not day_and_month(day - 40 if day > 40 else day, month - 40 if month > 40 else month):
        return False
    return (
        weighted(code, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11 == 0
        and weighted(code, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0
    )


def cpr(code: str) -> bool:
    """Denmark: birth and serial. The check modulo 11 ended in 2007, so only the date counts."""
    return ddmmyy(code[:6]) and code[6:] != "0000"


_HETU = "0123456789ABCDEFHJKLMNPRSTUVWXY"


def hetu(code: str) -> bool:
    """Finland: birth, serial from 002, check character modulo 31.

    The century sign is a separator or a letter and falls out of the canonical form.
    """
    digits = code[:6] + code[-4:-1]
    return ddmmyy(code[:6]) and int(code[-4:-1]) >= 2 and _HETU[int(digits) % 31] == code[-1]


def hetu_lettered(code: str) -> bool:
    """Finland, with a letter for the century (since 2023 there are ten)."""
    return code[6] in "ABCDEFUVWXY" and hetu(code)


def kennitala(code: str) -> bool:
    """Iceland: birth (day plus 40 for companies), two random digits, check, century."""
    day = int(code[:2])
    if not day_and_month(day - 40 if day > 40 else day, int(code[2:4])) or code[9] not in "890":
        return False
    return weighted(code, (3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


# The Baltic, Poland, the Czech lands, the Danube, the Balkans


def isikukood(code: str) -> bool:
    """Estonia and Lithuania: sex and century, birth, serial, two rounds of weights."""
    if code[0] not in "123456" or not yymmdd(code[1:7]):
        return False
    check = weighted(code, (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    if check == 10:
        check = weighted(code, (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
    return check == int(code[10])


def lv_code(code: str) -> bool:
    """Latvia: birth and century with a check; numbers from 2017 start with 32 to 39."""
    if code[0] == "3" and code[1] >= "2":
        return True
    check = (1 + weighted(code, (10, 5, 8, 4, 2, 1, 6, 3, 7, 9))) % 11 % 10
    return ddmmyy(code[:6]) and code[6] in "012" and check == int(code[10])


def pesel(code: str) -> bool:
    """Poland: birth (months plus 20 a century), serial, weights 1 3 7 9."""
    if not day_and_month(int(code[4:6]), int(code[2:4]) % 20):
        return False
    return weighted(code, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def rodne_cislo(code: str) -> bool:
    """Czechia and Slovakia: birth (months plus 50 for women, 20 on overflow), modulo 11."""
    month = int(code[2:4]) % 50
    if not day_and_month(int(code[4:6]), month - 20 if month > 20 else month):
        return False
    if len(code) == 9:
        return int(code[:2]) < 54 and code[6:] != "000"
    return int(code) % 11 == 0 or (int(code[:9]) % 11 == 10 and code[9] == "0")


def cnp(code: str) -> bool:
    """Romania: sex and century, birth, county, serial, check."""
    if code[0] == "0" or not yymmdd(code[1:7]):
        return False
    county = int(code[7:9])
    if not (1 <= county <= 48 or county in (51, 52, 70) or 80 <= county <= 83):
        return False
    return weighted(code, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11 % 10 == int(code[12])


def egn(code: str) -> bool:
    """Bulgaria: birth (months plus 20 or 40 by century), check."""
    month = int(code[2:4])
    if not day_and_month(int(code[4:6]), month % 20 if month < 53 else 0):
        return False
    return weighted(code, (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10 == int(code[9])


def oib(code: str) -> bool:
    """Croatia: ten digits and ISO 7064 MOD 11,10."""
    return not patterned(code) and mod_11_10(code)


def jmbg(code: str) -> bool:
    """The states of former Yugoslavia: birth with three digits of the year, region, check."""
    if not ddmmyy(code[:4] + "00") or code[4] not in "890":
        return False
    check = -weighted(code, (7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return check == int(code[12])


def taj(code: str) -> bool:
    """Hungary, health insurance: weights 3 and 7 in turn, modulo 10."""
    return not patterned(code) and weighted(code, (3, 7) * 4) % 10 == int(code[8])


def adoazonosito(code: str) -> bool:
    """Hungary, tax: 8, days since 1867, serial, weights 1 to 9 modulo 11."""
    return code[0] == "8" and weighted(code, range(1, 10)) % 11 == int(code[9])


def afm(code: str) -> bool:
    """Greece, tax: powers of two, modulo 11 modulo 10."""
    total = sum(int(digit) << (8 - index) for index, digit in enumerate(code[:8]))
    return not patterned(code) and total % 11 % 10 == int(code[8])


def amka(code: str) -> bool:
    """Greece, social insurance: birth and Luhn."""
    return ddmmyy(code[:6]) and luhn(code)


def tckn(code: str) -> bool:
    """Turkey: no leading zero, two check digits."""
    odd = sum(int(c) for c in code[0:9:2])
    even = sum(int(c) for c in code[1:8:2])
    if code[0] == "0" or (odd * 7 - even) % 10 != int(code[9]):
        return False
    return sum(int(c) for c in code[:10]) % 10 == int(code[10])


def cy_tic(code: str) -> bool:
    """Cyprus, tax: eight digits, odd places recoded, letter modulo 26."""
    recoded = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
    total = sum(recoded[int(c)] for c in code[0:8:2]) + sum(int(c) for c in code[1:8:2])
    return chr(65 + total % 26) == code[8] and code[:2] != "12"


# Russia and neighbours


def snils(code: str) -> bool:
    """Russia, pension fund: weights 9 to 1, modulo 101."""
    total = weighted(code[:9], range(9, 0, -1)) % 101 % 100
    return code[:9] != "0" * 9 and total == int(code[9:])


def inn(code: str) -> bool:
    """Russia, tax number of a person: two check digits."""
    first = weighted(code, (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    second = weighted(code, (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    return not patterned(code) and (first, second) == (int(code[10]), int(code[11]))


def rnokpp(code: str) -> bool:
    """Ukraine, tax: days since 1899, serial, weights."""
    total = weighted(code, (-1, 5, 7, 9, 4, 6, 10, 5, 7)) % 11 % 10
    return not patterned(code) and total == int(code[9])


def iin(code: str) -> bool:
    """Kazakhstan: birth, sex and century, two rounds of weights."""
    if not yymmdd(code[:6]) or code[6] not in "123456":
        return False
    check = weighted(code, range(1, 12)) % 11
    if check == 10:
        check = weighted(code, (3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2)) % 11
    return check == int(code[11])


# The Americas


def ssn(code: str) -> bool:
    """SSA: no area 000, 666 or 9xx, no group 00, no serial 0000; published samples are out."""
    if code[:3] in ("000", "666") or code[0] == "9" or code[3:5] == "00" or code[5:] == "0000":
        return False
    published = ("078051120", "219099999", "123456789", "457555462")
    return code not in published and not patterned(code)


def itin(code: str) -> bool:
    """IRS: 9xx and a group from 50 to 65, 70 to 88, 90 to 92 or 94 to 99."""
    group = int(code[3:5])
    return code[0] == "9" and (
        50 <= group <= 65 or 70 <= group <= 88 or 90 <= group <= 92 or group >= 94
    )


def sin(code: str) -> bool:
    """Canada: Luhn, never starting with 0 or 8."""
    return code[0] not in "08" and not patterned(code) and luhn(code)


_CURP = re.compile(
    r"[A-Z][AEIOUX][A-Z]{2}(\d{6})[HMX]"
    r"(?:AS|B[CS]|C[CLHMS]|D[FG]|G[TR]|HG|JC|M[CNS]|N[ETL]|OC|PL|Q[TR]|S[PLR]|T[CSL]|VZ|YN|ZS)"
    r"[B-DF-HJ-NP-TV-ZX]{3}[0-9A-Z]\d\Z"
)
_CURP_LETTERS = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"


def curp(code: str) -> bool:
    """Mexico: names, birth, sex, state, inner consonants, check digit."""
    match = _CURP.match(code)
    if not match or not yymmdd(match[1]):
        return False
    total = sum(_CURP_LETTERS.index(c) * (18 - i) for i, c in enumerate(code[:17]))
    return -total % 10 == int(code[17])


def rfc(code: str) -> bool:
    """Mexico, tax number of a person: names, birth, check character modulo 11."""
    if not yymmdd(code[4:10]):
        return False
    letters = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ"
    total = sum(letters.index(c) * (13 - i) for i, c in enumerate(code[:12]))
    check = -total % 11
    return ("A" if check == 10 else str(check)) == code[12]


def cpf(code: str) -> bool:
    """Brazil: two check digits modulo 11."""
    if patterned(code):
        return False
    first = weighted(code, range(10, 1, -1)) * 10 % 11 % 10
    second = weighted(code[:10], range(11, 1, -1)) * 10 % 11 % 10
    return (first, second) == (int(code[9]), int(code[10]))


def cuil(code: str) -> bool:
    """Argentina: a person's prefix, the DNI, check modulo 11."""
    if code[:2] not in ("20", "23", "24", "25", "26", "27"):
        return False
    check = -weighted(code, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return check == int(code[10])


def rut(code: str) -> bool:
    """Chile: weights 2 to 7 from the right, eleven minus the remainder, K is ten."""
    total = sum(int(c) * (2 + i % 6) for i, c in enumerate(reversed(code[:-1])))
    check = "0K987654321"[total % 11]
    return check == code[-1] and int(code[:-1]) >= 1_000_000 and not patterned(code[:-1])


def ci_uy(code: str) -> bool:
    """Uruguay: weights 2 9 8 7 6 3 4, modulo 10."""
    return not patterned(code) and -weighted(code, (2, 9, 8, 7, 6, 3, 4)) % 10 == int(code[7])


def ci_ec(code: str) -> bool:
    """Ecuador: province 01 to 24 or 30, third digit under 6, Luhn."""
    return (1 <= int(code[:2]) <= 24 or code[:2] == "30") and code[2] < "6" and luhn(code)


def cedula_do(code: str) -> bool:
    """Dominican Republic: eleven digits, Luhn."""
    return not patterned(code) and luhn(code)


# Asia, Africa, Oceania

_PROVINCES = frozenset(
    """
    11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63
    64 65 71 81 82 83
    """.split()  # noqa: SIM905 (a list of words reads best as text)
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


def mykad(code: str) -> bool:
    """Malaysia: birth, place of birth in use, serial."""
    place = int(code[6:8])
    return yymmdd(code[:6]) and place not in (0, 17, 18, 19, 20, 69, 70, 73, 80, 81, 94, 95, 96, 97)


def th_id(code: str) -> bool:
    """Thailand: thirteen digits, weights 13 to 2, modulo 11."""
    check = -weighted(code[:12], range(13, 1, -1)) % 11 % 10
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


def vn_cccd(code: str) -> bool:
    """Vietnam: province, sex and century, year, serial; no check digit."""
    return code[0] == "0" and 1 <= int(code[:3]) <= 96 and code[6:] != "000000"


def always(code: str) -> bool:
    """For numbers without a check: only a placeholder is refused."""
    return not patterned("".join(c for c in code if c.isdigit()))


def iban_check(code: str) -> bool:
    """ISO 13616: the country and check digits moved to the end, modulo 97 is one."""
    return mod_97(code[4:] + code[:4]) == 1
