"""Lines of JSON-RPC on stdio, in front of the SDK, so that every request gets an answer.

The SDK drops a line that it cannot read, and the client waits for good: half a
surrogate pair in an argument is enough. Here such a line is answered, with the id it
has, as what it is: no JSON, no request, or arguments that no text can hold.

The SDK also settles the protocol's era at the first request; a host that asks what a
server speaks and then opens with ``initialize`` would be turned away. So a leading
``server/discover`` is answered here, and decides nothing.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any, BinaryIO

MODERN = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"

LONGEST = 16 << 20
"""Bytes of a line that are read; a longer one is refused as a whole."""

PATIENCE = 60.0
"""Seconds that answers are waited for when the other side has closed its end."""

PARSE, REQUEST, PARAMS = -32700, -32600, -32602
"""JSON-RPC's codes: no JSON, no request, wrong parameters."""


class Wire:
    """Standard input and output of a server. reads: whether the SDK can read a line.

    It takes descriptors 0 and 1 for itself, so that what an import or a handler prints
    goes to standard error and never among the messages. As the input that
    ``stdio_server`` is given it yields the lines that are for the SDK; as its output it
    writes whole lines.
    """

    def __init__(self, server: dict[str, str], reads: Callable[[str], bool]) -> None:
        self._server = server
        self._reads = reads
        self._lock = threading.Lock()
        self._answered = threading.Condition()
        self._waiting: Counter[str] = Counter()
        self._opened = False
        self._source: BinaryIO = os.fdopen(os.dup(0), "rb")
        self._target = os.dup(1)
        silent = os.open(os.devnull, os.O_RDONLY)
        os.dup2(silent, 0)
        os.close(silent)
        os.dup2(2, 1)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines that the SDK is to see, until the other side closes."""
        from anyio.to_thread import run_sync

        while (line := await run_sync(self._next, abandon_on_cancel=True)) is not None:
            yield line

    async def write(self, text: str) -> None:
        """Write what the SDK says."""
        from anyio.to_thread import run_sync

        await run_sync(self._write, text.encode("utf-8", "replace"))
        self._note(text, -1)

    async def flush(self) -> None:
        """Do nothing: what was written is out."""

    def _next(self) -> str | None:
        """Answer lines here until one is for the SDK; None at the end."""
        while data := self._source.readline(LONGEST):
            line = data.decode("utf-8", "replace")
            answer: dict[str, Any] | None
            if "\ufffd" in line and not _is_utf8(data):
                answer = _fault(line, PARSE, "not UTF-8")
            elif len(data) == LONGEST and not data.endswith(b"\n"):
                self._skip_line()
                answer = _fault(line, REQUEST, f"a message of more than {LONGEST >> 20} MB")
            elif not line.strip():
                continue
            elif not self._reads(line):
                answer = unread(line)
            elif (identity := None if self._opened else _probe(line)) is not None:
                answer = self._discovered(identity)
            else:
                self._opened = True
                self._note(line, 1)
                return line
            if answer is not None:
                self._write(json.dumps(answer).encode() + b"\n")
        with self._answered:  # the SDK drops what it has not answered when its input ends
            self._answered.wait_for(lambda: not +self._waiting, PATIENCE)
        return None

    def _note(self, line: str, by: int) -> None:
        """Count what was asked and not answered yet; what was called off needs no answer."""
        message = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            identity = (message.get("params") or {}).get("requestId")
        elif ("method" in message) == (by > 0):
            identity = message.get("id")
        else:
            return
        with self._answered:
            cancelled = "id" not in message
            self._waiting[json.dumps(identity)] += -1 if cancelled else by
            self._answered.notify_all()

    def _skip_line(self) -> None:
        while (part := self._source.readline(LONGEST)) and not part.endswith(b"\n"):
            pass

    def _write(self, data: bytes) -> None:
        with self._lock:
            while data:
                data = data[os.write(self._target, data) :]

    def _discovered(self, identity: str | int) -> dict[str, Any]:
        """Return the answer to a probe."""
        name = {"name": self._server["name"], "version": self._server["version"]}
        result = {
            "resultType": "complete",
            "supportedVersions": [MODERN],
            "capabilities": {"tools": {"listChanged": False}},
            "instructions": self._server["instructions"],
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {f"{_PREFIX}serverInfo": name},
        }
        return {"jsonrpc": "2.0", "id": identity, "result": result}


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except ValueError:
        return False
    return True


def _probe(line: str) -> str | int | None:
    """Return the id of a well-formed modern probe, None for any other line."""
    try:
        message: Any = json.loads(line)
        meta = message["params"]["_meta"]
        modern = meta[f"{_PREFIX}protocolVersion"] == MODERN
        declared = isinstance(meta[f"{_PREFIX}clientCapabilities"], dict)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    identity = message.get("id")
    sound = isinstance(identity, (str, int)) and not isinstance(identity, bool)
    asked = message.get("method") == "server/discover" and message.get("jsonrpc") == "2.0"
    return identity if modern and declared and asked and sound else None


def unread(line: str) -> dict[str, Any] | None:
    """Return the answer to a line that the SDK cannot read, None where none is due."""
    try:
        message = json.loads(line)
    except RecursionError:
        return _fault(line, REQUEST, "nested too deep")
    except ValueError:
        return _fault(line, PARSE, "not one JSON message on one line")
    if not isinstance(message, dict):
        return _fault(line, REQUEST, "a message is one JSON object, and no batch")
    if "id" not in message or ("method" not in message and {"result", "error"} & set(message)):
        return None
    if _HALF.search(line) is None:
        return _fault(line, REQUEST, _shape(message))
    said = "half a surrogate pair (\\ud800 to \\udfff by itself) is no text: send the whole pair"
    if message.get("method") != "tools/call" or not _is_id(message["id"]):
        return _fault(line, PARAMS, said)
    result: dict[str, Any] = {"content": [{"type": "text", "text": said}], "isError": True}
    if f'"{_PREFIX}protocolVersion"' in line:
        result["resultType"] = "complete"
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def _shape(message: dict[str, Any]) -> str:
    """Return what makes an object no request."""
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc is not "2.0"'
    if not _is_id(message["id"]):
        return "an id is a string or an integer"
    if not isinstance(message.get("method"), str):
        return "method is no string"
    if not isinstance(message.get("params", {}), dict):
        return "params is no object"
    return "nested too deep, or a number out of range"


def _is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _fault(line: str, code: int, said: str) -> dict[str, Any]:
    error = {"code": code, "message": said}
    return {"jsonrpc": "2.0", "id": identity_of(line), "error": error}


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]')
_IDENTITY = re.compile(r'\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|-?\d{1,18})(?=\s*[,}])')


def identity_of(line: str) -> str | int | None:
    """Return the id at the top of a message, however broken or deep the rest of it is."""
    depth = 0
    for token in _TOKEN.finditer(line):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif depth == 1 and mark == '"id"' and (found := _IDENTITY.match(line, token.end())):
            try:
                identity: str | int = json.loads(found[1])
            except ValueError:
                return None
            return identity
    return None
