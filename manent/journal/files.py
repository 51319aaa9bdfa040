"""Files of fixed records: seeks, appends that are whole or nothing, and the lock.

What is opened here is a regular file: no link is followed, no pipe waited on.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from manent.errors import EnvironmentFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

CHUNK = 1 << 20


class Lock:
    """An exclusive ``flock`` on one file, held for a ``with`` block; waits its turn.

    wait: with False it does not wait, and raises BlockingIOError where it would.
    """

    __slots__ = ("_handle", "_path", "_wait")

    def __init__(self, path: str, wait: bool = True) -> None:
        self._path = path
        self._handle = -1
        self._wait = wait

    def __enter__(self) -> Lock:
        # Opened to append, never truncated: another tool may hold a lock on it.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._handle = os.open(self._path, flags, 0o666)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | (0 if self._wait else fcntl.LOCK_NB))
        except BlockingIOError:
            os.close(self._handle)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def append(path: str, records: Iterable[bytes]) -> int:
    """Append records and have them on the disk; take all back when one fails."""
    new = not os.path.lexists(path)
    with Opened(path, WRITE | os.O_APPEND | os.O_CREAT) as target:
        size = target.size()
        try:
            count = write_all(target, records)
            os.fsync(target.fileno())
        except BaseException as failed:
            os.ftruncate(target.fileno(), size)
            if isinstance(failed, OSError):
                raise EnvironmentFault(f"{path}: {failed.strerror}; nothing was saved") from None
            raise
    if new:
        sync_folder(os.path.dirname(path))
    return count


def write_all(target: Opened, records: Iterable[bytes]) -> int:
    """Write records in runs; return how many. Raises OSError."""
    count, held = 0, bytearray()
    for one in records:
        held += one
        count += 1
        if len(held) >= CHUNK:
            target.write(bytes(held))
            held.clear()
    target.write(bytes(held))
    return count


def sync_folder(path: str) -> None:
    """Have a new name on the disk too: fsync of the file alone does not name it."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Opened:
    """A regular file, opened without following a link or waiting on a pipe."""

    __slots__ = ("_handle",)

    def __init__(self, path: str, flags: int = READ) -> None:
        try:
            self._handle = os.open(path, flags, 0o666)
        except OSError as failed:
            if failed.errno == errno.ELOOP:
                raise EnvironmentFault(
                    f"{path} is a symbolic link; put the file itself in its place"
                ) from None
            raise
        if not stat.S_ISREG(os.fstat(self._handle).st_mode):
            os.close(self._handle)
            raise EnvironmentFault(f"{path} is no regular file")

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def fileno(self) -> int:
        """Return the handle, for `os`."""
        return self._handle

    def size(self) -> int:
        """Return how many bytes the file holds."""
        return os.fstat(self._handle).st_size

    def read(self, count: int) -> bytes:
        """Read ``count`` bytes, fewer only at the end of the file."""
        got = os.read(self._handle, count)
        while got and len(got) < count and (more := os.read(self._handle, count - len(got))):
            got += more
        return got

    def chunks(self) -> Iterator[bytes]:
        """Read on to the end, a run at a time."""
        while raw := self.read(CHUNK):
            yield raw

    def seek(self, start: int) -> None:
        """Go on reading from byte ``start``."""
        os.lseek(self._handle, start, os.SEEK_SET)

    def write(self, raw: bytes) -> None:
        """Write all of ``raw``. Raises OSError."""
        view = memoryview(raw)
        while view:
            view = view[os.write(self._handle, view) :]


def size_of(path: str) -> int:
    """Return the size of a regular file. Raises OSError, EnvironmentFault."""
    found = os.lstat(path)
    if not stat.S_ISREG(found.st_mode):
        raise EnvironmentFault(f"{path} is no regular file")
    return found.st_size


def read_at(path: str, start: int, count: int) -> bytes:
    """Return ``count`` bytes from ``start`` on, fewer only at the end of the file."""
    with Opened(path) as found:
        found.seek(start)
        return found.read(count)
