"""What is known of a national number, and how the numbers of this package are described."""

from __future__ import annotations

from collections.abc import Callable

from manent.scan.pii.checks import patterned
from manent.values import dataclass

GENERIC = (
    "national id", "identity number", "identity code", "identity card", "identification number",
    "id number", "id no", "id code", "id card", "tax id", "tax number", "tax file number",
    "social security", "ssn", "social insurance", "personal code", "personal id", "personal number",
    "national number", "national insurance",
    "codice fiscale", "carta d'identità", "documento d'identità", "matricola inps",
    "documento de identidad", "número de identificación", "documento nacional",
    "número de identidad", "cédula", "identité", "identification nationale", "numéro fiscal",
    "sécurité sociale", "personalausweis", "ausweisnummer", "steuernummer", "sozialversicherung*",
    "contribuinte", "identificação", "identidade", "documento de identificação",
)  # fmt: skip
"""Words for any national number, beside those of its own country."""


@dataclass(frozen=True, slots=True)
class Number:
    """One kind of national number. ``source``: who publishes its grammar."""

    kind: str
    what: str
    source: str
    holds: Callable[[str], bool]
    words: tuple[str, ...]
    surely: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    alone: bool = False


N9, N10, N11, N12, N13 = "0" * 9, "0" * 10, "0" * 11, "0" * 12, "0" * 13
"""Pictures of bare digits."""


def always(code: str) -> bool:
    """For numbers without a check: only a placeholder is refused."""
    return not patterned("".join(c for c in code if c.isdigit()))
