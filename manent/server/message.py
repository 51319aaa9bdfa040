"""What a line on stdio is: a message for the SDK, or the answer it gets in its place.

The SDK drops a line that it cannot read, and the client waits for good: half a
surrogate pair in an argument is enough. Here such a line is answered as what it is, no
JSON, no request, or parameters that no text can hold, with its id wherever it has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from mcp_types import PROTOCOL_VERSION_META_KEY as VERSION
from mcp_types import JSONRPCRequest, jsonrpc_message_adapter

from manent.server.json_text import loads, too_many

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
"""JSON-RPC's codes: no JSON, no request, wrong parameters."""

_TOKENS = 1_000_000
"""Tokens in which an id is looked for: some 0.3 s of a line that is nothing but brackets."""


def read(line: bytes) -> tuple[Any, dict[str, Any] | None]:
    """Return the message in a line, or the answer to one that is none."""
    if too_many(line):
        return None, fault(identity_of(line), INVALID_REQUEST, "too many values")
    try:
        text = line.decode()
        message = loads(text)
    except UnicodeDecodeError:
        return None, fault(identity_of(line), PARSE_ERROR, "Parse error: not UTF-8")
    except RecursionError:
        return None, fault(identity_of(line), INVALID_REQUEST, "nested too deep")
    except ValueError:
        return None, fault(identity_of(line), PARSE_ERROR, "Parse error: not one JSON value")
    if not isinstance(message, dict):
        said = "a message is one JSON object a line, and no batch"
        return None, fault(None, INVALID_REQUEST, said)
    if "method" not in message:
        is_answer = {"result", "error"} & message.keys()
        return (message, None) if is_answer else (None, _refused(message))
    if "id" not in message or _is_request(text):
        return message, None
    return None, _refused(message)


def too_long(head: bytes) -> dict[str, Any]:
    """Return the answer to a line of which only the head was kept."""
    return fault(identity_of(head), INVALID_REQUEST, "the message is too long")


def fault(identity: Any, code: int, message: str) -> dict[str, Any]:
    """Return an error as it goes over the wire."""
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}


def meta_of(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the parameters carry beside themselves, nothing for odd ones."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def _is_request(text: str) -> bool:
    """Tell whether the SDK takes a text for a request, in the words the SDK asks it."""
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, JSONRPCRequest)


def _refused(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to an object that is no request, though it looks like one."""
    identity = message.get("id") if _is_identity(message.get("id")) else None
    if said := _misshapen(message):
        return fault(identity, INVALID_REQUEST, said)
    if not isinstance(message.get("params") or {}, dict):
        return fault(identity, INVALID_PARAMS, "params is no object")
    if _is_text(message):
        return fault(identity, INVALID_PARAMS, "nested too deep, or a number out of range")
    said = "half a surrogate pair (\\ud800 to \\udfff by itself) is no text: send the whole pair"
    if message["method"] != "tools/call":
        return fault(identity, INVALID_PARAMS, said)
    # Wrong arguments of a tool are for the model to read.
    result: dict[str, Any] = {"content": [{"type": "text", "text": said}], "isError": True}
    if VERSION in meta_of(message):
        result["resultType"] = "complete"
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def _misshapen(message: Mapping[str, Any]) -> str:
    """Return what makes an object no request, empty when its parameters do."""
    if message.get("jsonrpc") != "2.0":
        return 'Invalid request: jsonrpc is not "2.0"'
    if not _is_identity(message.get("id")):
        return "Invalid request: an id is a string or an integer"
    if not isinstance(message.get("method"), str):
        return "Invalid request: method is no string"
    if {"result", "error"} & message.keys():
        return "Invalid request: a request and an answer in one"
    return ""


def _is_identity(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_text(message: Mapping[str, Any]) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except RecursionError:
        pass
    return True


# Possessive, so that a string nothing ends is gone through once.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
_IDENTITY = re.compile(r'\s*+:\s*+("[^"\\]*+(?:\\.[^"\\]*+)*+"|-?\d{1,18})(?=\s*+[,}])')


def identity_of(line: bytes) -> str | int | None:
    """Return the id at the top of a message, however broken or deep the rest of it is."""
    text = line.decode("utf-8", "replace")
    depth = 0
    for token in islice(_TOKEN.finditer(text), _TOKENS):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif depth == 1 and mark == '"id"' and (found := _IDENTITY.match(text, token.end())):
            try:
                identity: str | int = json.loads(found[1])
            except ValueError:
                return None
            return identity
    return None
