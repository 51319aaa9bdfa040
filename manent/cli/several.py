"""``manent serve --processes N``: one port, answered by several processes.

One interpreter answers one call at a time. Each process here is a whole server, as a
replica on another machine would be; the system deals connections out among them. This
one only looks after them: it starts again what died, and ends with all of them.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from manent.server.address import Place, hold

_START_SECONDS = 60.0
_BRIEF_SECONDS = 2.0
"""A process that lives no longer than that would only die again."""
_LOOK_SECONDS = 1.0

Serve = Callable[[Place, int, Callable[[], None]], int]
"""Serve at a place as the process of that number, and say when it listens; the exit code."""


def run(place: Place, count: int, serve: Serve) -> int:
    """Serve in ``count`` processes until told to end; return the exit code of them all."""
    held, place = hold(place)
    return _Keeper(place, count, serve, held).run()


class _Keeper:
    def __init__(self, place: Place, count: int, serve: Serve, held: socket.socket) -> None:
        self._place = place
        self._count = count
        self._serve = serve
        self._held = held
        self._children: dict[int, tuple[int, float]] = {}
        self._ending = False
        self._code = 0

    def run(self) -> int:
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._told)
        # The first alone, so that what cannot be served is said once.
        if self._start(0):
            for number in range(1, self._count):
                self._start(number)
        while self._children:
            try:
                process, status = os.wait()
            except ChildProcessError:
                break
            self._died(process, os.waitstatus_to_exitcode(status))
        return self._code

    def _told(self, number: int, frame: FrameType | None) -> None:
        self._ending = True
        for process in list(self._children):
            _send(process, number)

    def _died(self, process: int, code: int) -> None:
        number, began = self._children.pop(process)
        if self._ending:
            self._code = self._code or max(code, 0)
        elif code == 0 or time.monotonic() - began < _BRIEF_SECONDS:
            self._code = code if code > 0 else 1
            self._told(signal.SIGTERM, None)
        else:
            self._start(number)

    def _start(self, number: int) -> bool:
        """Start a process; return whether it came to listen."""
        reading, writing = os.pipe()
        sys.stderr.flush()
        began, process = time.monotonic(), os.fork()
        if process == 0:
            os.close(reading)
            os._exit(self._child(number, writing))
        os.close(writing)
        self._children[process] = (number, began)
        listens = os.read(reading, 1) == b"1"
        os.close(reading)
        return listens

    def _child(self, number: int, writing: int) -> int:
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, signal.SIG_DFL)
        threading.Thread(target=_orphaned, args=(os.getppid(),), daemon=True).start()
        try:
            return self._serve(self._place, number, lambda: _say(writing))
        finally:
            sys.stderr.flush()


def _say(writing: int) -> None:
    os.write(writing, b"1")
    os.close(writing)


def _orphaned(parent: int) -> None:
    """End this process when the one that looks after it is gone."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    _send(os.getpid(), signal.SIGTERM)


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass
