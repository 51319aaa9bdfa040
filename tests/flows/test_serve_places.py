"""Where a real server keeps what it keeps: said at the start where that is no use, and what
is said when it fails later."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import postgres
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from repositories import Clone
from served_process import OWNER, running
from servers import free_port
from test_serve_replicas import VAULT, Site, signed_in

SECRET = "hunter2-" + "secret"
TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
OPTIONS = ("--database", "--gaps", "--audit")


def started(what: Path, *options: str) -> tuple[int, str]:
    """Start a server that must end at once; return its status and what it says."""
    command = [sys.executable, "-m", "manent", "serve", str(what), *options]
    if "--as-pipe" in command:
        command.remove("--as-pipe")
    else:
        command += ["--http", str(free_port())]
    done = subprocess.run(
        command,
        env={**os.environ, "MANENT_HTTP_TOKEN": OWNER},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(
    "place",
    [
        "mysql://u:{}@h/x",
        "postgresql://u:{}@h:abc/x",
        "postgresql://u:{}@:::bad",
        "postgres:/u:{}@x",
        "postgresql://u:{}@127.0.0.1:1/x",
        "postgresql://u:{}@h/x?no-such-option=1",
    ],
)
def test_a_place_that_is_no_use_is_one_line_at_the_start(
    clone: Clone, option: str, place: str
) -> None:
    """With a public address or without one; no password is ever in it."""
    for more in ((), ("--public-url", "http://127.0.0.1:1"), ("--as-pipe",)):
        status, said = started(clone.brain, option, place.format(SECRET), *more)
        assert status == 2 and SECRET not in said
        assert len(said.splitlines()) == 1 and said.startswith("manent: ")


def test_a_database_of_a_newer_manent_is_refused_at_the_start(clone: Clone, tmp_path: Path) -> None:
    file = tmp_path / "d.sqlite"
    options = ("--database", str(file), "--writable")
    with running(clone.brain, *options, "--public-url", "http://127.0.0.1:1"):
        pass
    for kind in ("task", "approval", "oauth"):
        with sqlite3.connect(file) as rows:
            (before,) = rows.execute(f"SELECT version FROM manent_{kind}_schema").fetchone()
            rows.execute(f"UPDATE manent_{kind}_schema SET version = 99")
        rows.close()
        more = ("--public-url", "http://127.0.0.1:1") if kind == "oauth" else ()
        status, said = started(clone.brain, *options, *more)
        assert status == 2 and "newer manent: schema 99" in said and len(said.splitlines()) == 1
        with sqlite3.connect(file) as rows:
            rows.execute(f"UPDATE manent_{kind}_schema SET version = ?", (before,))
        rows.close()


def test_every_option_takes_a_file_and_its_address(clone: Clone, tmp_path: Path) -> None:
    for prefix in ("", "sqlite:///"):
        folder = tmp_path / f"by-{len(prefix)}"
        folder.mkdir()
        given = [f"{option}={prefix}{folder / option[2:]}" for option in OPTIONS]
        with running(clone.brain, *given) as server:
            assert server.call("brain_search", query="first")["searchId"]
            report = {"name": "brain_curate", "arguments": {}}
            begun = server.send("tools/call", "brain_curate", OWNER, TASKS, **report)
            assert begun["result"]["resultType"] == "task"
        assert {"database", "gaps", "audit"} <= {file.name for file in folder.iterdir()}


def test_a_database_in_the_vault_is_refused(clone: Clone) -> None:
    status, said = started(clone.path, "--database", str(clone.path / "memory/d.sqlite"))
    assert status == 2 and "lies in the vault" in said


@pytest.fixture
def database() -> Iterator[str]:
    with postgres.running() as address:
        yield address


def test_while_its_database_hangs_a_server_answers_in_plain_words(
    clone: Clone, database: str, tmp_path: Path
) -> None:
    """A call with a token of its own goes on; one that nobody can vouch for is 503."""
    port, log = free_port(), tmp_path / "log"
    public = f"http://127.0.0.1:{port}"
    given = [f"{option}={database}" for option in OPTIONS]
    options = [*given, "--writable", "--public-url", public, "--token", VAULT]
    with log.open("wb") as stream, running(clone.brain, *options, log=stream, port=port) as server:
        site: Any = SimpleNamespace(url=public)
        tokens = signed_in(site, public, public)
        asking = Site(public, [], clone, database)
        assert "hits" in asking.tool("brain_search", tokens["access_token"], query="first")
        time.sleep(6)  # what is known of the token is forgotten
        with postgres.hanging(database):
            for n in range(4):
                began = time.monotonic()
                said = asking.ask(
                    "tools/call", tokens["access_token"], name="brain_list", arguments={}
                )
                assert said.status_code == 503, said.text
                assert said.json()["error"] == "temporarily_unavailable"
                assert time.monotonic() - began < (12 if not n else 9)
            began = time.monotonic()
            for _ in range(10):
                assert "notes" in json.dumps(server.call("brain_list", VAULT))
            assert time.monotonic() - began < 12
            said = server.send("tasks/get", "none", VAULT, TASKS, taskId="none")
            assert said["error"]["message"] == "Tasks cannot be read or kept now: try again"
        deadline = time.monotonic() + 30
        while True:
            said = asking.ask("tools/call", tokens["access_token"], name="brain_list", arguments={})
            if said.status_code == 200:
                break
            assert time.monotonic() < deadline
            time.sleep(0.3)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lost = {line["event"]: line.get("fault") for line in lines if line["event"].endswith("-lost")}
    assert set(lost) >= {"audit-lost", "tasks-lost"}
    assert all(str(cause).startswith("it ") for cause in lost.values())


def test_a_yes_that_cannot_be_kept_says_nothing_of_the_database(
    clone: Clone, database: str, tmp_path: Path
) -> None:
    options = ["--writable", f"--database={database}"]
    arguments = {"name": "tides", "description": "d", "type": "reference", "body": "b"}
    declared = {"elicitation": {"form": {}}}
    call = {"name": "brain_write", "arguments": arguments}
    with running(clone.brain, *options) as server:
        asked = server.send("tools/call", "brain_write", OWNER, declared, **call)["result"]
        (key,) = asked["inputRequests"]
        given = {key: {"action": "accept", "content": {"write": True}}}
        with postgres.hanging(database):
            said = server.send(
                "tools/call",
                "brain_write",
                OWNER,
                declared,
                **call,
                inputResponses=given,
                requestState=asked["requestState"],
            )
        text = said["result"]["content"][0]["text"]
        assert said["result"]["isError"] and "used approvals: it " in text
        place = database.partition("host=")[2]
        assert place not in text and "manent@" not in text
