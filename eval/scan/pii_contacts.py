"""Made e-mail addresses and telephone numbers, in the spellings that people use."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import phonenumbers

NAMES = (
    "marta.ferrando",
    "g.bassi77",
    "lena_hofer",
    "jp.lefevre",
    "ines-almeida",
    "tomasz.wrona",
    "aino.k",
    "o.yildiz",
    "karel.dusek",
    "mihai.ene",
    "sofia.papa",
    "wei.zhang88",
    "haruka",
    "minjun.park",
    "r.sharma",
    "dmitri.volkov",
    "pieter.devos",
    "elsa.lund",
    "nuala.byrne",
    "quim.roca",
)
HOSTS = (
    "tidewrack",
    "caixaverde",
    "nordlicht-werk",
    "lumacorta-studio",
    "brightmoor",
    "fjellro",
    "posta-ventura",
    "zelenydvur",
    "atelier-brume",
    "kaffekompaniet",
    "blauwmolen",
    "lacasona",
    "otokoyama",
    "hanbit-lab",
    "suryodaya",
    "severkedr",
)
ENDS = (
    "it",
    "com",
    "org",
    "net",
    "de",
    "fr",
    "es",
    "pt",
    "nl",
    "pl",
    "se",
    "fi",
    "cz",
    "ro",
    "io",
    "co.uk",
    "com.br",
    "edu",
    "ie",
    "dk",
    "no",
    "ch",
    "at",
    "eu",
    "ru",
    "jp",
    "kr",
    "in",
)

PLAIN = (
    ("en", "Write to {} before Monday."),
    ("it", "Scrivere a {} per la caparra."),
    ("de", "Rückfragen an {}."),
    ("fr", "Contact : {}"),
    ("es", "Mándalo a {} hoy."),
    ("pt", "o mail dela é {}"),
    ("nl", "stuur het naar {}"),
    ("pl", "adres: {}"),
    ("tr", "e-posta adresi {}"),
    ("sv", "mejla {} ikväll"),
    ("da", "skriv til {}"),
    ("no", "send faktura til {}"),
    ("fi", "sähköposti {}"),
    ("cs", "napište na {}"),
    ("ro", "trimite la {}"),
    ("ru", "пишите на {}"),
    ("zh", "邮箱{}请联系"),
    ("ja", "メールは{}です"),
    ("ko", "이메일: {}"),
    ("hi", "ईमेल {} पर भेजें"),
    ("en", "author: Marta <{}>"),
    ("en", "| Marta | {} | lead |"),
    ("en", "[write](mailto:{})"),
    ("en", "(see {})."),
    ("en", "cc:{};"),
    ("en", '"email": "{}",'),
    ("en", "**{}**"),
    ("en", "`{}`"),
    ("en", "https://intra.tidewrack.it/u?mail={}"),
    ("en", "assignee={}"),
    ("en", "Reported-by: Marta Ferrando <{}>"),
    ("en", "<!-- {} -->"),
)

SPELLED = (
    ("en", "{n} (at) {h} (dot) {e}"),
    ("en", "{n} [at] {h}.{e}"),
    ("en", "{n} [at] {h} [dot] {e}"),
    ("en", "{n} at {h} dot {e}"),
    ("en", "{n}(at){h}(dot){e}"),
    ("en", "{n}[@]{h}.{e}"),
    ("en", "{n} AT {h} DOT {e}"),
    ("en", "{n} @ {h} . {e}"),
    ("en", "{n}＠{h}.{e}"),
    ("en", "{n}\\@{h}.{e}"),
    ("en", "{n}&#64;{h}.{e}"),
    ("en", "{n}&#x40;{h}&#46;{e}"),
    ("en", "{n}&commat;{h}.{e}"),
    ("en", "{n}%40{h}.{e}"),
    ("en", "{n} <at> {h} <dot> {e}"),
    ("en", "{n}_at_{h}_dot_{e}"),
    ("en", "{n}-at-{h}-dot-{e}"),
    ("en", "e-mail: {n} at {h}.{e}"),
    ("it", "{n} chiocciola {h} punto {e}"),
    ("it", "{n} (chiocciola) {h} (punto) {e}"),
    ("it", "{n} [chiocciola] {h}.{e}"),
    ("es", "{n} arroba {h} punto {e}"),
    ("es", "{n} (arroba) {h}.{e}"),
    ("pt", "{n} arroba {h} ponto {e}"),
    ("fr", "{n} arobase {h} point {e}"),
    ("fr", "{n} [arobase] {h} [point] {e}"),
    ("de", "{n} (ät) {h} (punkt) {e}"),
    ("de", "{n} [at] {h} [punkt] {e}"),
    ("nl", "{n} apenstaartje {h} punt {e}"),
    ("pl", "{n} małpa {h} kropka {e}"),
    ("sv", "{n} snabel-a {h} punkt {e}"),
    ("da", "{n} snabela {h} punktum {e}"),
    ("cs", "{n} zavináč {h} tečka {e}"),
    ("ru", "{n} собака {h} точка {e}"),
    ("tr", "{n} [at] {h} [nokta] {e}"),
    ("en", "{n}@{h}[.]{e}"),
    ("en", "{n} {{at}} {h} {{dot}} {e}"),
    ("en", "{n}\u200b@{h}.{e}"),
    ("en", "{n}@{h}\u00ad.{e}"),
    ("en", "{n} (@) {h} (.) {e}"),
)

DIALLED = (
    ("en", "Call me on {}"),
    ("en", "phone: {}"),
    ("it", "Tel. {}"),
    ("it", "cell {} dopo le 18"),
    ("de", "Telefon: {}"),
    ("de", "erreichbar unter Handy {}"),
    ("fr", "tél. {}"),
    ("fr", "portable : {}"),
    ("es", "teléfono {}"),
    ("es", "móvil: {}"),
    ("pt", "telemóvel {}"),
    ("nl", "telefoonnummer {}"),
    ("pl", "telefon {}"),
    ("tr", "cep telefonu {}"),
    ("sv", "mobil {}"),
    ("da", "tlf. {}"),
    ("no", "telefon {}"),
    ("fi", "puh. {}"),
    ("cs", "telefon: {}"),
    ("ro", "telefon {}"),
    ("ru", "телефон {}"),
    ("zh", "电话:{}"),
    ("ja", "電話 {}"),
    ("ko", "전화 {}"),
    ("hi", "फ़ोन {}"),
    ("en", "WhatsApp {}"),
    ("en", "| Marta | mobile | {} |"),
    ("en", "fax {}"),
    ("it", "telefono:\n{}"),
    ("en", "emergency contact {}"),
)

ABROAD = (
    "{}",
    "reach her at {} tonight",
    "- {}",
    "Marta ({})",
    "`{}`",
    "tel:{}",
    "num={}",
    "il numero è {}",
    "Kontakt {}",
    "чтобы связаться: {}",
)

REGIONS = {
    "en": ("US", "GB", "IE", "AU", "NZ", "ZA", "CA"),
    "it": ("IT",),
    "de": ("DE", "AT", "CH"),
    "fr": ("FR", "BE"),
    "es": ("ES", "MX", "AR", "CL"),
    "pt": ("PT", "BR"),
    "nl": ("NL",),
    "pl": ("PL",),
    "tr": ("TR",),
    "sv": ("SE",),
    "da": ("DK",),
    "no": ("NO",),
    "fi": ("FI",),
    "cs": ("CZ",),
    "ro": ("RO",),
    "ru": ("RU",),
    "zh": ("CN",),
    "ja": ("JP",),
    "ko": ("KR",),
    "hi": ("IN",),
}
HOME = {"US": "en", "GB": "en", "IT": "it", "DE": "de", "FR": "fr", "ES": "es"}
"""The regions of a scanner that is told none: national form needs no label there."""

Made = tuple[int, str, str, str]
"""The number of the frame (it decides the split), kind, language, text."""


def lines(random: Random) -> Iterator[Made]:
    """Yield lines that hold an address or a number."""
    yield from _addresses(random)
    yield from _spelled(random)
    yield from _numbers(random)


def _addresses(random: Random) -> Iterator[Made]:
    for turn, (lang, frame) in list(enumerate(PLAIN)) * 3:
        address = f"{random.choice(NAMES)}@{random.choice(HOSTS)}.{random.choice(ENDS)}"
        yield turn, "email", lang, frame.replace("{}", address)
    for host in (
        "münchner-post.de",
        "xn--mnchner-post-5ob.de",
        "почта-север.рф",
        "mail.dep.uni-x.edu",
    ):
        for turn, name in enumerate(("info", "françois.delmas", "a", "k.o+liste")):
            yield turn, "email_international", "", f"mail {name}@{host}"


def _spelled(random: Random) -> Iterator[Made]:
    for turn, (lang, frame) in list(enumerate(SPELLED)) * 4:
        parts = {"n": random.choice(NAMES), "h": random.choice(HOSTS)}
        text = frame.format(**parts, e=random.choice(("it", "com", "org", "net", "de", "fr")))
        lead = random.choice(("", "Referente: ", "contatto ", "- "))
        yield turn, "email_spelled", lang, lead + text


def _numbers(random: Random) -> Iterator[Made]:
    for turn, (lang, frame) in list(enumerate(DIALLED)) * 4:
        region = random.choice(REGIONS[lang])
        yield turn, "phone", lang, frame.replace("{}", _number(random, region, abroad=False))
    for turn, frame in list(enumerate(ABROAD)) * 16:
        region = random.choice([r for regions in REGIONS.values() for r in regions])
        yield turn, "phone_abroad", "", frame.replace("{}", _number(random, region, abroad=True))
    for turn, (region, lang) in enumerate(list(HOME.items()) * 7):
        number = _number(random, region, abroad=False)
        if any(mark in number for mark in " -"):
            yield turn, "phone_home", lang, f"Marta {number}"


def _number(random: Random, region: str, *, abroad: bool) -> str:
    """Return a valid number of ``region`` that is not set aside for fiction."""
    kind = random.choice(
        (phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE)
    )
    example = phonenumbers.example_number_for_type(region, kind)
    while True:
        digits = str(example.national_number)
        tail = "".join(random.choices("0123456789", k=5))
        number = phonenumbers.PhoneNumber()
        number.merge_from(example)
        number.national_number = int(digits[:-5] + tail)
        if phonenumbers.is_valid_number(number) and "555" not in str(number.national_number):
            form = phonenumbers.PhoneNumberFormat
            chosen = form.INTERNATIONAL if abroad else form.NATIONAL
            return phonenumbers.format_number(number, chosen)
