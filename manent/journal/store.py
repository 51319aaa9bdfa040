"""The folder of a journal on disk: seeks, appends, cuts, and the lock.

Reading takes no lock: a record is whole or not there yet. Every writer holds
an exclusive ``flock`` on ``.lock``, the same lock OptMem takes, and has what it
wrote on the disk before it answers. A torn last record, left by a crash, was
never acknowledged: it is dropped before the next append.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from manent import record
from manent.errors import EnvironmentFault
from manent.journal import sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LOG, TREE, CONFIG, LOCK, IGNORE = "LOG.txt", "TREE", "config", ".lock", ".gitignore"

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_CHUNK = 1 << 20


class Store:
    """One journal. ``command`` is how the reader calls it: messages print it.

    Opening it reads its sizes and nothing else. Raises EnvironmentFault when
    the folder holds no log, or a bad ``config``.
    """

    __slots__ = ("_set", "command", "directory")

    def __init__(self, directory: str, command: str = "manent journal") -> None:
        self.directory = directory
        self.command = command
        if not os.path.lexists(self.log):
            raise EnvironmentFault(
                f"no journal at {directory}: {self._why()}. To create one, run: {command} init"
            )
        self._set = sizes.parse(self.config_bytes(), self.path(CONFIG))

    def _why(self) -> str:
        if not os.path.lexists(self.directory):
            return "there is no such folder"
        return f"it has no {LOG}" if os.path.isdir(self.directory) else "it is no folder"

    def path(self, *names: str) -> str:
        """Return the path of a file of this journal."""
        return os.path.join(self.directory, *names)

    @property
    def log(self) -> str:
        """The path of LOG.txt."""
        return self.path(LOG)

    def level(self, size: int) -> str:
        """Return the path of the level of blocks of ``size``."""
        return self.path(TREE, str(size))

    def size(self, name: str) -> int:
        """Return one of the sizes in ``sizes.DEFAULTS``, as this journal has it."""
        return self._set.get(name) or sizes.DEFAULTS[name][0]

    @property
    def set_sizes(self) -> dict[str, int]:
        """The sizes that this journal sets for itself."""
        return dict(self._set)

    def config_bytes(self) -> bytes:
        """Return the ``config`` file as it is, empty where there is none."""
        try:
            with _Opened(self.path(CONFIG)) as found:
                return found.read(_CHUNK)
        except FileNotFoundError:
            return b""

    # ------------------------------------------------------------ reading

    def length(self) -> int:
        """Return how many memories the log holds whole."""
        return _size_of(self.log) // record.LOG_BYTES

    def levels(self, total: int) -> dict[int, int]:
        """Return how many summaries each size has, for sizes up to ``total``."""
        found, size = {}, 2
        while size <= total:
            found[size] = self.level_length(size)
            size *= 2
        return found

    def built(self) -> list[tuple[int, int]]:
        """Return (size, summaries) of every level that has any, whatever the log holds."""
        every = (2 << i for i in range(61))
        return [(size, count) for size in every if (count := self.level_length(size))]

    def level_length(self, size: int) -> int:
        """Return how many summaries the level of ``size`` holds whole."""
        try:
            return _size_of(self.level(size)) // record.TREE_BYTES
        except FileNotFoundError:
            return 0

    def lines(self, lo: int, hi: int) -> list[str]:
        """Return the memories [lo, hi) as ``#<i> <date> <text>``, in one read.

        Raises EnvironmentFault for a damaged or missing record.
        """
        raw = _read_at(self.log, lo * record.LOG_BYTES, (hi - lo) * record.LOG_BYTES)
        return [
            self.line(raw[i * record.LOG_BYTES :][: record.LOG_BYTES], lo + i)
            for i in range(hi - lo)
        ]

    def line(self, raw: bytes, number: int) -> str:
        """Return the line of one record; EnvironmentFault names file and remedy."""
        try:
            return record.log_line(raw, number)
        except EnvironmentFault as damaged:
            raise EnvironmentFault(
                f"{self.log}: {damaged.message}. For all that is wrong, run: {self.command} verify"
            ) from None

    def summary(self, lo: int, hi: int) -> str | None:
        """Return the summary of the block [lo, hi); None when it is not built, or blank."""
        k = lo // (hi - lo)
        try:
            raw = _read_at(self.level(hi - lo), k * record.TREE_BYTES, record.TREE_BYTES)
            # Less than a record is the torn end of a write: not built yet.
            whole = len(raw) == record.TREE_BYTES
            return (record.one_line(raw.decode().rstrip()) or None) if whole else None
        except FileNotFoundError:
            return None
        except UnicodeDecodeError:
            raise EnvironmentFault(
                f"the summary of #{lo}-{hi - 1} is damaged: it is not UTF-8. "
                f"To build it again, run: {self.command} forget {lo}-{hi - 1}"
            ) from None

    def chunks(self, records: int, width: int = record.LOG_BYTES, size: int = 0) -> Iterator[bytes]:
        """Stream the log, or the level of ``size``, in runs of whole ``records``.

        A torn last record comes last, by itself or at the end of its run.
        """
        with _Opened(self.level(size) if size else self.log) as found:
            while raw := found.read(records * width):
                yield raw

    # ------------------------------------------------------------ writing

    def locked(self) -> Lock:
        """Take the journal's lock for a ``with`` block."""
        return Lock(self.path(LOCK))

    def append(self, items: Iterable[tuple[str, str]]) -> tuple[int, int]:
        """Append memories, (date, text) each; return the first number and how many.

        The caller holds the lock. A date before that of the last record becomes
        that date: dates never go back, whatever a clock does. Either all are on
        the disk when this returns, or none are in the log.
        """
        self._mend_end(self.log, record.LOG_BYTES)
        base = self.length()
        try:
            last = self.last_date()
        except EnvironmentFault:
            # One damaged record, which `verify` names, must not silence the agent.
            last = ""
        lines = _log_records(items, base, last)
        return base, _append(self.log, lines)

    def mend_tree(self) -> None:
        """Drop what a crash has left at the ends of the levels. The caller holds the lock."""
        for i in range(61):
            self._mend_end(self.level(2 << i), record.TREE_BYTES)

    def _mend_end(self, path: str, width: int) -> None:
        """Drop what a crash has left at the end of a file: no writer acknowledged it.

        That is part of a record, or records of zeros (their length reached the
        disk, they did not). Raises EnvironmentFault where the end is none of it
        but somebody's edit: cutting there would cut a memory.
        """
        try:
            size = _size_of(path)
        except FileNotFoundError:
            return
        good = size - size % width
        while good and not (last := _read_at(path, good - width, width)).strip(b"\0"):
            good -= width
        if good and last[-1:] != b"\n":
            raise EnvironmentFault(
                f"{path}: its records are out of place, somebody edited it; nothing was saved. "
                f"For all that is wrong, run: {self.command} verify"
            )
        if good < size:
            with _Opened(path, _WRITE) as target:
                os.ftruncate(target.fileno(), good)

    def last_date(self) -> str:
        """Return the date of the newest memory, "" where there is none."""
        total = self.length()
        return record.split_line(self.lines(total - 1, total)[0])[1] if total else ""

    def append_summary(self, lo: int, hi: int, text: str) -> bool:
        """Append the summary of [lo, hi) to its level; False when it is not the next.

        The caller holds the lock, and has called ``mend_tree``. Not the next:
        settled meanwhile, or something it stands on was forgotten.
        """
        size, k = hi - lo, lo // (hi - lo)
        below = self.length() if size == 2 else self.level_length(size // 2)
        if self.level_length(size) != k or below < 2 * (k + 1):
            return False
        os.makedirs(self.path(TREE), exist_ok=True)
        _append(self.level(size), [record.tree_record(text)])
        return True

    def cut(self, keep: dict[int, int]) -> list[tuple[int, int]]:
        """Cut each level of ``keep`` to so many summaries; return (size, cut) of those cut.

        The caller holds the lock.
        """
        gone = []
        for size, most in sorted(keep.items()):
            have = self.level_length(size)
            if have > most:
                with _Opened(self.level(size), _WRITE) as level:
                    os.ftruncate(level.fileno(), most * record.TREE_BYTES)
                    os.fsync(level.fileno())
                gone.append((size, have - most))
        return gone

    def replace_config(self, text: str) -> None:
        """Write ``config`` whole, or not at all. Raises OSError."""
        part = self.path(f".config-{os.urandom(8).hex()}")
        try:
            with open(part, "x", encoding="utf-8") as new:
                new.write(text)
                new.flush()
                os.fsync(new.fileno())
            os.replace(part, self.path(CONFIG))
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise


class Lock:
    """An exclusive ``flock`` on one file, held for a ``with`` block; waits its turn."""

    __slots__ = ("_handle", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle = -1

    def __enter__(self) -> Lock:
        # Opened to append, never truncated: another tool may hold a lock on it.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._handle = os.open(self._path, flags, 0o666)
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def create(directory: str) -> bool:
    """Make what is missing of a journal; return whether it is new. Safe to repeat."""
    fresh = not os.path.lexists(os.path.join(directory, LOG))
    os.makedirs(os.path.join(directory, TREE), exist_ok=True)
    for name, text in ((LOG, ""), (CONFIG, sizes.fresh()), (IGNORE, f"/{LOCK}\n")):
        _create(os.path.join(directory, name), text)
    _ignore_lock(os.path.join(directory, IGNORE))
    _sync_folder(directory)
    return fresh


def _create(path: str, text: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return
    with os.fdopen(handle, "w", encoding="utf-8") as new:
        new.write(text)
        new.flush()
        os.fsync(new.fileno())


def _ignore_lock(path: str) -> None:
    with _Opened(path, _WRITE) as found:
        lines = found.read(_CHUNK).splitlines()
        if b"/.lock" not in lines and b".lock" not in lines:
            found.write((b"\n" if lines else b"") + b"/.lock\n")


def _log_records(items: Iterable[tuple[str, str]], base: int, last: str) -> Iterator[bytes]:
    for i, (date, text) in enumerate(items):
        last = max(date, last)
        yield record.log_record(base + i, last, text)


def _append(path: str, records: Iterable[bytes]) -> int:
    """Append records and have them on the disk; take all back when one fails."""
    new = not os.path.lexists(path)
    with _Opened(path, _WRITE | os.O_APPEND | os.O_CREAT) as target:
        size = target.size()
        try:
            count = _write_all(target, records)
            os.fsync(target.fileno())
        except BaseException as failed:
            os.ftruncate(target.fileno(), size)
            if isinstance(failed, OSError):
                raise EnvironmentFault(f"{path}: {failed.strerror}; nothing was saved") from None
            raise
    if new:
        _sync_folder(os.path.dirname(path))
    return count


def _write_all(target: _Opened, records: Iterable[bytes]) -> int:
    count, held = 0, bytearray()
    for one in records:
        held += one
        count += 1
        if len(held) >= _CHUNK:
            target.write(bytes(held))
            held.clear()
    target.write(bytes(held))
    return count


def _sync_folder(path: str) -> None:
    """Have a new name on the disk too: fsync of the file alone does not name it."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _Opened:
    """A regular file, opened without following a link or waiting on a pipe."""

    __slots__ = ("_handle",)

    def __init__(self, path: str, flags: int = _READ) -> None:
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

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def fileno(self) -> int:
        return self._handle

    def size(self) -> int:
        return os.fstat(self._handle).st_size

    def read(self, count: int) -> bytes:
        """Read ``count`` bytes, fewer only at the end of the file."""
        got = os.read(self._handle, count)
        while got and len(got) < count and (more := os.read(self._handle, count - len(got))):
            got += more
        return got

    def write(self, raw: bytes) -> None:
        view = memoryview(raw)
        while view:
            view = view[os.write(self._handle, view) :]


def _size_of(path: str) -> int:
    found = os.lstat(path)
    if not stat.S_ISREG(found.st_mode):
        raise EnvironmentFault(f"{path} is no regular file")
    return found.st_size


def _read_at(path: str, start: int, count: int) -> bytes:
    with _Opened(path) as found:
        os.lseek(found.fileno(), start, os.SEEK_SET)
        return found.read(count)
