"""Running the HTTP server: sockets, patience with slow clients, a graceful stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from manent.server.logs import Log

HEAD_SECONDS = 10.0
"""How long a client may take over the head of a request."""

KEPT_SECONDS = 75
"""How long a connection is kept between two requests; longer than most clients pause."""

STOP_SECONDS = 10
"""How long calls under way may go on once the server was told to stop."""

CONNECTIONS = 1_000
"""Connections at once; who comes after gets 503."""

LARGEST_HEAD = 32 << 10
"""Bytes of a request's line and headers."""


class Patient(H11Protocol):
    """HTTP/1.1 that does not wait for ever for the head of a request."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect a request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take in a piece of a request; its first one starts the clock."""
        if self._timer is None and self._between():
            self._expect()
        super().data_received(data)
        if self._timer is not None and not self._between():
            self._relax()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        self._relax()
        super().connection_lost(exc)

    def _between(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect(self) -> None:
        self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _relax(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self._between():
            self.transport.close()


class _Server(uvicorn.Server):
    """A server whose signals end it, and nothing else."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to ``serve``: this one would send them again once it stopped."""
        yield


async def serve(
    app: ASGIApp,
    sockets: list[socket.socket],
    log: Log,
    *,
    behind_proxy: bool = False,
    stop: asyncio.Event | None = None,
    on_stop: Callable[[], None] = lambda: None,
    stop_seconds: int = STOP_SECONDS,
    signals: bool = True,
) -> None:
    """Serve until SIGTERM, SIGINT or ``stop``; calls under way are answered.

    behind_proxy: a proxy on this machine says where a request came from. on_stop: called
    once, when the stop begins. A second signal ends at once what is under way.
    """
    config = uvicorn.Config(
        app,
        http=Patient,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1,::1",
        timeout_keep_alive=KEPT_SECONDS,
        timeout_graceful_shutdown=stop_seconds,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=LARGEST_HEAD,
    )
    server = _Server(config)
    stopping = _Stopping(server, log, on_stop)
    loop = asyncio.get_running_loop()
    if signals:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopping.signalled, number)
    waiting = asyncio.create_task(_when(stop, stopping)) if stop is not None else None
    for opened in sockets:
        log("listening", url=f"http://{_at(opened)}/mcp", port=opened.getsockname()[1])
    try:
        await server.serve(sockets)
    finally:
        if waiting is not None:
            waiting.cancel()
        if signals:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)
        for opened in sockets:
            opened.close()
        log("stopped")


class _Stopping:
    """Ends a server, gently the first time."""

    def __init__(self, server: uvicorn.Server, log: Log, on_stop: Callable[[], None]) -> None:
        self._server = server
        self._log = log
        self._on_stop = on_stop

    def signalled(self, number: signal.Signals) -> None:
        """Take a signal."""
        self._log("stopping", signal=signal.Signals(number).name)
        self.begin()

    def begin(self) -> None:
        """Stop; the second time at once."""
        if self._server.should_exit:
            self._server.force_exit = True
            return
        self._server.should_exit = True
        self._on_stop()


async def _when(stop: asyncio.Event, stopping: _Stopping) -> None:
    await stop.wait()
    stopping.begin()


def _at(opened: socket.socket) -> str:
    host, port = opened.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
