"""A database that servers share: opened, its tables made or brought up after a copy.

SQLite for one server, PostgreSQL for several. What is written stands once the block
that wrote it is left; writers of one SQLite file take turns from their start, so that
what one reads is what it changes.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from manent.errors import EnvironmentFault, UsageError
from manent.values import dataclass

WAIT_SECONDS = 10
"""How long a writer waits for another one, and for a server to answer."""

Step = Callable[[sa.Connection], None]
_FILE = "sqlite:///"
_MEMORY = "sqlite://"
_POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one kind of state, and how they came to be as they are.

    what: what it is in messages, as in "the tasks". tables: with one called
    ``<name>_schema``, in which the version stands. steps: ``steps[n - 1]`` takes
    version n to n + 1. lock: the key of the advisory lock under which PostgreSQL's are
    made.
    """

    what: str
    tables: sa.MetaData
    standing: sa.Table
    version: int
    lock: int
    steps: Sequence[Step] = ()


def standing_table(name: str, tables: sa.MetaData) -> sa.Table:
    """Return the table in which the version of a schema stands."""
    return sa.Table(name, tables, sa.Column("version", sa.Integer, nullable=False))


class Database:
    """The database at ``address``: ``sqlite:///FILE``, ``sqlite://`` for memory, or
    ``postgresql://…``. Raises UsageError for another one, EnvironmentFault.
    """

    def __init__(self, address: str, schema: Schema, wait_seconds: float = WAIT_SECONDS) -> None:
        self._schema = schema
        self._file = Path(address.removeprefix(_FILE)) if address.startswith(_FILE) else None
        self._engine = self._opened(address, wait_seconds)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of it."""
        self._engine.dispose()

    @contextlib.contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[sa.Connection]:
        """Hold a transaction; it stands once the block is left. Raises EnvironmentFault.

        alone: among all that ask for the same, at whatever server.
        """
        try:
            with self._engine.begin() as connection:
                if alone:
                    self._lock(connection)
                yield connection
        except SQLAlchemyError as error:
            raise EnvironmentFault(
                f"the database of {self._schema.what}: {_reason(error)}", "is it reachable?"
            ) from error

    # -- opening -----------------------------------------------------------------------

    def _opened(self, address: str, wait_seconds: float) -> sa.Engine:
        if self._file is not None:
            return _of_file(self._file, wait_seconds)
        if address == _MEMORY:
            arguments = {"check_same_thread": False}
            return sa.create_engine(address, poolclass=sa.StaticPool, connect_args=arguments)
        scheme = next((s for s in _POSTGRES if address.startswith(s)), None)
        if scheme is None:
            raise UsageError(
                f"the database of {self._schema.what} is sqlite:///FILE or a postgresql:// address",
                "see --help",
            )
        return _of_server("postgresql+psycopg://" + address.removeprefix(scheme), wait_seconds)

    def _prepare(self) -> None:
        """Make the tables, or bring older ones up after a copy was made."""
        schema, standing = self._schema, self._schema.standing
        with self.writing() as connection:
            self._lock(connection)
            schema.tables.create_all(connection)
            found = connection.execute(sa.select(standing.c.version)).scalar_one_or_none()
            if found is None:
                connection.execute(standing.insert().values(version=schema.version))
                return
        if found > schema.version:
            raise EnvironmentFault(
                f"the database of {schema.what} was written by a newer manent: schema {found}, "
                f"and this one knows {schema.version}",
                "install the newer manent",
            )
        if found < schema.version:
            self._migrate(found)

    def _migrate(self, found: int) -> None:
        if self._file is not None:
            _copy(self._file, self._file.with_name(f"{self._file.name}.v{found}.backup"))
        standing = self._schema.standing
        with self.writing() as connection:
            self._lock(connection)
            now = connection.execute(sa.select(standing.c.version)).scalar_one()
            for step in self._schema.steps[now - 1 : self._schema.version - 1]:
                step(connection)
            connection.execute(standing.update().values(version=self._schema.version))

    def _lock(self, connection: sa.Connection) -> None:
        if connection.dialect.name == "postgresql":
            key = {"key": self._schema.lock}
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), key)


def _of_file(file: Path, wait_seconds: float) -> sa.Engine:
    try:
        # Made here so that nobody but its owner may ever read it.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise EnvironmentFault(f"cannot open {file}: {error.strerror}", "name a file") from error
    arguments = {"check_same_thread": False, "timeout": wait_seconds}
    engine = sa.create_engine(f"sqlite:///{file}", connect_args=arguments)

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = WAL")
        # What somebody was told of stays so when the power fails.
        connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def _begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _of_server(url: str, wait_seconds: float) -> sa.Engine:
    try:
        import psycopg  # noqa: F401 - to say what is missing
    except ImportError as error:
        raise EnvironmentFault(
            "no driver for PostgreSQL is installed", "install manent[postgres]"
        ) from error
    try:
        arguments = {"connect_timeout": max(2, int(wait_seconds))}
        return sa.create_engine(url, pool_pre_ping=True, connect_args=arguments)
    except SQLAlchemyError as error:
        raise UsageError("the postgresql:// address cannot be read", "see --help") from error


def _copy(file: Path, target: Path) -> None:
    os.close(os.open(target, os.O_RDWR | os.O_CREAT, 0o600))
    with (
        contextlib.closing(sqlite3.connect(file)) as source,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)


def _reason(error: Exception) -> str:
    said = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    return said or type(error).__name__
