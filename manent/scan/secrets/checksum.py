"""Check letters that issuers put into their tokens; our own tokens among them.

GitHub and npm end a token with the CRC-32 of what stands between prefix and
end, in base 62, six letters, zeros in front; ours do the same. A wrong check
does not clear a token (a misspelt key still tells most of it), so the check is
only ever used to be sure, never to let go.
"""

from __future__ import annotations

import zlib

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
PREFIX = "manent_"
"""What our own tokens begin with: then 32 letters by chance and 6 check letters."""
BODY = 32
CHECK = 6


def check_letters(body: str) -> str:
    """Return the six base-62 letters that end a token whose random part is ``body``."""
    number = zlib.crc32(body.encode("ascii", "replace"))
    found = ""
    while number:
        number, rest = divmod(number, 62)
        found = BASE62[rest] + found
    return found.rjust(CHECK, "0")


def checked(token: str, prefix: str) -> bool:
    """Whether ``token`` ends with the check letters of what follows ``prefix``."""
    body = token[len(prefix) : -CHECK]
    return token[-CHECK:] == check_letters(body)


def own_token(body: str) -> str:
    """Return the token of this project whose random part is ``body``.

    body: 32 letters of base 62, drawn by a source fit for secrets. Raises
    ValueError for anything else.
    """
    if len(body) != BODY or any(letter not in BASE62 for letter in body):
        raise ValueError("the random part of a token is 32 letters of base 62")
    return f"{PREFIX}{body}{check_letters(body)}"


def mixed(token: str) -> bool:
    """Whether ``token`` holds digits and both cases: for forms that words could have."""
    return (
        any(letter.isdigit() for letter in token)
        and any(letter.islower() for letter in token[2:])
        and any(letter.isupper() for letter in token)
    )
