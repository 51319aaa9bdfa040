"""Made lines that look like personal data and are none: what a gate must let through."""

from __future__ import annotations

import string
import uuid
from collections.abc import Callable, Iterator
from random import Random

from stdnum import luhn

from eval.scan.pii_values import digits

Made = tuple[int, str, str, str]
"""The number of the maker (it decides the split), kind, language, text."""
HEX = "0123456789abcdef"


def _hex(random: Random, count: int) -> str:
    return "".join(random.choices(HEX, k=count))


def _date(random: Random, mark: str = "-") -> str:
    parts = (random.randint(1990, 2030), random.randint(1, 12), random.randint(1, 28))
    return f"{parts[0]}{mark}{parts[1]:02d}{mark}{parts[2]:02d}"


def _isbn(random: Random) -> str:
    body = "97888" + digits(random, 7)
    check = -sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(body)) % 10
    return f"978-88-{body[5:8]}-{body[8:]}-{check}"


def _luhn(random: Random, first: str, count: int) -> str:
    body = first + digits(random, count - len(first) - 1)
    return body + luhn.calc_check_digit(body)


def _b64(random: Random, count: int) -> str:
    return "".join(random.choices(string.ascii_letters + string.digits, k=count))


def _v(random: Random) -> str:
    return f"{random.randint(0, 20)}.{random.randint(0, 40)}.{random.randint(0, 90)}"


def _ip(random: Random) -> str:
    return f"10.{random.randint(0, 255)}.{random.randint(0, 255)}.{random.randint(1, 254)}"


FICTIONAL = (
    "(212) 555-0147", "+1 415 555 0132", "07700 900123", "+44 7700 900461", "020 7946 0018",
    "+44 20 7946 0958", "01632 960001", "+61 491 570 156", "(02) 5550 1234", "030 23125 456",
    "+49 30 23125 007", "01 99 00 12 34", "06 39 98 45 67", "+33 6 39 98 12 34", "555-0199",
    "+46 70 174 06 15", "+353 20 912 3456", "089 99998 123",
)  # fmt: skip
MASKED = (
    "**** **** **** {}", "XXXX-XXXX-XXXX-{}", "•••• {}", "4111 11** **** {}", "ending in {}",
    "xxxx xxxx xxxx {}", "############{}", "card …{}", "IT60 X*** **** **** **** ***{}",
)  # fmt: skip

HOSTS = ("github.com", "gitlab.com", "tidewrack.it")
NEVER_ISSUED = ("000-12-3456", "666-12-3456", "123-45-6789", "078-05-1120", "XXX-XX-XXXX")
NO_CODES = ("XXXXXX00X00X000X", "AAAAAA00A00A000A", "COGNOM00A00A000A")
NO_ADDRESSES = (
    "nome.cognome@tuodominio.it",
    "your.name@yourcompany.com",
    "user@domain.com",
    "you@your-domain.org",
    "{email}",
    "name@company.com",
)

MAKERS: dict[str, tuple[Callable[[Random], str], ...]] = {
    "reserved_email": (
        lambda r: (
            f"Write to {r.choice(('marta', 'jo.k', 'ops'))}@example.{r.choice(('com', 'org'))}"
        ),
        lambda r: (
            f"user: {r.choice(('a.b', 'test1'))}@{r.choice(('mail.example.org', 'example.co.uk'))}"
        ),
        lambda r: f"root@{r.choice(('localhost', 'vm.local', 'db.internal', 'host.invalid'))}",
        lambda r: f"someone@{r.choice(('corp.test', 'foo.example', 'router.home.arpa'))}",
    ),
    "noreply": (
        lambda r: f"Co-authored-by: Bot <{r.randint(1000, 99999999)}+bot@users.noreply.github.com>",
        lambda r: f"From: {r.choice(('no-reply', 'noreply', 'donotreply'))}@{r.choice(HOSTS)}",
    ),
    "remote": (
        lambda r: f"git clone git@{r.choice(HOSTS)}:acme/widgets-{r.randint(1, 99)}.git",
        lambda r: f"ssh deploy@build{r.randint(1, 9)}.tidewrack.it uptime",
        lambda r: f"scp -P {r.randint(2000, 9000)} notes.tar backup@nas.tidewrack.it:/srv/backup",
        lambda r: f"rsync -av ./site/ www@web{r.randint(1, 9)}.brightmoor.ie:/var/www/",
        lambda r: f"postgres://app:secret@db{r.randint(1, 9)}.tidewrack.it:5432/notes",
    ),
    "package": (
        lambda r: f"npm i @scope/pkg-{r.choice(HEX)}@{_v(r)}",
        lambda r: f"uses: actions/checkout@v{r.randint(1, 9)}",
        lambda r: f"dpkg libfoo@{_v(r)}-{r.randint(1, 9)}",
        lambda r: f"logo@{r.randint(2, 4)}x.{r.choice(('png', 'webp', 'jpg'))}",
        lambda r: f"@app.route('/api/v{r.randint(1, 3)}')",
        lambda r: f"nginx@sha256:{_hex(r, 64)}",
        lambda r: f"thanks @{r.choice(('marta', 'kepano', 'lena'))}.dev. See you",
        lambda r: f"follow @marta{r.randint(1, 99)}@social.tidewrack.it",
    ),
    "hash": (
        lambda r: f"commit {_hex(r, 40)}",
        lambda r: f"sha256:{_hex(r, 64)}",
        lambda r: f"index {_hex(r, 7)}..{_hex(r, 7)} 100644",
        lambda r: f"md5 {_hex(r, 32)}",
        lambda r: f"see {_hex(r, 8)} and {_hex(r, 12)}",
        lambda r: f"commit {digits(r, 40)}",
        lambda r: f"0x{_hex(r, 40)}",
        lambda r: f'etag W/"{_hex(r, 16)}"',
    ),
    "uuid": (
        lambda r: f"id: {uuid.UUID(int=r.getrandbits(128))}",
        lambda r: f"urn:uuid:{uuid.UUID(int=r.getrandbits(128))}",
    ),
    "clock": (
        lambda r: f"created: {r.randint(1_400_000_000_000, 1_790_000_000_000)}",
        lambda r: f"epoch {r.randint(1_400_000_000, 1_790_000_000)}",
        lambda r: f"event {_luhn(r, '16', 13)} replayed",
        lambda r: f"t={_luhn(r, '17', 10)}",
        lambda r: f"{_date(r)}T{r.randint(10, 23)}:{r.randint(10, 59)}:00.{digits(r, 6)}Z",
        lambda r: f"![[{r.randint(1_400_000_000_000, 1_790_000_000_000)}.png]]",
        lambda r: f"{_date(r, '')}{digits(r, 6, '01')}",
        lambda r: f"backup-{_date(r, '')}-{digits(r, 4)}.tar",
        lambda r: f"[[{_date(r, '')}{r.randint(1000, 2359)} zettel title]]",
    ),
    "date": (
        lambda r: f"Meeting on {_date(r)} at {r.randint(8, 19)}:30",
        lambda r: f"dal {_date(r, '.')} al {_date(r, '.')}",
        lambda r: f"{r.randint(1900, 1999)}-{r.randint(2000, 2029)}",
        lambda r: f"{_date(r, '/')} - {_date(r, '/')}",
        lambda r: f"Call on {_date(r)}, then message the team",
        lambda r: f"tel aviv {_date(r)}",
    ),
    "book": (
        lambda r: f"ISBN {_isbn(r)}",
        lambda r: f"isbn: {_isbn(r).replace('-', '')}",
        lambda r: f"doi:10.{r.randint(1000, 9999)}/{_b64(r, 6)}.{digits(r, 7)}",
        lambda r: f"arXiv:{r.randint(10, 26)}{r.randint(10, 12)}.{digits(r, 5)}",
        lambda r: f"ISSN {digits(r, 4)}-{digits(r, 4)}",
        lambda r: f"PMID {digits(r, 8)}",
        lambda r: f"EAN {_isbn(r).replace('-', '')}",
    ),
    "version": (
        lambda r: f"upgrade to {_v(r)}.{r.randint(1000, 9999)}",
        lambda r: f"Chrome/{r.randint(90, 140)}.0.{r.randint(1000, 9999)}.{r.randint(10, 200)}",
        lambda r: f"kernel {_v(r)}-{r.randint(10, 99)}-generic",
        lambda r: f"build {digits(r, 8)}",
        lambda r: f"version 10.15.7.{digits(r, 4)}",
        lambda r: f"v{_v(r)}+{_date(r, '')}",
    ),
    "net": (
        lambda r: f"ping {_ip(r)}",
        lambda r: f"listen {_ip(r)}:{r.randint(1024, 65535)}",
        lambda r: (
            f"ports {r.randint(1000, 9999)}, {r.randint(1000, 9999)}, {r.randint(1000, 9999)}"
        ),
        lambda r: ":".join(_hex(r, 2) for _ in range(6)),
        lambda r: f"fe80::{_hex(r, 4)}:{_hex(r, 4)}",
        lambda r: f"https://twitter.com/x/status/{digits(r, 19, '1')}",
        lambda r: f"https://shop.tidewrack.it/p/{digits(r, 12)}?ref={digits(r, 9)}",
        lambda r: f"https://discord.com/channels/{digits(r, 18)}/{digits(r, 18)}",
        lambda r: f"[map](https://osm.org/#map=19/45.{digits(r, 5)}/9.{digits(r, 5)})",
    ),
    "order": (
        lambda r: f"order no. {digits(r, 10)}",
        lambda r: f"ticket {digits(r, 9)} closed",
        lambda r: f"fattura {digits(r, 11)}",
        lambda r: f"Bestellung {digits(r, 12)}",
        lambda r: f"INV-2024-{digits(r, 9)}",
        lambda r: f"tracking {digits(r, 14)}",
        lambda r: f"SKU {digits(r, 13)}",
        lambda r: f"lot {_date(r, '')}-{digits(r, 4)}",
        lambda r: f"batch {digits(r, 8)} done",
        lambda r: f"PR #{digits(r, 6)}, issue #{digits(r, 6)}",
        lambda r: f"pedido {digits(r, 10)} enviado",
        lambda r: f"订单号 {digits(r, 16, '1')}",
        lambda r: f"RFC {digits(r, 4)}, CVE-2024-{digits(r, 5)}",
        lambda r: f"JIRA-{digits(r, 6)}",
    ),
    "quantity": (
        lambda r: f"population {digits(r, 1, '123456789')} {digits(r, 3)} {digits(r, 3)}",
        lambda r: f"€ {digits(r, 2)}.{digits(r, 3)}.{digits(r, 3)},00",
        lambda r: f"{digits(r, 1)},{digits(r, 3)},{digits(r, 3)} rows",
        lambda r: f"0.{digits(r, 16)}",
        lambda r: f"pi ≈ 3.{digits(r, 12)}",
        lambda r: f"{digits(r, 7, '123')} bytes in {digits(r, 3)} ms",
        lambda r: f"sizes {digits(r, 4)} {digits(r, 4)} {digits(r, 4)} {digits(r, 4)}",
        lambda r: f"| {digits(r, 4)} | {digits(r, 4)} | {digits(r, 4)} |",
        lambda r: f"nonce {digits(r, 19, '1')}",
        lambda r: f"gas limit 30_000_{digits(r, 3)}",
        lambda r: f"score {digits(r, 3)} / {digits(r, 2)} / {digits(r, 2)}",
        lambda r: f"pages {digits(r, 3)}-{digits(r, 3)}, {digits(r, 4)}",
        lambda r: f"k={digits(r, 2)} n={digits(r, 4)} MRR 0.{digits(r, 3)}",
        lambda r: f"lat 45.{digits(r, 4)} lon 9.{digits(r, 4)}",
        lambda r: f"call {digits(r, 7, '1')} times",
        lambda r: f"mobile view is {digits(r, 4)}x{digits(r, 4)}",
        lambda r: f"chmod 0{digits(r, 3)} 0{digits(r, 3)}",
    ),
    "zeros": (
        lambda r: "P.IVA 00000000000",
        lambda r: "IT00X0000000000000000000000",
        lambda r: "0000 0000 0000 0000",
        lambda r: f"SSN {r.choice(NEVER_ISSUED)}",
        lambda r: (
            f"phone: {r.choice(('000 0000000', '1234567890', '123-456-7890', '+00 000 000 0000'))}"
        ),
        lambda r: f"codice fiscale: {r.choice(NO_CODES)}",
        lambda r: f"email: {r.choice(NO_ADDRESSES)}",
    ),
    "key": (
        lambda r: f"token {_b64(r, 36)}",
        lambda r: f"base64 {_b64(r, 60)}==",
        lambda r: f"session={_hex(r, 24)}",
        lambda r: f"AWB{digits(r, 12)}X",
        lambda r: f"part {r.choice('ABCDEFG')}{digits(r, 7)}",
        lambda r: f"model RX-{digits(r, 4)}-{digits(r, 3)}",
        lambda r: f"plate AB {digits(r, 3)} CD",
        lambda r: f"ref {digits(r, 3)}-{digits(r, 7)}",
        lambda r: f"ENC[{_b64(r, 48)}]",
    ),
    "reserved_fictional_phone": (
        lambda r: f"Call {r.choice(FICTIONAL)} in the script.",
        lambda r: f"phone: {r.choice(FICTIONAL)}",
    ),
    "masked_card": (
        lambda r: r.choice(MASKED).format(digits(r, 4)),
        lambda r: f"paid with {r.choice(MASKED).format(digits(r, 4))}",
    ),
    "prose": (
        lambda r: "We meet at the dot of nine, at some point in June.",
        lambda r: "Look at node dot js docs.",
        lambda r: "A che punto siamo? At home. Point it out.",
        lambda r: "The email is at the bottom of the page.",
        lambda r: "Press the @ key, then a dot, then com.",
        lambda r: f"The price @ {r.randint(1, 9)}.50 is fair.",
        lambda r: "Il numero di telefono non è stato fornito.",
        lambda r: "My SSN and card number are in the vault, not here.",
        lambda r: f"Room {r.randint(1, 9)}.14, floor 02, extension {digits(r, 4)}",
        lambda r: "The IBAN check is modulo 97.",
        lambda r: f"In {r.randint(1900, 2020)} the phone had {r.randint(2, 9)} buttons.",
        lambda r: f"Legge {digits(r, 3)}/1990, art. 12, comma 3",
        lambda r: f"ISO 9001:2015, EN {digits(r, 5)}-1",
        lambda r: "Il codice fiscale ha sedici caratteri.",
    ),
}
"""What looks like personal data, by kind."""

PER_MAKER = 12


def lines(random: Random) -> Iterator[Made]:
    """Yield lines that must be accepted."""
    for kind, makers in MAKERS.items():
        for turn, make in enumerate(makers):
            for _ in range(PER_MAKER):
                yield turn, kind, "", make(random)
