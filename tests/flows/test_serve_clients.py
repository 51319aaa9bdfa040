"""Clients that others wrote, against ``manent serve``: they list, read, search, fail.

The official SDK's client in both eras, over HTTP; the inspector's command line, over
stdio and HTTP; and one more client that shares no code with either. What npm brings is
fetched once into a cache; where it cannot be had the tests say so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from conformance.node import Installed, Unreachable, install
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from served_process import OWNER, running
from vaults import note, write

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
OTHER = ("@ai-sdk/mcp@2.0.93", "zod@4.6.7")
TIDE = "tide-" + "t" * 20
_SECONDS = 90


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = write(
        tmp_path / "vault",
        {
            "harbour.md": note("harbour", "The ferry leaves. [[quay]]", audience="[team]"),
            "quay.md": note("quay", "Stone, and a lantern."),
        },
    )
    file = tmp_path / "agents.json"
    file.write_text(json.dumps({"tide": {"token": TIDE, "read": ["team"]}}))
    file.chmod(0o600)
    return root


def agents(vault: Path) -> tuple[str, str]:
    return "--agents", str(vault.parent / "agents.json")


def npm(*packages: str) -> Installed:
    """Return the packages; skips plainly where they cannot be had."""
    try:
        return install(*packages)
    except Unreachable as reason:
        pytest.skip(f"{', '.join(packages)} is not to be had: {reason}")


# -- the official SDK's client ---------------------------------------------------------


def told(address: str, token: str, mode: str) -> dict[str, Any]:
    import httpx2

    found: dict[str, Any] = {}

    async def work() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=_SECONDS) as http:
            transport = streamable_http_client(address, http_client=http)
            async with Client(transport, mode=mode) as client:
                found["version"] = client.protocol_version
                found["tools"] = [tool.name for tool in (await client.list_tools()).tools]
                for name in ("harbour", "quay"):
                    read = await client.call_tool("brain_read", {"name": name})
                    found[name] = (read.is_error, read.content[0].text)  # type: ignore[union-attr]
                with pytest.raises(MCPError) as unknown:
                    await client.call_tool("brain_erase", {})
                found["unknown"] = unknown.value.error.code

    anyio.run(work)
    return found


def test_the_official_client_in_both_eras(vault: Path) -> None:
    with running(vault, *agents(vault)) as server:
        address = server.url
        for token, quay in ((OWNER, False), (TIDE, True)):
            for mode, version in (
                ("auto", "2026-07-28"),
                ("legacy", "2025-11-25"),
                ("2026-07-28", "2026-07-28"),
            ):
                found = told(address, token, mode)
                assert found["version"] == version and found["unknown"] == -32602
                assert ("brain_gaps" in found["tools"]) is (token == OWNER)
                assert found["harbour"][0] is False and "ferry" in found["harbour"][1]
                assert found["quay"][0] is quay


# -- the inspector ---------------------------------------------------------------------


def inspected(installed: Installed, target: list[str], *options: str) -> tuple[int, Any]:
    """Run the inspector's command line; return its exit code and what it printed."""
    command = [*installed.command("mcp-inspector"), "--cli", *target, *options]
    home = os.environ["HOME"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        cwd=home,
        env={**os.environ, "MCP_CATALOG_PATH": f"{home}/catalog.json"},
    )
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, done.stdout + done.stderr


def test_the_inspector(vault: Path) -> None:
    installed = npm(INSPECTOR)
    read = ("--method", "tools/call", "--tool-name", "brain_read", "--tool-arg", "name=quay")
    stdio = [sys.executable, "-m", "manent", "serve", str(vault)]
    code, listed = inspected(installed, stdio, "--method", "tools/list")
    assert code == 0, listed
    names = [tool["name"] for tool in listed["tools"]]
    assert names[:3] == ["brain_search", "brain_read", "brain_read_raw"]
    code, found = inspected(installed, stdio, *read)
    assert code == 0 and "a lantern" in found["content"][0]["text"], found
    with running(vault, *agents(vault)) as server:
        address = server.url
        for token, hidden in ((OWNER, False), (TIDE, True)):
            header = ("--transport", "http", "--header", f"Authorization: Bearer {token}")
            code, found = inspected(installed, [address], *header, *read)
            said = json.dumps(found)
            assert ("a lantern" in said) is not hidden, found
            assert ("no note quay" in said) is hidden, found
        code, found = inspected(installed, [address], "--transport", "http", *read)
        assert code != 0 and "a lantern" not in json.dumps(found)


# -- one more, that shares no code with the others -------------------------------------

SCRIPT = """
import { createMCPClient } from "@ai-sdk/mcp";
const [url, token] = process.argv.slice(2);
const client = await createMCPClient({
  transport: { type: "http", url, headers: { Authorization: `Bearer ${token}` } },
});
const tools = await client.tools();
const call = (name, given) => tools[name].execute(given, { toolCallId: "1", messages: [] });
const said = {
  tools: Object.keys(tools),
  found: await call("brain_search", { query: "ferry" }),
  hidden: await call("brain_read", { name: "quay" }),
};
await client.close();
console.log(JSON.stringify(said));
"""


def test_a_client_of_another_making(vault: Path) -> None:
    installed = npm(*OTHER)
    script = vault.parent / "client.mjs"
    script.write_text(SCRIPT)
    (vault.parent / "node_modules").symlink_to(installed.folder / "node_modules")
    with running(vault, *agents(vault)) as server:
        address = server.url
        done = subprocess.run(
            [str(installed.node), str(script), address, TIDE],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "brain_search" in said["tools"] and "brain_gaps" not in said["tools"]
    hits = json.loads(said["found"]["content"][0]["text"])["hits"]
    assert [hit["name"] for hit in hits] == ["harbour"]
    assert said["hidden"]["isError"] and "no note quay" in said["hidden"]["content"][0]["text"]
