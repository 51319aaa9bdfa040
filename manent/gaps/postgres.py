"""Connections to PostgreSQL that end when it does not answer.

A server that hangs, or a network that swallows what is sent, never answers and never
hangs up. The driver waits for that for ever; a call must not.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Iterator
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg.conninfo import make_conninfo

from manent.gaps.address import SILENT

CONNECT_SECONDS = 3
"""How long a connection may take to come about."""
_INTERVAL = 0.1
_IDLE_SECONDS = 60
"""How long the server keeps the locks of somebody who has gone without a word."""


def engine(url: Any, wait_seconds: float) -> sa.Engine:
    """Return an engine. Raises ValueError for an option that the driver does not know."""
    _check(url)
    made = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_timeout=wait_seconds,
        connect_args={"connect_timeout": min(CONNECT_SECONDS, max(2, int(wait_seconds)))},
    )

    class Connection(Bounded):
        seconds = wait_seconds

    @sa.event.listens_for(made, "do_connect")
    def _connect(dialect: Any, record: Any, arguments: Any, options: Any) -> Any:
        return Connection.connect(*arguments, **options)

    @sa.event.listens_for(made, "connect")
    def _connected(connection: Any, _: object) -> None:
        # What is not waited for here any more must not go on there, and hold its locks.
        limits = {
            "statement_timeout": wait_seconds,
            "lock_timeout": wait_seconds,
            "idle_in_transaction_session_timeout": max(wait_seconds, _IDLE_SECONDS),
        }
        with connection.cursor() as cursor:
            for name, seconds in limits.items():
                cursor.execute(f"SET {name} = {int(seconds * 1000)}")
        connection.commit()

    return made


@contextlib.contextmanager
def patient(connection: sa.Connection, seconds: float) -> Iterator[None]:
    """Let each answer take so long in this transaction: to copy a table takes as it takes."""
    driver: Any = connection.connection.driver_connection
    before = driver.seconds
    driver.seconds = seconds
    try:
        for name in ("statement_timeout", "lock_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {name} = {int(seconds * 1000)}")
        yield
    finally:
        driver.seconds = before


class Bounded(psycopg.Connection[Any]):
    """A connection that is closed when an answer takes longer than ``seconds``."""

    seconds = 60.0

    def wait(self, gen: Any, interval: float = _INTERVAL, timeout: float | None = None) -> Any:
        """Run one exchange with the server. Raises psycopg.OperationalError when it is late."""
        return super().wait(self._in_time(gen), interval, timeout)

    def _in_time(self, exchange: Any) -> Generator[Any, Any, Any]:
        until = time.monotonic() + self.seconds
        try:
            wanted = next(exchange)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > until:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(SILENT)
                wanted = exchange.send(ready)
        except StopIteration as done:
            return done.value


def _check(url: Any) -> None:
    options = url.translate_connect_args(username="user", database="dbname")
    try:
        make_conninfo("", **{**options, **dict(url.query)})
    except (psycopg.Error, TypeError) as error:
        raise ValueError("an option that there is not") from error
