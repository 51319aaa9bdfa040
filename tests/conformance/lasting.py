"""The tools of the suite's task scenarios. Their names and behaviour are fixed by it."""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from conformance.tools import Fixture, Result, said
from mcp.shared.exceptions import MCPError

from manent.server.answer import Question
from manent.server.protocol import result_of
from manent.server.task_store import TaskStore
from manent.server.tasks import Board, Running, declares, missing

BOARD = Board(lambda: TaskStore("sqlite://", "conformance"), lambda context: "conformance")

_STEP_SECONDS = 0.05


async def _greet(context: Any, params: types.CallToolRequestParams) -> Result:
    return said(f"Hello, {(params.arguments or {}).get('name', 'nobody')}!")


async def _slow(arguments: dict[str, Any], running: Running | None) -> Result:
    for _ in range(int(float(arguments.get("seconds", 0)) / _STEP_SECONDS)):
        await asyncio.sleep(_STEP_SECONDS)
    return said(f"slept: {arguments.get('label', '')}")


async def _failing(arguments: dict[str, Any], running: Running | None) -> Result:
    await asyncio.sleep(1)
    return said("This job always fails", failed=True)


async def _broken(arguments: dict[str, Any], running: Running | None) -> Result:
    raise MCPError(code=types.INTERNAL_ERROR, message="This job breaks the protocol")


async def _confirmed(arguments: dict[str, Any], running: Running | None) -> Result:
    return await _asked(running, "confirm")


async def _twice(arguments: dict[str, Any], running: Running | None) -> Result:
    return await _asked(running, "first", "second")


async def _asked(running: Running | None, *keys: str) -> Result:
    assert running is not None, "only a task can wait"
    requests = {key: _form(key) for key in keys}
    answers = await running.ask(requests)
    return said(f"answered: {', '.join(sorted(answers))}")


def _form(key: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": f"{key}?", "requestedSchema": schema},
    }


async def _named(arguments: dict[str, Any], running: Running | None) -> Result:
    return said(f"Hello, {arguments['user_name']}!")


_ANY = {"type": "object", "properties": {}}
_TASKS = {
    "slow_compute": _slow,
    "failing_job": _failing,
    "protocol_error_job": _broken,
    "confirm_delete": _confirmed,
    "multi_input": _twice,
}
_REQUIRED = {"failing_job", "confirm_delete", "multi_input", "protocol_error_job"}


def _lasting(name: str) -> Fixture:
    work = _TASKS[name]

    async def run(context: Any, params: types.CallToolRequestParams) -> Any:
        arguments = dict(params.arguments or {})
        if name in _REQUIRED and not declares(context):
            raise missing()

        async def job(running: Running) -> Result:
            return await work(arguments, running)

        begun = await BOARD.begin(context, {}, job)
        return begun if begun is not None else await work(arguments, None)

    return Fixture(name, run, _ANY)


async def _with_task(context: Any, params: types.CallToolRequestParams) -> Any:
    if not declares(context):
        raise missing()
    answer = (params.input_responses or {}).get("user_name")
    if answer is None:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        return result_of(Question("user_name", "Your name?", schema, "asked"))
    name = (answer.content or {}).get("name", "")

    async def job(running: Running) -> Result:
        return await _named({"user_name": name}, running)

    return await BOARD.begin(context, {}, job)


TOOLS = (
    Fixture("greet", _greet, _ANY),
    *(_lasting(name) for name in _TASKS),
    Fixture("test_tool_with_task", _with_task, _ANY),
)
