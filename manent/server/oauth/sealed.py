"""Texts that only this server can make: tokens, and what is carried through a browser.

A sealed text says who it is for in the clear, and ends with a digest under a key that
hangs on the vault's token, and on the agent's: no table of live tokens is needed, they
survive a restart, and they end with what they were derived from.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 6_000
"""Characters of a sealed text that are looked at."""

Claims = Mapping[str, Any]
KeyOf = Callable[[str], bytes | None]
"""From the name of an identity to its key; None: nothing is sealed for it, or not any more."""

SKEW_SECONDS = 60
"""By how much the clocks of several servers may differ."""

_NOBODY = secrets.token_bytes(32)


def seal(kind: str, audience: str, claims: Claims, key: bytes) -> str:
    """Return ``kind.claims.digest``. claims: JSON values; ``"n"`` is whom it is for.

    audience: the address of this server: another one with the same token does not take it.
    """
    body = _encoded(json.dumps(dict(claims), separators=(",", ":"), sort_keys=True).encode())
    return f"{kind}.{body}.{_encoded(_digest(kind, audience, body, key))}"


def unseal(text: str, kind: str, audience: str, key_of: KeyOf) -> dict[str, Any] | None:
    """Return what was sealed, None for anything that this server did not seal."""
    parts = _parts(text, kind)
    if parts is None:
        return None
    claims = _claims(parts[1])
    name = claims.get("n") if claims is not None else None
    key = key_of(name) if isinstance(name, str) else None
    given = _decoded(parts[2]) or b""
    # Somebody unknown takes as long as somebody known.
    sound = hmac.compare_digest(_digest(kind, audience, parts[1], key or _NOBODY), given)
    return claims if sound and key is not None else None


def claimed(text: str, kind: str) -> dict[str, Any] | None:
    """Return what a text says of itself, whoever made it: nothing of it is proved."""
    parts = _parts(text, kind)
    return None if parts is None else _claims(parts[1])


def counts(claims: Claims, now: float, lasts_seconds: int) -> bool:
    """Tell whether what ends at ``"e"`` has not ended, nor was made by a clock gone back since.

    Without the second, what was made while a clock ran years ahead would last for years.
    """
    ends = claims.get("e")
    return isinstance(ends, int) and 0 <= ends - now <= lasts_seconds + SKEW_SECONDS


def _parts(text: str, kind: str) -> list[str] | None:
    if len(text) > LONGEST or not text.isascii():
        return None
    parts = text.split(".")
    return parts if len(parts) == 3 and parts[0] == kind else None


def _digest(kind: str, audience: str, body: str, key: bytes) -> bytes:
    return hmac.digest(key, f"{kind}\0{audience}\0{body}".encode(), "sha256")


def _claims(body: str) -> dict[str, Any] | None:
    content = _decoded(body)
    if content is None:
        return None
    try:
        found = json.loads(content.decode())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _decoded(text: str) -> bytes | None:
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    # One spelling alone: a token is not another token for a changed last letter.
    return content if _encoded(content) == text else None
