"""What signing in must remember: clients, codes and grants. No token, no code in the clear.

Several servers may share one database. What may happen once happens in one statement
there, so that two servers that are asked at the same moment do not both say yes.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from manent.errors import EnvironmentFault, UsageError

VERSION = 1
"""The schema of the tables. Raise it together with a step in ``STEPS``."""
Step = Callable[[sa.Connection], None]
STEPS: Sequence[Step] = ()
"""``STEPS[n - 1]`` takes tables of version n to version n + 1."""

MOST_CLIENTS = 2_000
"""Clients that are remembered; those that nobody signed in with are forgotten first."""

DAY_MS = 86_400_000
_POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_LOCK = 0x6D616E617574
"""The advisory lock under which PostgreSQL's tables are made: ``manaut`` in ASCII."""
_WAIT_SECONDS = 10

_metadata = sa.MetaData()
_version = sa.Table(
    "manent_oauth_schema", _metadata, sa.Column("version", sa.Integer, nullable=False)
)
_client = sa.Table(
    "manent_oauth_client",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("redirects", sa.Text, nullable=False),
    sa.Column("made_ms", sa.BigInteger, nullable=False, index=True),
)
_code = sa.Table(
    "manent_oauth_code",
    _metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("client", sa.Text, nullable=False),
    sa.Column("row", sa.Text, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("used_ms", sa.BigInteger),
    sa.Column("replayed", sa.Boolean, nullable=False, default=False),
    sa.Column("gave", sa.Text, nullable=False, default=""),
)
_grant = sa.Table(
    "manent_oauth_grant",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("client", sa.Text, nullable=False, index=True),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("generation", sa.Integer, nullable=False),
    sa.Column("turned_ms", sa.BigInteger, nullable=False),
    sa.Column("revoked", sa.Boolean, nullable=False, default=False),
)


@dataclass(frozen=True, slots=True)
class Registered:
    """A client that registered itself."""

    id: str
    name: str
    redirects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grant:
    """What somebody allowed a client. generation: how often its refresh token was turned.

    turned_ms: when that was last.
    """

    id: str
    identity: str
    client: str
    expires_ms: int
    generation: int
    turned_ms: int
    revoked: bool = False


class Store:
    """The database. Any thread may ask; every method may raise EnvironmentFault.

    address: ``sqlite:///FILE`` or ``postgresql://…``. Raises UsageError for another one.
    """

    def __init__(
        self, address: str, *, version: int = VERSION, steps: Sequence[Step] = STEPS
    ) -> None:
        self._steps = steps
        self._wanted = version
        self._file = Path(address[10:]) if address.startswith("sqlite:///") else None
        self._engine = _engine(address, self._file)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    # -- clients -----------------------------------------------------------------------

    def register(self, client: Registered, now_ms: int) -> bool:
        """Keep a client; False when there are too many. Makes room by forgetting idle ones."""
        row = {
            "id": client.id,
            "name": client.name,
            "redirects": json.dumps(client.redirects),
            "made_ms": now_ms,
        }
        used = sa.select(_grant.c.client)
        with self._open() as connection:
            idle = _client.c.made_ms < now_ms - DAY_MS
            connection.execute(_client.delete().where(idle, _client.c.id.not_in(used)))
            count = connection.execute(sa.select(sa.func.count()).select_from(_client)).scalar_one()
            if count >= MOST_CLIENTS:
                return False
            connection.execute(_client.insert().values(row))
        return True

    def client(self, identity: str) -> Registered | None:
        """Return a client that registered itself."""
        with self._open() as connection:
            found = connection.execute(
                sa.select(_client).where(_client.c.id == identity)
            ).one_or_none()
        if found is None:
            return None
        return Registered(found.id, found.name, tuple(json.loads(found.redirects)))

    # -- codes -------------------------------------------------------------------------

    def keep_code(
        self, digest: str, client: str, row: Mapping[str, Any], expires_ms: int, now_ms: int
    ) -> None:
        """Keep a code until it expires; forget those that expired long ago."""
        values = {
            "digest": digest,
            "client": client,
            "row": json.dumps(dict(row)),
            "expires_ms": expires_ms,
            "used_ms": None,
            "replayed": False,
            "gave": "",
        }
        with self._open() as connection:
            connection.execute(_code.delete().where(_code.c.expires_ms < now_ms - DAY_MS))
            connection.execute(_code.insert().values(values))

    def use_code(self, digest: str, client: str, now_ms: int) -> Mapping[str, Any] | None:
        """Use a code up; None for one that is unknown, another client's, expired or used.

        A code that comes twice was stolen by one of the two: what it gave is taken back.
        """
        mine = sa.and_(_code.c.digest == digest, _code.c.client == client)
        first = sa.and_(mine, _code.c.used_ms.is_(None), _code.c.expires_ms > now_ms)
        with self._open() as connection:
            if connection.execute(_code.update().where(first).values(used_ms=now_ms)).rowcount:
                row = connection.execute(sa.select(_code.c.row).where(mine)).scalar_one()
                return dict(json.loads(row))
            again = sa.and_(mine, _code.c.used_ms.is_not(None))
            connection.execute(_code.update().where(again).values(replayed=True))
            grant = connection.execute(sa.select(_code.c.gave).where(again)).scalar_one_or_none()
            if grant:
                connection.execute(_grant.update().where(_grant.c.id == grant).values(revoked=True))
        return None

    def begin(self, grant: Grant, digest: str, now_ms: int) -> bool:
        """Keep a grant that a code gave; False when the code came again meanwhile."""
        sound = sa.and_(_code.c.digest == digest, _code.c.replayed.is_(False))
        with self._open() as connection:
            connection.execute(_grant.delete().where(_grant.c.expires_ms < now_ms - DAY_MS))
            if not connection.execute(_code.update().where(sound).values(gave=grant.id)).rowcount:
                return False
            connection.execute(
                _grant.insert().values(
                    id=grant.id,
                    identity=grant.identity,
                    client=grant.client,
                    expires_ms=grant.expires_ms,
                    generation=grant.generation,
                    turned_ms=grant.turned_ms,
                    revoked=False,
                )
            )
        return True

    # -- grants ------------------------------------------------------------------------

    def grant(self, identity: str) -> Grant | None:
        """Return a grant, revoked or not."""
        with self._open() as connection:
            found = connection.execute(
                sa.select(_grant).where(_grant.c.id == identity)
            ).one_or_none()
        return None if found is None else Grant(*found)

    def turn(self, identity: str, generation: int, expires_ms: int, now_ms: int) -> bool:
        """Turn a refresh token of this generation; False when somebody else did before."""
        standing = sa.and_(
            _grant.c.id == identity,
            _grant.c.generation == generation,
            _grant.c.revoked.is_(False),
            _grant.c.expires_ms > now_ms,
        )
        values = {"generation": generation + 1, "turned_ms": now_ms, "expires_ms": expires_ms}
        with self._open() as connection:
            return bool(connection.execute(_grant.update().where(standing).values(values)).rowcount)

    def revoke(self, identity: str) -> None:
        """End a grant, and every token that it gave."""
        with self._open() as connection:
            connection.execute(_grant.update().where(_grant.c.id == identity).values(revoked=True))

    # -- opening -----------------------------------------------------------------------

    @contextlib.contextmanager
    def _open(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise EnvironmentFault(
                f"the database of sign-ins: {_reason(error)}", "is it reachable?"
            ) from error

    def _prepare(self) -> None:
        """Make the tables, or bring older ones up after a copy was made."""
        with self._open() as connection:
            self._lock(connection)
            _metadata.create_all(connection)
            found = connection.execute(sa.select(_version.c.version)).scalar_one_or_none()
            if found is None:
                connection.execute(_version.insert().values(version=self._wanted))
                return
        if found > self._wanted:
            raise EnvironmentFault(
                f"the database of sign-ins was written by a newer manent: schema {found}, "
                f"and this one knows {self._wanted}",
                "install the newer manent",
            )
        if found < self._wanted:
            self._migrate(found)

    def _migrate(self, found: int) -> None:
        if self._file is not None:
            copy = self._file.with_name(f"{self._file.name}.v{found}.backup")
            os.close(os.open(copy, os.O_RDWR | os.O_CREAT, 0o600))
            with (
                contextlib.closing(sqlite3.connect(self._file)) as source,
                contextlib.closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
        with self._open() as connection:
            self._lock(connection)
            standing = connection.execute(sa.select(_version.c.version)).scalar_one()
            for step in self._steps[standing - 1 : self._wanted - 1]:
                step(connection)
            connection.execute(_version.update().values(version=self._wanted))

    def _lock(self, connection: sa.Connection) -> None:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def _engine(address: str, file: Path | None) -> sa.Engine:
    if file is not None:
        try:
            # Made here so that nobody but its owner may ever read it.
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise EnvironmentFault(f"cannot open {file}: {error.strerror}") from error
        arguments = {**_ANY_THREAD, "timeout": _WAIT_SECONDS}
        return _sqlite(sa.create_engine(f"sqlite:///{file}", connect_args=arguments))
    scheme = next((s for s in _POSTGRES if address.startswith(s)), None)
    if scheme is None:
        raise UsageError(
            "sign-ins are kept in sqlite:///FILE or at a postgresql:// address", "see --help"
        )
    try:
        import psycopg  # noqa: F401 - to say what is missing
    except ImportError as error:
        raise EnvironmentFault(
            "no driver for PostgreSQL is installed", "install manent[postgres]"
        ) from error
    url = "postgresql+psycopg://" + address.removeprefix(scheme)
    try:
        arguments = {"connect_timeout": _WAIT_SECONDS}
        return sa.create_engine(url, pool_pre_ping=True, connect_args=arguments)
    except SQLAlchemyError as error:
        raise UsageError("the postgresql:// address cannot be read", "see --help") from error


_ANY_THREAD: dict[str, Any] = {"check_same_thread": False}


def _sqlite(engine: sa.Engine) -> sa.Engine:
    @sa.event.listens_for(engine, "connect")
    def _opened(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = WAL")
        # A refresh token that was turned stays so when the power fails.
        connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _reason(error: Exception) -> str:
    said = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    return said or type(error).__name__
