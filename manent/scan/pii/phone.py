"""Telephone numbers: international form anywhere, national form by region or by label.

``phonenumbers`` costs 48 MB and is slow, so it is imported when the first
candidate needs it and sees candidates only.
"""

from __future__ import annotations

import re
from functools import lru_cache

from manent import late
from manent.scan.pii.fictional import set_aside
from manent.scan.pii.national import ALL_WORDS
from manent.scan.pii.nearby import before, denied, named
from manent.values import dataclass

_CHAIN = late.pattern(
    r"(?:\+ ?\(?|\(\+?|\[\+?)?[0-9](?:[ \u00a0\u202f\u2009().\[\]/‐‑–−-]{0,3}+[0-9]){5,19}+"
)
_DATE = late.pattern(
    r"(?:19|20)\d\d([-./ ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?:\D|\Z)"
    r"|(?:0?[1-9]|[12]\d|3[01])([-./ ])(?:0?[1-9]|1[0-2])\2(?:19|20)\d\d(?:\D|\Z)"
    r"|(?:0?[1-9]|1[0-2])([-./])(?:0?[1-9]|[12]\d|3[01])\3(?:19|20)\d\d(?:\D|\Z)"
    r"|(?:19|20)\d\d[-–/ .]{1,3}(?:19|20)\d\d\Z"
)
_DAY = late.pattern(r"(?<!\d)(?:19|20)\d\d([-/.])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_DECIMAL = late.pattern(r"\d+\.\d+\Z")
_STAMP = late.pattern(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\D|\d{4}|\d{6}|\Z)")
_QUAD = late.pattern(r"\d{1,3}(?:\.\d{1,3}){3}\Z")
_EXTENSION = late.pattern(r" ?(?:x|ext\.?|int\.?|poste|durchwahl) ?\d{1,6}(?!\d)", re.IGNORECASE)
_GROUP = late.pattern(r"\d+")

LABELS = (
    "phone", "phones", "telephone", "phone number", "tel", "tel.", "mobile", "mob", "cell",
    "cellphone",
    "cell phone", "fax", "whatsapp", "hotline", "landline", "telefono", "cellulare", "cell.",
    "tel:",
    "recapito", "recapiti", "numero di contatto", "contatto", "contatti", "telefonico",
    "chiamare",
    "chiama", "chiamami", "teléfono", "móvil", "celular", "llamar", "llámame", "llama al",
    "téléphone",
    "appeler", "appelez", "joindre au", "telefon", "rufnummer", "mobil",
    "telefonnummer", "handynummer", "anrufen", "erreichbar", "durchwahl", "festnetz", "telefone",
    "telemóvel", "telemovel", "ligar para", "telefoon", "telefoonnummer",
    "mobiel", "bellen", "gsm", "numer telefonu", "komórka", "kom.", "zadzwoń", "telefonu",
    "telefonu", "mobilnummer", "telefonnr", "mobiltelefon", "tlf", "tlf.", "puhelin",
    "puhelinnumero", "puh", "puh.", "gsm", "matkapuhelin", "volat", "volejte", "mobilní",
    "sunați",
    "telefonul", "телефон", "тел", "тел.", "моб", "позвонить", "звоните", "电话", "手机",
    "電話", "携帯", "携帯電話", "手機", "전화", "휴대폰", "연락처", "핸드폰", "फोन", "फ़ोन",
    "मोबाइल",
    "संपर्क", "هاتف", "جوال", "طلفון", "טלפון", "τηλέφωνο", "τηλ", "κινητό", "telefonszám",
    "mobilszám",
    "contact number", "number to call", "pager", "sms", "ph", "ph.", "ph:", "call me", "call us",
    "call him", "call her", "call them", "ring me", "text me", "text him", "text her", "reach me",
    "reach him",
    "reach her", "reach us", "reached at", "reached on", "answering at", "viber",
    "callback number",
    "emergency contact", "numero di telefono",
)  # fmt: skip
"""Words that make a row of digits a telephone number."""

PHRASES = (
    "desk", "extension", "home:", "work:", "office:", "m:", "t:", "call", "dial", "dialled",
    "dialed", "ring", "answer at", "messages to", "message to", "texts to", "registered",
    "number is", "number:", "number s", "my number", "his number", "her number", "text", "reach",
    "reach out", "numero è", "número es", "numéro est", "nummer ist", "nummer är", "nummer er",
    "signal", "telegram", "receptionist", "reception", "voicemail", "callback", "call back",
    "contact", "le numéro", "il numero", "al numero", "au numéro", "cep", "handy", "номер",
    "numaram", "contacto", "contato", "联系", "portable", "fixe", "mobil", "cell", "微信",
)  # fmt: skip
"""Words that do so where the digits are grouped as people group them."""

_LEADS = late.pattern(
    r"(?:call|text|ring|dial|sms|number(?:'s| is)?|numero è|número es|numéro est|nummer ist|"
    r"nummer är|nummer er|registered|answering at|messages to|reach (?:me|him|her|us) (?:at|on))"
    r"[\s:]{1,3}\Z",
    re.IGNORECASE,
)
"""What must stand right before digits that are not grouped."""


@dataclass(frozen=True, slots=True)
class Phone:
    """A telephone number: where, and its canonical form (E.164 where it is known).

    soft: only loose words speak for it; where it is quoted, it does not count.
    """

    start: int
    end: int
    canonical: str
    soft: bool = False


def chains(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the stretches between ``start`` and ``end`` that may be dialled."""
    return [match.span() for match in _CHAIN.finditer(text, start, end)]


def with_extension(text: str, end: int) -> int:
    """Return where a number that ends at ``end`` ends with its extension (``x103``)."""
    match = _EXTENSION.match(text, end)
    return match.end() if match else end


def judge(
    text: str, start: int, end: int, regions: tuple[str, ...], silent: bool = False
) -> Phone | None:
    """Return the telephone number that ``text[start:end]`` is, if it is one.

    silent: no word is near, so that only its form can say so.
    """
    body = text[start:end]
    if body.count("(") > body.count(")"):
        start, body = start + body.rfind("(") + 1, body[body.rfind("(") + 1 :]
    digits = "".join(_GROUP.findall(body))
    if silent and len(digits) == len(body) and not digits.startswith("00"):
        return None
    if len(digits) < 6 or len(set(digits)) < 3 or _number_of_another_sort(body):
        return None
    if body.lstrip("([").startswith("+") or (digits.startswith("00") and len(digits) > 9):
        found = _international(text, start, end, body)
        if found is not None or "+" in body:
            return found
    if _STAMP.match(body) or digits in "012345678901234567890":
        return None
    return _national(text, start, end, body, digits, regions)


def _number_of_another_sort(body: str) -> bool:
    """Whether digits are an IP address, a decimal, or hold a date."""
    if _QUAD.match(body) or _DATE.match(body) or _DECIMAL.match(body):
        return True
    return _DAY.search(body) is not None


def _international(text: str, start: int, end: int, body: str) -> Phone | None:
    plus = "+" in body
    number = "".join(_GROUP.findall(body.replace("(0)", "")))
    number = number if plus else number[2:]
    if len(number) < 8 or set_aside(number, international=True):
        return None
    known = _parsed("+" + number, None)
    if known is not None and (plus or not body.isdigit()):
        return Phone(start, end, known)
    near = before(text, start)
    if len(number) < 9 or not (named(near, LABELS) or (plus and named(near, PHRASES))):
        return None
    return Phone(start, end, known or number)


def _national(
    text: str, start: int, end: int, body: str, digits: str, regions: tuple[str, ...]
) -> Phone | None:
    if len(digits) > 13 or set_aside(digits, international=False):
        return None
    sizes = [len(group) for group in _GROUP.findall(body)]
    if len(sizes) > 6 or sizes.count(1) > 1 or ("." in body and not _dotted_well(sizes)):
        return None
    labelled, soft = _labelled(text, start, len(sizes) > 1, len(digits))
    if labelled:
        valid = (_parsed(digits, region) for region in regions)
        return Phone(start, end, next(filter(None, valid), digits), soft)
    if not _usual(body, digits, sizes) or denied(text, start):
        return None
    if named(before(text, start), ALL_WORDS):
        return None
    for region in regions:
        known = _parsed(digits, region)
        if known and _at_home(region, digits, sizes):
            return Phone(start, end, known)
    return None


def _dotted_well(sizes: list[int]) -> bool:
    """Whether groups between full stops are of a telephone number, not of a version."""
    return all(2 <= size <= 4 for size in sizes)


def _labelled(text: str, start: int, grouped: bool, count: int) -> tuple[bool, bool]:
    """Return whether the words before call the digits a telephone number, and how loosely."""
    near = before(text, start)
    if named(near, LABELS):
        return True, False
    if not named(near, PHRASES) or named(near, ALL_WORDS) or denied(text, start):
        return False, False
    if grouped:
        return count > 6, False
    return 9 <= count <= 12 and _LEADS.search(text[max(0, start - 24) : start]) is not None, True


def _usual(body: str, digits: str, sizes: list[int]) -> bool:
    """Whether the grouping alone speaks for a telephone number."""
    if not 9 <= len(digits) <= 12 or len(sizes) < 2:
        return False
    if sizes == [3, 2, 4] or (sizes[0] >= 3 and len(set(sizes)) == 1):
        return False
    marks = {c for c in body if not c.isdigit() and c not in " ()\u00a0"}
    return len(marks) <= 1 and ("." not in marks or len(sizes) > 3 or sizes == [3, 3, 4])


def _at_home(region: str, digits: str, sizes: list[int]) -> bool:
    """Whether people in ``region`` group numbers so; thousands are grouped by three."""
    if region in ("US", "CA"):
        return sizes in ([3, 3, 4], [1, 3, 3, 4])
    if digits[0] == "0":
        return len(sizes) <= 5 and 2 <= sizes[0] <= 6 and (len(digits) >= 9)
    return sizes in ([3, 3, 4], [3, 7], [3, 2, 2, 2], [3, 2, 2, 3], [2, 3, 2, 2], [2, 2, 2, 2, 2])


@lru_cache(maxsize=4096)
def _parsed(number: str, region: str | None) -> str | None:
    """Return the E.164 form of a number that is valid in its country, else None."""
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(parsed):
        return None
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164).lstrip("+")
