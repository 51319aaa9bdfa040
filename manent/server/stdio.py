"""Serve on standard input and output, one message a line.

The SDK settles the revision at the first request, gives a line that is no message no
answer, and takes lines of any length. So lines are looked at first: a leading probe is
answered here and decides nothing, and so is what no server could act on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp_types import JSONRPCRequest
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS

from manent.server.protocol import META

LONGEST_LINE = 16 << 20
"""Bytes of a message; what is longer is refused unread."""
_PARSE_ERROR, _INVALID_REQUEST, _INVALID_PARAMS = -32700, -32600, -32602
_UNSUPPORTED = -32022
_VERSION = f"{META}protocolVersion"


async def serve(server: Server[Any], era: str, begun: Callable[[], None] = lambda: None) -> None:
    """Answer until the other side closes its end, or a signal does.

    era: auto, legacy or modern. begun: called once the first answer is out: what takes
    its time need not compete with that. What came before the end is answered; a second signal
    does not wait for that.
    """
    wire = _Wire(server, era, begun)
    with _signals(wire.incoming):
        async with stdio_server(wire.incoming, wire.outgoing) as (reading, writing):  # type: ignore[arg-type]
            if era == "legacy":
                async with server.lifespan(server) as state:
                    await serve_loop(server, reading, writing, lifespan_state=state)
                return
            await server.run(reading, writing, server.create_initialization_options())


@contextlib.contextmanager
def _signals(incoming: _Incoming) -> Iterator[None]:
    """Let SIGTERM and SIGINT end the input for the block."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)

    def told() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        incoming.stop()

    for number in numbers:
        with contextlib.suppress(NotImplementedError):  # no such thing on this system
            loop.add_signal_handler(number, told)
    yield


class _Wire:
    """Both standard streams; nothing else in the process reaches them from now on."""

    def __init__(self, server: Server[Any], era: str, begun: Callable[[], None]) -> None:
        self.outgoing = _Outgoing(_taken(1), begun)
        self.incoming = _Incoming(_taken(0), self.outgoing, server, era)


def _taken(descriptor: int) -> int:
    """Take a standard stream away from everybody else: what prints, prints on stderr."""
    own = os.dup(descriptor)
    if descriptor == 0:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
    else:
        sys.stdout.flush()
        os.dup2(2, 1)
    return own


class _Outgoing:
    """Whole lines out, one writer at a time."""

    def __init__(self, descriptor: int, begun: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._begun = begun
        self._lock = anyio.Lock()

    async def write(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        async with self._lock:
            await anyio.to_thread.run_sync(self._write, data)
        begun, self._begun = self._begun, lambda: None
        begun()

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except BrokenPipeError:
            pass  # nobody reads any more; the end of the input will say so too

    async def flush(self) -> None:
        """Do nothing: what is written is out."""


class _Incoming:
    """Lines in, those that the SDK can act on."""

    def __init__(self, descriptor: int, outgoing: _Outgoing, server: Server[Any], era: str) -> None:
        self._descriptor = descriptor
        self._outgoing = outgoing
        self._server = server
        self._era = era
        self._held = bytearray()
        self._leading = era != "legacy"
        self._stopped, self._stopping = os.pipe()

    def stop(self) -> None:
        """End the input now, whatever the other side does."""
        os.write(self._stopping, b"\0")

    def __aiter__(self) -> _Incoming:
        return self

    async def __anext__(self) -> str:
        while True:
            line = await anyio.to_thread.run_sync(self._line, abandon_on_cancel=True)
            if line is None:
                raise StopAsyncIteration
            if not line.strip():
                continue
            message, fault = _read(line)
            answer = fault or self._opening(message)
            if answer is None:
                return line.decode("utf-8", "replace")
            await self._outgoing.write(json.dumps(answer, separators=(",", ":")) + "\n")

    def _line(self) -> bytes | None:
        """Return the next line; None at the end; b"\\0" for one that is too long."""
        too_long = False
        while True:
            at = self._held.find(b"\n")
            if at >= 0:
                line = bytes(self._held[:at])
                del self._held[: at + 1]
                return b"\0" if too_long or len(line) > LONGEST_LINE else line
            if len(self._held) > LONGEST_LINE:
                too_long = True
                self._held.clear()
            chunk = self._chunk()
            if not chunk:
                line = bytes(self._held)
                self._held.clear()
                return line if line.strip() and not too_long else None
            self._held += chunk

    def _chunk(self) -> bytes:
        """Wait for more bytes; return none at the end."""
        # A thread that waits in a read cannot be called back from it.
        if os.name == "posix":
            ready, _, _ = select.select([self._descriptor, self._stopped], [], [])
            if self._stopped in ready:
                return b""
        return os.read(self._descriptor, 1 << 16)

    def _opening(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to what may lead before the SDK settles the revision."""
        if not self._leading or not {"id", "method"} <= message.keys():
            return None
        if message.get("method") == "server/discover" and _is_modern(message):
            return {"jsonrpc": "2.0", "id": message["id"], "result": self._discovered()}
        if self._era == "modern" and not _is_modern(message):
            return _not_modern(message)
        self._leading = False
        return None

    def _discovered(self) -> dict[str, Any]:
        server = self._server
        capabilities = server.get_capabilities(protocol_version=LATEST_MODERN_VERSION)
        hint = server.cache_hints.get("server/discover")
        return {
            "resultType": "complete",
            "supportedVersions": list(MODERN_PROTOCOL_VERSIONS),
            "capabilities": capabilities.model_dump(by_alias=True, mode="json", exclude_none=True),
            "instructions": server.instructions,
            "ttlMs": hint.ttl_ms if hint else 0,
            "cacheScope": hint.scope if hint else "private",
            "_meta": {f"{META}serverInfo": server.server_info_stamp},
        }


def _is_modern(message: Mapping[str, Any]) -> bool:
    """Tell whether a request is well formed on the modern wire; what is not, the SDK answers."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return (
        message.get("jsonrpc") == "2.0"
        and isinstance(meta, dict)
        and meta.get(_VERSION) in MODERN_PROTOCOL_VERSIONS
        and isinstance(meta.get(f"{META}clientCapabilities"), dict)
    )


def _not_modern(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request of another revision than the one that is served."""
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    if message.get("method") == "initialize":
        requested = params.get("protocolVersion")
    else:
        requested = meta.get(_VERSION) if isinstance(meta, dict) else None
    if isinstance(requested, str) and requested not in MODERN_PROTOCOL_VERSIONS:
        data = {"supported": list(MODERN_PROTOCOL_VERSIONS), "requested": requested}
        error = {"code": _UNSUPPORTED, "message": "Unsupported protocol version", "data": data}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}
    lacking = f"params._meta must have {_VERSION} and {META}clientCapabilities"
    return _fault(message["id"], _INVALID_PARAMS, lacking)


def _read(line: bytes) -> tuple[Any, dict[str, Any] | None]:
    """Return the message in a line, or the answer to one that is no message.

    A request that cannot be taken gets an answer with its own id wherever it has one.
    """
    if line == b"\0":
        return None, _fault(None, _INVALID_REQUEST, "the message is too long")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None, _fault(None, _PARSE_ERROR, "Parse error")
    if not isinstance(message, dict):
        return None, _fault(None, _INVALID_REQUEST, "one message a line")
    try:
        JSONRPCRequest.model_validate_json(line)
    except (ValueError, RecursionError):
        if "method" not in message and not {"result", "error"} & message.keys():
            return None, _refused(message)
        if "method" not in message or "id" not in message:
            return message, None  # a notification or a response: the SDK knows better
        return None, _refused(message)
    return message, None


def _refused(message: Mapping[str, Any]) -> dict[str, Any]:
    identity = message.get("id")
    sound = isinstance(identity, str | int) and not isinstance(identity, bool)
    named = message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str)
    if not sound or not named:
        return _fault(identity if sound else None, _INVALID_REQUEST, "Invalid request")
    return _fault(identity, _INVALID_PARAMS, "the parameters are no plain JSON: half a character?")


def _fault(identity: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}
