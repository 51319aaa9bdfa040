"""Putting signing in together, and behind the door of the HTTP server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from manent.server.address import ENDPOINT
from manent.server.door import Door
from manent.server.oauth.clients import WEB, Redirects
from manent.server.oauth.provider import Provider
from manent.server.oauth.routes import SignIn
from manent.server.oauth.store import Store


def open_sign_in(
    door: Door,
    base: str,
    database: str,
    redirects: Iterable[str] = (),
    now: Callable[[], float] = time.time,
) -> tuple[SignIn, Store]:
    """Return the application of signing in, and the store that is to be closed after it.

    The door takes the tokens it issues from now on, and its 401 leads there. base: as
    ``public_base`` returns it. database: ``sqlite:///FILE`` or ``postgresql://…``.
    redirects: exact URLs beside those of the web clients that everybody has. Raises
    UsageError, EnvironmentFault.
    """
    allowed = Redirects(frozenset((*WEB, *redirects)))
    store = Store(database)
    provider = Provider(base, base + ENDPOINT, door.identities, store, now)
    found = SignIn(provider, allowed, door.log, door.throttle)
    door.issuer = provider
    door.challenge = found.challenge
    return found, store
