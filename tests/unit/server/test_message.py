"""What a line is: a message, or what it is answered."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_types import JSONRPCRequest, jsonrpc_message_adapter

from manent.server.message import identity_of, read, too_long

META = "io.modelcontextprotocol/"
ENVELOPE = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
)
fields = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.one_of(st.just("2.0"), values),
        "id": values,
        "method": st.one_of(st.sampled_from(["ping", "initialize", "server/discover"]), values),
        "params": st.one_of(st.just({"_meta": ENVELOPE}), values),
        "result": values,
    },
)


@given(st.one_of(st.binary(max_size=40), fields.map(lambda v: json.dumps(v).encode())))
@example(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
@example(b'{"jsonrpc":"2.0","id":1,"method":"ping","id":2}')
@example(b"\xef\xbb\xbf{}")
def test_a_line_is_a_message_or_has_an_answer(line: bytes) -> None:
    message, fault = read(line)
    if fault is None:
        assert isinstance(message, dict)
        return
    assert fault["jsonrpc"] == "2.0"
    assert fault.get("result", {}).get("isError") or (
        fault["error"]["code"] in (-32700, -32600, -32602)
    )
    assert isinstance(fault["id"], str | int | None) and not isinstance(fault["id"], bool)
    json.dumps(fault)
    if isinstance(message := _loaded(line), dict) and isinstance(message.get("id"), int):
        assert fault["id"] == message["id"] or isinstance(message["id"], bool)


def _loaded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


_CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"check","arguments":%s}}'
_DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (_CALL % (2, r'{"target":"a\ud800b"}'), 2),
        (_CALL % (2, r'{"target":"\udfff\ud800"}'), 2),
        (_CALL % (2, r'{"\ud800":1}'), 2),
        (_CALL % (r'"x\ud800"', "{}"), "x\ud800"),
        (_CALL % (2, '{"target":[' + _DEEP + "]}"), 2),
        (_CALL % (2, '{"budget":1e999}'), 2),
        (_CALL % (2, '{"budget":' + "9" * 5000 + "}"), 2),
        (_CALL % (2, '{"target":"\0"}'), 2),
        (_CALL % (2, r'{"target":"\u0000"}'), 2),
        (_CALL % (2, '{"target":"' + "a" * 5000 + '"}'), 2),
        (_CALL % (2, "[1]"), 2),
        (_CALL % (2, "null"), 2),
        (_CALL % (2, "{}}"), 2),
        (_CALL % ("null", "{}"), None),
        (_CALL % ("1.5", "{}"), None),
        (_CALL % ("true", "{}"), None),
        (_CALL % ('{"a":1}', "{}"), None),
        ('{"jsonrpc":"2.0","id":2,"method":7}', 2),
        ('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":5}', 2),
        ('{"jsonrpc":"2.0","id":2,"method":"no\\ud800"}', 2),
        ('{"jsonrpc":"1.0","id":2,"method":"tools/list"}', 2),
        ('{"jsonrpc":"2.0","id":2}', 2),
        ('{"jsonrpc":"2.0","params":{"id":9},"id":2,"method":"tools/list","x":', 2),
        ('[{"jsonrpc":"2.0","id":2,"method":"tools/list"}]', None),
        ('{"jsonrpc":"2.0","id":2,"method":"ping","error":{"code":1,"message":"x"}}', 2),
        ('{"jsonrpc":"2.0","id":2,"method":"ping","result":{"a":1},"params":7}', 2),
        ("no JSON at all", None),
        ("7", None),
    ],
)
def test_every_request_is_for_the_sdk_or_answered(line: str, identity: Any) -> None:
    """What the SDK cannot read is answered in front of it; what it can, it answers itself."""
    message, answer = read(line.encode())
    if answer is None:
        seen = jsonrpc_message_adapter.validate_json(line, by_name=False)
        assert isinstance(seen, JSONRPCRequest) and seen.id == identity == message["id"]
        return
    assert answer["id"] == identity
    assert ("error" in answer) != ("result" in answer)
    json.dumps(answer).encode()


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_of_json_is_no_json(constant: str) -> None:
    message, answer = read((_CALL % (7, '{"k":' + constant + "}")).encode())
    assert message is None and answer is not None
    assert (answer["id"], answer["error"]["code"]) == (7, -32700)
    assert read((_CALL % (7, '{"k":"' + constant + '"}')).encode())[1] is None


def test_what_asks_nothing_is_not_answered() -> None:
    half = rb'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"\ud800"}}'
    assert read(half)[1] is None
    assert read(b'{"jsonrpc":"2.0","id":4,"result":5}')[1] is None


def test_half_a_character_in_arguments_is_said_to_the_model() -> None:
    arguments = rb'{"name":"check","arguments":{"a":"\udfff"}'
    line = b'{"jsonrpc":"2.0","id":"n","method":"tools/call","params":' + arguments
    legacy = read(line + b"}}")[1]
    assert legacy is not None and legacy["id"] == "n" and legacy["result"]["isError"] is True
    assert "half a surrogate pair" in legacy["result"]["content"][0]["text"]
    assert "resultType" not in legacy["result"]
    modern = read(line + b',"_meta":' + json.dumps(ENVELOPE).encode() + b"}}")[1]
    assert modern is not None and modern["result"]["resultType"] == "complete"
    whole = line.replace(rb"\udfff", rb"\ud83d\ude00") + b"}}"
    assert read(whole)[1] is None


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (b'{"id":1,"method":"\xff"}', 1),
        (b'{"method":"x","params":{"id":5},"id":"a\\"b","z":', 'a"b'),
        (b'{"params":[{"id":5}]', None),
        (b'{"x":"\\"id\\":7","id": 8 }', 8),
        (b'{"id":tru', None),
        (b'{"id":12', None),
        (b'["id", {"id":5}]', None),
        (b"", None),
    ],
)
def test_the_id_of_what_is_broken(line: bytes, identity: Any) -> None:
    assert identity_of(line) == identity
    assert too_long(line)["id"] == identity


@pytest.mark.parametrize("piece", [b'\\"', b'"', b"[", b'"id":', b'{"id"', b"\\", b"\xff"])
def test_an_id_is_looked_for_in_linear_time(piece: bytes) -> None:
    began = time.process_time()
    identity_of(b'{"x":"' + piece * (4_000_000 // len(piece)))
    assert time.process_time() - began < 5
