"""Which grants stand, as far as was known a moment ago."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

import anyio.to_thread

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
    """Asks the database of grants, and remembers a little while what it said."""

    store: Store
    _known: dict[str, tuple[float, bool]] = field(default_factory=dict)

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
