"""When a stream without end ends: with the server, or with what its listener came in by."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from manent.values import dataclass

REVOKED_SECONDS = 5.0
"""How long after its end a token may still count at another server of the same database,
and how long a stream may go on that was begun with it."""

LOOK_SECONDS = 1.0
"""How often it is looked whether a listener may still listen."""

ANSWER_SECONDS = 2.0
"""How long a database may take to say so; a stream nobody can vouch for ends."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of one stream. stands: whether its listener would still be let in."""

    stopping: asyncio.Event
    stands: Callable[[], Awaitable[bool]]

    async def wait(self) -> None:
        """Return when the stream is to end."""
        while True:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self.stopping.wait()
                return
            except TimeoutError:
                if not await self._vouched():
                    return

    async def _vouched(self) -> bool:
        asked = asyncio.ensure_future(self.stands())
        done, _ = await asyncio.wait((asked,), timeout=ANSWER_SECONDS)
        if not done:
            # It may wait for a thread that nothing can interrupt: it is not waited for.
            asked.add_done_callback(lambda late: late.cancelled() or late.exception())
            return False
        return asked.result()
