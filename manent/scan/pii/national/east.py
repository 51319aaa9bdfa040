"""Central and eastern Europe, Turkey, Russia: national numbers, each with its issuer's rule."""

from __future__ import annotations

from manent.scan.pii.checks import (
    day_and_month,
    ddmmyy,
    luhn,
    mod_11_10,
    patterned,
    weighted,
    yymmdd,
)
from manent.scan.pii.national.number import N9, N10, N11, N12, N13, Number, always


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
    check = weighted(code, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return (1 if check == 10 else check) == int(code[12])


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
    check = -weighted(code, (7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11 % 10
    return check == int(code[12])


def taj(code: str) -> bool:
    """Hungary, health insurance: weights 3 and 7 in turn, modulo 10."""
    return not patterned(code) and weighted(code, (3, 7) * 4) % 10 == int(code[8])


def szemelyi(code: str) -> bool:
    """Hungary, personal: sex and century, birth, serial; weights turned round in 1997."""
    if code[0] not in "12345678" or not yymmdd(code[1:7]):
        return False
    check = int(code[10])
    return check in (
        weighted(code[:10], range(1, 11)) % 11,
        weighted(code[:10], range(10, 0, -1)) % 11,
    )


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


NUMBERS = (
    Number(
        "pl-pesel", "Polish PESEL", "Act of 24 September 2010, Poland", pesel,
        ("=PESEL", "pesel", "numer ewidencyjny"), perhaps=(N11, "000000 00000", "000000-00000"),
        alone=True,
    ),
    Number(
        "cz-rodne-cislo", "Czech or Slovak birth number", "Act 133/2000, Czechia",
        rodne_cislo,
        ("rodné číslo", "rodného čísla", "=RČ", "rč", "r.č.", "rodne cislo", "birth number",
        "r. č."),
        likely=("000000/0000",), perhaps=("000000/000", N10, "000000 0000"),
    ),
    Number(
        "ro-cnp", "Romanian CNP", "Law 105/1996, Romania", cnp,
        ("=CNP", "cnp", "cod numeric personal"), perhaps=(N13,), alone=True,
    ),
    Number(
        "bg-egn", "Bulgarian EGN", "ГРАО, Bulgaria", egn,
        ("егн", "=EGN", "egn", "единен граждански номер", "единния граждански"), perhaps=(N10,),
    ),
    Number(
        "hr-oib", "Croatian OIB", "Act on the personal identification number, Croatia", oib,
        ("=OIB", "oib", "osobni identifikacijski"), perhaps=(N11,),
    ),
    Number(
        "yu-jmbg", "JMBG or EMŠO", "Official Gazette of the SFRY 58/1976", jmbg,
        ("=JMBG", "jmbg", "emšo", "=EMŠO", "emso", "матични број", "јмбг", "матичен број", "ембг",
         "embg", "matični broj"),
        perhaps=(N13,), alone=True,
    ),
    Number(
        "hu-taj", "Hungarian TAJ number", "Act XX of 1996, Hungary", taj,
        ("=TAJ", "taj szám", "taj-szám", "tajszám", "taj"), perhaps=(N9, "000 000 000",
        "000-000-000"),
    ),
    Number(
        "hu-szemelyi", "Hungarian personal identification number", "Act XX of 1996, Hungary",
        szemelyi, ("személyi", "személyi szám", "személyi azonosító", "személyazonosító"),
        likely=("0-000000-0000",), perhaps=(N11, "0 000000 0000"),
    ),
    Number(
        "hu-tax", "Hungarian tax number", "Act XX of 1996, Hungary", adoazonosito,
        ("adóazonosító", "adóazonosító jel", "adószám"), perhaps=(N10, "0000 000 000"),
    ),
    Number(
        "gr-afm", "Greek tax number", "AADE, Greece", afm,
        ("αφμ", "α.φ.μ.", "=AFM", "afm"), perhaps=(N9,),
    ),
    Number(
        "gr-amka", "Greek social insurance number", "ΗΔΙΚΑ, Greece", amka,
        ("αμκα", "α.μ.κ.α.", "=AMKA", "amka"), perhaps=(N11,),
    ),
    Number(
        "cy-tic", "Cypriot tax number", "Tax Department, Cyprus", cy_tic,
        ("=TIC", "tax identification code", "φορολογικής ταυτότητας", "αφτ"),
        perhaps=("00000000A", ),
    ),
    Number(
        "mt-id", "Maltese identity card number", "Identità, Malta", always,
        ("karta tal-identità", "maltese", "malta id", "karta ta' l-identità"),
        perhaps=("0000000A", "000000A", "00000A"),
    ),
    Number(
        "tr-tckn", "Turkish identity number", "NVİ, Turkey", tckn,
        ("kimlik*", "tckn", "=TCKN", "=TC", "t.c.", "=T.C", "kişi", "vatandaşlık", "nüfus"),
        perhaps=(N11, "000 000 000 00", "000 00 000 000"), alone=True,
    ),
    Number(
        "ru-snils", "Russian SNILS", "Pension Fund of Russia", snils,
        ("снилс", "страховой номер", "snils"), surely=("000-000-000 00", "000-000-000-00"),
        perhaps=(N11, "000 000 000 00"),
    ),
    Number(
        "ru-inn", "Russian tax number", "Order ММВ-7-6/435, Russia", inn,
        ("инн", "=INN", "налогоплательщика"), perhaps=(N12,),
    ),
    Number(
        "ru-passport", "Russian internal passport", "Decree 828 of 1997, Russia", always,
        ("паспорт", "паспорта", "паспортные", "серия"),
        perhaps=("00 00 000000", "0000 000000", N10, "0000№000000", "00 00№000000"),
    ),
    Number(
        "ua-rnokpp", "Ukrainian tax number", "Tax Code article 70, Ukraine", rnokpp,
        ("рнокпп", "іпн", "ідентифікаційний", "облікової картки", "інн"), perhaps=(N10,),
    ),
    Number(
        "kz-iin", "Kazakh IIN", "Act 223-III of 2007, Kazakhstan", iin,
        ("иин", "жсн", "=IIN", "iin"), perhaps=(N12,),
    ),
)  # fmt: skip
"""Central and eastern Europe, Turkey, Russia."""
