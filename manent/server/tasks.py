"""The tasks extension: a long call answers with a task, which its owner asks for later.

The server decides what becomes a task, and only for a call whose client declares the
extension. A task is its owner's, with the rights and the token it was begun with: to
anybody else there is none, nor to the same name once it may read something else, nor
where a note that the result names is not for its eyes any more. Cancelling is a request
to stop; whatever ended a task first holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import logging
import re
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import decode_header_value
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict, Field

from manent.errors import EnvironmentFault
from manent.gaps.address import cause_in
from manent.server.protocol import TASKS, declared_in
from manent.server.task import ASKING, CANCELLED, COMPLETED, FAILED, Task

if TYPE_CHECKING:
    from manent.server.task_store import TaskStore

log = logging.getLogger("manent.server")

EXTENSION = TASKS
LASTS_MS = 3_600_000
POLL_MS = 1_000
MOST = 16
"""Tasks under way of one owner; a call past that is answered in line."""
LONGEST_PAYLOAD = 64 << 10
"""Characters of a call that is kept as a task; a longer one is answered in line."""
SILENT_MS = 15_000
"""After so long without a beat a task's server is taken for dead."""
_BEAT_SECONDS = 3.0
_LOOK_SECONDS = 0.2
_JUMP_MS = 2_000
"""A clock that differs by so much from the time that has gone by was set."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_HEADER_MISMATCH, _MISSING_CAPABILITY = -32020, -32021


class Running:
    """A task that this server is at, as its work sees it."""

    def __init__(self, board: Board, task: Task) -> None:
        self._board = board
        self.task = task
        self.cancelled = threading.Event()
        """Set when it was cancelled, here or at another server."""

    async def ask(self, requests: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask the task's person, and return their answers by key once all are there.

        Keys are new ones for the whole life of the task.
        """
        await self._board.store_ask(self.task.id, requests)
        while not self.cancelled.is_set():
            found = await self._board.found(self.task.id)
            if found is None or found.is_over:
                break
            if found.status != ASKING:
                return found.responses
            await asyncio.sleep(_LOOK_SECONDS)
        raise asyncio.CancelledError


Work = Callable[[Running], Awaitable[Any]]
"""What a task does: returns a result, as a model of the SDK or its JSON. Raises MCPError."""


class Board:
    """The tasks of a server, and those that a server which died left behind.

    store: opens the database, which is done when it is first needed. owner_of: from a
    request's context to who asks: the name together with what it may see and came in by.
    resume: from a task that was left behind to its work, None where it cannot be done
    again. holds: tells whether a task's owner is still who that is here. shows: tells
    whether who asks may see now all that a result names. now: the clock by
    which servers go, and which may be set meanwhile; clock: seconds that only grow.
    """

    def __init__(
        self,
        store: Callable[[], TaskStore],
        owner_of: Callable[[Any], str],
        resume: Callable[[Task], Work | None] = lambda task: None,
        *,
        holds: Callable[[Task], bool] = lambda task: True,
        shows: Callable[[Any, Task], Awaitable[bool]] | None = None,
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC),
        clock: Callable[[], float] = time.monotonic,
        lasts_ms: int = LASTS_MS,
        poll_ms: int = POLL_MS,
        silent_ms: int = SILENT_MS,
        most: int = MOST,
    ) -> None:
        self._open = store
        self._opened: TaskStore | None = None
        self._opening = threading.Lock()
        self._owner_of = owner_of
        self._resume = resume
        self._holds = holds
        self._shows = shows
        self._now = now
        self._clock = clock
        self._last_ms = self._wall_ms(), self._gone_ms()
        self._moving = asyncio.Lock()
        self._lasts_ms = lasts_ms
        self._poll_ms = poll_ms
        self._silent_ms = silent_ms
        self._most = most
        self._running: dict[str, tuple[Running, asyncio.Task[None]]] = {}
        self._ticker: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Open the database now. Raises EnvironmentFault, UsageError."""
        assert self._store

    @property
    def _store(self) -> TaskStore:
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    async def _ask(self, verb: str, *given: Any) -> Any:
        """Ask the database on a thread."""
        return await asyncio.to_thread(lambda: getattr(self._store, verb)(*given))

    # -- beginning -------------------------------------------------------------------

    async def begin(
        self, context: Any, payload: Mapping[str, Any], work: Work
    ) -> dict[str, Any] | None:
        """Make a task of a call and return what answers it; None: answer the call itself.

        That is where the client does not know tasks, has too many under way, or where
        none can be kept now.
        """
        if not declares(context) or len(json.dumps(payload)) > LONGEST_PAYLOAD:
            return None
        try:
            task = await self._begun(self._owner_of(context), payload)
        except EnvironmentFault as fault:
            log.error(
                "no task can be kept: %s",
                fault.message,
                extra={"event": "tasks-lost", "cause": cause_in(fault)},
            )
            return None
        if task is None:
            return None
        self._start(task, work)
        return {"resultType": "task", **self._row(task)}

    async def _begun(self, owner: str, payload: Mapping[str, Any]) -> Task | None:
        now_ms, made = await self._now_ms(), secrets.token_urlsafe(24)
        task: Task | None = await self._ask(
            "begin", made, owner, payload, now_ms, self._lasts_ms, self._most
        )
        return task

    def _start(self, task: Task, work: Work) -> None:
        running = Running(self, task)
        job = asyncio.create_task(self._run(running, work))
        self._running[task.id] = (running, job)
        self.tick()

    async def _run(self, running: Running, work: Work) -> None:
        task = running.task.id
        try:
            result = await work(running)
            status, outcome = COMPLETED, _dumped(result)
        except MCPError as error:
            status, outcome = FAILED, {"code": error.code, "message": error.message}
        except asyncio.CancelledError:
            if not running.cancelled.is_set():
                # The server stops: another one takes the task up.
                self._running.pop(task, None)
                raise
            status, outcome = CANCELLED, {}
        except Exception as error:  # the edge: a task must end
            log.exception("a task failed", extra={"event": "bug"})
            status, outcome = FAILED, {"code": INTERNAL_ERROR, "message": type(error).__name__}
        if running.cancelled.is_set():
            status, outcome = CANCELLED, {}
        with contextlib.suppress(Exception):
            await self._ask("end", task, status, outcome, await self._now_ms())
        self._running.pop(task, None)

    # -- what its own work asks --------------------------------------------------------

    async def store_ask(self, task: str, requests: Mapping[str, Any]) -> None:
        """Put questions of a task where its owner finds them."""
        await self._ask("ask", task, requests, await self._now_ms())

    async def found(self, task: str) -> Task | None:
        """Return a task of this server as it stands."""
        found: Task | None = await self._ask("get", task, None, await self._now_ms())
        return found

    # -- living ------------------------------------------------------------------------

    def tick(self) -> None:
        """Have the board look after its tasks on the loop that runs."""
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._tick())

    async def _tick(self) -> None:
        while True:
            with contextlib.suppress(Exception):
                await self._look()
            await asyncio.sleep(_BEAT_SECONDS)

    async def _look(self) -> None:
        now_ms = await self._now_ms()
        await self._ask("beat", list(self._running), now_ms)
        for name, (running, job) in list(self._running.items()):
            found = await self.found(name)
            gone = found is None or found.status == CANCELLED
            if gone or not await asyncio.to_thread(self._holds, running.task):
                self._stop(running, job)
        for task in await self._ask("take_up", self._silent_ms, now_ms, self._holds):
            work = self._resume(task)
            if work is None:
                outcome = {"code": INTERNAL_ERROR, "message": "the server that ran it is gone"}
                await self._ask("end", task.id, FAILED, outcome, now_ms)
            else:
                self._start(task, work)

    def _stop(self, running: Running, job: asyncio.Task[None]) -> None:
        running.cancelled.set()
        job.cancel()

    async def close(self) -> None:
        """Leave what is under way to another server."""
        jobs = [job for _, job in self._running.values()]
        if self._ticker is not None:
            jobs.append(self._ticker)
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        if self._opened is not None:
            self._opened.close()

    # -- the methods -------------------------------------------------------------------

    def attach(self, server: Server[Any]) -> None:
        """Serve ``tasks/get``, ``tasks/update`` and ``tasks/cancel``."""
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", _One, _plainly(self._get))
        server.add_request_handler("tasks/update", _Update, _plainly(self._update))
        server.add_request_handler("tasks/cancel", _One, _plainly(self._cancel))

    async def _get(self, context: Any, params: _One) -> dict[str, Any]:
        task = await self._own(context, params.task_id)
        if task.status == COMPLETED and self._shows and not await self._shows(context, task):
            raise unknown()
        row = {"resultType": "complete", **self._row(task)}
        if task.status == COMPLETED:
            row["result"] = dict(task.outcome)
        elif task.status == FAILED:
            row["error"] = dict(task.outcome)
        elif task.status == ASKING:
            row["inputRequests"] = dict(task.requests)
        return row

    async def _update(self, context: Any, params: _Update) -> dict[str, Any]:
        task = await self._own(context, params.task_id)
        if not task.is_over:
            await self._ask("answer", task.id, params.input_responses, await self._now_ms())
        return {"resultType": "complete"}

    async def _cancel(self, context: Any, params: _One) -> dict[str, Any]:
        task = await self._own(context, params.task_id)
        if await self._ask("end", task.id, CANCELLED, {}, await self._now_ms()):
            held = self._running.get(task.id)
            if held is not None:
                self._stop(*held)
        return {"resultType": "complete"}

    async def _own(self, context: Any, task: str) -> Task:
        """Return a task of whoever asks. Raises MCPError."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(code=METHOD_NOT_FOUND, message="Method not found")
        if not declares(context):
            raise missing()
        _check_name(context, task)
        self.tick()
        if not _ID.fullmatch(task):
            raise unknown()
        owner, now_ms = self._owner_of(context), await self._now_ms()
        found: Task | None = await self._ask("get", task, owner, now_ms)
        if found is None:
            raise unknown()
        return found

    def _row(self, task: Task) -> dict[str, Any]:
        return {
            "taskId": task.id,
            "status": task.status,
            "createdAt": _spelled(task.created_ms),
            "lastUpdatedAt": _spelled(task.updated_ms),
            "ttlMs": task.expires_ms - task.created_ms,
            "pollIntervalMs": self._poll_ms,
        }

    async def _now_ms(self) -> int:
        """Return the time; where the clock was set, tasks of this server move along first.

        So each lasts as long as was said, and none is lost to a clock that jumps.
        """
        async with self._moving:
            wall_ms, gone_ms = self._wall_ms(), self._gone_ms()
            jump_ms = wall_ms - self._last_ms[0] - (gone_ms - self._last_ms[1])
            if abs(jump_ms) < _JUMP_MS:
                return wall_ms
            if self._opened is not None:
                log.warning("the clock was set: tasks move along", extra={"event": "clock-set"})
                await self._ask("shift", jump_ms)
            self._last_ms = wall_ms, gone_ms
        return wall_ms

    def _wall_ms(self) -> int:
        return int(self._now().timestamp() * 1000)

    def _gone_ms(self) -> int:
        return int(self._clock() * 1000)


class _One(RequestParams):
    model_config = ConfigDict(populate_by_name=True)
    task_id: str = Field(alias="taskId")


class _Update(_One):
    input_responses: dict[str, Any] = Field(alias="inputResponses")


def declares(context: Any) -> bool:
    """Tell whether a modern request declares the extension."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return False
    extensions = declared_in(context).get("extensions")
    return isinstance(extensions, Mapping) and EXTENSION in extensions


def _plainly(handler: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    """Say in words that the database of tasks cannot be asked now."""

    async def handled(context: Any, params: Any) -> Any:
        try:
            return await handler(context, params)
        except EnvironmentFault as fault:
            log.error(
                "tasks cannot be read: %s",
                fault.message,
                extra={"event": "tasks-lost", "cause": cause_in(fault)},
            )
            said = "Tasks cannot be read or kept now: try again"
            raise MCPError(code=INTERNAL_ERROR, message=said) from None

    return handled


def unknown() -> MCPError:
    """Return the error for a task that is not there, or not for whoever asks."""
    return MCPError(code=INVALID_PARAMS, message="No such task")


def missing() -> MCPError:
    """Return the error for a call that needs the extension and does not declare it."""
    return MCPError(
        code=_MISSING_CAPABILITY,
        message="The tasks extension must be declared",
        data={"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    )


def _check_name(context: Any, task: str) -> None:
    """Hold the routing header of an HTTP request to what its body says."""
    request = context.request
    if request is None or not hasattr(request, "headers"):
        return
    if decode_header_value(request.headers.get("mcp-name")) != task:
        raise MCPError(code=_HEADER_MISMATCH, message="Mcp-Name differs from params.taskId")


def _dumped(result: Any) -> dict[str, Any]:
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dict(result)


def _spelled(ms: int) -> str:
    moment = datetime.datetime.fromtimestamp(ms / 1000, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
