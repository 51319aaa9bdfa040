"""One message that came in by HTTP: is it one, and of which era is it?

The era comes from the call itself or from the version it declares, never from another
header alone. The SDK goes by the version header alone; what it would mistake is settled
before it gets there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from manent.server.json_text import MOST_VALUES, loads, too_many
from manent.server.revisions import HANDSHAKES, TOO_OLD
from manent.values import dataclass, field

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

DEEPEST = 64
"""Levels of a message: no call needs ten."""

_DECLARED = "io.modelcontextprotocol/protocolVersion"
_ASSUMED = "2025-03-26"
"""The revision of a legacy call that declares none."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a message, as an answer says it."""

    status: int
    code: int
    message: str
    id: str | int | None = None
    data: Mapping[str, Any] | None = None

    def body(self) -> bytes:
        """Return the JSON-RPC error."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = dict(self.data)
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode()


@dataclass(frozen=True, slots=True)
class Message:
    """What of a message matters before anybody answers it.

    method: "" for a response. declared: the version in its ``_meta``, None for none.
    requested: the version an ``initialize`` asks for.
    """

    method: str
    id: str | int | None = None
    declared: Any = None
    requested: str = ""


def read(body: bytes) -> Message | Fault:
    """Return the message in the body of a POST, or what is wrong with it."""
    if too_many(body):
        return Fault(400, INVALID_REQUEST, f"more than {MOST_VALUES} values")
    try:
        loaded = loads(body.decode())
    except (ValueError, RecursionError):
        return Fault(400, PARSE_ERROR, "the body is no JSON in UTF-8")
    if not isinstance(loaded, dict):
        return Fault(400, INVALID_REQUEST, "the body is not one JSON-RPC message")
    identity = loaded.get("id")
    if "id" in loaded and (not isinstance(identity, str | int) or isinstance(identity, bool)):
        return Fault(400, INVALID_REQUEST, "an id is text or a whole number")
    if _too_deep(loaded):
        return Fault(400, INVALID_REQUEST, f"deeper than {DEEPEST} levels", identity)
    if b"\\u" in body and not _is_text(loaded):
        return Fault(400, INVALID_REQUEST, "half a character", _spelled(identity))
    if loaded.get("jsonrpc") != "2.0":
        return Fault(400, INVALID_REQUEST, 'jsonrpc must be "2.0"', identity)
    if "method" not in loaded:
        if "id" in loaded and ("result" in loaded or "error" in loaded):
            return Message("", identity)
        return Fault(400, INVALID_REQUEST, "neither a call nor an answer", identity)
    return _call(loaded, identity)


def _call(loaded: Mapping[str, Any], identity: str | int | None) -> Message | Fault:
    method, params = loaded["method"], loaded.get("params", {})
    if not isinstance(method, str):
        return Fault(400, INVALID_REQUEST, "method must be text", identity)
    if not isinstance(params, dict):
        return Fault(400, INVALID_PARAMS, "params must be an object", identity)
    meta = params.get("_meta")
    declared = meta.get(_DECLARED) if isinstance(meta, dict) else None
    requested = params.get("protocolVersion")
    return Message(method, identity, declared, requested if isinstance(requested, str) else "")


def _too_deep(loaded: Any) -> bool:
    level: list[Any] = [loaded]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for value in level:
            values = value.values() if isinstance(value, dict) else value
            inner += [each for each in values if isinstance(each, dict | list)]
        if not inner:
            return False
        level = inner
    return True


def _is_text(loaded: Any) -> bool:
    try:
        json.dumps(loaded, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _spelled(identity: str | int | None) -> str | int | None:
    return identity if not isinstance(identity, str) or _is_text(identity) else None


# -- eras --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pinned:
    """Which eras are served: ``auto``, ``legacy`` or ``modern``."""

    era: str = "auto"
    modern: tuple[str, ...] = field(default=tuple(MODERN_PROTOCOL_VERSIONS))

    def judge(self, message: Message, header: str | None) -> Fault | None:
        """Return why a message is not served, None when it is.

        header: its ``MCP-Protocol-Version``. Where modern calls are not served, the
        answer names versions that are, upon which a client of both eras falls back.
        """
        if is_modern(message, header):
            if self.era == "legacy":
                named = message.declared if isinstance(message.declared, str) else header
                return _version_fault(message, HANDSHAKES[::-1], named or "")
            if header is None or header in HANDSHAKE_PROTOCOL_VERSIONS:
                said = "is missing" if header is None else "differs from the version in the body"
                return Fault(
                    400, HEADER_MISMATCH, f"the MCP-Protocol-Version header {said}", message.id
                )
        elif self.era == "modern":
            named = message.requested if message.method == "initialize" else header
            return _version_fault(message, self.modern, named or _ASSUMED)
        elif header in TOO_OLD and message.method != "initialize":
            modern = self.modern if self.era == "auto" else ()
            return _version_fault(message, (*modern, *HANDSHAKES[::-1]), header)
        return None


def is_modern(message: Message, header: str | None) -> bool:
    """Tell whether a message is of the era without a handshake."""
    if message.declared is not None:
        return message.declared not in HANDSHAKE_PROTOCOL_VERSIONS
    if message.method == "initialize":
        return False  # the call of the handshake, whatever stands in a header
    return header is not None and header not in HANDSHAKE_PROTOCOL_VERSIONS


def _version_fault(message: Message, supported: tuple[str, ...], requested: str) -> Fault:
    data = {"supported": list(supported), "requested": requested}
    return Fault(400, UNSUPPORTED_VERSION, "Unsupported protocol version", message.id, data)
