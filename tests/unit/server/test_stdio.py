"""Lines in and out: whatever comes, in whatever pieces."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.lowlevel.server import Server

from manent.server import stdio
from manent.server.stdio import LONGEST_LINE, _Incoming, _Outgoing

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
ENVELOPE = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}


def taken_in(pieces: list[bytes], era: str = "legacy") -> tuple[list[str], list[Any]]:
    """Return the lines that get through to the SDK, and the answers that were given at once."""
    incoming, sending = os.pipe()
    answered, outgoing = os.pipe()

    def send() -> None:
        for piece in pieces:
            os.write(sending, piece)
        os.close(sending)

    async def read() -> list[str]:
        wire = _Outgoing(outgoing, lambda: None)
        return [line async for line in _Incoming(incoming, wire, _server(), era, 0)]

    thread = threading.Thread(target=send)
    thread.start()
    lines = anyio.run(read)
    thread.join()
    os.close(outgoing)
    with open(answered, "rb") as file:
        answers = [json.loads(line) for line in file]
    os.close(incoming)
    return lines, answers


def _server() -> Server[Any]:
    async def listed(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    return Server("small", version="1", instructions="Do.", on_list_tools=listed)


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@given(st.lists(st.integers(1, 60), max_size=8))
def test_pieces_make_no_difference(cuts: list[int]) -> None:
    data = PING + b"\n\n  \r\n" + PING.replace(b"1", b"2") + b"\r\nnonsense\n" + PING
    pieces, rest = [], data
    for cut in cuts:
        pieces.append(rest[:cut])
        rest = rest[cut:]
    lines, answers = taken_in([piece for piece in (*pieces, rest) if piece])
    # The last line is one too, though nothing ends it.
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 1]
    assert [answer["error"]["code"] for answer in answers] == [-32700]


def test_a_line_that_is_too_long_is_refused_and_the_next_is_read() -> None:
    long = [b"x" * (1 << 20)] * ((LONGEST_LINE >> 20) + 2)
    lines, answers = taken_in([*long, b"\n" + PING + b"\n"])
    assert [json.loads(line)["id"] for line in lines] == [1]
    assert [answer["error"]["message"] for answer in answers] == ["the message is too long"]
    # Nothing ends this one; its id is in its head.
    named = b'{"jsonrpc":"2.0","id":"long","method":"ping","params":{"a":"'
    assert [answer["id"] for answer in taken_in([named, *long])[1]] == ["long"]


def test_a_leading_probe_is_answered_here_and_decides_nothing() -> None:
    probe = {
        "jsonrpc": "2.0",
        "id": "p",
        "method": "server/discover",
        "params": {"_meta": ENVELOPE},
    }
    line = json.dumps(probe).encode() + b"\n"
    lines, answers = taken_in([line, line, PING + b"\n", line], "auto")
    # The third comes after something else led: the SDK answers it.
    assert len(lines) == 2
    assert [answer["id"] for answer in answers] == ["p", "p"]
    result = answers[0]["result"]
    assert result["supportedVersions"] == [MODERN] and result["instructions"] == "Do."
    assert result["capabilities"]["tools"] == {"listChanged": False}
    assert result["_meta"][f"{META}serverInfo"]["name"] == "small"
    assert taken_in([line], "legacy")[1] == []


def test_pinned_to_modern_what_is_not_is_answered_here() -> None:
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 3, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25"}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/list",
         "params": {"_meta": {f"{META}protocolVersion": MODERN}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"_meta": ENVELOPE}},
    ]  # fmt: skip
    lines, answers = taken_in([json.dumps(one).encode() + b"\n" for one in asked], "modern")
    codes = [(answer["id"], answer["error"]["code"]) for answer in answers]
    assert codes == [(1, -32602), (2, -32602), (3, -32022), (4, -32602)]
    assert [json.loads(line).get("id") for line in lines] == [None, 5]


def test_the_input_ends_when_it_is_told_to() -> None:
    incoming, sending = os.pipe()
    answered, outgoing = os.pipe()

    async def read() -> list[str]:
        lines = _Incoming(incoming, _Outgoing(outgoing, lambda: None), _server(), "legacy", 0)
        asyncio.get_running_loop().call_later(0.2, lines.stop)
        return [line async for line in lines]

    os.write(sending, PING + b"\n")
    assert anyio.run(read) == [PING.decode()]
    for descriptor in (incoming, sending, answered, outgoing):
        os.close(descriptor)


CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}
ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}\n'
CANCEL = {"method": "notifications/cancelled", "params": {"requestId": "1"}, "jsonrpc": "2.0"}
ASKING = '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}\n'


def ended_after(lines: list[dict[str, Any]], said: list[str], wait: float, told: bool) -> float:
    """Return how long the end of the input is held back while the server says something."""
    incoming, sending = os.pipe()
    answered, outgoing = os.pipe()

    async def read() -> float:
        wire = _Outgoing(outgoing, lambda: None)
        taken = _Incoming(incoming, wire, _server(), "legacy", patience_seconds=1.5)

        async def say() -> None:
            await anyio.sleep(wait)
            for text in said:
                await wire.write(text)
            if told:
                taken.stop()

        began = anyio.current_time()
        async with anyio.create_task_group() as group:
            group.start_soon(say)
            async for _ in taken:
                pass
            took = anyio.current_time() - began
            group.cancel_scope.cancel()
        return took

    os.write(sending, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    os.close(sending)
    try:
        return anyio.run(read)
    finally:
        for descriptor in (incoming, answered, outgoing):
            os.close(descriptor)


def test_the_end_waits_for_what_came_before_it() -> None:
    assert 0.3 <= ended_after([CALL], [ANSWER], 0.3, told=False) < 1.2
    # Two that were asked, one of them called off.
    two = [CALL, CALL | {"id": 2}, CANCEL]
    assert 0.3 <= ended_after(two, [ANSWER.replace("1,", "2,")], 0.3, told=False) < 1.2


def test_the_end_waits_with_bounded_patience() -> None:
    assert 1.5 <= ended_after([CALL], [], 0, told=False) < 4


def test_the_end_does_not_wait_for_what_cannot_be_answered() -> None:
    listening = CALL | {"method": "subscriptions/listen"}
    assert ended_after([listening, INITIALIZED], [], 0, told=False) < 1.2
    # The call asks its caller, who has gone.
    assert ended_after([CALL], [ASKING], 0.1, told=False) < 1.2
    assert ended_after([CALL, CANCEL], [], 0, told=False) < 1.2


def test_a_signal_makes_the_end_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "SIGNALLED_SECONDS", 0.1)
    assert ended_after([CALL], [], 0.2, told=True) < 1.2


def test_what_is_written_is_whole_however_many_write() -> None:
    reading, writing = os.pipe()
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.extend(open(reading, "rb")))  # noqa: SIM115
    thread.start()

    async def write() -> None:
        wire = _Outgoing(writing, lambda: None)
        async with anyio.create_task_group() as group:
            for letter in "abcdefgh":
                group.start_soon(wire.put, letter.encode() * 200_000 + b"\n")

    anyio.run(write)
    os.close(writing)
    thread.join()
    assert sorted(set(line) for line in found) == [{ord(c), 10} for c in "abcdefgh"]
    assert all(len(line) == 200_001 for line in found)
    assert stdio.LONGEST_LINE == LONGEST_LINE
