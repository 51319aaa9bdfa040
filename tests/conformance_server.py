"""The fixtures of the official conformance suite, on the project's own server builder.

``python tests/conformance_server.py`` prints the address it serves at and goes on until
it is told to end. ``tests/conformance/run.py`` starts it and runs the suite against it.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from conformance import asking, lasting, papers, tools
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from starlette.types import Scope

from manent.access import OWNER, Identity
from manent.server.address import Names, Place, listen
from manent.server.door import IDENTITY, STANDS, Door, Response
from manent.server.http import App
from manent.server.identities import Identities
from manent.server.logs import Log
from manent.server.metrics import Metrics
from manent.server.protocol import Page, build
from manent.server.running import serve


class Fixtures:
    """What the suite expects a server to offer."""

    pages: Sequence[Page] = ()

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        found = (*tools.TOOLS, *asking.TOOLS, *lasting.TOOLS, *_changes(bus))
        self._tools = {tool.name: tool for tool in found}

    def tools(self, identity: Identity) -> list[types.Tool]:
        return [tool.listed for tool in self._tools.values()]

    def schema(self, name: str) -> Any:
        return self._tools[name].schema if name in self._tools else None

    async def call(
        self, context: Any, identity: Identity, params: types.CallToolRequestParams
    ) -> Any:
        found = self._tools.get(params.name)
        if found is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool")
        return await found.run(context, params)


def _changes(bus: InMemorySubscriptionBus) -> list[tools.Fixture]:
    async def tools_change(context: Any, params: types.CallToolRequestParams) -> tools.Result:
        await bus.publish(ToolsListChanged())
        return tools.said("told")

    async def prompts_change(context: Any, params: types.CallToolRequestParams) -> tools.Result:
        await bus.publish(PromptsListChanged())
        return tools.said("told")

    return [
        tools.Fixture("test_trigger_tool_change", tools_change),
        tools.Fixture("test_trigger_prompt_change", prompts_change),
    ]


class Events(EventStore):
    """Events of streams, so that a client can come back for those it missed."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._events: dict[str, tuple[str, types.JSONRPCMessage | None]] = {}

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        event = str(next(self._numbers))
        self._events[event] = (stream_id, message)
        return event

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        found = self._events.get(last_event_id)
        if found is None:
            return None
        for event, (stream, message) in list(self._events.items()):
            if stream == found[0] and int(event) > int(last_event_id) and message is not None:
                await send_callback(EventMessage(message, event))
        return found[0]


def server() -> Server[Any]:
    """Return the project's server object with the fixtures on it."""
    bus = InMemorySubscriptionBus()
    fixtures = Fixtures(bus)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # levels of logging are of the legacy wire alone
        built = build(
            fixtures,
            lambda context: OWNER,
            name="manent-conformance",
            bus=bus,
            get_tool_input_schema=fixtures.schema,
            **papers.HANDLERS,
        )
    lasting.BOARD.attach(built)
    return built


class OpenDoor(Door):
    """Lets everybody in as the owner: the suite brings no token."""

    async def enter(self, scope: Scope, in_path: bytes | None) -> Response | None:
        scope[IDENTITY], scope[STANDS] = OWNER, _always
        return None


async def _always() -> bool:
    """Tell that whoever came in may stay."""
    return True


def application() -> App:
    """Return the project's own application over the fixtures.

    With sessions, and streams to come back to: on the legacy wire the suite has the server
    ask the client. ``manent serve --http`` does without.
    """
    log, metrics = Log(io.StringIO()), Metrics()
    door = OpenDoor(Identities(None, "conformance-" + "c" * 20), Names(), log, metrics)
    return App(
        server(), door, log, metrics, lambda: True, sessions=True, streams=True, events=Events()
    )


def main() -> None:
    """Serve on a free port of this machine; print its address first."""
    sockets = listen(Place("127.0.0.1", 0))
    print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/mcp", flush=True)
    app = application()
    asyncio.run(serve(app, sockets, app.log))


if __name__ == "__main__":
    main()
