"""The audit in a database: lines that several servers add to, committed together.

A call waits until its line stands, so what a killed server answered is not lost. Lines
of calls that wait at the same time share one commit.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manent.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    import sqlalchemy as sa

PATIENCE_SECONDS = 5.0
"""How long a call waits for a database that does not answer."""
_BATCH = 256
VERSION = 1
"""The schema of the table. Raise it together with a step in ``STEPS``."""
STEPS: Sequence[Callable[[sa.Connection], None]] = ()
"""``STEPS[n - 1]`` takes a table of version n to version n + 1."""
_SQLITE = "sqlite:///"
_LOCK = 0x6D616E617564
"""The advisory lock under which PostgreSQL's tables are made: ``manaud`` in ASCII."""


class Table:
    """Lines in a database, committed together where many call at once.

    A call waits until its line stands: what a killed server answered is not lost.
    """

    def __init__(self, address: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._engine = _engine(address)
        self._patience = patience_seconds
        self._waiting: queue.SimpleQueue[tuple[Mapping[str, Any], Future[None]] | None]
        self._waiting = queue.SimpleQueue()
        self._prepare()
        self._thread = threading.Thread(target=self._run, name="manent-audit", daemon=True)
        self._thread.start()

    def write(self, line: Mapping[str, Any]) -> None:
        """Add a line, and wait for it to stand. Raises EnvironmentFault."""
        done: Future[None] = Future()
        self._waiting.put((line, done))
        try:
            done.result(self._patience)
        except Late as error:
            raise EnvironmentFault("the audit's database does not answer") from error

    def close(self) -> None:
        """Write what waits, then let go of the database."""
        self._waiting.put(None)
        self._thread.join(2 * self._patience)
        self._engine.dispose()

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, over = [first], False
            while len(batch) < _BATCH and not self._waiting.empty():
                item = self._waiting.get()
                if item is None:
                    over = True
                    break
                batch.append(item)
            self._insert(batch)
            if over:
                return

    def _insert(self, batch: Sequence[tuple[Mapping[str, Any], Future[None]]]) -> None:
        import sqlalchemy as sa

        try:
            with self._engine.begin() as connection:
                connection.execute(_tables()["line"].insert(), [_row(line) for line, _ in batch])
        except (sa.exc.SQLAlchemyError, OSError, ValueError) as error:
            fault = EnvironmentFault(f"the audit's database: {_reason(error)}", "is it reachable?")
            for _, done in batch:
                done.set_exception(fault)
            return
        for _, done in batch:
            done.set_result(None)

    def _prepare(self) -> None:
        """Make the tables, or bring older ones up. Raises EnvironmentFault."""
        import sqlalchemy as sa

        version = _tables()["version"]
        try:
            with self._engine.begin() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.text("SELECT pg_advisory_xact_lock(:k)"), {"k": _LOCK})
                _tables()["line"].metadata.create_all(connection)
                found = connection.execute(sa.select(version.c.version)).scalar_one_or_none()
                if found is None:
                    connection.execute(version.insert().values(version=VERSION))
                elif found > VERSION:
                    raise EnvironmentFault(
                        f"the audit was written by a newer manent: schema {found}, "
                        f"and this one knows {VERSION}",
                        "install the newer manent",
                    )
                elif found < VERSION:
                    for step in STEPS[found - 1 : VERSION - 1]:
                        step(connection)
                    connection.execute(version.update().values(version=VERSION))
        except sa.exc.SQLAlchemyError as error:
            raise EnvironmentFault(
                f"the audit's database: {_reason(error)}", "is it reachable?"
            ) from error


def _row(line: Mapping[str, Any]) -> dict[str, Any]:
    text = json.dumps(line, ensure_ascii=True, separators=(",", ":"))
    return {
        "time": line["time"],
        "identity": str(line.get("identity", "")),
        "tool": str(line.get("tool", "")),
        "event": str(line.get("event", "")),
        "line": text,
    }


def _tables() -> Mapping[str, sa.Table]:
    """Return the tables, made at first use: a file needs no SQLAlchemy."""
    if not _made:
        import sqlalchemy as sa

        metadata = sa.MetaData()
        _made["version"] = sa.Table(
            "manent_audit_schema", metadata, sa.Column("version", sa.Integer, nullable=False)
        )
        _made["line"] = sa.Table(
            "manent_audit",
            metadata,
            sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
            sa.Column("time", sa.Text, nullable=False, index=True),
            sa.Column("identity", sa.Text, nullable=False),
            sa.Column("tool", sa.Text, nullable=False),
            sa.Column("event", sa.Text, nullable=False),
            sa.Column("line", sa.Text, nullable=False),
        )
    return _made


_made: dict[str, sa.Table] = {}


def _engine(address: str) -> sa.Engine:
    import sqlalchemy as sa

    if address.startswith(_SQLITE):
        return _sqlite(Path(address.removeprefix(_SQLITE)))
    scheme = next((s for s in _POSTGRES if address.startswith(s)), None)
    if scheme is None:
        raise UsageError(
            "the audit is a file, sqlite:///FILE or a postgresql:// address", "see --help"
        )
    try:
        import psycopg  # noqa: F401 - to say what is missing
    except ImportError as error:
        raise EnvironmentFault(
            "no driver for PostgreSQL is installed", "install manent[postgres]"
        ) from error
    url = "postgresql+psycopg://" + address.removeprefix(scheme)
    try:
        return sa.create_engine(url, pool_pre_ping=True, pool_size=1)
    except sa.exc.SQLAlchemyError as error:
        raise UsageError("the postgresql:// address cannot be read", "see --help") from error


_POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")


def _sqlite(file: Path) -> sa.Engine:
    import sqlalchemy as sa

    try:
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise EnvironmentFault(f"cannot open {file}: {error.strerror}", "name a file") from error
    # Long enough for another server's commit; a call waits no longer than its patience.
    engine = sa.create_engine(f"sqlite:///{file}", connect_args={"timeout": PATIENCE_SECONDS - 1})

    @sa.event.listens_for(engine, "connect")
    def _opened(connection: Any, _: object) -> None:
        connection.execute("PRAGMA journal_mode = WAL")

    return engine


def _reason(error: Exception) -> str:
    said = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    return said or type(error).__name__
