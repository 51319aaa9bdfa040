"""The audit in a database: lines that several servers add to, committed together.

A call waits until its line stands, so what a killed server answered is not lost. Lines
of calls that wait at the same time share one commit.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from typing import Any

import sqlalchemy as sa

from manent.errors import EnvironmentFault
from manent.server.database import Database, Schema, standing_table

PATIENCE_SECONDS = 5.0
"""How long a call waits for a database that does not answer."""
_BATCH = 256

_metadata = sa.MetaData()
_line = sa.Table(
    "manent_audit",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("time", sa.Text, nullable=False, index=True),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("line", sa.Text, nullable=False),
)
_SCHEMA = Schema(
    "audit lines", _metadata, standing_table("manent_audit_schema", _metadata), 1, 0x6D616E617564
)
"""Raise the version together with a step."""


class Table:
    """Lines in a database, committed together where many call at once.

    A call waits until its line stands: what a killed server answered is not lost.
    """

    def __init__(self, address: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
        # Long enough for another server's commit; a call waits no longer than its patience.
        self._database = Database(address, _SCHEMA, max(1.0, patience_seconds - 1))
        self._patience = patience_seconds
        self._waiting: queue.SimpleQueue[tuple[Mapping[str, Any], Future[None]] | None]
        self._waiting = queue.SimpleQueue()
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
        self._database.close()

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
        try:
            with self._database.writing() as connection:
                connection.execute(_line.insert(), [_row(line) for line, _ in batch])
        except (EnvironmentFault, OSError, ValueError) as error:
            fault = EnvironmentFault(f"the audit was not kept: {error}")
            for _, done in batch:
                done.set_exception(fault)
            return
        for _, done in batch:
            done.set_result(None)


def _row(line: Mapping[str, Any]) -> dict[str, Any]:
    text = json.dumps(line, ensure_ascii=True, separators=(",", ":"))
    return {
        "time": line["time"],
        "identity": str(line.get("identity", "")),
        "tool": str(line.get("tool", "")),
        "event": str(line.get("event", "")),
        "line": text,
    }
