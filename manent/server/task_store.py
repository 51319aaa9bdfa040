"""Where tasks are kept: a database, so that every server over one brain knows them all.

A task that its server left behind (it was killed) is taken up by another one, which
finds in ``payload`` what was asked. Whatever ended a task first holds: nothing that
comes later changes it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from manent.errors import EnvironmentFault, UsageError
from manent.server.task import ASKING, UNDER_WAY, WORKING, Task

VERSION = 1
"""The schema of the table. Raise it together with a step in ``STEPS``."""
STEPS: Sequence[Callable[[sa.Connection], None]] = ()
"""``STEPS[n - 1]`` takes a table of version n to version n + 1."""

_POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_LOCK = 0x6D616E746173
"""The advisory lock under which PostgreSQL's tables are made: ``mantas`` in ASCII."""
_WAIT_SECONDS = 10

_metadata = sa.MetaData()
_version = sa.Table(
    "manent_task_schema", _metadata, sa.Column("version", sa.Integer, nullable=False)
)
_task = sa.Table(
    "manent_task",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("owner", sa.Text, nullable=False, index=True),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False, index=True),
    sa.Column("created_ms", sa.BigInteger, nullable=False),
    sa.Column("updated_ms", sa.BigInteger, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("beat_ms", sa.BigInteger, nullable=False),
    sa.Column("runner", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("requests", sa.Text, nullable=False),
    sa.Column("responses", sa.Text, nullable=False),
)


class TaskStore:
    """The tasks of a database. Any thread may ask.

    address: ``sqlite:///FILE``, ``sqlite://`` for memory, or ``postgresql://…``. runner:
    a name of this very server, under which it holds what it runs.
    Raises EnvironmentFault, UsageError.
    """

    def __init__(self, address: str, runner: str) -> None:
        self._runner = runner
        self._engine = _engine(address)
        self._prepare()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise EnvironmentFault(f"the tasks' database: {_reason(error)}", "try again") from error

    # -- verbs -----------------------------------------------------------------------

    def begin(
        self, task: str, owner: str, payload: Mapping[str, Any], now_ms: int, lasts_ms: int
    ) -> Task:
        """Keep a new task of this runner; it is there for everybody once this returns."""
        row = {
            "id": task, "owner": owner, "payload": _json(payload), "status": WORKING,
            "created_ms": now_ms, "updated_ms": now_ms, "expires_ms": now_ms + lasts_ms,
            "beat_ms": now_ms, "runner": self._runner, "outcome": "{}", "requests": "{}",
            "responses": "{}",
        }  # fmt: skip
        with self._writing() as connection:
            connection.execute(_task.insert().values(row))
        return Task(task, owner, payload, WORKING, now_ms, now_ms, now_ms + lasts_ms)

    def get(self, task: str, owner: str | None, now_ms: int) -> Task | None:
        """Return a task; None for one that is unknown, expired, or somebody else's.

        owner: None asks for whosever it is.
        """
        query = sa.select(_task).where(_task.c.id == task, _task.c.expires_ms > now_ms)
        if owner is not None:
            query = query.where(_task.c.owner == owner)
        with self._writing() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else _read(row)

    def under_way(self, owner: str, now_ms: int) -> int:
        """Return how many tasks of an owner have not ended."""
        query = sa.select(sa.func.count()).where(
            _task.c.owner == owner, _task.c.status.in_(UNDER_WAY), _task.c.expires_ms > now_ms
        )
        with self._writing() as connection:
            return int(connection.execute(query).scalar_one())

    def end(self, task: str, status: str, outcome: Mapping[str, Any], now_ms: int) -> bool:
        """End a task that has not ended; tell whether this was what ended it."""
        return self._change(task, now_ms, status=status, outcome=_json(outcome), requests="{}")

    def ask(self, task: str, requests: Mapping[str, Any], now_ms: int) -> bool:
        """Have a task wait for its person's answers."""
        status = ASKING if requests else WORKING
        return self._change(task, now_ms, status=status, requests=_json(requests))

    def answer(self, task: str, responses: Mapping[str, Any], now_ms: int) -> Task | None:
        """Keep the answers to what a task still asks; what it does not ask is ignored."""
        with self._writing() as connection:
            query = sa.select(_task).where(_task.c.id == task).with_for_update()
            row = connection.execute(query).mappings().one_or_none()
            if row is None:
                return None
            found = _read(row)
            known = {key: value for key, value in responses.items() if key in found.requests}
            if not known or found.is_over:
                return found
            left = {k: v for k, v in found.requests.items() if k not in known}
            given = {**found.responses, **known}
            status = ASKING if left else WORKING
            values = {
                "requests": _json(left), "responses": _json(given), "status": status,
                "updated_ms": now_ms,
            }  # fmt: skip
            connection.execute(_task.update().where(_task.c.id == task).values(values))
        return self.get(task, None, now_ms)

    def _change(self, task: str, now_ms: int, **values: Any) -> bool:
        statement = (
            _task.update()
            .where(_task.c.id == task, _task.c.status.in_(UNDER_WAY))
            .values(updated_ms=now_ms, **values)
        )
        with self._writing() as connection:
            return connection.execute(statement).rowcount == 1

    # -- runners ---------------------------------------------------------------------

    def beat(self, tasks: Sequence[str], now_ms: int) -> None:
        """Say that this runner is still at these tasks; forget those that expired."""
        with self._writing() as connection:
            connection.execute(
                _task.update()
                .where(_task.c.id.in_(list(tasks)), _task.c.runner == self._runner)
                .values(beat_ms=now_ms)
            )
            connection.execute(_task.delete().where(_task.c.expires_ms <= now_ms))

    def take_up(self, silent_ms: int, now_ms: int, most: int = 8) -> list[Task]:
        """Make tasks this runner's whose own has been silent for so long; return them."""
        taken: list[Task] = []
        old = sa.and_(
            _task.c.status.in_(UNDER_WAY),
            _task.c.beat_ms < now_ms - silent_ms,
            _task.c.expires_ms > now_ms,
        )
        with self._writing() as connection:
            query = sa.select(_task).where(old).limit(most)
            for row in connection.execute(query).mappings().all():
                claim = (
                    _task.update()
                    .where(_task.c.id == row["id"], _task.c.beat_ms == row["beat_ms"], old)
                    .values(runner=self._runner, beat_ms=now_ms)
                )
                if connection.execute(claim).rowcount == 1:
                    taken.append(_read(row))
        return taken

    # -- opening ---------------------------------------------------------------------

    def _prepare(self) -> None:
        with self._writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:k)"), {"k": _LOCK})
            _metadata.create_all(connection)
            found = connection.execute(sa.select(_version.c.version)).scalar_one_or_none()
            if found is None:
                connection.execute(_version.insert().values(version=VERSION))
            elif found > VERSION:
                raise EnvironmentFault(
                    f"the tasks were kept by a newer manent: schema {found}, "
                    f"and this one knows {VERSION}",
                    "install the newer manent",
                )
            elif found < VERSION:
                for step in STEPS[found - 1 : VERSION - 1]:
                    step(connection)
                connection.execute(_version.update().values(version=VERSION))


def _engine(address: str) -> sa.Engine:
    if address == "sqlite://":
        return sa.create_engine(
            address, poolclass=sa.StaticPool, connect_args={"check_same_thread": False}
        )
    if address.startswith("sqlite:///"):
        return _of_file(Path(address.removeprefix("sqlite:///")))
    scheme = next((s for s in _POSTGRES if address.startswith(s)), None)
    if scheme is None:
        raise UsageError("the database is sqlite:///FILE or a postgresql:// address", "see --help")
    try:
        import psycopg  # noqa: F401 - to say what is missing
    except ImportError as error:
        raise EnvironmentFault(
            "no driver for PostgreSQL is installed", "install manent[postgres]"
        ) from error
    try:
        url = "postgresql+psycopg://" + address.removeprefix(scheme)
        return sa.create_engine(url, pool_pre_ping=True, pool_size=4)
    except SQLAlchemyError as error:
        raise UsageError("the postgresql:// address cannot be read", "see --help") from error


def _of_file(file: Path) -> sa.Engine:
    try:
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise EnvironmentFault(f"cannot open {file}: {error.strerror}", "name a file") from error
    engine = sa.create_engine(f"sqlite:///{file}", connect_args={"timeout": _WAIT_SECONDS})

    @sa.event.listens_for(engine, "connect")
    def _opened(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = WAL")

    @sa.event.listens_for(engine, "begin")
    def _begun(connection: Any) -> None:
        # Alone among writers from the start: what is read is what is changed.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _read(row: Mapping[Any, Any]) -> Task:
    return Task(
        row["id"],
        row["owner"],
        json.loads(row["payload"]),
        row["status"],
        row["created_ms"],
        row["updated_ms"],
        row["expires_ms"],
        json.loads(row["outcome"]),
        json.loads(row["requests"]),
        json.loads(row["responses"]),
    )


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _reason(error: Exception) -> str:
    said = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    return said or type(error).__name__
