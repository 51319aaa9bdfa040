"""A real HTTP server on a free port of this machine, for tests."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.subscriptions import InMemorySubscriptionBus

from manent.server.address import Names, Place, listen
from manent.server.door import Door
from manent.server.http import App, identity_of
from manent.server.identities import Identities
from manent.server.logs import Log
from manent.server.metrics import Metrics
from manent.server.post import Pinned
from manent.server.running import serve
from manent.server.streams import Streams

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def small_server(pause: Callable[[], float] = lambda: 0.0) -> Server[Any]:
    """Return an SDK server with one tool, ``whoami``, that says who asks."""

    async def tools(context: Any, params: Any) -> types.ListToolsResult:
        schema = {"type": "object", "properties": {"text": {"type": "string"}}}
        return types.ListToolsResult(
            tools=[types.Tool(name="whoami", description="Say who asks.", input_schema=schema)]
        )

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        await asyncio.sleep(pause())
        said = identity_of(context).name
        return types.CallToolResult(content=[types.TextContent(type="text", text=said)])

    return Server(
        "small",
        version="1",
        on_list_tools=tools,
        on_call_tool=call,
        on_subscriptions_listen=Streams(InMemorySubscriptionBus()),
    )


@dataclass
class Running:
    """A server that runs: its port, its log, and a client at hand."""

    port: int
    log: io.StringIO
    metrics: Metrics
    client: httpx2.Client
    stop: Callable[[], None]
    thread: threading.Thread
    app: App
    faults: list[BaseException] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lines(self) -> list[dict[str, Any]]:
        """Return what was logged."""
        return [json.loads(line) for line in self.log.getvalue().splitlines()]

    def post(
        self,
        message: Any,
        token: str | None,
        version: str | None = None,
        path: str = "/mcp",
        **headers: str,
    ) -> httpx2.Response:
        """Send a message, with the headers of its era."""
        sent = {"Accept": "application/json, text/event-stream"}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if version is not None:
            sent["MCP-Protocol-Version"] = version
        if version == MODERN and isinstance(message, dict) and "method" in message:
            sent["Mcp-Method"] = message["method"]
            if message["method"] == "tools/call":
                sent["Mcp-Name"] = message["params"]["name"]
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(message, bytes):
            sent.setdefault("Content-Type", "application/json")
            return self.client.post(path, content=message, headers=sent)
        return self.client.post(path, json=message, headers=sent)


def modern(method: str, identity: int | str = 1, **params: Any) -> dict[str, Any]:
    """Return a modern request."""
    return {
        "jsonrpc": "2.0",
        "id": identity,
        "method": method,
        "params": {"_meta": META, **params},
    }


def legacy(method: str, identity: int | str = 1, **params: Any) -> dict[str, Any]:
    """Return a legacy request."""
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def initialize(version: str = LEGACY) -> dict[str, Any]:
    """Return the request that opens a legacy session."""
    info = {"name": "test", "version": "1"}
    return legacy("initialize", protocolVersion=version, capabilities={}, clientInfo=info)


@contextmanager
def running(
    identities: Identities,
    *,
    server: Server[Any] | None = None,
    era: str = "auto",
    public_url: str = "",
    origins: tuple[str, ...] = (),
    ready: Callable[[], bool] = lambda: True,
    figures: bool = False,
    host: str = "127.0.0.1",
    door: Callable[[Door], None] = lambda door: None,
    more: Callable[[Door], Any] | None = None,
    port: int = 0,
    **settings: Any,
) -> Iterator[Running]:
    """Run a server in a thread for as long as the block lasts."""
    stream = io.StringIO()
    log, metrics = Log(stream), Metrics()
    entrance = Door(identities, Names(public_url, frozenset(origins)), log, metrics)
    door(entrance)
    app = App(
        server or small_server(),
        entrance,
        log,
        metrics,
        ready,
        Pinned(era),
        figures,
        more(entrance) if more else None,
        **settings,
    )
    sockets = listen(Place(host, port))
    port = sockets[0].getsockname()[1]
    faults: list[BaseException] = []
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    def work() -> None:
        try:
            loop.run_until_complete(
                serve(
                    app,
                    sockets,
                    log,
                    stop=ended,
                    on_stop=app.stop,
                    signals=False,
                    stop_seconds=5,
                )
            )
        except BaseException as error:
            faults.append(error)
            raise

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def stop() -> None:
        loop.call_soon_threadsafe(ended.set)

    with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
        yield Running(port, stream, metrics, client, stop, thread, app, faults)
    stop()
    thread.join(20)
    assert not thread.is_alive() and not faults
    loop.close()


def raw(port: int, data: bytes, seconds: float = 10.0) -> bytes:
    """Send bytes as they are and return all that comes back until the other side closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))
