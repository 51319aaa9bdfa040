"""Where a register lives: an SQLite file, or a PostgreSQL database.

Both are crash-safe: what ``writing`` has left stands. A register of an older
schema is backed up, then taken to this one in a single transaction; one of a
newer schema is refused.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from manent.errors import EnvironmentFault, UsageError
from manent.gaps import schema
from manent.gaps.address import (
    COPY_SECONDS,
    Address,
    DatabaseFault,
    address_of,
    cause_of,
    engine_of,
    patient,
    said_by,
)
from manent.gaps.schema import Step
from manent.wal import enter_wal

_LOCK = 0x6D616E656E74
"""The advisory lock that writers of one PostgreSQL register share: ``manent`` in ASCII."""
_WAIT_SECONDS = 60
"""How long a writer of a file waits for another one."""
_ANSWER_SECONDS = 30
"""How long a server may take over one answer, and a writer wait for another one there."""


def refuse_derived(file: Path, what: str = "register") -> None:
    """Raise UsageError for a register among derived data, or within a git folder.

    Whoever deletes what can be made anew, or a brain, must not lose questions.
    what: lies there, for the message.
    """
    for place in meant(file):
        for folder in place.parents:
            git = (folder / "HEAD").is_file() and (folder / "objects").is_dir()
            if git or folder.name == ".manent":
                raise UsageError(f"the {what} {file} lies in {folder}", "keep it outside")


def meant(file: Path) -> list[Path]:
    """Return the path with its links followed, and with all of them but the last."""
    whole = file.absolute()
    try:
        return [whole.parent.resolve() / whole.name, whole.resolve()]
    except (OSError, RuntimeError):
        return [whole]


class Home:
    """One register's database.

    where: a file, or text that names one or a ``postgresql://`` address
    (``manent.gaps.address``). make: create a file that is not there. backups: the folder
    for what is saved before a PostgreSQL register is migrated; a file's backup lies
    beside it.
    Raises EnvironmentFault, or UsageError for an address of another kind.
    """

    def __init__(
        self,
        where: str | Path,
        *,
        make: bool = True,
        backups: Path | None = None,
        version: int = schema.VERSION,
        steps: Sequence[Step] = schema.STEPS,
    ) -> None:
        address = Address(where) if isinstance(where, Path) else address_of(where, "register")
        self._address = address
        self.file = address.file
        self._backups = backups
        self._version = version
        self._steps = steps
        if self.file is not None:
            refuse_derived(self.file)
        if self.file is not None:
            self._refuse_other(self.file, make)
        self.engine = (
            self._of_file(self.file)
            if self.file is not None
            else engine_of(address, "register", _ANSWER_SECONDS)
        )
        try:
            self._prepare()
        except DatabaseFault as fault:
            self.close()
            said = said_by(fault.__cause__) if fault.__cause__ else ""
            raise DatabaseFault(f"the register {self.name}", fault.cause, said) from fault
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Hold a connection that sees one state of the register."""
        with self._told(), self.engine.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Hold a transaction, alone among writers; it stands once the block is left."""
        engine = self.engine.execution_options(manent_writes=True)
        with self._told(), engine.begin() as connection:
            if self.file is None:
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            yield connection

    def backup(self, target: Path) -> None:
        """Write the register as it stands now into a new SQLite file, whole or not at all.

        Raises UsageError where something stands: it may be the only copy of it.
        """
        if not target.name or target.is_dir():
            raise UsageError(f"{target} is a folder", "name a file")
        if target.exists() or target.is_symlink():
            raise UsageError(f"{target} is there already", "name a file that is not")
        draft = target.with_name(f".{target.name}.{os.getpid()}.new")
        try:
            if self.file is not None:
                self._copy_file(draft)
            else:
                self._copy_rows(draft)
            _placed(draft, target)
        except FileExistsError as error:
            raise UsageError(f"{target} is there already", "name a file that is not") from error
        except OSError as error:
            raise EnvironmentFault(f"cannot write {target}: {error.strerror}") from error
        finally:
            for left in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
                left.unlink(missing_ok=True)

    # -- opening ---------------------------------------------------------------------

    def _refuse_other(self, file: Path, make: bool) -> None:
        """Refuse another program's database before a byte of it can change.

        make: a register may come into being: where nothing, or an empty file, stands.
        """
        if not file.exists() or (file.is_file() and not file.stat().st_size):
            if not make:
                raise EnvironmentFault(
                    f"no register {file}", "`manent search --gaps FILE` makes one"
                )
            return
        if not file.is_file():
            return  # told when it is opened
        with self._told():
            tables = _tables_of(file)
        if tables and schema.register.name not in tables:
            raise EnvironmentFault(f"{file} is another program's database", "name another")

    def _of_file(self, file: Path) -> sa.Engine:
        if file.is_dir() or not file.parent.is_dir():
            raise EnvironmentFault(f"{file} is no place for a register", "name a file")
        try:
            # Made here so that nobody but its owner may ever read it.
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise EnvironmentFault(f"cannot open {file}: {error.strerror}") from error

        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(
                file, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            enter_wal(connection, _WAIT_SECONDS)
            # A question that was recorded stays so when the power fails.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            return connection

        engine = sa.create_engine("sqlite://", creator=connect, poolclass=QueuePool)
        sa.event.listen(engine, "begin", _begin)
        return engine

    def _prepare(self) -> None:
        """Make the tables where there are none; bring older ones up."""
        with self.writing() as connection:
            found = self._found(connection)
            if found is None:
                schema.metadata.create_all(connection)
                connection.execute(schema.register.insert().values(version=self._version))
                return
            if found > self._version:
                raise EnvironmentFault(
                    f"{self.name} was written by a newer manent: schema {found}, "
                    f"and this one knows {self._version}",
                    "install the newer manent",
                )
            if found < self._version:
                with patient(connection, COPY_SECONDS):
                    self._migrate(connection, found)

    @property
    def name(self) -> str:
        """What to call the register in a message: an address without its password."""
        return self._address.name

    def _found(self, connection: sa.Connection) -> int | None:
        tables = set(sa.inspect(connection).get_table_names())
        if schema.register.name not in tables:
            if self.file is not None and tables:
                raise EnvironmentFault(f"{self.file} is another program's database", "name another")
            return None
        rows = connection.execute(sa.select(schema.register.c.version)).all()
        versions = [row[0] for row in rows if isinstance(row[0], int)]
        if len(rows) != 1 or not versions or versions[0] < 1:
            raise EnvironmentFault(
                f"the register {self.name} is damaged: it does not say its schema",
                "restore a backup of it",
            )
        return int(versions[0])

    def _migrate(self, connection: sa.Connection, found: int) -> None:
        """Bring the tables up; nobody else writes meanwhile, also while the copy is made."""
        self._keep(found)
        for step in self._steps[found - 1 : self._version - 1]:
            step(connection)
        connection.execute(schema.register.update().values(version=self._version))

    def _keep(self, found: int) -> None:
        """Write a copy where nothing stands, also where somebody else does at this moment."""
        while True:
            place = self._backup_place(found)
            try:
                self.backup(place)
                return
            except UsageError:
                if not place.exists():
                    raise

    def _backup_place(self, found: int) -> Path:
        if self.file is not None:
            return _free(self.file.with_name(f"{self.file.name}.v{found}.backup"))
        if self._backups is None:
            raise EnvironmentFault(f"{self.name} needs migrating, and a backup before", "name one")
        self._backups.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _free(self._backups / f"gaps.v{found}.backup")

    # -- copies -----------------------------------------------------------------------

    def _copy_file(self, draft: Path) -> None:
        os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        with self.reading() as connection, contextlib.closing(sqlite3.connect(draft)) as copy:
            source: Any = connection.connection.driver_connection
            source.backup(copy)
        with draft.open("rb") as file:
            os.fsync(file.fileno())

    def _copy_rows(self, draft: Path) -> None:
        """Copy every table; of an older schema as it stands in the database."""
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_RDWR | os.O_CREAT, 0o600))
        copy = sa.create_engine(f"sqlite:///{draft}")
        try:
            with (
                self.reading() as source,
                patient(source, COPY_SECONDS),
                copy.begin() as target,
            ):
                held = schema.metadata
                if self._found(source) != self._version:
                    held = _as_it_stands(source)
                held.create_all(target)
                for table in held.sorted_tables:
                    rows = source.execute(table.select()).mappings()
                    while batch := rows.fetchmany(500):
                        target.execute(table.insert(), [dict(row) for row in batch])
        finally:
            copy.dispose()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what a database says into an error that a user can act on."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise DatabaseFault(f"the register {self.name}", cause_of(error)) from error


def _tables_of(file: Path) -> set[str]:
    """Return the names of a database's tables; change nothing, leave nothing beside it."""
    asked = "SELECT name FROM sqlite_master WHERE type = 'table'"
    # Even a reader makes files beside a database in WAL mode, unless it is told that
    # nobody writes. Where somebody does they are there already.
    ways = ["mode=ro"] if Path(f"{file}-wal").exists() else ["immutable=1", "mode=ro"]
    for way in ways:
        address = f"{file.absolute().as_uri()}?{way}"
        try:
            opened = sqlite3.connect(address, timeout=_WAIT_SECONDS, uri=True)
            with contextlib.closing(opened) as connection:
                return {str(row[0]) for row in connection.execute(asked)}
        except sqlite3.Error:
            if way == ways[-1]:
                raise
    raise AssertionError("one of the ways returns or raises")


def _placed(draft: Path, target: Path) -> None:
    """Give a file its name, unless something has that name by now."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:
        draft.rename(target)  # a file system without second names
    else:
        draft.unlink()


def _free(place: Path) -> Path:
    """Return the path, or the first beside it where nothing stands: backups are kept."""
    number, free = 1, place
    while free.exists() or free.is_symlink():
        number += 1
        free = place.with_name(f"{place.name}.{number}")
    return free


def _as_it_stands(source: sa.Connection) -> sa.MetaData:
    """Return the register's tables, reduced to what any database can hold."""
    held, plain = sa.MetaData(), sa.MetaData()
    names = {table.name for table in schema.metadata.sorted_tables}
    held.reflect(source, only=lambda name, _: name in names)
    for table in held.sorted_tables:
        sa.Table(table.name, plain, *(sa.Column(c.name, _plain(c.type)) for c in table.columns))
    return plain


def _plain(kind: Any) -> Any:
    if isinstance(kind, sa.LargeBinary):
        return sa.LargeBinary()
    if isinstance(kind, sa.Boolean):
        return sa.Boolean()
    return sa.BigInteger() if isinstance(kind, sa.Integer) else sa.Text()


def _begin(connection: sa.Connection) -> None:
    # A reader sees one state; a writer waits for its turn before it reads anything.
    writes = connection.get_execution_options().get("manent_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
