"""A database that servers share: opened, its tables made or brought up after a copy.

SQLite for one server, PostgreSQL for several. What is written stands once the block
that wrote it is left; writers of one SQLite file take turns from their start, so that
what one reads is what it changes. No answer is waited for without end.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from manent.errors import EnvironmentFault
from manent.gaps.address import (
    AWAY,
    COPY_SECONDS,
    SILENT,
    TURN_SECONDS,
    DatabaseFault,
    address_of,
    cause_of,
    engine_of,
    patient,
    said_by,
)
from manent.values import dataclass
from manent.wal import enter_wal

WAIT_SECONDS = 10
"""How long a writer of a file waits for another one."""
ANSWER_SECONDS = 5
"""How long a server may take over an answer."""
AWAY_SECONDS = 2.0
"""After a server did not answer in time, nobody else waits for it so long."""

Step = Callable[[sa.Connection], None]
_MEMORY = "sqlite://"


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
    """The database at ``address``: a file, ``sqlite:///FILE``, ``sqlite://`` for memory, or
    ``postgresql://…``. wait_seconds: None for what is usual there.
    Raises UsageError for another one, EnvironmentFault.
    """

    def __init__(self, address: str, schema: Schema, wait_seconds: float | None = None) -> None:
        self._schema = schema
        self._what = f"the database of {schema.what}"
        self._file: Path | None = None
        self._patient_until = 0.0
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
        with self._told(), self._engine.begin() as connection:
            if alone:
                self._lock(connection)
            yield connection

    @contextlib.contextmanager
    def _told(self, opening: bool = False) -> Iterator[None]:
        """Say in plain words what is wrong. opening: to who starts it, the driver's too."""
        if time.monotonic() < self._patient_until:
            raise DatabaseFault(self._what, SILENT)
        began = time.monotonic()
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            cause, now = cause_of(error), time.monotonic()
            if cause in (AWAY, SILENT) and now - began > AWAY_SECONDS / 2:
                self._patient_until = now + AWAY_SECONDS
            raise DatabaseFault(self._what, cause, said_by(error) if opening else "") from error

    # -- opening -----------------------------------------------------------------------

    def _opened(self, text: str, wait_seconds: float | None) -> sa.Engine:
        if text == _MEMORY:
            arguments = {"check_same_thread": False}
            return sa.create_engine(text, poolclass=sa.StaticPool, connect_args=arguments)
        address = address_of(text, f"database of {self._schema.what}")
        if address.file is not None:
            self._file = address.file
            return _of_file(address.file, wait_seconds or WAIT_SECONDS)
        return engine_of(address, self._what, wait_seconds or ANSWER_SECONDS)

    def _prepare(self) -> None:
        """Make the tables, or bring older ones up after a copy was made; one server at a time."""
        schema = self._schema
        with self._told(opening=True), self._engine.begin() as connection:
            with patient(connection, TURN_SECONDS):
                self._lock(connection)
            found = self._found(connection)
            if found is None:
                schema.tables.create_all(connection)
                connection.execute(schema.standing.insert().values(version=schema.version))
            elif found > schema.version:
                raise DatabaseFault(
                    self._what,
                    "it was written by a newer manent",
                    f"schema {found}, and this one knows {schema.version}",
                )
            elif found < schema.version:
                with patient(connection, COPY_SECONDS):
                    self._migrate(connection, found)

    def _found(self, connection: sa.Connection) -> int | None:
        """Return the version that stands there, None for none."""
        standing = self._schema.standing
        if not sa.inspect(connection).has_table(standing.name):
            return None
        versions = connection.execute(sa.select(standing.c.version)).scalars().all()
        if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
            raise DatabaseFault(self._what, "it is damaged: it does not say its schema")
        return int(versions[0])

    def _migrate(self, connection: sa.Connection, found: int) -> None:
        """Bring the tables up; nobody else writes meanwhile, also while the copy is made."""
        schema = self._schema
        if self._file is not None:
            _copy(self._file, f"{schema.what.replace(' ', '-')}.v{found}.backup")
        elif connection.dialect.name == "postgresql":
            _copy_within(connection, schema.tables, found)
        for step in schema.steps[found - 1 : schema.version - 1]:
            step(connection)
        schema.tables.create_all(connection)
        connection.execute(schema.standing.update().values(version=schema.version))

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
        enter_wal(connection, wait_seconds)
        # What somebody was told of stays so when the power fails.
        connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def _begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _copy(file: Path, ending: str) -> None:
    """Copy a database beside itself, whole or not at all; what stands there stays.

    Raises EnvironmentFault.
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        with (
            contextlib.closing(sqlite3.connect(file)) as source,
            contextlib.closing(sqlite3.connect(draft)) as copy,
        ):
            source.backup(copy)
        with draft.open("rb") as held:
            os.fsync(held.fileno())
        for number in itertools.count(1):
            target = file.with_name(f"{file.name}.{ending}{f'.{number}' * (number > 1)}")
            with contextlib.suppress(FileExistsError):
                os.link(draft, target)
                return
    except OSError as error:
        raise EnvironmentFault(f"cannot copy {file}: {error.strerror}", "make room") from error
    finally:
        for left in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            left.unlink(missing_ok=True)


def _copy_within(connection: sa.Connection, tables: sa.MetaData, found: int) -> None:
    """Copy the tables of a server's database beside themselves, as ``NAME_vN_backup``."""
    standing = set(sa.inspect(connection).get_table_names())
    quote = connection.dialect.identifier_preparer.quote_identifier
    for number in itertools.count(1):
        ending = f"_v{found}_backup{f'_{number}' * (number > 1)}"
        held = [table.name for table in tables.sorted_tables if table.name in standing]
        if standing.isdisjoint(name + ending for name in held):
            break
    for name in held:
        made = f"CREATE TABLE {quote(name + ending)} AS TABLE {quote(name)}"
        connection.execute(sa.text(made))
