"""Who is signed in at the pages: a sealed cookie, and a row that whoever signs out takes away.

The row is in the database that servers share, so that a session which was ended at one of
them is over at all of them.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from starlette.types import Scope

from manent.access import OWNER_NAME, Identity
from manent.errors import ManentError
from manent.server.identities import Identities
from manent.server.oauth.sealed import counts, seal, unseal
from manent.values import dataclass

if TYPE_CHECKING:
    from manent.server.oauth.standing import Standing

SESSION_SECONDS = 12 * 3600
_KIND = "ui"


@dataclass(slots=True)
class Sessions:
    """Begins, knows and ends them.

    kept: returns what is kept of who signed in; asked on a thread. audience: this server's
    public address, "" where it has none. All but ``cookie`` may raise ManentError.
    """

    identities: Identities
    kept: Callable[[], Standing]
    audience: str = ""
    now: Callable[[], float] = time.time

    async def begin(self) -> str:
        """Begin a session of the owner's; return the header that keeps it."""
        standing = await asyncio.to_thread(self.kept)
        await standing.settle()
        from manent.server.oauth.store import Session  # heavy, and there by now

        key = self.identities.key_of(OWNER_NAME)
        assert key is not None, "there is a vault's token wherever there is HTTP"
        named, now = secrets.token_hex(16), self.now()
        ends = int(now) + SESSION_SECONDS
        bound = self.identities.bound_of(OWNER_NAME)
        session = Session(named, OWNER_NAME, ends * 1000, bound, self.audience)
        await asyncio.to_thread(standing.store.keep_session, session, int(now * 1000))
        claims = {"n": OWNER_NAME, "e": ends, "r": named}
        return self.cookie(seal(_KIND, self.audience, claims, key), SESSION_SECONDS)

    async def who(self, scope: Scope) -> Identity | None:
        """Return the owner who signed in, or None. A new token of the vault ends every session."""
        for claims in self._claims(scope):
            standing = await asyncio.to_thread(self.kept)
            await standing.settle()
            if not await asyncio.to_thread(standing.store.keeps_session, claims["r"]):
                continue
            try:
                found = self.identities.named(OWNER_NAME)
            except ManentError:
                continue
            if found.is_whole_owner:
                return found
        return None

    async def end(self, scope: Scope) -> str:
        """End the session of a request; return the header that forgets it."""
        for claims in self._claims(scope):
            standing = await asyncio.to_thread(self.kept)
            await asyncio.to_thread(standing.store.end_session, claims["r"])
        return self.cookie("", 0)

    def cookie(self, value: str, seconds: int) -> str:
        """Return the header that sets the cookie."""
        secure = "; Secure" if self.audience.startswith("https:") else ""
        flags = f"Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"
        return f"{self._name}={value}; {flags}"

    @property
    def _name(self) -> str:
        return "__Host-manent-ui" if self.audience.startswith("https:") else "manent-ui"

    def _claims(self, scope: Scope) -> Iterator[dict[str, Any]]:
        """Yield what the sound ones of its cookies say."""
        for value in cookies_of(scope, self._name):
            claims = unseal(value, _KIND, self.audience, self.identities.key_of)
            if claims is None or not counts(claims, self.now(), SESSION_SECONDS):
                continue
            if claims["n"] == OWNER_NAME and isinstance(claims.get("r"), str):
                yield claims


def cookies_of(scope: Scope, name: str) -> Iterator[str]:
    """Yield the values of a cookie, whatever stands beside it: others are not ours to judge."""
    for key, header in scope["headers"]:
        if key == b"cookie":
            for pair in header.decode("latin-1").split(";"):
                named, separator, value = pair.partition("=")
                if separator and named.strip() == name:
                    yield value.strip().strip('"')
