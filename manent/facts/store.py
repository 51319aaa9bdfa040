"""One SQLite file that can be thrown away at any time.

It holds what was computed from blobs (facts, spans) and what is known of the
tree it stands at (paths, names, links, findings). Each room that keeps rows
in it names its tables and their version; another version means the tables are
made anew. A damaged file is removed and the caller computes everything again:
one that somebody else wrote to (``facts.seal``), and one that SQLite, or a reader
of its rows, makes no sense of.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from manent.errors import EnvironmentFault, ManentError, StoreDamaged, StoreRemoved
from manent.facts.seal import Seal
from manent.wal import enter_wal

STORE = "vault.sqlite"
"""Its file in the folder of derived data."""
BUSY_MS = 20_000
"""How long a writer waits for another one."""
PAGE_BYTES = 16 << 10
"""Facts are a kilobyte a note: three to a page of 4 kB, which takes a first filling of
100,000 notes twice as long to write and to look up (1.5 of 8 seconds)."""


_SURROUNDINGS = frozenset(
    {
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOLFS,
    }
)  # fmt: skip
"""What SQLite says of the machine. All else it says of a statement of ours is damage: each
is right for the tables it was written for, so what it stumbles over is in the file."""
_OF_THE_FILE = (sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)
_MISTAKES = (sqlite3.ProgrammingError, sqlite3.InterfaceError)
"""A statement that was called wrongly: a bug, whatever the file holds."""
_IMPOSSIBLE = (ValueError, TypeError, LookupError, AttributeError, AssertionError, ArithmeticError)
"""What readers raise where a row holds what nobody writes: JSON that is none, text that
is no UTF-8, a number where a text belongs."""


class Store:
    """A connection to the derived store of one vault.

    path: the file; None keeps everything in memory, for as long as the object lives.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._seal: Seal | None = None
        self._file = 0
        if path is None:
            self.db = self._connect()
            return
        _check_place(path)
        try:
            self._seal = Seal(path)
        except OSError as error:
            raise EnvironmentFault(f"cannot use {path}: {error.strerror}") from error
        try:
            self._seal.enter(self.discard)
            self.db = self._opened()
        except BaseException:
            self._seal.release()
            raise
        self._seal.note()
        self._file = _file_at(path)

    @property
    def is_gone(self) -> bool:
        """Whether its file was removed, or another one put in its place: what is written
        here reaches nobody else."""
        return self.path is not None and self._file != _file_at(self.path)

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except (sqlite3.Error, UnicodeError) as error:
            if is_of_the_machine(error):
                raise EnvironmentFault(f"cannot open {self.path}: {error}") from error
        self.discard()
        try:
            return self._connect()
        except (sqlite3.Error, UnicodeError) as error:
            raise EnvironmentFault(f"cannot open {self.path}: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        name = ":memory:" if self.path is None else os.fspath(self.path)
        # Any thread may close it: the one that lets go of it last need not be its own.
        db = sqlite3.connect(
            name, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
        )
        db.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a file that is yet to be made
        if self.path is not None:
            enter_wal(db, BUSY_MS / 1000)
        db.execute(
            "PRAGMA synchronous = OFF" if self.path is None else "PRAGMA synchronous = NORMAL"
        )
        db.execute("PRAGMA cache_size = -65536")
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute("CREATE TABLE IF NOT EXISTS stamp (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        return db

    def tables(self, room: str, version: str, script: str, names: tuple[str, ...]) -> None:
        """Make the tables of a room, anew when they are of another version.

        script: statements separated by ``;``. names: every table it makes.
        Several processes may do this at once.
        """
        if self.stamp(f"tables:{room}") == version:
            return
        with self.transaction():
            if self.stamp(f"tables:{room}") == version:
                return
            for name in names:
                self.db.execute(f"DROP TABLE IF EXISTS {name}")
            for statement in script.split(";"):
                if statement.strip():
                    self.db.execute(statement)
            self.set_stamp(f"tables:{room}", version)

    def stamp(self, key: str) -> str:
        """Return what was noted under ``key``, or ""."""
        row = self._first("SELECT value FROM stamp WHERE key = ?", (key,))
        value = row[0] if row else ""
        if not isinstance(value, str):
            raise StoreDamaged(f"{self.path} is damaged: {key} is no text")
        return value

    def set_stamp(self, key: str, value: str) -> None:
        """Note ``value`` under ``key``, within the running transaction."""
        self.db.execute("INSERT OR REPLACE INTO stamp VALUES (?, ?)", (key, value))

    def _first(self, sql: str, values: tuple[object, ...]) -> Any:
        try:
            return self.db.execute(sql, values).fetchone()
        except (sqlite3.Error, UnicodeError) as error:
            if is_of_the_machine(error) or isinstance(error, _MISTAKES):
                raise
            raise StoreDamaged(f"{self.path} is damaged: {error}") from error

    @contextmanager
    def transaction(self, keep: bool = True) -> Iterator[None]:
        """Run the block as one write transaction, alone among writers.

        keep: False undoes everything at the end: readers of this connection
        see an overlay while it lasts. An exception always undoes.
        Nested use joins the outer transaction.
        Raises StoreDamaged when the file turns out to be no database.
        """
        if self.db.in_transaction:
            yield
            return
        try:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                # Not by a statement: SQLite may have undone all of it by itself.
                self.db.rollback()
                raise
            try:
                self.db.execute("COMMIT" if keep else "ROLLBACK")
            except sqlite3.Error:
                # A full disk is noticed at the commit: nothing of it may stay.
                self.db.rollback()
                raise
        except (sqlite3.Error, UnicodeError) as error:
            fault = self._said(error)
            if fault is None:
                raise
            raise fault from error
        if self._seal is not None:
            self._seal.note()

    def _said(self, error: Exception) -> ManentError | None:
        """Return what to say of what went wrong in a transaction; None for a bug."""
        if is_of_the_machine(error):
            hint = "is the disk full or read-only?"
            return EnvironmentFault(f"cannot write {self.path}: {error}", hint)
        if isinstance(error, _MISTAKES) or self.path is None:
            return None
        return StoreDamaged(f"{self.path} is damaged: {error}")

    def close(self) -> None:
        """Close the connection. The file stays."""
        self.db.close()
        if self._seal is not None:
            self._seal.close()

    def __del__(self) -> None:
        # Closing writes what is in the journal: to be noted, whoever closes it and when.
        if hasattr(self, "db"):
            self.close()

    def discard(self) -> None:
        """Remove the file and what SQLite keeps beside it."""
        if self.path is not None:
            _remove(self.path)


def is_of_the_machine(error: Exception) -> bool:
    """Tell whether SQLite speaks of locks, disk or rights rather than of what the file holds."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _SURROUNDINGS and code not in _OF_THE_FILE


def fault_of(error: Exception, path: Path) -> ManentError | None:
    """Return what went wrong with the store at ``path`` in the words of a user.

    A damaged file is removed: asking again makes it anew. None where the error
    is no fault of the file or the machine. An error that could be one of ours as well
    is held against the file once in a process: met again, it is ours.
    """
    if is_of_the_machine(error):
        return EnvironmentFault(f"cannot use {path}: {error}", "is the disk full or read-only?")
    if isinstance(error, _MISTAKES) or not _is_damage(error, path):
        return None
    try:
        _remove(path)
    except OSError as stays:
        return EnvironmentFault(f"{path} is damaged and stays: {stays.strerror}", "remove it")
    return StoreRemoved(f"{path} was damaged and is gone", "run the command again")


_suspected: set[str] = set()


def _is_damage(error: Exception, path: Path) -> bool:
    if isinstance(error, sqlite3.Error | StoreDamaged):
        return True
    if not isinstance(error, _IMPOSSIBLE) or os.fspath(path) in _suspected or not path.exists():
        return False
    _suspected.add(os.fspath(path))
    return True


T = TypeVar("T")


def mended(path: Path, work: Callable[[], T]) -> T:
    """Do ``work`` on the store at ``path``; once more, on a new one, where it was damaged."""
    try:
        return work()
    except Exception as error:
        if not isinstance(fault_of(error, path), StoreRemoved):
            raise
    return work()


def _file_at(path: Path) -> int:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - asked before each answer
    except OSError:
        return 0


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):  # the seal stays: others may hold it
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _check_place(path: Path) -> None:
    """Make the folder with mode 0700 and refuse one that another could have prepared."""
    folder = path.parent
    base = folder.parent.parent if folder.parent.name == "manent" else folder.parent
    if not base.is_dir():
        # Whatever it belonged to is away: nothing is put in its place.
        raise EnvironmentFault(f"{base} is gone", "put it back where it was")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise EnvironmentFault(f"cannot use {folder}: {error.strerror}") from error
    if not stat.S_ISDIR(status.st_mode) or path.is_symlink():
        raise EnvironmentFault(f"{folder} is a symlink or no folder", "remove it")
    if status.st_uid != os.geteuid():
        raise EnvironmentFault(f"{folder} belongs to another user", "remove it")
    if stat.S_IMODE(status.st_mode) & 0o077:
        folder.chmod(0o700)
