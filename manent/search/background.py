"""Embedding that nobody waits for: a process of its own, that gives way to all others.

What it makes is on the disk batch by batch, so it may be stopped at any moment and
goes on where it stood. Whoever answers questions sees the vectors as they come, and
uses them once every note has one.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

NICENESS = 10
LOCK = "embedding.lock"
"""Held in the folder of all vectors by who makes them."""
_PATIENCE_SECONDS = 5


class Background:
    """A long command, run beside this process at low priority.

    command: for vectors, ``python -m manent -q index VAULT --embed``, as the edge spells it.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, said: IO[bytes] | None = None) -> None:
        """Start it, unless it runs already. said: takes what it says on stderr.

        Raises OSError where no process can be started.
        """
        if self.running:
            return
        nothing = subprocess.DEVNULL
        self._process = subprocess.Popen(
            self._command,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing if said is None else said,
            start_new_session=True,
        )
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)

    @property
    def running(self) -> bool:
        """Whether it was started and is at work."""
        return self._process is not None and self._process.poll() is None

    @property
    def code(self) -> int | None:
        """The exit code of the last run, None before its end."""
        return None if self._process is None else self._process.poll()

    def stop(self) -> None:
        """End it and its workers; what it has made stays."""
        if self._process is None or not self.running:
            return
        import signal

        for sent in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, sent)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE_SECONDS)
                return


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Hold the right to embed in a folder for the block; False: another process has it.

    Two at once would do no harm but the same work.
    """
    import fcntl

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    lock = os.open(folder / LOCK, flags, 0o600)
    try:
        # Who only looks (``embedding``) holds it for a moment, too.
        free = any(_locked(lock, fcntl.LOCK_EX, pause) for pause in (0.02, 0.02, 0.0))
        yield free
    finally:
        os.close(lock)


def embedding(folder: Path) -> bool:
    """Tell whether a process embeds in a folder; nothing is made there."""
    import fcntl

    try:
        lock = os.open(folder / LOCK, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        return not _locked(lock, fcntl.LOCK_SH)
    finally:
        os.close(lock)


def _locked(lock: int, how: int, pause_seconds: float = 0.0) -> bool:
    """Take a lock if it is free; where it is not, wait for so long before saying so."""
    import fcntl

    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(pause_seconds)
        return False
    return True
