"""The Americas: national numbers, each with the rule that its issuer gives it."""

from __future__ import annotations

from manent import late
from manent.scan.pii.checks import luhn, patterned, weighted, yymmdd
from manent.scan.pii.national.number import N9, N10, N11, Number, always


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


_CURP = late.pattern(
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


def nss(code: str) -> bool:
    """Mexico, social security: eleven digits, Luhn."""
    return not patterned(code) and luhn(code)


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
    return min(check, 9) == int(code[10])


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


NUMBERS = (
    Number(
        "us-ssn", "US Social Security number", "SSA, POMS RM 10201", ssn,
        ("=SSN", "ssn", "social security", "soc sec", "social-security", "ss#", "w-2", "w2",
        "1099",
         "w-4", "=SS", "seguro social", "taxpayer", "payroll"),
        surely=("000-00-0000",), likely=("000 00 0000", "000.00.0000"),
        perhaps=(N9, "000 000000", "000-000000", "00000-0000", "000/00/0000",
                 "000_00_0000"),
    ),
    Number(
        "us-itin", "US ITIN", "IRS publication 1915", itin, ("=ITIN", "itin", "taxpayer"),
        likely=("000-00-0000",), perhaps=(N9, "000 00 0000"),
    ),
    Number(
        "ca-sin", "Canadian SIN", "Service Canada", sin,
        ("=SIN", "=NAS", "s.i.n.", "social insurance", "assurance sociale", "sin:", "sin number",
         "my sin is", "sin card", "insurance number"),
        perhaps=(N9, "000-000-000", "000 000 000", "000.000.000"), alone=True,
    ),
    Number(
        "mx-curp", "Mexican CURP", "RENAPO, Mexico", curp, ("=CURP", "curp"),
        surely=("AAAA000000AAAAAA00", "AAAA000000AAAAAAA0"),
    ),
    Number(
        "mx-nss", "Mexican social security number", "IMSS, Mexico", nss,
        ("=NSS", "=IMSS", "imss", "seguridad social"), perhaps=(N11, "00 00 00 0000 0"),
    ),
    Number(
        "mx-rfc", "Mexican RFC", "SAT, Mexico", rfc,
        ("=RFC", "registro federal", "contribuyente"),
        perhaps=("AAAA000000AAA", "AAAA000000AA0", "AAAA000000A00", "AAAA000000000",
                 "AAAA0000000A0", "AAAA0000000AA", "AAAA000000A0A", "AAAA00000000A",
                 "AAAA-000000-AA0", "AAAA-000000-A00", "AAAA-000000-000", "AAAA-000000-0A0"),
    ),
    Number(
        "br-cpf", "Brazilian CPF", "Receita Federal, Brazil", cpf,
        ("=CPF", "cpf", "cadastro de pessoa", "pessoa física", "receita federal"),
        surely=("000.000.000-00",), likely=("000 000 000 00", "000000000-00"),
        perhaps=(N11, "000-000-000-00", "000.000.000.00", "000 000 000-00"),
    ),
    Number(
        "ar-cuil", "Argentine CUIL", "ANSES, Argentina", cuil,
        ("=CUIL", "=CUIT", "cuil", "cuit", "anses", "afip"), likely=("00-00000000-0",),
        perhaps=(N11, "00 00000000 0", "00.00000000.0"),
    ),
    Number(
        "ar-dni", "Argentine DNI", "RENAPER, Argentina", always,
        ("=DNI", "d.n.i.", "documento nacional de identidad"), perhaps=("00.000.000",),
    ),
    Number(
        "cl-rut", "Chilean RUT", "Servicio de Registro Civil, Chile", rut,
        ("=RUT", "=RUN", "rut", "r.u.t.", "rol único", "cédula"),
        likely=("00.000.000-0", "0.000.000-0", "00.000.000-A", "0.000.000-A", "00000000-A"),
        perhaps=("00000000-0", "0000000-0", "0000000-A", N9, "00000000A", "00.000.0000",
                 "00 000 000-0", "0000000A", "00000000"),
    ),
    Number(
        "co-cedula", "Colombian cédula", "Registraduría Nacional, Colombia", always,
        ("cédula de ciudadanía", "cedula de ciudadania", "cédula no", "=C.C", "=CC"),
        perhaps=("0.000.000.000", "00.000.000", N10),
    ),
    Number(
        "uy-ci", "Uruguayan identity number", "DNIC, Uruguay", ci_uy,
        ("cédula", "=CI", "c.i.", "cedula", "documento"), likely=("0.000.000-0",),
        perhaps=("0000000-0", "00000000"),
    ),
    Number(
        "ec-ci", "Ecuadorian cédula", "Registro Civil, Ecuador", ci_ec,
        ("cédula", "cedula", "=CI", "c.i."), perhaps=(N10, "000000000-0"),
    ),
    Number(
        "do-cedula", "Dominican cédula", "JCE, Dominican Republic", cedula_do,
        ("cédula", "cedula"), likely=("000-0000000-0",), perhaps=(N11,),
    ),
)  # fmt: skip
"""The Americas."""
