"""The Nordic and the Baltic states: national numbers, each with its issuer's rule."""

from __future__ import annotations

from manent.scan.pii.checks import day_and_month, ddmmyy, luhn, weighted, yymmdd
from manent.scan.pii.national.number import N10, N11, N12, Number


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


NUMBERS = (
    Number(
        "se-personnummer", "Swedish personal identity number", "Skatteverket, Sweden",
        personnummer,
        ("personnummer", "=PNR", "pnr", "samordningsnummer", "svenskt id", "personnr",
        "födelsenummer",
         "swedish", "född"),
        likely=("000000-0000", "00000000-0000", "000000+0000"),
        perhaps=(N12, N10, "000000 0000", "00000000 0000"), alone=True,
    ),
    Number(
        "no-fnr", "Norwegian national identity number", "Skatteetaten, Norway",
        fodselsnummer,
        ("fødselsnummer", "personnummer", "fnr", "d-nummer", "fødselsnr", "personnr"),
        likely=("000000 00000", "000000-00000"), perhaps=(N11,), alone=True,
    ),
    Number(
        "dk-cpr", "Danish CPR number", "CPR-kontoret, Denmark", cpr,
        ("=CPR", "cpr", "cpr-nr", "cpr-nummer", "personnummer", "cprnr"),
        perhaps=("000000-0000", N10, "000000 0000"),
    ),
    Number(
        "fi-hetu", "Finnish personal identity code", "Digi- ja väestötietovirasto, Finland",
        hetu,
        ("hetu*", "henkilötunnu*", "sotu", "personbeteckning", "finnish"),
        surely=("000000-000A", "000000+000A"), likely=("000000-0000", "000000+0000"),
    ),
    Number(
        "fi-hetu", "Finnish personal identity code", "Digi- ja väestötietovirasto, Finland",
        hetu_lettered, ("hetu*", "henkilötunnu*", "sotu", "personbeteckning", "finnish"),
        surely=("000000A000A",), likely=("000000A0000",),
    ),
    Number(
        "is-kennitala", "Icelandic kennitala", "Þjóðskrá, Iceland", kennitala,
        ("kennitala", "=kt"), perhaps=("000000-0000", N10, "000000 0000"),
    ),
    Number(
        "ee-isikukood", "Estonian personal code", "Rahvastikuregister, Estonia", isikukood,
        ("isikukood", "isikukoodi", "estonian"), perhaps=(N11,), alone=True,
    ),
    Number(
        "lt-asmens-kodas", "Lithuanian personal code", "Registrų centras, Lithuania",
        isikukood, ("asmens kodas", "asmens kodo", "a.k.", "lithuanian"), perhaps=(N11,),
    ),
    Number(
        "lv-personas-kods", "Latvian personal code", "PMLP, Latvia", lv_code,
        ("personas kods", "personas koda", "p.k.", "latvian"),
        perhaps=("000000-00000", N11, "000000 00000"),
    ),
)  # fmt: skip
"""The Nordic and the Baltic states."""
