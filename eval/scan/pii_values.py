"""Values for the made lines: numbers with right check digits, computed apart from the scanner.

Check digits come from python-stdnum, or are spelled out here where it has none:
never from ``manent.scan.pii``, which is what they measure.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from random import Random

from stdnum import iban as iban_numbers
from stdnum import luhn, numdb, verhoeff
from stdnum.iso7064 import mod_11_2, mod_11_10

CONSONANTS = "BCDFGLMNPRSTVZ"


def digits(random: Random, count: int, first: str = string.digits) -> str:
    return random.choice(first) + "".join(random.choices(string.digits, k=count - 1))


def birth(random: Random) -> tuple[str, str, str]:
    """Return year, month and day as text, between 1936 and 2004."""
    return (
        str(random.randint(1936, 2004)),
        f"{random.randint(1, 12):02d}",
        f"{random.randint(1, 28):02d}",
    )


def _valid(make: Callable[[], str], holds: Callable[[str], bool]) -> str:
    return _until(lambda: number if holds(number := make()) else None)


def _until(make: Callable[[], str | None]) -> str:
    while True:
        made = make()
        if made is not None:
            return made


def codice_fiscale(random: Random, omocode: int = 0) -> str:
    from stdnum.it import codicefiscale

    year, _, _ = birth(random)
    day = random.randint(1, 28) + random.choice((0, 40))
    place = random.choice("ABCDEFGHILM") + f"{random.randint(1, 999):03d}"
    name = "".join(random.choices(CONSONANTS, k=6))
    code = list(f"{name}{year[2:]}{random.choice('ABCDEHLMPRST')}{day:02d}{place}")
    for index in random.sample((6, 7, 9, 10, 12, 13, 14), omocode):
        code[index] = "LMNPQRSTUV"[int(code[index])]
    body = "".join(code)
    return body + codicefiscale.calc_check_digit(body)


def dni(random: Random) -> str:
    from stdnum.es import dni as number

    body = digits(random, 8)
    return body + number.calc_check_digit(body)


def nie(random: Random) -> str:
    from stdnum.es import nie as number

    body = random.choice("XYZ") + digits(random, 7)
    return body + number.calc_check_digit(body)


def pt_nif(random: Random) -> str:
    from stdnum.pt import nif

    body = digits(random, 8, "123")
    return body + nif.calc_check_digit(body)


def nir(random: Random) -> str:
    from stdnum.fr import nir as number

    year, month, _ = birth(random)
    department = random.choice(("75", "13", "59", "33", "06", "44"))
    body = f"{random.choice('12')}{year[2:]}{month}{department}"
    body += f"{random.randint(1, 900):03d}{random.randint(1, 900):03d}"
    return body + number.calc_check_digits(body)


def steuer_id(random: Random) -> str:
    from stdnum.de import idnr

    def make() -> str | None:
        chosen = random.sample(string.digits, 9)
        chosen.append(random.choice(chosen))
        random.shuffle(chosen)
        body = "".join(chosen)
        number = body + mod_11_10.calc_check_digit(body)
        return number if idnr.is_valid(number) else None

    return _until(make)


def ahv(random: Random) -> str:
    from stdnum import ean

    body = "756" + digits(random, 9)
    return body + ean.calc_check_digit(body)


def svnr(random: Random) -> str:
    from stdnum.at import vnr

    year, month, day = birth(random)

    def make() -> str | None:
        body = f"{random.randint(100, 999)}0{day}{month}{year[2:]}"
        check = vnr.calc_check_digit(body)
        number = body[:3] + check + body[4:]
        return number if vnr.is_valid(number) else None

    return _until(make)


def bsn(random: Random) -> str:
    from stdnum.nl import bsn as number

    return _valid(lambda: digits(random, 9, "123456789"), number.is_valid)


def be_nn(random: Random) -> str:
    year, month, day = birth(random)
    body = f"{year[2:]}{month}{day}{random.randint(1, 997):03d}"
    return f"{body}{97 - int(('2' if year >= '2000' else '') + body) % 97:02d}"


def nino(random: Random) -> str:
    prefix = random.choice(("CE", "PW", "HK", "EG", "JM", "SX", "AB", "LR"))
    return f"{prefix}{digits(random, 6, '2345689')}{random.choice('ABCD')}"


def nhs(random: Random) -> str:
    from stdnum.gb import nhs as number

    return _valid(lambda: digits(random, 10, "46789"), number.is_valid)


def pps(random: Random) -> str:
    body = digits(random, 7, "123456789")
    total = sum(int(c) * (8 - i) for i, c in enumerate(body))
    return body + "WABCDEFGHIJKLMNOPQRSTUV"[total % 23]


def personnummer(random: Random) -> str:
    year, month, day = birth(random)
    body = f"{year[2:]}{month}{day}{random.randint(1, 999):03d}"
    return body + luhn.calc_check_digit(body)


def fnr(random: Random) -> str:
    from stdnum.no import fodselsnummer

    def make() -> str | None:
        year, month, day = birth(random)
        body = f"{day}{month}{year[2:]}{random.randint(1, 499):03d}"
        one = fodselsnummer.calc_check_digit1(body)
        two = fodselsnummer.calc_check_digit2(body + one)
        return body + one + two if len(one + two) == 2 and "-" not in one + two else None

    return _until(make)


def cpr(random: Random) -> str:
    year, month, day = birth(random)
    return f"{day}{month}{year[2:]}{random.randint(1, 3999):04d}"


def hetu(random: Random) -> str:
    year, month, day = birth(random)
    sign = "A" if year >= "2000" else "-"
    serial = f"{random.randint(2, 899):03d}"
    check = "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(f"{day}{month}{year[2:]}{serial}") % 31]
    return f"{day}{month}{year[2:]}{sign}{serial}{check}"


def kennitala(random: Random) -> str:
    weights = (3, 2, 7, 6, 5, 4, 3, 2)

    def make() -> str | None:
        year, month, day = birth(random)
        body = f"{day}{month}{year[2:]}{random.randint(20, 99)}"
        check = -sum(int(a) * b for a, b in zip(body, weights, strict=True)) % 11
        return f"{body}{check}{'0' if year >= '2000' else '9'}" if check < 10 else None

    return _until(make)


def isikukood(random: Random) -> str:
    from stdnum.ee import ik

    year, month, day = birth(random)
    sex = random.choice("34" if year < "2000" else "56")
    body = f"{sex}{year[2:]}{month}{day}{random.randint(1, 999):03d}"
    return body + ik.calc_check_digit(body + "0")


def pesel(random: Random) -> str:
    from stdnum.pl import pesel as number

    year, month, day = birth(random)
    month = f"{int(month) + (20 if year >= '2000' else 0):02d}"
    body = f"{year[2:]}{month}{day}{digits(random, 4)}"
    return body + number.calc_check_digit(body)


def rodne_cislo(random: Random) -> str:
    def make() -> str | None:
        year, month, day = birth(random)
        month = f"{int(month) + random.choice((0, 50)):02d}"
        body = f"{year[2:]}{month}{day}{random.randint(1, 999):03d}"
        check = int(body) % 11
        return f"{body}{check}" if check < 10 and year >= "1954" else None

    return _until(make)


def cnp(random: Random) -> str:
    from stdnum.ro import cnp as number

    year, month, day = birth(random)
    sex = random.choice("12" if year < "2000" else "56")
    body = f"{sex}{year[2:]}{month}{day}{random.randint(1, 46):02d}{random.randint(1, 999):03d}"
    return body + number.calc_check_digit(body)


def egn(random: Random) -> str:
    from stdnum.bg import egn as number

    year, month, day = birth(random)
    month = f"{int(month) + (40 if year >= '2000' else 0):02d}"
    body = f"{year[2:]}{month}{day}{random.randint(1, 999):03d}"
    return body + number.calc_check_digit(body)


def oib(random: Random) -> str:
    body = digits(random, 10)
    return body + mod_11_10.calc_check_digit(body)


def jmbg(random: Random) -> str:
    from stdnum.si import emso

    year, month, day = birth(random)
    region = random.choice(("50", "71", "33", "01", "41"))
    body = f"{day}{month}{year[1:]}{region}{random.randint(1, 999):03d}"
    return body + emso.calc_check_digit(body)


def amka(random: Random) -> str:
    year, month, day = birth(random)
    body = f"{day}{month}{year[2:]}{digits(random, 4)}"
    return body + luhn.calc_check_digit(body)


def tckn(random: Random) -> str:
    from stdnum.tr import tckimlik

    body = digits(random, 9, "123456789")
    return body + tckimlik.calc_check_digits(body)


def snils(random: Random) -> str:
    body = digits(random, 9, "123456789")
    total = sum(int(c) * (9 - i) for i, c in enumerate(body)) % 101 % 100
    return f"{body}{total:02d}"


def inn(random: Random) -> str:
    from stdnum.ru import inn as number

    body = digits(random, 10, "3456789")
    return body + number.calc_personal_check_digits(body)


def ssn(random: Random) -> str:
    area = random.choice((*range(100, 665), *range(667, 899)))
    return f"{area}{random.randint(1, 99):02d}{random.randint(1, 9999):04d}"


def sin(random: Random) -> str:
    body = digits(random, 8, "1245679")
    return body + luhn.calc_check_digit(body)


def curp(random: Random) -> str:
    from stdnum.mx import curp as number

    year, month, day = birth(random)
    names = [random.choice(CONSONANTS), random.choice("AEIO"), *random.choices(CONSONANTS, k=2)]
    state = random.choice(("DF", "NL", "JC", "OC", "YN", "CS"))
    inner = "".join(random.choices(CONSONANTS, k=3))
    mark = "0" if year < "2000" else "A"
    body = f"{''.join(names)}{year[2:]}{month}{day}{random.choice('HM')}{state}{inner}{mark}"
    return body + number.calc_check_digit(body)


def cpf(random: Random) -> str:
    from stdnum.br import cpf as number

    return _valid(lambda: digits(random, 11), number.is_valid)


def cuil(random: Random) -> str:
    from stdnum.ar import cuit

    def make() -> str | None:
        body = random.choice(("20", "27")) + digits(random, 8, "1234")
        number = body + cuit.calc_check_digit(body)
        return number if cuit.is_valid(number) else None

    return _until(make)


def rut(random: Random) -> str:
    from stdnum.cl import rut as number

    body = str(random.randint(5_000_000, 25_000_000)).zfill(8)
    return body + number.calc_check_digit(body)


def ec_ci(random: Random) -> str:
    body = f"{random.randint(1, 24):02d}{random.randint(0, 5)}{digits(random, 6)}"
    return body + luhn.calc_check_digit(body)


def ric(random: Random) -> str:
    year, month, day = birth(random)
    place = random.choice(("110105", "310104", "440305", "330106", "510107", "420106"))
    body = f"{place}{year}{month}{day}{random.randint(1, 999):03d}"
    return body + mod_11_2.calc_check_digit(body)


def tw_id(random: Random) -> str:
    letters = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
    letter = random.choice(letters)
    body = random.choice("12") + digits(random, 7)
    place = letters.index(letter) + 10
    total = place // 10 + place % 10 * 9 + sum(int(c) * (8 - i) for i, c in enumerate(body))
    return f"{letter}{body}{-total % 10}"


def hkid(random: Random) -> str:
    letter, body = random.choice("ACDGKPRVYZ"), digits(random, 6)
    total = 36 * 9 + (ord(letter) - 55) * 8 + sum(int(c) * (7 - i) for i, c in enumerate(body))
    check = -total % 11
    return f"{letter}{body}{'A' if check == 10 else check}"


def my_number(random: Random) -> str:
    body = digits(random, 11)
    weights = (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
    rest = sum(int(a) * b for a, b in zip(body, weights, strict=True)) % 11
    return f"{body}{0 if rest <= 1 else 11 - rest}"


def rrn(random: Random) -> str:
    from stdnum.kr import rrn as number

    year, month, day = birth(random)
    sex = random.choice("12" if year < "2000" else "34")
    body = f"{year[2:]}{month}{day}{sex}{digits(random, 5, '0123')}"
    return body + number.calc_check_digit(body)


def nric(random: Random) -> str:
    prefix, body = random.choice("STFG"), digits(random, 7)
    total = sum(int(a) * b for a, b in zip(body, (2, 7, 6, 5, 4, 3, 2), strict=True))
    total += 4 if prefix in "TG" else 0
    return f"{prefix}{body}{('JZIHGFEDCBA' if prefix in 'ST' else 'XWUTRQPNMLK')[total % 11]}"


def mykad(random: Random) -> str:
    year, month, day = birth(random)
    return f"{year[2:]}{month}{day}{random.choice(('01', '10', '14', '07'))}{digits(random, 4)}"


def th_id(random: Random) -> str:
    from stdnum.th import pin

    body = digits(random, 12, "12345678")
    return body + pin.calc_check_digit(body)


def nik(random: Random) -> str:
    year, month, day = birth(random)
    day = f"{int(day) + random.choice((0, 40)):02d}"
    region = f"{random.choice(('3201', '3578', '1271'))}{random.randint(1, 30):02d}"
    return f"{region}{day}{month}{year[2:]}{random.randint(1, 99):04d}"


def aadhaar(random: Random) -> str:
    body = digits(random, 11, "23456789")
    return body + verhoeff.calc_check_digit(body)


def pan(random: Random) -> str:
    letters = random.choices(string.ascii_uppercase, k=5)
    head = f"{''.join(letters[:3])}P{letters[3]}"
    return f"{head}{digits(random, 4, '123456789')}{letters[4]}"


def cnic(random: Random) -> str:
    return digits(random, 13, "34")


def il_id(random: Random) -> str:
    body = digits(random, 8, "0235")
    return body + luhn.calc_check_digit(body)


def emirates(random: Random) -> str:
    body = f"784{birth(random)[0]}{digits(random, 7)}"
    return body + luhn.calc_check_digit(body)


def za_id(random: Random) -> str:
    year, month, day = birth(random)
    body = f"{year[2:]}{month}{day}{digits(random, 4)}{random.choice('01')}8"
    return body + luhn.calc_check_digit(body)


def tfn(random: Random) -> str:
    from stdnum.au import tfn as number

    return _valid(lambda: digits(random, 9, "123456789"), number.is_valid)


def ird(random: Random) -> str:
    from stdnum.nz import ird as number

    return _valid(lambda: f"1{digits(random, 8, '01234')}", number.is_valid)


def card(random: Random) -> str:
    prefix, length = random.choice(
        (
            ("4", 16), ("4", 16), ("51", 16), ("55", 16), ("2221", 16), ("2720", 16), ("34", 15),
            ("37", 15), ("36", 14), ("305", 14), ("6011", 16), ("65", 16), ("3530", 16),
            ("3588", 16), ("62", 16), ("6759", 16), ("2202", 16), ("62", 19), ("4", 19),
        )
    )  # fmt: skip
    body = prefix + digits(random, length - len(prefix) - 1)
    return body + luhn.calc_check_digit(body)


def iban(random: Random) -> str:
    """An IBAN of any country, laid out as the registry says (``4!n`` is four digits)."""
    country = random.choice(COUNTRIES)
    layout = numdb.get("iban").info(country)[0][1]["bban"]
    body = ""
    for count, letters in re.findall(r"(\d+)!?([nac])", layout):
        alphabet = string.ascii_uppercase if letters == "a" else string.digits
        body += "".join(random.choices(alphabet, k=int(count)))
    return country + iban_numbers.calc_check_digits(f"{country}00{body}") + body


COUNTRIES = (
    "AD", "AE", "AL", "AT", "AZ", "BA", "BE", "BG", "BH", "BR", "BY", "CH", "CR", "CY", "CZ", "DE",
    "DK", "DO", "EE", "EG", "ES", "FI", "FO", "FR", "GB", "GE", "GI", "GL", "GR", "GT", "HR", "HU",
    "IE", "IL", "IQ", "IS", "IT", "JO", "KW", "KZ", "LB", "LC", "LI", "LT", "LU", "LV", "LY", "MC",
    "MD", "ME", "MK", "MR", "MT", "MU", "NL", "NO", "PK", "PL", "PS", "PT", "QA", "RO", "RS", "SA",
    "SC", "SE", "SI", "SK", "SM", "TL", "TN", "TR", "UA", "VA", "VG", "XK",
)  # fmt: skip
