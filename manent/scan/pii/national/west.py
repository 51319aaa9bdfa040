"""Western and southern Europe: national numbers, each with the rule that its issuer gives it."""

from __future__ import annotations

from itertools import product

from manent import late
from manent.scan.pii.checks import (
    born,
    day_and_month,
    ddmmyy,
    ean,
    luhn,
    mod_11_10,
    patterned,
    verhoeff,
    weighted,
)
from manent.scan.pii.national.number import N9, N10, N11, N13, Number

_OMOCODE = str.maketrans("LMNPQRSTUV", "0123456789")
_CODE_DIGITS = (6, 7, 9, 10, 12, 13, 14)
_CODE_MONTHS = "ABCDEHLMPRST"
_CODE_NAME = late.pattern(r"(?=[A-Z]{3})[B-DF-HJ-NP-TV-Z]*[AEIOU]*X*\Z")
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
    return code[0] != "0" and counts[-1] in (2, 3) and counts[-2] == 1 and mod_11_10(code)


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


_NINO = late.pattern(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]\Z")


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


def _code_pictures() -> tuple[str, ...]:
    """Every way a codice fiscale looks when omocodia turns some digits into letters."""
    found = []
    for turn in product("0A", repeat=7):
        a, b, c, d, e, f, g = turn
        found.append(f"AAAAAA{a}{b}A{c}{d}A{e}{f}{g}A")
        found.append(f"AAA AAA {a}{b}A{c}{d} A{e}{f}{g}A")
        found.append(f"AAA-AAA-{a}{b}A{c}{d}-A{e}{f}{g}A")
        found.append(f"AAAAAA {a}{b}A{c}{d} A{e}{f}{g}A")
    return tuple(found)


NUMBERS = (
    Number(
        "it-codice-fiscale", "Italian codice fiscale", "Decree of 23 December 1976, Italy",
        codice_fiscale, ("codice fiscale", "=CF", "c.f.", "=cf"), surely=_code_pictures(),
    ),
    Number(
        "es-dni", "Spanish DNI", "Real Decree 1553/2005, Spain", dni,
        ("=DNI", "=NIF", "dni", "nif", "documento nacional", "d.n.i."),
        likely=("00000000A", "00000000-A", "00.000.000-A", "00.000.000A"),
        perhaps=("00000000 A", "00 000 000 A", "00.000.000 A", "0000000A", "0000000-A"),
        alone=True,
    ),
    Number(
        "es-nie", "Spanish NIE", "Instituto Nacional de Estadística, Spain", nie,
        ("=NIE", "nie", "extranjero", "n.i.e."),
        likely=("A0000000A", "A0000000-A", "A-0000000-A", "A-0000000A"),
        perhaps=("A 0000000 A",), alone=True,
    ),
    Number(
        "pt-nif", "Portuguese NIF", "Decree-Law 14/2013, Portugal", pt_nif,
        ("=NIF", "nif*", "contribuinte", "número fiscal", "finanças"), perhaps=(N9,
        "000 000 000"),
    ),
    Number(
        "fr-nir", "French social security number", "INSEE, France", nir,
        ("sécurité sociale", "sécu", "=NIR", "nir", "insee", "vitale", "assuré"),
        surely=("0 00 00 00 000 000 00", "0 00 00 0A 000 000 00", "000000A00000000"),
        likely=("0" * 15, "0" * 13 + " 00", "0" * 13 + "-00",
                "0 00 00 00 000 000-00", "0-00-00-00-000-000-00"),
    ),
    Number(
        "de-steuer-id", "German tax identification number", "Bundeszentralamt für Steuern",
        steuer_id,
        ("steuer*", "idnr", "id-nr", "steuer-id", "tin",
         "lohnsteuer*", "finanzamt", "steuerliche"),
        likely=("00 000 000 000",), perhaps=(N11, "00-000-000-000", "000 000 00 000"),
    ),
    Number(
        "de-rvnr", "German pension insurance number", "VKVV, Germany", sozialversicherung,
        ("sozialversicherung*", "rentenversicherung*", "rvnr", "=RV", "=SV", "sv-nummer",
         "versicherungsnummer", "sozialversicherungsnummer", "sozialversicherungsausweis"),
        surely=("00 000000 A 000",), likely=("00000000A000",), perhaps=("00 000000A000",),
    ),
    Number(
        "at-svnr", "Austrian social insurance number",
        "Dachverband der Sozialversicherungsträger",
        at_svnr,
        ("svnr", "sv-nr", "=SV", "sozialversicherung*", "sozialversicherungsnummer",
         "versicherungsnummer", "e-card"),
        perhaps=(N10, "0000 000000", "0000-000000", "0000 00 00 00"),
    ),
    Number(
        "ch-ahv", "Swiss AHV number", "Zentrale Ausgleichsstelle, Switzerland", ahv,
        ("=AHV", "=AVS", "ahv", "avs"), surely=("000.0000.0000.00",),
        likely=("000 0000 0000 00",), perhaps=(N13, "000-0000-0000-00"),
    ),
    Number(
        "nl-bsn", "Dutch BSN", "Logisch ontwerp BSN, Netherlands", bsn,
        ("=BSN", "bsn", "burgerservicenummer", "sofinummer", "sofi-nummer", "burger service"),
        perhaps=(N9, "0000.00.000", "000.000.000", "000 000 000", "0000 00 000", "00000000"),
    ),
    Number(
        "be-nn", "Belgian national number", "Rijksregister, Belgium", be_nn,
        ("rijksregister*", "registre national", "=NISS", "=INSZ", "niss", "insz", "=NN", "rrn",
         "rijksregisternummer", "nationaal nummer", "numéro national"),
        surely=("00.00.00-000.00",), likely=("00.00.00.000.00", "00 00 00 000 00"),
        perhaps=(N11, "000000-000-00", "00.00.00 000.00", "000000 000 00", "000000-00000"),
    ),
    Number(
        "lu-matricule", "Luxembourg matricule", "CCSS, Luxembourg", lu_matricule,
        ("matricule", "ccss", "sécurité sociale"),
        likely=(N13, "0000 0000 00000", "0000 00 00 00000", "00000000 00000"),
    ),
    Number(
        "uk-nino", "UK National Insurance number", "HMRC manual NIM39110", nino,
        ("national insurance", "nino", "=NI", "ni no", "ni number", "n.i."),
        likely=("AA 00 00 00 A", "AA000000A", "AA 000000 A", "AA-00-00-00-A", "AA000000 A",
                "AA 00 00 00A"),
    ),
    Number(
        "uk-nhs", "UK NHS number", "NHS Data Dictionary", nhs,
        ("nhs", "=NHS", "patient"), perhaps=(N10, "000 000 0000", "000-000-0000"),
    ),
    Number(
        "ie-pps", "Irish PPS number", "Department of Social Protection, Ireland", pps,
        ("=PPS", "=PPSN", "pps", "ppsn", "personal public service"),
        perhaps=("0000000A", "0000000AA", "0000000 A", "0000000 AA"), alone=True,
    ),
)  # fmt: skip
"""Western and southern Europe."""
