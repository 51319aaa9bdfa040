"""Putting signing in together, and behind the door of the HTTP server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from manent.errors import EnvironmentFault
from manent.server.address import ENDPOINT
from manent.server.door import Door
from manent.server.identities import Identities

if TYPE_CHECKING:
    from manent.server.oauth.routes import SignIn
    from manent.server.oauth.standing import Standing


class Kept:
    """What is kept of who signed in, opened when somebody first asks for it.

    database: returns ``sqlite:///FILE`` or ``postgresql://…``. audience: this server's
    public address, "" where it has none.
    """

    def __init__(
        self, identities: Identities, database: Callable[[], str], audience: str = ""
    ) -> None:
        self._identities = identities
        self._database = database
        self._audience = audience
        self._lock = threading.Lock()
        self._standing: Standing | None = None

    def __call__(self) -> Standing:
        """Return it. Raises UsageError, EnvironmentFault. It may take a while."""
        from manent.server.oauth.standing import Standing
        from manent.server.oauth.store import Store

        with self._lock:
            if self._standing is None:
                try:
                    store = Store(self._database())
                except OSError as error:  # no folder for the file of one server alone
                    said = f"the sign-ins cannot be kept: {error.strerror}"
                    raise EnvironmentFault(said, "name a --database") from error
                found = Standing(store, self._identities, self._audience)
                try:
                    found.begin()
                except BaseException:
                    store.close()
                    raise
                self._standing = found
            return self._standing

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            if self._standing is not None:
                self._standing.store.close()


def open_sign_in(
    door: Door,
    base: str,
    kept: Kept,
    redirects: Iterable[str] = (),
    now: Callable[[], float] = time.time,
) -> SignIn:
    """Return the application of signing in.

    The door takes the tokens it issues from now on, and its 401 leads there. base: as
    ``public_base`` returns it. redirects: exact URLs beside those of the web clients that
    everybody has. Raises UsageError, EnvironmentFault.
    """
    from manent.server.oauth.clients import WEB, Redirects
    from manent.server.oauth.provider import Provider
    from manent.server.oauth.routes import SignIn

    allowed = Redirects(frozenset((*WEB, *redirects)))
    standing = kept()
    provider = Provider(base, base + ENDPOINT, door.identities, standing.store, now)
    provider.standing = standing
    found = SignIn(provider, allowed, door.log, door.throttle)
    door.issuer = provider
    door.challenge = found.challenge
    return found
