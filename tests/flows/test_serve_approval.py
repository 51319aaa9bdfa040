"""Approval over the wire: a form, and a yes that counts once, for just what it showed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vaults import note, refused_values
from vaults import write as write_files
from writes import git

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

META = "io.modelcontextprotocol/"
FORM = {
    f"{META}protocolVersion": "2026-07-28",
    f"{META}clientCapabilities": {"elicitation": {"form": {}}},
}
PLAIN = {**FORM, f"{META}clientCapabilities": {}}
DRAFT = {
    "name": "port-map",
    "description": "Which port serves what",
    "type": "reference",
    "body": "Port 8080 serves the wiki.",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault in a repository, and an agents file beside it."""
    folder = write_files(tmp_path / "vault", {"memory/first.md": note("first", audience="[ops]")})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "seed")
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps({"scout": {"read": ["ops"], "write": "quarantine/scout"}}))
    agents.chmod(0o600)
    return folder


class Session:
    """A server on stdio, asked one thing after the other."""

    def __init__(self, vault: Path, *options: str) -> None:
        agents = vault.parent / "agents.json"
        self._process = subprocess.Popen(
            [
                sys.executable, "-m", "manent", "serve", str(vault), "--writable", "--git",
                "--agents", str(agents), *options,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        self._number = 0

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request; return the whole answer to it."""
        self._number += 1
        row = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(row).encode() + b"\n")
        self._process.stdin.flush()
        while True:
            message = json.loads(self._process.stdout.readline())
            if message.get("id") == self._number:
                return message

    def write(
        self, meta: dict[str, Any] | None = None, tool: str = "brain_write", **more: Any
    ) -> Any:
        """Call a tool that writes; return the result."""
        arguments = more.pop("arguments", DRAFT)
        message = self.ask(
            "tools/call",
            name=tool,
            arguments=arguments,
            **({"_meta": meta} if meta else {}),
            **more,
        )
        assert "result" in message, message
        return message["result"]

    def retry(self, asked: dict[str, Any], answer: Any = None, **more: Any) -> Any:
        """Send a call again with an answer to what was asked."""
        yes = {"action": "accept", "content": {"write": True}}
        (key,) = asked["inputRequests"]
        given = {"inputResponses": {key: answer or yes}, "requestState": asked["requestState"]}
        return self.write(FORM, **(given | more))

    def end(self) -> None:
        """Close the server's input and wait for its end."""
        self._process.communicate(timeout=60)
        assert self._process.returncode == 0


@pytest.fixture
def sessions(vault: Path) -> Iterator[list[Session]]:
    """Sessions that are ended with the test."""
    opened: list[Session] = []
    yield opened
    for session in opened:
        session.end()


def said(result: Any) -> Any:
    """Return the document of an answer."""
    return json.loads(result["content"][0]["text"])


def commits(vault: Path) -> int:
    return int(git(vault, "rev-list", "--count", "HEAD"))


@pytest.mark.parametrize("who", [(), ("--as", "scout")], ids=["owner", "agent"])
def test_a_write_asks_and_completes_on_the_yes(
    vault: Path, sessions: list[Session], who: tuple[str, ...]
) -> None:
    session = Session(vault, *who)
    sessions.append(session)
    asked = session.write(FORM)
    assert asked["resultType"] == "input_required"
    (question,) = asked["inputRequests"].values()
    assert question["method"] == "elicitation/create"
    params = question["params"]
    assert params.get("mode", "form") == "form"
    assert "port-map" in params["message"] and "Port 8080 serves the wiki." in params["message"]
    assert params["requestedSchema"]["properties"]["write"]["type"] == "boolean"
    assert commits(vault) == 1
    done = session.retry(asked)
    assert done["resultType"] == "complete" and not done.get("isError")
    path = said(done)["path"]
    assert path == ("quarantine/scout/port-map.md" if who else "memory/port-map.md")
    assert ("commit" in said(done)) is not bool(who)
    assert commits(vault) == 2
    assert git(vault, "status", "--porcelain") == ""


def test_a_yes_that_does_not_hold_is_asked_again(vault: Path, sessions: list[Session]) -> None:
    session = Session(vault)
    sessions.append(session)
    arguments = {"name": "first", "body": "More."}
    sent: dict[str, Any] = {"tool": "brain_append", "arguments": arguments}
    asked = session.write(FORM, **sent)
    state = asked["requestState"]
    other = {"name": "first", "body": "Other."}
    for more in (
        {"requestState": state[:-2] + ("AA" if state[-2:] != "AA" else "BB")},
        {"requestState": "nonsense"},
        {"requestState": ""},
        {"arguments": other},
    ):
        again = session.retry(asked, **(sent | more))
        assert again["resultType"] == "input_required", more
    assert commits(vault) == 1
    assert said(session.retry(asked, **sent))["status"] == "appended"
    assert session.retry(asked, **sent)["resultType"] == "input_required", "it was used"
    session.end()
    sessions.clear()
    sessions.append(Session(vault))
    assert sessions[0].retry(asked, **sent)["resultType"] == "input_required", "it still is"
    assert (vault / "memory/first.md").read_text().count("More.") == 1
    assert commits(vault) == 2


def test_a_yes_of_somebody_else_is_none(vault: Path, sessions: list[Session]) -> None:
    sessions += [Session(vault), Session(vault, "--as", "scout")]
    asked = sessions[0].write(FORM)
    assert sessions[1].retry(asked)["resultType"] == "input_required"
    assert commits(vault) == 1


def test_a_no_is_an_answer(vault: Path, sessions: list[Session]) -> None:
    session = Session(vault)
    sessions.append(session)
    for answer in ({"action": "decline"}, {"action": "cancel"}):
        done = session.retry(session.write(FORM), answer)
        assert not done.get("isError")
        assert said(done)["status"] == "declined"
    assert commits(vault) == 1


def test_clients_without_a_form_fall_through(vault: Path, sessions: list[Session]) -> None:
    sessions += [Session(vault), Session(vault, "--as", "scout")]
    for session, path in zip(sessions, ("memory", "quarantine/scout"), strict=True):
        done = session.write(PLAIN)
        assert said(done)["path"] == f"{path}/port-map.md"
        refused = session.write(PLAIN, arguments=DRAFT | {"body": refused_values()["email"]})
        assert refused["isError"]
    session = Session(vault)
    sessions.append(session)
    session.ask(
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={"elicitation": {"form": {}}},
        clientInfo={"name": "c", "version": "1"},
    )
    done = session.write(None, arguments=DRAFT | {"name": "by-hand"})
    assert said(done)["path"] == "memory/by-hand.md"


def test_an_agent_that_may_not_write_is_shown_no_such_tool(
    vault: Path, sessions: list[Session]
) -> None:
    agents = vault.parent / "agents.json"
    agents.write_text(json.dumps({"guest": {"read": ["ops"]}}))
    session = Session(vault, "--as", "guest")
    sessions.append(session)
    listed = session.ask("tools/list", _meta=PLAIN)["result"]["tools"]
    assert not {"brain_write", "brain_append"} & {tool["name"] for tool in listed}
    message = session.ask("tools/call", name="brain_write", arguments=DRAFT, _meta=PLAIN)
    assert message["error"]["code"] == -32602
