"""Write-ahead logging of SQLite, entered by several processes at once."""

from __future__ import annotations

import sqlite3
import time

_AGAIN_MS = 20
_TAKEN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def enter_wal(db: sqlite3.Connection, wait_seconds: float) -> None:
    """Switch a database to write-ahead logging, waiting for whoever does so already.

    To switch a new file SQLite asks for it alone, and is refused at once where another
    connection has it open, whatever the connection's time-out: of eight processes that
    made one file at the same moment, one in two hundred was.
    Raises sqlite3.OperationalError when the file stays taken, or cannot be written.
    """
    for _ in range(int(wait_seconds * 1000) // _AGAIN_MS):
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _TAKEN:
                raise
            time.sleep(_AGAIN_MS / 1000)
        else:
            return
    db.execute("PRAGMA journal_mode = WAL")
