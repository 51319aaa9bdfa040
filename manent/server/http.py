"""The server over HTTP: one endpoint for MCP, and what an operator looks at.

``/mcp`` (and ``/t/TOKEN/mcp`` for clients that can set no header) speaks MCP; ``/healthz``
says that the process lives, ``/readyz`` that it can answer; ``/metrics``, where asked for,
gives the owner figures. Whatever else there is (sign-in, pages) is an ASGI application
that is handed what none of these is for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from manent.access import Identity
from manent.server.address import ENDPOINT
from manent.server.door import (
    IDENTITY,
    STANDS,
    Door,
    Response,
    client_of,
    error,
    header_of,
    is_endpoint,
    without_token,
)
from manent.server.logs import Log, Value
from manent.server.metrics import CONTENT_TYPE, Metrics
from manent.server.post import INVALID_REQUEST, Fault, Pinned, is_modern, read
from manent.server.streams import ENDING, Ending

LARGEST_BODY = 8 << 20
"""Bytes of a message. What is larger gets a plain error once it was read off the line."""

LARGEST_DISCARDED = 64 << 20
"""Bytes that are read off the line for the sake of a plain error."""

BODY_SECONDS = 30.0
"""How long a client may take to send a message."""

SEND_SECONDS = 60.0
"""How long a client may take to take in a piece of an answer."""

_VERSION = b"mcp-protocol-version"
_LISTEN = "subscriptions/listen"
_RETRY_MS = 100


def identity_of(context: Any) -> Identity:
    """Return who asks, from the SDK's context of a request that came through the door."""
    found = context.request.scope[IDENTITY]
    assert isinstance(found, Identity)
    return found


@dataclass(slots=True)
class App:
    """The ASGI application.

    server: the SDK's. ready: whether what is served can answer. figures: whether
    ``/metrics`` is there. more: what answers other paths. sessions, streams: stateful
    legacy sessions, and answers as event streams, which ``events`` keeps for clients that
    come back; the conformance suite asks for all three.
    """

    server: Server[Any]
    door: Door
    log: Log
    metrics: Metrics
    ready: Callable[[], bool]
    pinned: Pinned = field(default_factory=Pinned)
    figures: bool = False
    more: ASGIApp | None = None
    sessions: bool = False
    streams: bool = False
    events: EventStore | None = None
    body_seconds: float = BODY_SECONDS
    send_seconds: float = SEND_SECONDS
    _manager: StreamableHTTPSessionManager = field(init=False)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._manager = StreamableHTTPSessionManager(
            self.server,
            self.events,
            json_response=not self.streams,
            stateless=not self.sessions,
            retry_interval=_RETRY_MS if self.events else None,
            max_request_body_size=LARGEST_BODY,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or take part in starting and stopping."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    def stop(self) -> None:
        """End the answers that would not end by themselves."""
        self._stopping.set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be able to answer within this block."""
        async with self._manager.run():
            yield

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self.running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope, token = without_token(scope)
        route = self._route(scope["path"], token)
        began = time.monotonic()
        told = _Told(scope, send, self.door.headers, self.send_seconds)
        try:
            answer = await self._route_to(route, scope, token, receive, told)
            if answer is not None:
                await answer(scope, receive, told)
        finally:
            if route not in ("healthz", "readyz"):
                self._note(route, scope, told.status, time.monotonic() - began)

    def _route(self, path: str, token: bytes | None) -> str:
        if is_endpoint(path):
            return "mcp"
        if token is not None:
            return "unknown"
        name = path[1:]
        if name in ("healthz", "readyz") or (name == "metrics" and self.figures):
            return name
        return "more" if self.more is not None else "unknown"

    async def _route_to(
        self, route: str, scope: Scope, token: bytes | None, receive: Receive, told: _Told
    ) -> Response | None:
        """Return the answer, or None where it was given already."""
        door = self.door
        if route in ("healthz", "readyz"):
            return self._health(route, scope)
        if answer := door.strange(scope):
            return answer
        told.allows_origin = True
        if answer := door.preflight(scope):
            return answer
        if route == "unknown":
            return _nothing()
        if route == "more":
            assert self.more is not None
            await self.more(scope, _InTime(receive, self.body_seconds), told)
            return None
        if answer := await door.enter(scope, token):
            return answer
        if route == "metrics":
            return self._figures(scope)
        return await self._mcp(scope, receive, told)

    def _health(self, route: str, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return Response(405, headers={"Allow": "GET, HEAD"})
        if route == "readyz" and not self.ready():
            return Response(503, b'{"ready":false}', headers={"Retry-After": "1"})
        body = b'{"alive":true}' if route == "healthz" else b'{"ready":true}'
        return Response(200, body, headers={"Cache-Control": "no-store"})

    def _figures(self, scope: Scope) -> Response:
        identity: Identity = scope[IDENTITY]
        if not identity.is_whole_owner:
            return error(403, "forbidden", "figures are for the owner")
        if scope["method"] not in ("GET", "HEAD"):
            return Response(405, headers={"Allow": "GET, HEAD"})
        return Response(200, self.metrics.render().encode(), CONTENT_TYPE)

    async def _mcp(self, scope: Scope, receive: Receive, send: Send) -> Response | None:
        if scope["method"] != "POST":
            if self.sessions and scope["method"] in ("GET", "DELETE"):
                await self._manager.handle_request(_plain(scope), receive, send)
                return None
            return Response(405, headers={"Allow": "POST"})
        content_type = (header_of(scope, b"content-type") or "").partition(";")[0].strip().lower()
        if content_type != "application/json":
            return _faulty(Fault(415, INVALID_REQUEST, "Content-Type must be application/json"))
        body = await self._body(scope, receive)
        if isinstance(body, Response):
            return body
        message = read(body)
        if isinstance(message, Fault):
            return _faulty(message)
        header = header_of(scope, _VERSION)
        if fault := self.pinned.judge(message, header):
            return _faulty(fault)
        headers = scope["headers"]
        if not is_modern(message, header) and message.method == "initialize":
            # The SDK would take it for a modern call on the strength of the header.
            headers = [pair for pair in headers if pair[0] != _VERSION]
        # A stream without end ends with the server, or with the token it was begun with;
        # every other answer is waited for.
        ending = Ending(self._stopping, scope[STANDS]) if message.method == _LISTEN else None
        again = _Again(body, receive, ending)
        plain = {**_plain(scope, headers), ENDING: ending}
        await self._manager.handle_request(plain, again, send)
        return None

    async def _body(self, scope: Scope, receive: Receive) -> bytes | Response:
        declared = header_of(scope, b"content-length") or ""
        size = int(declared) if declared.isascii() and declared.isdigit() else 0
        waits = (header_of(scope, b"expect") or "").lower() == "100-continue"
        if size > LARGEST_DISCARDED or (size > LARGEST_BODY and waits):
            return _too_large()
        try:
            async with asyncio.timeout(self.body_seconds):
                return await _read_off(receive)
        except TimeoutError:
            return _faulty(
                Fault(408, INVALID_REQUEST, "the message did not come in time"), close=True
            )

    def _note(self, route: str, scope: Scope, status: int, seconds: float) -> None:
        self.metrics.count("manent_requests_total", "Requests.", route=route, status=str(status))
        fields: dict[str, Value] = {
            "route": route,
            "method": scope["method"] if scope["method"] in _METHODS else "other",
            "status": status,
            "ms": round(seconds * 1000, 1),
            "client": client_of(scope),
        }
        if isinstance(identity := scope.get(IDENTITY), Identity):
            fields["identity"] = identity.name
        self.log("request", "info", **fields)


_METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH")


class _Told:
    """Sends an answer with the headers that all have, and remembers its status."""

    def __init__(
        self,
        scope: Scope,
        send: Send,
        headers: Callable[[Scope], list[tuple[bytes, bytes]]],
        seconds: float,
    ) -> None:
        self._scope = scope
        self._send = send
        self._headers = headers
        self._seconds = seconds
        self.allows_origin = False
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = list(message.get("headers", []))
            given = {name.lower() for name, _ in own}
            scope = self._scope if self.allows_origin else {**self._scope, "headers": []}
            own += [pair for pair in self._headers(scope) if pair[0] not in given]
            message = {**message, "headers": own}
        async with asyncio.timeout(self._seconds):
            await self._send(message)


@dataclass(frozen=True, slots=True)
class Paths:
    """Several applications as one. by_prefix: by how paths begin. rest: answers the others."""

    by_prefix: Mapping[str, ASGIApp]
    rest: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""
        path = scope["path"]
        for prefix, app in self.by_prefix.items():
            if path == prefix or path.startswith(prefix + "/"):
                await app(scope, receive, send)
                return
        await (self.rest or _nothing())(scope, receive, send)


class _InTime:
    """Takes in a request for so long, and then as if its sender had gone."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        self._receive = receive
        self._until = asyncio.get_running_loop().time() + seconds

    async def __call__(self) -> Message:
        try:
            async with asyncio.timeout_at(self._until):
                return await self._receive()
        except TimeoutError:
            return {"type": "http.disconnect"}


class _Again:
    """Gives a body that was read already, then whatever comes after it.

    ending: once it has come, the sender counts as gone.
    """

    def __init__(self, body: bytes, receive: Receive, ending: Ending | None) -> None:
        self._body: bytes | None = body
        self._receive = receive
        self._ending = ending

    async def __call__(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        if self._ending is None:
            return await self._receive()
        return await self._until_ended(self._ending)

    async def _until_ended(self, end: Ending) -> Message:
        going = asyncio.ensure_future(self._receive())
        ending = asyncio.ensure_future(end.wait())
        try:
            await asyncio.wait((going, ending), return_when=asyncio.FIRST_COMPLETED)
            return going.result() if going.done() else {"type": "http.disconnect"}
        finally:
            going.cancel()
            ending.cancel()


def _plain(scope: Scope, headers: Any = None) -> Scope:
    """Return the scope as the SDK gets it: at the endpoint, without the token."""
    kept = scope["headers"] if headers is None else headers
    clean = [pair for pair in kept if pair[0] != b"authorization"]
    return {**scope, "path": ENDPOINT, "raw_path": ENDPOINT.encode(), "headers": clean}


async def _read_off(receive: Receive) -> bytes | Response:
    body = bytearray()
    discarded = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return Response(400)  # it went away; nobody reads this
        if discarded or len(body) + len(message.get("body", b"")) > LARGEST_BODY:
            discarded += len(body) + len(message.get("body", b""))
            body.clear()
            if discarded > LARGEST_DISCARDED:
                return _too_large()
        else:
            body += message.get("body", b"")
        if not message.get("more_body", False):
            return _too_large() if discarded else bytes(body)


def _nothing() -> Response:
    return error(404, "not_found", "there is nothing here; MCP is at " + ENDPOINT)


def _too_large() -> Response:
    return _faulty(
        Fault(413, INVALID_REQUEST, f"a message has at most {LARGEST_BODY} bytes"), close=True
    )


def _faulty(fault: Fault, close: bool = False) -> Response:
    return Response(fault.status, fault.body(), headers={"Connection": "close"} if close else {})
