"""Whatever a client sends, over both wires and in both eras, it gets an answer and no more.

Messages are well formed ones in which parts were exchanged for odd values, drawn from a
seed; ``MANENT_HOSTILE`` says how many.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served_process import OWNER, Server, running
from vaults import note, write

MANY = int(os.environ.get("MANENT_HOSTILE", "250"))
TIDE = "tide-" + "t" * 20
MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = "io.modelcontextprotocol/"
SECRET = "zymurgy"
"""Stands in what is hidden, and nowhere else."""

TOOLS = (
    "brain_search", "brain_read", "brain_read_raw", "brain_neighbors", "brain_list", "brain_grep",
    "brain_feedback", "brain_curate", "brain_quarantine", "brain_gaps", "brain_graph",
    "brain_write", "brain_append", "brain_erase", "",
)  # fmt: skip
METHODS = (
    "tools/call", "tools/call", "tools/call", "tools/list", "resources/list", "resources/read",
    "resources/templates/list", "server/discover", "initialize", "ping", "tasks/get",
    "tasks/cancel", "tasks/update", "prompts/list", "logging/setLevel", "completion/complete",
    "notifications/initialized", "notifications/cancelled", "rpc.discover", "",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 2**53, 2**70, 1e308, 0.1, "", " ", "\0", "\u202e", "\ufeff", "é", "e\u0301",
    "𝔥", "../../etc/passwd", "x" * 70_000, [], [[]], {}, {"$ref": "file:///etc/passwd"},
    {"__proto__": {}}, ["a"] * 500, "c1", "c-1", "2026-11-30", "HEAD", "harbour", "hidden",
    "(a|b|ab)*" * 40, "%00", "{{7*7}}", "'; DROP TABLE manent_search; --", "<script>", "\r\nX: y",
)  # fmt: skip
ARGUMENTS = (
    "name", "query", "pattern", "k", "depth", "limit", "rev", "cursor", "type", "verdict", "note",
    "searchId", "outcome", "report", "description", "body", "dir", "mode", "colour",
)  # fmt: skip


class Fuzz:
    """Messages, odd in one place or several."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def message(self, number: int, modern: bool) -> dict[str, Any]:
        draw = self._draw
        method = draw.choice(METHODS)
        params: dict[str, Any] = {"name": draw.choice(TOOLS), "arguments": self._arguments()}
        if method == "initialize":
            params = {"protocolVersion": draw.choice((LEGACY, "2024-11-05", "x"))}
            params |= {"capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        elif method.startswith("tasks/"):
            params = {"taskId": "t", "inputResponses": {}}
        elif method == "resources/read":
            params = {"uri": draw.choice(("ui://manent/gaps", "file:///etc/passwd", "ui://x"))}
        if modern:
            capabilities = {"elicitation": {"form": {}}, "extensions": {f"{META}tasks": {}}}
            params["_meta"] = {
                f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": capabilities,
            }  # fmt: skip
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for _ in range(draw.choice((0, 0, 1, 1, 2, 4))):
            self._spoil(message)
        return message

    def _arguments(self) -> dict[str, Any]:
        keys = self._draw.sample(ARGUMENTS, self._draw.randrange(5))
        return {key: self._draw.choice(ODD) for key in keys}

    def _spoil(self, message: dict[str, Any]) -> None:
        """Put an odd value at some place of a message."""
        draw, here = self._draw, message
        while True:
            key = draw.choice([*here, "odd"])
            inner = here.get(key)
            if isinstance(inner, dict) and inner and draw.random() < 0.7:
                here = inner
                continue
            if key != "id":
                here[key] = draw.choice(ODD)
            return


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hostile")
    agents = place / "agents.json"
    row = {"token": TIDE, "read": ["team"], "write": "quarantine/tide"}
    agents.write_text(json.dumps({"tide": row}))
    agents.chmod(0o600)
    return write(
        place / "vault",
        {
            "harbour.md": note("harbour", "The ferry. [[hidden]]", audience="[team]"),
            f"{SECRET}/hidden.md": note("hidden", SECRET, description=SECRET),
        },
    )


def options(vault: Path) -> list[str]:
    aside = vault.parent
    return [
        "--writable", "--retriever", "bm25", "--agents", str(aside / "agents.json"),
        "--gaps", str(aside / "gaps"), "--audit", str(aside / "audit"),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def server(vault: Path) -> Iterator[Server]:
    with (vault.parent / "log").open("wb") as log, running(vault, *options(vault), log=log) as made:
        yield made
    said = (vault.parent / "log").read_text()
    assert '"bug"' not in said and "Traceback" not in said and SECRET not in said


def post(server: Server, body: bytes, token: str, **headers: str) -> tuple[int, bytes]:
    """Send a body; return status and what came."""
    place = urllib.parse.urlsplit(server.url)
    sent = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    try:
        connection.request("POST", place.path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def told(status: int, said: bytes) -> str:
    """Return what was answered: a JSON-RPC message, an event, or nothing where that is right."""
    assert status in (200, 202, 400, 404), (status, said)
    assert b"Traceback" not in said
    if status == 202:
        assert said == b""
        return ""
    text = said.decode()
    if text.startswith(("event:", ":")):
        (text,) = [line[6:] for line in text.splitlines() if line.startswith("data: ")][-1:]
    document = json.loads(text)
    assert document["jsonrpc"] == "2.0" and ("result" in document) != ("error" in document)
    error = document.get("error", {"code": 0})
    assert error["code"] != -32603, document
    return text


@pytest.mark.parametrize("modern", [True, False])
def test_over_http(server: Server, modern: bool) -> None:
    fuzz = Fuzz(7)
    for number in range(MANY):
        message = fuzz.message(number, modern)
        if message.get("method") == "subscriptions/listen":
            continue
        token = TIDE if number % 2 else OWNER
        headers = {"MCP_Protocol_Version": MODERN if modern else LEGACY}
        params = message.get("params")
        named = params.get("name", params.get("uri", params.get("taskId"))) if isinstance(
            params, dict) else None  # fmt: skip
        if modern and number % 8:
            headers["Mcp_Method"] = _carried(message.get("method"))
            headers["Mcp_Name"] = _carried(named)
        said = told(*post(server, json.dumps(message).encode(), token, **headers))
        assert token == OWNER or SECRET not in said, message
    assert told(*post(server, _list(), TIDE, MCP_Protocol_Version=LEGACY))


def _list() -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()


def _carried(value: Any) -> str:
    text = value if isinstance(value, str) else ""
    return text if text.isascii() and text.isprintable() and len(text) < 4_000 else "odd"


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_over_stdio(vault: Path, era: str) -> None:
    """Each request has its answer, and an agent's session tells nothing that is hidden."""
    fuzz, lines, wanted = Fuzz(11), [], set()
    opening = {
        "jsonrpc": "2.0", "id": "first", "method": "initialize",
        "params": {
            "protocolVersion": LEGACY, "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        },
    }  # fmt: skip
    if era == "legacy":
        lines.append(opening)
        lines.append({"jsonrpc": "2.0", "method": "notifications/initialized"})
    for number in range(MANY):
        message = fuzz.message(number, era == "auto")
        lines.append(message)
        if isinstance(message.get("method"), str) or "result" not in message:
            wanted.add(number)
    command = [sys.executable, "-m", "manent", "serve", str(vault), "--as", "tide"]
    done = subprocess.run(
        [*command, "--era", era, *options(vault)],
        input=b"\n".join(json.dumps(line).encode() for line in lines) + b"\n",
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and b"Traceback" not in done.stderr and b'"bug"' not in done.stderr
    assert SECRET.encode() not in done.stdout + done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    answered = [one["id"] for one in answers if "method" not in one and one["id"] != "first"]
    assert wanted <= set(answered) and len(answered) == len(set(answered))
    assert not [one for one in answers if one.get("error", {}).get("code") == -32603]


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":-Infinity}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":[' + b"[]," * 900_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":"\\ud800"}}',
        b"\xff\xfe",
        b"",
    ],
)
def test_what_is_no_message_is_refused_at_once(server: Server, body: bytes) -> None:
    for token in (OWNER, TIDE):
        status, said = post(server, body, token, MCP_Protocol_Version=LEGACY)
        assert status == 400 and json.loads(said)["error"]["code"] in (-32700, -32600, -32602)


def test_revisions_that_are_not_served_are_not_spoken(server: Server) -> None:
    opening: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    opening["params"] = {
        "protocolVersion": "2024-11-05", "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }  # fmt: skip
    text = told(*post(server, json.dumps(opening).encode(), OWNER))
    assert json.loads(text)["result"]["protocolVersion"] == LEGACY
    status, said = post(server, _list(), OWNER, MCP_Protocol_Version="2024-11-05")
    error = json.loads(said)["error"]
    assert (status, error["code"]) == (400, -32022)
    assert error["data"]["supported"][:2] == [MODERN, LEGACY]
    assert "2024-11-05" not in error["data"]["supported"]
