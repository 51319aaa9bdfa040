"""Tasks of a real server: whose they are, also after who somebody is has changed."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from repositories import Clone, note
from served_process import OWNER, Server, running

from manent.server.tasks import MOST

SCOUT = "scout-" + "s" * 20
OTHER = "other-" + "t" * 20
TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
TEXT = "The crane lifts the crate onto the third pier of the harbour before the tide turns."
Entry = Mapping[str, Any]


class Agents:
    """An agents file that a test changes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.write({"scout": self.scout()})

    def scout(self, token: str = SCOUT, **given: Any) -> Entry:
        digest = hashlib.sha256(token.encode()).hexdigest()
        return {"token_sha256": digest, "read": ["team"], "write": "quarantine/scout", **given}

    def write(self, agents: Mapping[str, Entry]) -> None:
        self.file.write_text(json.dumps(agents))
        self.file.chmod(0o600)


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "agents.json")


@pytest.fixture
def copies(clone: Clone) -> Clone:
    """A brain in which two notes for the team say the same."""
    alike = {
        f"memory/{name}.md": note(name, TEXT, audience="[team]") for name in ("dup-a", "dup-b")
    }
    clone.commit(alike, "copies")
    assert clone.push().accepted
    return clone


def begun(server: Server, token: str = SCOUT, **arguments: Any) -> Any:
    """Begin a report; return the result: a task, or the answer itself."""
    given = {"name": "brain_curate", "arguments": {"report": "duplicates", **arguments}}
    return server.send("tools/call", "brain_curate", token, TASKS, **given)["result"]


def got(server: Server, task: str, token: str = SCOUT, method: str = "tasks/get") -> Any:
    return server.send(method, task, token, TASKS, taskId=task)


def ended(server: Server, task: str, token: str = SCOUT) -> Any:
    """Return a task once it has ended, or what is said instead."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        said = got(server, task, token)
        if "error" in said or said["result"]["status"] != "working":
            return said
        time.sleep(0.1)
    raise AssertionError(said)


def until(what: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_task_is_whoever_began_it_with_the_rights_and_the_token_of_then(
    copies: Clone, agents: Agents, tmp_path: Path
) -> None:
    """Narrowed, widened, or another person of that name: there is no such task."""
    database = f"--database=sqlite:///{tmp_path / 'tasks.sqlite'}"
    with running(copies.brain, "--agents", str(agents.file), database) as server:
        task = begun(server)["taskId"]
        assert "dup-a" in json.dumps(ended(server, task)["result"]["result"])
        nothing = json.dumps(got(server, "there-is-none"))
        others = [
            agents.scout(read=[]),
            agents.scout(read=["ops"]),
            agents.scout(read=["team", "ops"]),
            agents.scout(history=True),
            agents.scout(OTHER),
        ]
        for entry in others:
            agents.write({"scout": entry})
            token = OTHER if entry == others[-1] else SCOUT
            for method in ("tasks/get", "tasks/cancel"):
                assert json.dumps(got(server, task, token, method)) == nothing
        agents.write({"scout": agents.scout()})
        assert "dup-a" in json.dumps(got(server, task))


def test_a_result_that_names_what_is_hidden_by_now_is_not_told(
    copies: Clone, agents: Agents, tmp_path: Path
) -> None:
    database = f"--database=sqlite:///{tmp_path / 'tasks.sqlite'}"
    with running(copies.brain, "--agents", str(agents.file), database) as server:
        mine, owners = begun(server)["taskId"], begun(server, token=OWNER)["taskId"]
        ended(server, mine)
        copies.commit({"memory/other.md": note("other", "Something else.")}, "other")
        assert copies.push().accepted
        until(lambda: _named(server, "other"))
        assert "dup-a" in json.dumps(ended(server, mine))
        copies.commit({"memory/dup-b.md": note("dup-b", TEXT, audience="[ops]")}, "for others")
        assert copies.push().accepted
        until(lambda: not isinstance(server.call("brain_read", SCOUT, name="dup-b"), dict))
        assert json.dumps(got(server, mine)) == json.dumps(got(server, "there-is-none"))
        assert "dup-a" in json.dumps(ended(server, owners, OWNER))


def test_what_a_dead_server_left_is_done_for_who_began_it_alone(
    copies: Clone, agents: Agents, tmp_path: Path
) -> None:
    """Another server takes a task up; of an agent that was narrowed meanwhile it does not."""
    file = tmp_path / "tasks.sqlite"
    options = ("--agents", str(agents.file), f"--database=sqlite:///{file}")
    with running(copies.brain, *options, ends=False) as server:
        tasks = [begun(server)["taskId"] for _ in range(2)]
        server.process.kill()
    with sqlite3.connect(file) as rows:  # as it stands when a server dies in the middle of it
        rows.execute("UPDATE manent_task SET status = 'working', outcome = '{}', beat_ms = 0")
        rows.execute("UPDATE manent_task SET owner = 'scout.others' WHERE id = ?", tasks[1:])
    with running(copies.brain, *options) as server:
        until(lambda: "dup-a" in json.dumps(got(server, tasks[0])))
        assert got(server, tasks[1])["error"]["message"] == "No such task"
        time.sleep(4)  # one more look at what was left behind
    with sqlite3.connect(file) as rows:
        left = rows.execute("SELECT status FROM manent_task WHERE id = ?", tasks[1:]).fetchone()
    assert left == ("working",)


def test_the_bound_holds_for_all_servers_together(
    copies: Clone, agents: Agents, tmp_path: Path
) -> None:
    """Forty clients at two servers: never more under way, and what ended is kept."""
    file = tmp_path / "tasks.sqlite"
    options = ("--agents", str(agents.file), f"--database=sqlite:///{file}")
    with ExitStack() as stack:
        servers = [stack.enter_context(running(copies.brain, *options)) for _ in range(2)]
        for server in servers:
            ended(server, begun(server)["taskId"])
        with sqlite3.connect(file, timeout=20) as rows:
            rows.execute("CREATE TABLE most (n INTEGER)")
            for event in ("INSERT", "UPDATE"):
                rows.execute(
                    f"CREATE TRIGGER count_{event} AFTER {event} ON manent_task BEGIN "
                    "INSERT INTO most SELECT count(*) FROM manent_task "
                    "WHERE status = 'working'; END"
                )
        with ThreadPoolExecutor(40) as pool:
            kinds = Counter(
                result["resultType"]
                for result in pool.map(lambda n: begun(servers[n % 2]), range(160))
            )
        until(lambda: _working(file) == 0)
        with sqlite3.connect(file, timeout=20) as rows:
            (most,) = rows.execute("SELECT max(n) FROM most").fetchone()
            (kept,) = rows.execute("SELECT count(*) FROM manent_task").fetchone()
    assert kinds["task"] and kinds["task"] + kinds["complete"] == 160
    assert most <= MOST and kept == len(servers) + kinds["task"]


def test_a_call_as_long_as_a_book_is_kept_as_no_task(copies: Clone, agents: Agents) -> None:
    with running(copies.brain, "--agents", str(agents.file)) as server:
        said = begun(server, cursor="c" * 200_000)
    assert said["resultType"] == "complete" and said["isError"]


def _named(server: Server, name: str) -> bool:
    return isinstance(server.call("brain_read", OWNER, name=name), dict)


def _working(file: Path) -> int:
    with sqlite3.connect(file, timeout=20) as rows:
        query = "SELECT count(*) FROM manent_task WHERE status = 'working'"
        return int(rows.execute(query).fetchone()[0])
