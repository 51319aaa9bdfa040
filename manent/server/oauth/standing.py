"""Which grants stand, as far as was known a moment ago, and which end with a token.

The keys that tokens are sealed with hang on tokens alone: put back, a token makes what was
sealed under it good again. So what hung on a token is ended in the database once a server
sees that it is another one: while it runs, or when it starts.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import anyio.to_thread

from manent.errors import ManentError
from manent.server.identities import Identities
from manent.server.oauth.store import Store
from manent.server.streams import ANSWER_SECONDS, LOOK_SECONDS, REVOKED_SECONDS
from manent.values import dataclass, field

KNOWN_SECONDS = REVOKED_SECONDS - LOOK_SECONDS - ANSWER_SECONDS
"""How long what the database said of a grant is taken as still so. A stream asks only now
and then, and may wait for the answer: all together is what a revoked grant may last."""

_REMEMBERED = 4_096
_GRANT = re.compile(r"[0-9a-f]{32}")

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Standing:
    """Asks the database of grants, and remembers a little while what it said.

    audience: the address that the grants are for; another server's are left alone.
    """

    store: Store
    identities: Identities
    audience: str
    _known: dict[str, tuple[float, bool]] = field(default_factory=dict)

    def begin(self) -> None:
        """End what hangs on tokens that are others now, and go on doing so."""
        self.identities.refresh()
        for name, bound in self.store.bindings(self.audience):
            if self.identities.bound_of(name) != bound:
                self.store.end_bound(self.audience, name, bound)
        self.identities.listeners.append(self._soon)

    async def settle(self) -> None:
        """End what hung on tokens that were others a moment ago."""
        if self.identities.ended():
            await apart(self._settle)

    def _settle(self) -> None:
        for name, bound in self.identities.ended():
            self.store.end_bound(self.audience, name, bound)
            self.forget()
            self.identities.note((name, bound))

    def _soon(self) -> None:
        """Do it also where nobody asks: a token may be back before anybody does."""

        def work() -> None:
            with contextlib.suppress(ManentError):  # whoever asks next hears of it
                self._settle()

        threading.Thread(target=work, name="manent-ended", daemon=True).start()

    async def lives(self, grant: object) -> bool:
        """Tell whether a grant was not revoked. grant: as a claim names it, proved or not."""
        if not isinstance(grant, str) or not _GRANT.fullmatch(grant):
            return False
        moment = time.monotonic()
        known = self._known.get(grant)
        if known is not None and moment - known[0] < KNOWN_SECONDS:
            return known[1]
        found = await apart(self.store.grant, grant)
        lives = found is not None and not found.revoked
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[grant] = (moment, lives)
        return lives

    async def end(self, grant: str) -> None:
        """End a grant, and every token that it gave."""
        await apart(self.store.revoke, grant)
        self._known.pop(grant, None)

    def forget(self) -> None:
        """Look every grant up anew."""
        self._known.clear()


async def apart(work: Callable[..., Answer], *arguments: Any) -> Answer:
    """Ask the database on a thread: it may be far away."""
    return await anyio.to_thread.run_sync(lambda: work(*arguments))
