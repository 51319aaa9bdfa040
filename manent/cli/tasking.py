"""The tasks of a server, put together from who asks and who somebody is now."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from typing import Any

from manent.access import Identity
from manent.server.owners import owner_of, paths_in
from manent.server.protocol import BrainOffer
from manent.server.task import Task
from manent.server.tasks import Board


def board_of(
    offer: BrainOffer,
    database: Callable[[], str],
    identity_of: Callable[[Any], Identity],
    named: Callable[[str], Identity | None],
    key: bytes,
) -> Board:
    """Return the tasks of what is offered, which begins them from now on.

    database: where they are kept, asked when it is first needed. identity_of: from a
    request. named: who a name is now. key: of the servers that share their tasks, b"" for
    a process that keeps its own.
    """
    own = key or secrets.token_bytes(32)

    def opened() -> Any:
        from manent.server.task_store import TaskStore

        return TaskStore(database(), f"{socket.gethostname()}:{os.getpid()}")

    def current(task: Task) -> Identity | None:
        """Return the task's identity, None where it is not who began it any more."""
        identity = named(str(task.payload["identity"]))
        holds = identity is not None and owner_of(identity, own) == task.owner
        return identity if holds else None

    def resumed(task: Task) -> Any:
        identity = current(task)
        if identity is None:
            return None
        tool = offer.dispatcher.tool(identity, str(task.payload["tool"]))
        return offer.work(tool, identity, task.payload["arguments"])

    async def shows(context: Any, task: Task) -> bool:
        given = task.payload["arguments"]
        return await offer.shows(identity_of(context), given, paths_in(task))

    board = Board(
        opened,
        lambda context: owner_of(identity_of(context), own),
        resumed,
        holds=lambda task: current(task) is not None,
        shows=shows,
    )
    offer.begin = board.begin
    return board
