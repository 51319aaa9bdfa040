"""Where somebody is: public IP addresses and coordinates. Looked for on request only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from manent import late

_V4 = late.pattern(r"(?<![\w.:/-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
_V6 = late.pattern(r"(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:.])")
_DECIMAL = late.pattern(
    r"(?<![\w.,-])([-+]?\d{1,2}\.\d{3,12})°?\s?([NS]?)\s?[,;/ ]\s?"
    r"([-+]?\d{1,3}\.\d{3,12})°?\s?([EWO]?)(?![\w]|\.\d)"
)
_LABELLED = late.pattern(
    r"(?<![a-z])lat(?:itud(?:e|ine)?)?\W{1,4}([-+]?\d{1,2}\.\d{3,12})\W{1,6}"
    r"(?:lon|lng|long|longitud(?:e|ine)?)\W{1,4}([-+]?\d{1,3}\.\d{3,12})",
    re.IGNORECASE,
)
_SEXAGESIMAL = late.pattern(
    r"(?<!\w)(\d{1,2})°\s?(\d{1,2})['′’]\s?(?:\d{1,2}(?:\.\d{1,4})?[\"″”]?\s?)?[NS][\s,;]{1,3}"
    r"(\d{1,3})°\s?(\d{1,2})['′’]\s?(?:\d{1,2}(?:\.\d{1,4})?[\"″”]?\s?)?[EWO](?!\w)"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A location: where in the text, ``ip`` or ``coordinates``, canonical form."""

    start: int
    end: int
    kind: str
    canonical: str


def find(text: str) -> Iterator[Place]:
    """Yield public IP addresses and coordinates.

    Private, loopback, documentation and other reserved addresses are nobody's.
    """
    for pattern in (_V4, _V6):
        for match in pattern.finditer(text):
            address = _public(match[0])
            if address is not None:
                yield Place(match.start(), match.end(), "ip", address)
    for match in _DECIMAL.finditer(text):
        if abs(float(match[1])) <= 90 and abs(float(match[3])) <= 180:
            yield _coordinates(match, match[1] + match[2], match[3] + match[4])
    for match in _LABELLED.finditer(text):
        if abs(float(match[1])) <= 90 and abs(float(match[2])) <= 180:
            yield _coordinates(match, match[1], match[2])
    for match in _SEXAGESIMAL.finditer(text):
        if int(match[1]) <= 90 and int(match[3]) <= 180 and int(match[2]) < 60 > int(match[4]):
            yield _coordinates(match, f"{match[1]}.{match[2]}", f"{match[3]}.{match[4]}")


def _public(body: str) -> str | None:
    import ipaddress  # only where locations count

    try:
        address = ipaddress.ip_address(body)
    except ValueError:
        return None
    return address.compressed if address.is_global and not address.is_multicast else None


def _coordinates(match: re.Match[str], latitude: str, longitude: str) -> Place:
    return Place(match.start(), match.end(), "coordinates", f"{latitude},{longitude}".lower())
