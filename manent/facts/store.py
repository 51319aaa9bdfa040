"""One SQLite file that can be thrown away at any time.

It holds what was computed from blobs (facts, spans) and what is known of the
tree it stands at (paths, names, links, findings). Each room that keeps rows
in it names its tables and their version; another version means the tables are
made anew. A damaged file is removed and the caller computes everything again.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manent.errors import EnvironmentFault, ManentError, StoreDamaged, StoreRemoved
from manent.wal import enter_wal

STORE = "vault.sqlite"
"""Its file in the folder of derived data."""
BUSY_MS = 20_000
"""How long a writer waits for another one."""
PAGE_BYTES = 16 << 10
"""Facts are a kilobyte a note: three to a page of 4 kB, which takes a first filling of
100,000 notes twice as long to write and to look up (1.5 of 8 seconds)."""


class Store:
    """A connection to the derived store of one vault.

    path: the file; None keeps everything in memory, for as long as the object lives.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        if path is not None:
            _check_place(path)
        try:
            self.db = self._connect()
        except sqlite3.DatabaseError as error:
            if path is None or isinstance(error, sqlite3.OperationalError):
                raise EnvironmentFault(f"cannot open {path}: {error}") from error
            self.discard()
            self.db = self._connect()

    def _connect(self) -> sqlite3.Connection:
        name = ":memory:" if self.path is None else os.fspath(self.path)
        db = sqlite3.connect(name, timeout=BUSY_MS / 1000, isolation_level=None)
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
        row = self._guarded("SELECT value FROM stamp WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def set_stamp(self, key: str, value: str) -> None:
        """Note ``value`` under ``key``, within the running transaction."""
        self.db.execute("INSERT OR REPLACE INTO stamp VALUES (?, ?)", (key, value))

    def _guarded(self, sql: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        try:
            return self.db.execute(sql, values)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
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
                self.db.execute("ROLLBACK")
                raise
            try:
                self.db.execute("COMMIT" if keep else "ROLLBACK")
            except sqlite3.Error:
                # A full disk is noticed at the commit: nothing of it may stay.
                self.db.rollback()
                raise
        except sqlite3.OperationalError as error:
            raise EnvironmentFault(
                f"cannot write {self.path}: {error}", "is the disk full or read-only?"
            ) from error
        except sqlite3.DatabaseError as error:
            raise StoreDamaged(f"{self.path} is damaged: {error}") from error

    def close(self) -> None:
        """Close the connection. The file stays."""
        self.db.close()

    def discard(self) -> None:
        """Remove the file and what SQLite keeps beside it."""
        if self.path is not None:
            _remove(self.path)


def fault_of(error: Exception, path: Path) -> ManentError | None:
    """Return what went wrong with the store at ``path`` in the words of a user.

    A damaged file is removed: asking again makes it anew. None where the error
    is no fault of the file or the machine.
    """
    if isinstance(error, sqlite3.OperationalError):
        return EnvironmentFault(f"cannot use {path}: {error}", "is the disk full or read-only?")
    # The class itself: its other children are mistakes of ours.
    if type(error) is not sqlite3.DatabaseError and not isinstance(error, StoreDamaged):
        return None
    try:
        _remove(path)
    except OSError as stays:
        return EnvironmentFault(f"{path} is damaged and stays: {stays.strerror}", "remove it")
    return StoreRemoved(f"{path} was damaged and is gone", "run the command again")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
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
