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
from manent.gaps.address import AWAY, SILENT, DatabaseFault, cause_in
from manent.server.database import Database, Schema, standing_table

PATIENCE_SECONDS = 5.0
"""How long a call waits for a database that does not answer. Until that has answered again
no other call waits: its line is written when it can be."""
MOST_WAITING = 20_000
"""Lines that wait for a database; past that they are lost."""
RETRY_SECONDS = 1.0
"""How often lines are tried again that no database took."""
_BATCH = 256
_WHAT = "the database of audit lines"

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


_Waiting = tuple[Mapping[str, Any], "Future[None]"]


class Table:
    """Lines in a database, committed together where many call at once.

    A call waits until its line stands: what a killed server answered is not lost.
    """

    def __init__(self, address: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
        # Long enough for another server's commit; a call waits no longer than its patience.
        self._database = Database(address, _SCHEMA, max(1.0, patience_seconds - 1))
        self._patience = patience_seconds
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._behind = ""
        self._thread = threading.Thread(target=self._run, name="manent-audit", daemon=True)
        self._thread.start()

    def write(self, line: Mapping[str, Any]) -> None:
        """Add a line, and wait for it to stand. Raises EnvironmentFault."""
        done: Future[None] = Future()
        if self._waiting.qsize() < MOST_WAITING:
            self._waiting.put((line, done))
        if self._behind:
            raise DatabaseFault(_WHAT, self._behind)
        try:
            done.result(self._patience)
        except Late as error:
            self._behind = self._behind or SILENT
            raise DatabaseFault(_WHAT, SILENT) from error

    def close(self) -> None:
        """Write what waits, then let go of the database."""
        self._waiting.put(None)
        self._thread.join(2 * self._patience)
        self._database.close()

    def _run(self) -> None:
        kept: list[Mapping[str, Any]] = []
        over = False
        while not over:
            batch, over = self._next(RETRY_SECONDS if kept else None)
            kept = self._insert(kept, batch)[-MOST_WAITING:]

    def _next(self, seconds: float | None) -> tuple[list[_Waiting], bool]:
        """Return what waits, once something does or for so long; and whether that is all."""
        batch: list[_Waiting] = []
        try:
            item = self._waiting.get(timeout=seconds)
            while item is not None:
                batch.append(item)
                if len(batch) == _BATCH or self._waiting.empty():
                    return batch, False
                item = self._waiting.get()
        except queue.Empty:
            return batch, False
        return batch, True

    def _insert(
        self, kept: Sequence[Mapping[str, Any]], batch: Sequence[_Waiting]
    ) -> list[Mapping[str, Any]]:
        """Write lines; return those that are to be tried again, as nobody was there."""
        lines = [*kept, *(line for line, _ in batch)]
        try:
            if lines:
                with self._database.writing() as connection:
                    connection.execute(_line.insert(), [_row(line) for line in lines])
        except (EnvironmentFault, OSError, ValueError) as error:
            self._behind = cause_in(error)
            fault = DatabaseFault(_WHAT, self._behind)
            for _, done in batch:
                done.set_exception(fault)
            return lines if self._behind in (AWAY, SILENT) else []
        self._behind = ""
        for _, done in batch:
            done.set_result(None)
        return []


def _row(line: Mapping[str, Any]) -> dict[str, Any]:
    text = json.dumps(line, ensure_ascii=True, separators=(",", ":"))
    return {
        "time": line["time"],
        "identity": str(line.get("identity", "")),
        "tool": str(line.get("tool", "")),
        "event": str(line.get("event", "")),
        "line": text,
    }
