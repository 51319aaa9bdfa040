"""One message by HTTP: any bytes are one or get an answer; the era is the call's own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("mcp_types", reason="the extra serve is not installed")

from manent.server.post import DEEPEST, Fault, Message, Pinned, is_modern, read

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
KEYS = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "x"])


@given(st.binary(max_size=60))
def test_any_bytes_get_a_verdict(body: bytes) -> None:
    found = read(body)
    assert isinstance(found, Message | Fault)


@given(st.dictionaries(KEYS, VALUES), st.sampled_from(["auto", "legacy", "modern"]))
def test_any_object_gets_a_verdict_that_can_be_sent(document: dict[str, Any], era: str) -> None:
    found = read(json.dumps(document).encode())
    if isinstance(found, Message):
        for header in (None, "2026-07-28", "2025-11-25", "x"):
            fault = Pinned(era).judge(found, header)
            if fault is not None:
                json.loads(fault.body().decode("utf-8"))
        return
    sent = json.loads(found.body().decode("utf-8"))
    assert "\n" not in sent["error"]["message"] and found.status == 400


@given(st.integers(1, 300))
def test_depth_is_bounded_exactly(levels: int) -> None:
    inner: Any = 1
    for _ in range(levels - 2):
        inner = [inner]
    document = {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": inner}}
    found = read(json.dumps(document).encode())
    assert isinstance(found, Message) == (max(levels, 2) <= DEEPEST)


@pytest.mark.parametrize("header", [None, "2025-03-26", "2025-11-25", "2026-07-28", "2099-01-01"])
def test_a_declared_version_says_more_than_a_header(header: str | None) -> None:
    assert is_modern(Message("tools/list", 1, "2026-07-28"), header)
    assert not is_modern(Message("initialize", 1), header)
    assert is_modern(Message("tools/list", 1), header) == (header in ("2026-07-28", "2099-01-01"))


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_of_json_is_no_json(constant: str) -> None:
    found = read(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"k":%s}}' % constant.encode())
    assert isinstance(found, Fault) and (found.status, found.code) == (400, -32700)


def test_a_response_of_a_client_is_a_message() -> None:
    assert read(b'{"jsonrpc":"2.0","id":1,"result":{}}') == Message("", 1)
