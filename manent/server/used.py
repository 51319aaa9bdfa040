"""Which approvals were used, where several servers share a database: each counts at one, once."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from manent.server.approval import KEPT_SECONDS
from manent.server.database import Database, Schema, standing_table

_metadata = sa.MetaData()
_used = sa.Table(
    "manent_approval_used",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("until", sa.BigInteger, nullable=False, index=True),
)
_SCHEMA = Schema(
    "used approvals",
    _metadata,
    standing_table("manent_approval_schema", _metadata),
    1,
    0x6D616E617070,
)
"""Raise the version together with a step."""


class SharedUsed:
    """Used approvals in a database. address: asked for it when the first one comes."""

    def __init__(self, address: Callable[[], str]) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._opened: Database | None = None

    def open(self) -> None:
        """Open the database now. Raises EnvironmentFault, UsageError."""
        self._database()

    def has(self, identity: str, now: datetime.datetime) -> bool:
        """Tell whether an approval was used. Raises EnvironmentFault."""
        with self._database().writing() as connection:
            asked = sa.select(_used.c.id).where(_used.c.id == identity)
            return connection.execute(asked).one_or_none() is not None

    def take(self, identity: str, until: int, now: datetime.datetime) -> bool:
        """Use an approval up; False when that was done before, here or elsewhere.

        It stands before this returns. Raises EnvironmentFault.
        """
        late = int(now.timestamp()) - KEPT_SECONDS
        row = {"id": identity, "until": until}
        with self._database().writing() as connection:
            connection.execute(_used.delete().where(_used.c.until < late))
            # Of two servers that do this at once, one inserts a row.
            made: Any = postgresql if connection.dialect.name == "postgresql" else sqlite
            insert = made.insert(_used).values(row).on_conflict_do_nothing()
            return bool(connection.execute(insert).rowcount)

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _database(self) -> Database:
        with self._lock:
            if self._opened is None:
                self._opened = Database(self._address(), _SCHEMA)
            return self._opened
