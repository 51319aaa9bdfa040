"""Where tasks are kept: a database, so that every server over one brain knows them all.

A task that its server left behind (it was killed) is taken up by another one, which
finds in ``payload`` what was asked. Whatever ended a task first holds: nothing that
comes later changes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from manent.server.database import Database, Schema, standing_table
from manent.server.task import ASKING, UNDER_WAY, WORKING, Task

_metadata = sa.MetaData()
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


_SCHEMA = Schema(
    "tasks", _metadata, standing_table("manent_task_schema", _metadata), 1, 0x6D616E746173
)
"""Raise the version together with a step."""

MOST_KEPT = 4_096
"""Tasks of one owner that have ended and are kept: the oldest give way."""
MOST_KEPT_CHARACTERS = 16 << 20
"""Characters of what those hold, all together; the newest stays whatever it holds."""


class TaskStore:
    """The tasks of a database. Any thread may ask.

    address: ``sqlite:///FILE``, ``sqlite://`` for memory, or ``postgresql://…``. runner:
    a name of this very server, under which it holds what it runs.
    Raises EnvironmentFault, UsageError.
    """

    def __init__(self, address: str, runner: str) -> None:
        self._runner = runner
        self._database = Database(address, _SCHEMA)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    # -- verbs -----------------------------------------------------------------------

    def begin(
        self,
        task: str,
        owner: str,
        payload: Mapping[str, Any],
        now_ms: int,
        lasts_ms: int,
        most: int | None = None,
    ) -> Task | None:
        """Keep a new task of this runner; it is there for everybody once this returns.

        most: None is returned where so many of the owner's are under way, here or at
        other servers: those that begin at the same time are counted one after the other.
        """
        row = {
            "id": task, "owner": owner, "payload": _json(payload), "status": WORKING,
            "created_ms": now_ms, "updated_ms": now_ms, "expires_ms": now_ms + lasts_ms,
            "beat_ms": now_ms, "runner": self._runner, "outcome": "{}", "requests": "{}",
            "responses": "{}",
        }  # fmt: skip
        with self._database.writing(alone=True) as connection:
            if most is not None and _under_way(connection, owner, now_ms) >= most:
                return None
            connection.execute(_task.insert().values(row))
        return Task(task, owner, payload, WORKING, now_ms, now_ms, now_ms + lasts_ms)

    def get(self, task: str, owner: str | None, now_ms: int) -> Task | None:
        """Return a task; None for one that is unknown, expired, or somebody else's.

        owner: None asks for whosever it is.
        """
        query = sa.select(_task).where(_task.c.id == task, _task.c.expires_ms > now_ms)
        if owner is not None:
            query = query.where(_task.c.owner == owner)
        with self._database.writing() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else _read(row)

    def under_way(self, owner: str, now_ms: int) -> int:
        """Return how many tasks of an owner have not ended."""
        with self._database.writing() as connection:
            return _under_way(connection, owner, now_ms)

    def end(self, task: str, status: str, outcome: Mapping[str, Any], now_ms: int) -> bool:
        """End a task that has not ended; tell whether this was what ended it.

        The oldest of the same owner that ended before give way to it.
        """
        ended = _changed(task, now_ms, status=status, outcome=_json(outcome), requests="{}")
        with self._database.writing(alone=True) as connection:
            if connection.execute(ended).rowcount != 1:
                return False
            owner = connection.execute(sa.select(_task.c.owner).where(_task.c.id == task))
            _give_way(connection, owner.scalar_one())
        return True

    def ask(self, task: str, requests: Mapping[str, Any], now_ms: int) -> bool:
        """Have a task wait for its person's answers."""
        status = ASKING if requests else WORKING
        return self._change(task, now_ms, status=status, requests=_json(requests))

    def answer(self, task: str, responses: Mapping[str, Any], now_ms: int) -> Task | None:
        """Keep the answers to what a task still asks; what it does not ask is ignored."""
        with self._database.writing() as connection:
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
        with self._database.writing() as connection:
            return connection.execute(_changed(task, now_ms, **values)).rowcount == 1

    # -- runners ---------------------------------------------------------------------

    def beat(self, tasks: Sequence[str], now_ms: int) -> None:
        """Say that this runner is still at these tasks; forget those that expired."""
        with self._database.writing() as connection:
            connection.execute(
                _task.update()
                .where(_task.c.id.in_(list(tasks)), _task.c.runner == self._runner)
                .values(beat_ms=now_ms)
            )
            connection.execute(_task.delete().where(_task.c.expires_ms <= now_ms))

    def shift(self, by_ms: int) -> None:
        """Move what this runner is to keep in time: the clock was set, and nobody waited."""
        columns = (_task.c.created_ms, _task.c.updated_ms, _task.c.expires_ms, _task.c.beat_ms)
        with self._database.writing() as connection:
            connection.execute(
                _task.update()
                .where(_task.c.runner == self._runner)
                .values({column: column + by_ms for column in columns})
            )

    def take_up(
        self,
        silent_ms: int,
        now_ms: int,
        fits: Callable[[Task], bool] = lambda task: True,
        most: int = 8,
    ) -> list[Task]:
        """Make tasks this runner's whose own has been silent for so long; return them.

        fits: tells which of them it can take up; the others are left to other servers.
        """
        taken: list[Task] = []
        old = sa.and_(
            _task.c.status.in_(UNDER_WAY),
            _task.c.beat_ms < now_ms - silent_ms,
            _task.c.expires_ms > now_ms,
        )
        with self._database.writing() as connection:
            for row in connection.execute(sa.select(_task).where(old)).mappings().all():
                task = _read(row)
                if len(taken) == most or not fits(task):
                    continue
                claim = (
                    _task.update()
                    .where(_task.c.id == row["id"], _task.c.beat_ms == row["beat_ms"], old)
                    .values(runner=self._runner, beat_ms=now_ms)
                )
                if connection.execute(claim).rowcount == 1:
                    taken.append(task)
        return taken


def _under_way(connection: sa.Connection, owner: str, now_ms: int) -> int:
    query = sa.select(sa.func.count()).where(
        _task.c.owner == owner, _task.c.status.in_(UNDER_WAY), _task.c.expires_ms > now_ms
    )
    return int(connection.execute(query).scalar_one())


def _changed(task: str, now_ms: int, **values: Any) -> sa.Update:
    return (
        _task.update()
        .where(_task.c.id == task, _task.c.status.in_(UNDER_WAY))
        .values(updated_ms=now_ms, **values)
    )


def _give_way(connection: sa.Connection, owner: str) -> None:
    """Forget the oldest that an owner's ended tasks have no room for."""
    length, held = sa.func.length, _task.c
    size = length(held.payload) + length(held.outcome) + length(held.responses)
    query = (
        sa.select(_task.c.id, size)
        .where(_task.c.owner == owner, _task.c.status.not_in(UNDER_WAY))
        .order_by(_task.c.updated_ms.desc(), _task.c.created_ms.desc(), _task.c.id)
    )
    used, left = 0, []
    for number, (task, characters) in enumerate(connection.execute(query).all()):
        used += characters
        if number and (number >= MOST_KEPT or used > MOST_KEPT_CHARACTERS):
            left.append(task)
    if left:
        connection.execute(_task.delete().where(_task.c.id.in_(left)))


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
