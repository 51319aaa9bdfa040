"""Listening to a real server over HTTP: what is told, and how it ends."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from repositories import Clone, note
from served_process import OWNER, Server, running

SCOUT = "scout-" + "s" * 20
MODERN = "2026-07-28"
K = "io.modelcontextprotocol/"


@contextlib.contextmanager
def listening(server: Server, token: str, **wanted: Any) -> Iterator[Iterator[dict[str, Any]]]:
    """Listen; give the messages as they come. A stream that is cut raises."""
    meta = {f"{K}protocolVersion": MODERN, f"{K}clientCapabilities": {}}
    params = {"notifications": wanted, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": "L", "method": "subscriptions/listen", "params": params}
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "subscriptions/listen",
    }
    with (
        httpx2.Client(timeout=30) as client,
        client.stream("POST", server.url, json=body, headers=headers) as response,
    ):
        lines = response.iter_lines()
        yield (json.loads(line[5:]) for line in lines if line.startswith("data:"))


def wrongs(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines() if '"level":"error"' in line]


def test_a_listener_hears_of_changes_and_of_the_end(clone: Clone, tmp_path: Path) -> None:
    """The result is the last message, and the answer is whole."""
    agents = tmp_path / "agents.json"
    entry = {"token": SCOUT, "read": ["team"], "write": "quarantine/scout"}
    agents.write_text(json.dumps({"scout": entry}))
    agents.chmod(0o600)
    log = tmp_path / "log"
    with (
        log.open("wb") as stream,
        running(clone.brain, "--agents", str(agents), "--writable", log=stream) as server,
    ):
        page = "ui://manent/quarantine"
        with (
            listening(server, OWNER, resourceSubscriptions=[page], toolsListChanged=True) as owners,
            listening(server, SCOUT, toolsListChanged=True) as scouts,
        ):
            for heard in (owners, scouts):
                assert next(heard)["method"] == "notifications/subscriptions/acknowledged"
            clone.commit({"memory/other.md": note("other", "Something else.")}, "other")
            assert clone.push().accepted
            assert next(owners)["params"]["uri"] == page
            agents.write_text(json.dumps({"scout": {**entry, "history": True}}))
            for heard in (scouts, owners):
                said = next(one for one in heard if "uri" not in one.get("params", {}))
                assert said["method"] == "notifications/tools/list_changed"
            # Other rights than it began with: the agent's stream ends, and says so.
            assert ended(scouts)
            began = time.monotonic()
            server.process.terminate()
            assert ended(owners) and time.monotonic() - began < 3
            server.process.wait(20)
    assert not wrongs(log)


def ended(heard: Iterator[dict[str, Any]]) -> bool:
    *_, last = heard
    return bool(last["id"] == "L" and last["result"]["_meta"][f"{K}subscriptionId"] == "L")
