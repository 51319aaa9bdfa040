"""Whether a file that can be made anew is still as a process of ours left it.

SQLite has no checksum in a page: a byte that changed inside one is read as if it had
been written. So whoever closes the store notes beside it how long the file is and when
it was last written to. A file that anything else wrote to since (a disk that was full,
a copy over it, an editor, half a restore) is not believed but made anew, whatever is
in it. The note costs 30 µs a process, where a checksum of every row would be computed
for every row that is read.

Everyone who has the file open holds a shared lock. Only who is alone judges it:
beside others its times are on the move, and they vouch for it.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable
from pathlib import Path

SUFFIX = "-seal"
"""What follows the file's name."""
_BYTES = 64
_TRIES = 5
"""Looks taken until what was noted is what there is: another process may be writing."""


class Seal:
    """The note beside one file, held open while the file is in use. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(f"{path}{SUFFIX}", flags, 0o600)
        self._noted = b""

    def enter(self, discard: Callable[[], None]) -> None:
        """Join those who use the file. ``discard`` it first where it was changed by others."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
            if self._holds():
                return
            self._judge(discard)
        except OSError:  # a file system without locks: nobody knows who is alone
            return

    def _judge(self, discard: Callable[[], None]) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
            return
        try:
            if not self._holds():
                discard()
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def _holds(self) -> bool:
        """Tell whether the file is as noted, or there is none that could be otherwise."""
        self._noted = os.pread(self._descriptor, _BYTES, 0)
        now = self._now()
        return not now or now == self._noted

    def _now(self) -> bytes:
        try:
            status = os.stat(self._path)  # noqa: PTH116 - asked at every commit
        except OSError:
            return b""
        if not stat.S_ISREG(status.st_mode):
            return b""
        return f"{status.st_size} {status.st_mtime_ns}".encode().ljust(_BYTES)

    def note(self) -> None:
        """Note the file as it is now. Where that fails it is made anew the next time."""
        for _ in range(_TRIES):
            now = self._now()
            if not now or now == self._noted or self._descriptor < 0:
                return
            try:
                os.pwrite(self._descriptor, now, 0)
            except OSError:
                return
            self._noted = now

    def close(self) -> None:
        """Let go of the file, having noted it."""
        if self._descriptor >= 0:
            self._noted = b""  # another process may have noted something else since
            self.note()
            self.release()

    def release(self) -> None:
        """Let go of the file, whatever it is now."""
        os.close(self._descriptor)
        self._descriptor = -1
