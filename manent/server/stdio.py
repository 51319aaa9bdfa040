"""Serve on standard input and output, one message a line: every stdio server's layer.

The SDK settles the revision at the first request, gives a line that is no message no
answer, takes lines of any length, and drops what is not answered when its input ends. So
lines are looked at first: a leading probe is answered here and decides nothing, and so is
what no server could act on; and the input ends for the SDK when what came by it is done.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp_types import CLIENT_CAPABILITIES_META_KEY as CAPABILITIES
from mcp_types import PROTOCOL_VERSION_META_KEY as VERSION
from mcp_types import SERVER_INFO_META_KEY as SERVER_INFO
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS

from manent.errors import EnvironmentFault
from manent.server.message import INVALID_PARAMS, fault, meta_of, read, too_long

LONGEST_LINE = 16 << 20
"""Bytes of a message; what is longer is refused unread."""

PATIENCE_SECONDS = 60.0
"""How long answers are waited for when the other side has closed its end."""

SIGNALLED_SECONDS = 5.0
"""How long they are waited for when a signal ends the input, or comes when it has ended."""

LISTENING_SECONDS = 1.0
"""How long those who listen are waited for, when all else is answered."""

_AGAIN_SECONDS = 0.05

_LOOK_SECONDS = 0.2
_AT_ONCE = 4096
"""Bytes that a pipe which can be written to takes without waiting, whatever it holds."""

_HEAD = 1 << 16
"""Bytes that are kept of a line that is too long: its id is among them, if anywhere."""
_UNSUPPORTED = -32022


async def serve(
    server: Server[Any],
    era: str = "auto",
    begun: Callable[[], None] = lambda: None,
    patience_seconds: float = PATIENCE_SECONDS,
    ending: Callable[[], None] | None = None,
) -> int:
    """Answer until the other side closes its end, or a signal does; return that signal, or 0.

    era: auto, legacy or modern. begun: called once the first answer is out: what takes
    its time need not compete with that. ending: ends what somebody listens to, each with its
    result, when all else is answered. What came before the end is answered; a second signal
    does not wait for that. Raises EnvironmentFault without standard streams.
    """
    open_calls = _Open()
    outgoing = _Outgoing(_taken(1), begun, open_calls)
    incoming = _Incoming(_taken(0), outgoing, server, era, patience_seconds, ending)
    with _signals(incoming) as told:
        async with stdio_server(incoming, outgoing) as (reading, writing):  # type: ignore[arg-type]
            if era == "legacy":
                async with server.lifespan(server) as state:
                    await serve_loop(server, reading, writing, lifespan_state=state)
            else:
                await server.run(reading, writing, server.create_initialization_options())
    return told[0] if told else 0


@contextlib.contextmanager
def _signals(incoming: _Incoming) -> Iterator[list[int]]:
    """Let SIGTERM and SIGINT end the input for the block; yield which of them did."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    came: list[int] = []

    def told(which: int) -> None:
        came.append(which)
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        incoming.stop()

    for number in numbers:
        try:
            loop.add_signal_handler(number, told, number)
        except NotImplementedError:  # no such thing on this system: it ends the process
            signal.signal(number, signal.SIG_DFL)
    try:
        yield came
    finally:
        incoming.stop()  # a thread may be reading still


def _taken(descriptor: int) -> int:
    """Take a standard stream away from everybody else: what prints, prints on stderr."""
    # Where one was closed from the start, its number may be anything's by now.
    if (sys.stdout if descriptor else sys.stdin) is None:
        raise EnvironmentFault("standard input or output is closed", "leave both open")
    own = os.dup(descriptor)
    if descriptor == 0:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
    else:
        sys.stdout.flush()
        os.dup2(2, 1)
    return own


class _Open:
    """What was asked, by either side, and has no answer yet."""

    def __init__(self) -> None:
        self._here: Counter[str] = Counter()
        self._there: Counter[str] = Counter()
        self._listening: Counter[str] = Counter()
        self._changed = anyio.Event()

    def came(self, message: Mapping[str, Any]) -> None:
        """Note what the other side said."""
        self._note(message, self._here, self._there)

    def went(self, message: Mapping[str, Any]) -> None:
        """Note what was said to the other side."""
        self._note(message, self._there, self._here)

    def _note(
        self, message: Mapping[str, Any], asked: Counter[str], answered: Counter[str]
    ) -> None:
        method, identity = message.get("method"), message.get("id")
        if method is None:
            self._done(answered, identity)
        elif method == "subscriptions/listen":
            self._listening[str(identity)] += 1  # that has no answer but the end
        elif identity is not None:
            asked[str(identity)] += 1
        elif method == "notifications/cancelled" and isinstance(message.get("params"), dict):
            self._done(asked, message["params"].get("requestId"))
        self._changed.set()

    def _done(self, asked: Counter[str], identity: Any) -> None:
        # The SDK takes 1 and "1" for the same, too.
        key = str(identity)
        held = self._listening if key in self._listening and key not in asked else asked
        held[key] -= 1
        if held[key] <= 0:
            del held[key]

    async def settled(self) -> None:
        """Wait until nothing is open but what waits for the other side itself."""
        while len(self._here) > len(self._there):
            self._changed = anyio.Event()
            await self._changed.wait()

    async def unheard(self, ending: Callable[[], None]) -> None:
        """Wait until nobody listens any more: each is sent its result.

        One that has just come may not have begun when others were told of the end.
        """
        while self._listening:
            ending()
            self._changed = anyio.Event()
            with anyio.move_on_after(_AGAIN_SECONDS):
                await self._changed.wait()


class _Outgoing:
    """Whole lines out, one writer at a time.

    until: the moment, of the clock that only grows, from which nobody is waited for who
    does not read: a client that has stopped reading keeps no server from its end.
    """

    def __init__(
        self, descriptor: int, begun: Callable[[], None], open_calls: _Open | None = None
    ) -> None:
        self._descriptor = descriptor
        self._begun = begun
        self._lock = anyio.Lock()
        self._broken = False
        self.until = math.inf
        self.open_calls = open_calls or _Open()

    async def write(self, text: str) -> None:
        """Write what the SDK says."""
        await self.put(text.encode("utf-8", "backslashreplace"))
        self.open_calls.went(json.loads(text))

    async def put(self, data: bytes) -> None:
        """Write a line."""
        async with self._lock:
            await anyio.to_thread.run_sync(self._write, data)
        begun, self._begun = self._begun, lambda: None
        begun()

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self._broken:
                if not self._waited():
                    self._broken = len(rest) < len(data)  # no other line after half a one
                    return
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(self._descriptor, rest[:_AT_ONCE]) :]
        except OSError:
            pass  # nobody reads any more; the end of the input will say so too

    def _waited(self) -> bool:
        """Wait until a piece can be written; False when that is waited for no longer."""
        # A thread that waits in a write cannot be called back from it.
        while os.name == "posix":
            if select.select([], [self._descriptor], [], _LOOK_SECONDS)[1]:
                return True
            if time.monotonic() > self.until:
                return False
        return True

    async def flush(self) -> None:
        """Do nothing: what is written is out."""


class _Incoming:
    """Lines in, those that the SDK can act on."""

    def __init__(
        self,
        descriptor: int,
        outgoing: _Outgoing,
        server: Server[Any],
        era: str,
        patience_seconds: float = PATIENCE_SECONDS,
        ending: Callable[[], None] | None = None,
    ) -> None:
        self._ending = ending
        self._descriptor = descriptor
        self._outgoing = outgoing
        self._server = server
        self._era = era
        self._patience_seconds = patience_seconds
        self._patience = anyio.CancelScope()
        self._held = bytearray()
        self._leading = era != "legacy"
        self._stopped, self._stopping = os.pipe()

    def stop(self) -> None:
        """End the input now, whatever the other side does; and soon what waits for answers."""
        os.write(self._stopping, b"\0")
        self._wait_at_most(SIGNALLED_SECONDS)

    def __aiter__(self) -> _Incoming:
        return self

    async def __anext__(self) -> str:
        while True:
            taken = await anyio.to_thread.run_sync(self._taken, abandon_on_cancel=True)
            if taken is None:
                await self._settled()
                raise StopAsyncIteration
            line, message, answer = taken
            answer = answer or self._opening(message)
            if answer is None:
                self._outgoing.open_calls.came(message)
                return line.decode()
            await self._outgoing.put(json.dumps(answer, separators=(",", ":")).encode() + b"\n")

    async def _settled(self) -> None:
        """Wait until what was asked is answered, though not for ever."""
        self._wait_at_most(self._patience_seconds)
        with self._patience:
            await self._outgoing.open_calls.settled()
            if self._ending is not None:
                self._wait_at_most(LISTENING_SECONDS)
                await self._outgoing.open_calls.unheard(self._ending)

    def _wait_at_most(self, seconds: float) -> None:
        self._patience.deadline = min(self._patience.deadline, anyio.current_time() + seconds)
        self._outgoing.until = min(self._outgoing.until, time.monotonic() + seconds)

    # -- in a thread -----------------------------------------------------------------

    def _taken(self) -> tuple[bytes, Any, dict[str, Any] | None] | None:
        """Return the next line that is not empty, with what it says or its answer."""
        while (found := self._line()) is not None:
            line, whole = found
            if not whole:
                return line, None, too_long(line)
            if line.strip():
                return line, *read(line)
        return None

    def _line(self) -> tuple[bytes, bool] | None:
        """Return the next line and whether that is all of it; None at the end."""
        head, looked_at = b"", 0
        while True:
            at = self._held.find(b"\n", looked_at)
            if at >= 0:
                line = bytes(self._held[:at])
                del self._held[: at + 1]
                return _whole(head, line)
            if len(self._held) > LONGEST_LINE:
                head = head or bytes(self._held[:_HEAD])
                self._held.clear()
            looked_at = len(self._held)
            chunk = self._chunk()
            if not chunk:
                line = bytes(self._held)
                self._held.clear()
                return _whole(head, line) if head or line else None
            self._held += chunk

    def _chunk(self) -> bytes:
        """Wait for more bytes; return none at the end."""
        # A thread that waits in a read cannot be called back from it.
        while os.name == "posix":
            ready, _, _ = select.select([self._descriptor, self._stopped], [], [])
            if self._stopped in ready:
                return b""
            with contextlib.suppress(BlockingIOError):
                return self._read()
        return self._read()

    def _read(self) -> bytes:
        return os.read(self._descriptor, 1 << 16)

    # -- who opens how ---------------------------------------------------------------

    def _opening(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to what may lead before the SDK settles the revision."""
        if not self._leading or not {"id", "method"} <= message.keys():
            return None
        if message["method"] == "server/discover" and _is_modern(message):
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
            "_meta": {SERVER_INFO: server.server_info_stamp},
        }


def _whole(head: bytes, line: bytes) -> tuple[bytes, bool]:
    """Return a line with whether it is one that may be read."""
    if head or len(line) > LONGEST_LINE:
        return head or line[:_HEAD], False
    return line, True


def _is_modern(message: Mapping[str, Any]) -> bool:
    """Tell whether a request is well formed on the modern wire; what is not, the SDK answers."""
    meta = meta_of(message)
    return meta.get(VERSION) in MODERN_PROTOCOL_VERSIONS and isinstance(
        meta.get(CAPABILITIES), dict
    )


def _not_modern(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request of another revision than the one that is served."""
    if message["method"] == "initialize":
        requested = (message.get("params") or {}).get("protocolVersion")
    else:
        requested = meta_of(message).get(VERSION)
    if isinstance(requested, str) and requested not in MODERN_PROTOCOL_VERSIONS:
        data = {"supported": list(MODERN_PROTOCOL_VERSIONS), "requested": requested}
        error = {"code": _UNSUPPORTED, "message": "Unsupported protocol version", "data": data}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}
    lacking = f"params._meta must have {VERSION} and {CAPABILITIES}"
    return fault(message["id"], INVALID_PARAMS, lacking)
