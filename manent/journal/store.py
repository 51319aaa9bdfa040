"""The folder of a journal on disk: seeks, appends, cuts, and the lock.

Reading takes no lock: a record is whole or not there yet. Every writer holds
an exclusive ``flock`` on ``.lock``, the same lock OptMem takes, and has what it
wrote on the disk before it answers. A torn last record, left by a crash, was
never acknowledged: it is dropped before the next append.
"""

from __future__ import annotations

import os

from manent import record, sizes
from manent.errors import EnvironmentFault
from manent.journal import files, staged
from manent.journal.files import WRITE, Lock, Opened, read_at, size_of, sync_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LOG, TREE, CONFIG, LOCK, IGNORE = "LOG.txt", "TREE", "config", ".lock", ".gitignore"

IGNORED = f"/{LOCK}*\n"
"""The lock, and what earlier versions staged beside it."""

_RESTORE = f"Put back the {LOG} of a clone or a backup"

_CONFIG_MOST = 1 << 20


class Store:
    """One journal. ``command`` is how the reader calls it: messages print it.

    environ: what git is run with, where git must be asked before a cut.
    Opening it reads its sizes and nothing else. Raises EnvironmentFault when
    the folder holds no log, or a bad ``config``.
    """

    __slots__ = ("_environ", "_set", "command", "directory")

    def __init__(
        self,
        directory: str,
        command: str = "manent journal",
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._environ = environ or {}
        self.directory = directory
        self.command = command
        if not os.path.lexists(self.log):
            _refuse_bereft(directory)
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
            with Opened(self.path(CONFIG)) as found:
                return found.read(_CONFIG_MOST)
        except FileNotFoundError:
            return b""

    # ------------------------------------------------------------ reading

    def length(self) -> int:
        """Return how many memories the log holds whole: what a crash tore off its end is none."""
        return _whole(self.log, record.LOG_BYTES, size_of(self.log)) // record.LOG_BYTES

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

    def level_sizes(self) -> list[int]:
        """Return the sizes that there is a file for, smallest first."""
        return _levels_in(self.path(TREE))

    def refuse_lost(self) -> None:
        """Raise EnvironmentFault where TREE summarises memories that the log has lost.

        A log only grows, so it was cut or replaced; what is noted next would stand
        under summaries of something else.
        """
        total = self.length()
        for size in _levels_in(self.path(TREE)):
            if self._reaches(size, total):
                block = f"{total // size * size}-{total // size * size + size - 1}"
                raise EnvironmentFault(
                    f"{self.log} holds {total} memories, and {self.path(TREE, str(size))} has "
                    f"summaries of later ones: records were lost. {_RESTORE}; if they are gone "
                    f"for good, run: {self.command} forget {block}"
                )

    def _reaches(self, size: int, total: int) -> bool:
        try:
            # The length alone first: a torn end is looked at only where it matters.
            over = self.level_length(size) * size > total
            return over and self.whole_summaries(size) * size > total
        except (EnvironmentFault, OSError):
            # No level that can be read: `verify` names it.
            return False

    def level_length(self, size: int) -> int:
        """Return how many summaries the level of ``size`` holds whole."""
        try:
            return size_of(self.level(size)) // record.TREE_BYTES
        except FileNotFoundError:
            return 0

    def whole_summaries(self, size: int) -> int:
        """Return how many summaries the level of ``size`` holds, a torn end left out."""
        path = self.level(size)
        return _whole(path, record.TREE_BYTES, size_of(path)) // record.TREE_BYTES

    def whole_summaries_of(self, size: int) -> int:
        """Return the same, 0 where there is no such level."""
        return self.whole_summaries(size) if self.level_length(size) else 0

    def lines(self, lo: int, hi: int) -> list[str]:
        """Return the memories [lo, hi) as ``#<i> <date> <text>``, in one read.

        Raises EnvironmentFault for a damaged or missing record.
        """
        raw = self.raw(lo, hi)
        return [
            self.line(raw[i * record.LOG_BYTES :][: record.LOG_BYTES], lo + i)
            for i in range(hi - lo)
        ]

    def raw(self, lo: int, hi: int) -> bytes:
        """Return the records [lo, hi) as they stand in the log."""
        return read_at(self.log, lo * record.LOG_BYTES, (hi - lo) * record.LOG_BYTES)

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
            raw = read_at(self.level(hi - lo), k * record.TREE_BYTES, record.TREE_BYTES)
            # Less than a record, or zeros in it: the torn end of a write, not built yet.
            whole = len(raw) == record.TREE_BYTES and b"\0" not in raw
            return (record.one_line(raw.decode().rstrip()) or None) if whole else None
        except FileNotFoundError:
            return None
        except UnicodeDecodeError:
            raise EnvironmentFault(
                f"the summary of #{lo}-{hi - 1} is damaged: it is not UTF-8. "
                f"To build it again, run: {self.command} forget {lo}-{hi - 1}"
            ) from None

    def chunks(self, records: int, width: int = record.LOG_BYTES, size: int = 0) -> Iterator[bytes]:
        """Stream the log, or the level of ``size``, in runs of whole ``records``, to its end.

        What a crash has torn off stands at the end of the last run: see ``memories``.
        """
        with Opened(self.level(size) if size else self.log) as found:
            while raw := found.read(records * width):
                yield raw

    def memories(self, records: int) -> Iterator[bytes]:
        """Stream the memories that the log holds whole, in runs of ``records``."""
        left = self.length() * record.LOG_BYTES
        with Opened(self.log) as found:
            while left and (raw := found.read(min(left, records * record.LOG_BYTES))):
                left -= len(raw)
                yield raw

    # ------------------------------------------------------------ writing

    def locked(self) -> Lock:
        """Take the journal's lock for a ``with`` block."""
        return Lock(self.path(LOCK))

    def recover(self) -> None:
        """Take back what an import that a crash cut short has left in the log.

        Where an import is at work, or the disk cannot be written to, nothing is done.
        """
        if os.path.lexists(staged.place(self.directory)):
            try:
                with Lock(self.path(LOCK), wait=False):
                    staged.take_back(self.log, self._environ)
            except OSError:
                return

    def mend(self) -> None:
        """Drop what a crash has left at the end of the log. The caller holds the lock.

        No writer acknowledged it. Raises EnvironmentFault where the end is none
        of a crash but somebody's edit: cutting there would cut a memory.
        """
        staged.take_back(self.log, self._environ)
        self._mend_end(self.log, record.LOG_BYTES)

    def append(self, items: Iterable[tuple[str, str]]) -> tuple[int, int]:
        """Append memories, (date, text) each; return the first number and how many.

        The caller holds the lock. A date before that of the last record becomes
        that date: dates never go back, whatever a clock does. Either all are on
        the disk when this returns, or none are in the log; so it is after a
        crash, once the next command has looked at the journal.
        """
        self.mend()
        base = self.length()
        try:
            last = self.last_date()
        except EnvironmentFault:
            # One damaged record, which `verify` names, must not silence the agent.
            last = ""
        lines = _log_records(items, base, last)
        if isinstance(items, list) and len(items) == 1:
            return base, files.append(self.log, lines)
        return base, staged.append_all(self.log, lines)

    def mend_tree(self) -> None:
        """Drop what a crash has left at the ends of the levels. The caller holds the lock."""
        for i in range(61):
            self._mend_end(self.level(2 << i), record.TREE_BYTES)

    def _mend_end(self, path: str, width: int) -> None:
        try:
            size = size_of(path)
        except FileNotFoundError:
            return
        good = _whole(path, width, size)
        if good and read_at(path, good - 1, 1) != b"\n":
            raise EnvironmentFault(
                f"{path}: its records are out of place, somebody edited it; nothing was saved. "
                f"For all that is wrong, run: {self.command} verify"
            )
        if good < size:
            with Opened(path, WRITE) as target:
                os.ftruncate(target.fileno(), good)

    def ends_whole(self) -> bool:
        """Tell whether the last whole record ends as one: else nothing may be cut behind it."""
        good = self.length() * record.LOG_BYTES
        return not good or read_at(self.log, good - 1, 1) == b"\n"

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
        files.append(self.level(size), [record.tree_record(text)])
        return True

    def cut(self, keep: dict[int, int]) -> list[tuple[int, int]]:
        """Cut each level of ``keep`` to so many summaries; return (size, cut) of those cut.

        The caller holds the lock.
        """
        gone = []
        for size, most in sorted(keep.items()):
            have = self.level_length(size)
            if have > most:
                with Opened(self.level(size), WRITE) as level:
                    os.ftruncate(level.fileno(), most * record.TREE_BYTES)
                    os.fsync(level.fileno())
                gone.append((size, have - most))
        return gone

    def replace_config(self, text: str) -> None:
        """Write ``config`` whole, or not at all. Raises EnvironmentFault."""
        part = self.path(f".config-{os.urandom(8).hex()}")
        try:
            with open(part, "x", encoding="utf-8") as new:
                new.write(text)
                new.flush()
                os.fsync(new.fileno())
            os.replace(part, self.path(CONFIG))
        except BaseException as failed:
            if os.path.exists(part):
                os.unlink(part)
            if isinstance(failed, OSError):
                name = self.path(CONFIG)
                raise EnvironmentFault(f"{name}: {failed.strerror}; nothing was saved") from None
            raise


def create(directory: str) -> bool:
    """Make what is missing of a journal; return whether it is new. Safe to repeat."""
    fresh = not os.path.lexists(os.path.join(directory, LOG))
    if fresh:
        _refuse_bereft(directory)
    os.makedirs(os.path.join(directory, TREE), exist_ok=True)
    for name, text in ((LOG, ""), (CONFIG, sizes.fresh()), (IGNORE, IGNORED)):
        _create(os.path.join(directory, name), text)
    _ignore_lock(os.path.join(directory, IGNORE))
    sync_folder(directory)
    return fresh


def _levels_in(tree: str) -> list[int]:
    """Return the sizes that the folder TREE has a file for, smallest first."""
    try:
        names = os.listdir(tree)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(size for name in names if (size := record.level_size(name)))


def _refuse_bereft(directory: str) -> None:
    """Raise EnvironmentFault where summaries stand without their log: none is begun under them."""
    tree = os.path.join(directory, TREE)
    if any(os.path.getsize(os.path.join(tree, str(size))) for size in _levels_in(tree)):
        raise EnvironmentFault(
            f"{directory} has summaries in {TREE} and no {LOG}: the log was lost. {_RESTORE}; to "
            f"begin another journal here, remove {tree} first"
        )


def _create(path: str, text: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as new:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
    except OSError as failed:
        # An empty config would be taken for one that somebody has written.
        os.unlink(path)
        raise EnvironmentFault(f"{path}: {failed.strerror}; run init again") from None


def _ignore_lock(path: str) -> None:
    with Opened(path, WRITE) as found:
        lines = found.read(_CONFIG_MOST).splitlines()
        if not {b"/.lock*", b".lock*"} & set(lines):
            found.write((b"\n" if lines else b"") + IGNORED.encode())


def _log_records(items: Iterable[tuple[str, str]], base: int, last: str) -> Iterator[bytes]:
    for i, (date, text) in enumerate(items):
        last = max(date, last)
        yield record.log_record(base + i, last, text)


def _whole(path: str, width: int, size: int) -> int:
    """Return how many bytes of whole records a file begins with, if ``size`` is all it has.

    What follows is a torn write: part of a record, or records with zeros in
    them. A file may be as long as was meant while a part of it, a block of the
    disk, never arrived; no lawful record holds a zero.
    """
    good, run = size - size % width, width
    while good:
        raw = read_at(path, max(0, good - run), min(run, good))
        for end in range(len(raw), 0, -width):
            if b"\0" not in raw[end - width : end]:
                return good - len(raw) + end
        # Zeros from end to end: a run at a time, however many there are.
        good, run = good - len(raw), width << 12
    return good
