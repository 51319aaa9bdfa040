"""Streams without end: who listens, and when that ends: with the server, or with the token.

A stream that ends says so: its last message is the result of the call that began it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

REVOKED_SECONDS = 5.0
"""How long after its end a token may still count at another server of the same database,
and how long a stream may go on that was begun with it."""

LOOK_SECONDS = 1.0
"""How often it is looked whether a listener may still listen."""

ANSWER_SECONDS = 2.0
"""How long a database may take to say so; a stream nobody can vouch for ends."""

FAREWELL_SECONDS = 0.5
"""How long a stream that is to end may take over its result; then it is cut."""

MOST_LISTENING = 1_024
ENDING = "manent.ending"
"""Where the scope of an HTTP request has its ``Ending``."""


class Ending:
    """The end of one stream. stands: whether its listener would still be let in."""

    def __init__(self, stopping: asyncio.Event, stands: Callable[[], Awaitable[bool]]) -> None:
        self._stopping = stopping
        self._stands = stands
        self._over = False
        self._told: list[Callable[[], None]] = []

    def tell(self, say: Callable[[], None]) -> None:
        """Have ``say`` called when the stream is to end."""
        self._told.append(say)
        if self._over:
            say()

    async def wait(self) -> None:
        """Return when the stream is to be cut, a while after it was told to end."""
        await self._until()
        self._over = True
        for say in self._told:
            say()
        await asyncio.sleep(FAREWELL_SECONDS)

    async def _until(self) -> None:
        while True:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._stopping.wait()
                return
            except TimeoutError:
                if not await self._vouched():
                    return

    async def _vouched(self) -> bool:
        asked = asyncio.ensure_future(self._stands())
        done, _ = await asyncio.wait((asked,), timeout=ANSWER_SECONDS)
        if not done:
            # It may wait for a thread that nothing can interrupt: it is not waited for.
            asked.add_done_callback(lambda late: late.cancelled() or late.exception())
            return False
        return asked.result()


class Streams:
    """Those who listen, each of whose streams can be ended by itself.

    The SDK's handler ends all of its streams at once, so each stream has one of its own.
    """

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus
        self._open: set[ListenHandler] = set()

    async def __call__(self, context: Any, params: Any) -> Any:
        """Serve one stream until it is to end; return its result. Raises MCPError."""
        if len(self._open) >= MOST_LISTENING:
            raise MCPError(INTERNAL_ERROR, "Subscription limit reached")
        handler = ListenHandler(self._bus)
        self._open.add(handler)
        scope = getattr(context.request, "scope", {})
        if isinstance(ending := scope.get(ENDING), Ending):
            ending.tell(handler.close)
        try:
            return await handler(context, params)
        finally:
            self._open.discard(handler)

    def close(self) -> None:
        """End every stream with its result."""
        for handler in list(self._open):
            handler.close()
