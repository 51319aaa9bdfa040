"""Which revisions of the protocol are served with the handshake; the SDK knows older ones.

Whoever asks for another is offered the newest, as the protocol has it, and may go.
"""

from __future__ import annotations

from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, is_version_at_least

OLDEST = "2025-03-26"

HANDSHAKES = tuple(v for v in HANDSHAKE_PROTOCOL_VERSIONS if is_version_at_least(v, OLDEST))
"""Oldest first."""

TOO_OLD = frozenset(HANDSHAKE_PROTOCOL_VERSIONS) - frozenset(HANDSHAKES)


async def only_served(ctx: Any, call_next: Any) -> Any:
    """Let an ``initialize`` that asks for too old a revision be one for the newest.

    The SDK settles the revision by the parameters themselves, twice: so they are changed
    where they stand.
    """
    params = ctx.params
    if ctx.method == "initialize" and isinstance(params, dict):
        requested = params.get("protocolVersion")
        if isinstance(requested, str) and requested in TOO_OLD:
            params["protocolVersion"] = HANDSHAKES[-1]
    return await call_next(ctx)
