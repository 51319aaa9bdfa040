"""What this family finds, as data: one record a kind, for the pages and their tests.

Flagged examples hold a placeholder, the kind in braces, in the place of the
datum: nothing that looks real is tracked. Whoever runs an example fills it in.
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.scan.pii.national import NUMBERS, Number
from manent.values import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of personal data: what it is, why it is refused, examples, who says so."""

    kind: str
    what: str
    why: str
    flagged: str
    accepted: str
    source: str


_FIRST = (
    Kind(
        "email",
        "E-mail address, written out or spelled",
        "It reaches a person, and a history hands it to everybody who clones it.",
        "Write to {email} before Monday.",
        "Write to ada@example.org before Monday.",
        "RFC 5321, RFC 6531; reserved names: RFC 2606, 6761, 6762",
    ),
    Kind(
        "phone",
        "Telephone number",
        "It reaches a person at any hour, and it seldom changes.",
        "Call me on {phone}.",
        "Call me on +1 415 555 0132.",
        "ITU-T E.164; the national numbering plans in libphonenumber",
    ),
    Kind(
        "iban",
        "Bank account (IBAN)",
        "With a name it is enough to order a direct debit.",
        "Refund to {iban} by Friday.",
        "The example in the manual is IT00 X000 0000 0000 0000 0000 000.",
        "ISO 13616; SWIFT IBAN registry, release 101",
    ),
    Kind(
        "card",
        "Payment card number",
        "With a date it is enough to pay. The industry forbids keeping it in the clear.",
        "Charged {card} for the hotel.",
        "Charged the card ending in 4242 for the hotel.",
        "ISO/IEC 7812-1; PCI DSS 4.0 requirement 3.5",
    ),
    Kind(
        "ip",
        "Public IP address (on request)",
        "It tells where somebody was connected.",
        "Her session came from {ip}.",
        "Her session came from 192.0.2.7.",
        "RFC 791, RFC 8200; reserved ranges: RFC 6890",
    ),
    Kind(
        "coordinates",
        "Coordinates (on request)",
        "Four decimals are a house.",
        "Home is at {coordinates}.",
        "Home is at 45.4, 9.1.",
        "ISO 6709",
    ),
)


def _kinds() -> Iterator[Kind]:
    yield from _FIRST
    seen = set()
    for number in NUMBERS:
        if number.kind not in seen:
            seen.add(number.kind)
            yield _national(number)


def _national(number: Number) -> Kind:
    label = number.words[0].removeprefix("=").rstrip("*:")
    return Kind(
        number.kind,
        number.what,
        "It is one person's for life, and opens accounts, records and claims in that name.",
        f"{label}: {{{number.kind}}}",
        f"The form asks for the {number.what}.",
        number.source,
    )


KINDS: tuple[Kind, ...] = tuple(_kinds())
"""Every kind of this family, in the order of the pages."""
