"""A leading ``server/discover`` on stdio, answered in front of the SDK.

The SDK settles the protocol's era at the first request; a host that asks what a server
speaks and then opens with ``initialize`` would be turned away. So a probe at the
beginning is answered here, and decides nothing; from the first other line on,
everything goes to the SDK as it came.
"""

from __future__ import annotations

import json
import os
import threading
from typing import Any

MODERN = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"
_LONGEST = 1 << 20


def answer_probes(name: str, version: str, instructions: str) -> None:
    """Answer leading probes on file descriptors 0 and 1; leave the rest on descriptor 0."""
    while True:
        line = _line()
        identity = _probe(line)
        if identity is None:
            break
        result = {
            "resultType": "complete",
            "supportedVersions": [MODERN],
            "capabilities": {"tools": {"listChanged": False}},
            "instructions": instructions,
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {f"{_PREFIX}serverInfo": {"name": name, "version": version}},
        }
        answer = {"jsonrpc": "2.0", "id": identity, "result": result}
        _write(1, json.dumps(answer).encode() + b"\n")
    _hand_over(line)


def _line() -> bytes:
    """Read one line byte by byte, so that nothing after it is taken."""
    line = bytearray()
    while len(line) < _LONGEST:
        byte = os.read(0, 1)
        line += byte
        if byte in (b"", b"\n"):
            break
    return bytes(line)


def _probe(line: bytes) -> str | int | None:
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


def _hand_over(line: bytes) -> None:
    """Put a line that was read back in front of standard input."""
    source = os.dup(0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    threading.Thread(target=_pump, args=(line, source, writing), daemon=True).start()


def _pump(line: bytes, source: int, target: int) -> None:
    try:
        data = line
        while data:
            _write(target, data)
            data = os.read(source, 1 << 16)
    except OSError:
        pass
    finally:
        os.close(target)


def _write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]
