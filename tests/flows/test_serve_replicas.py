"""Two replicas over one brain and one PostgreSQL, behind a real reverse proxy.

A seeded form of some seconds; ``make endure`` goes on for five minutes.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import postgres
import pytest
import sqlalchemy as sa

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from oauth_site import CALLBACK, CLAUDE, form, query
from repositories import GIT, Clone, note
from served_http import MODERN
from servers import _answers, _running, free_port, program

SNIPPET = Path(__file__).resolve().parents[2] / "deploy/root/etc/nginx/snippets/manent-serve.conf"
VAULT = "vault-" + "v" * 20
AGENT = "agent-" + "a" * 20
SECONDS = 300 if os.environ.get("MANENT_ENDURE") else 12
K = "io.modelcontextprotocol/"
BUG = "the server failed"

NGINX = """
{user}
worker_processes 1;
pid {root}/nginx.pid;
error_log {root}/nginx.log;
events {{}}
http {{
    client_body_temp_path {root}/body; fastcgi_temp_path {root}/fastcgi;
    proxy_temp_path {root}/proxy; scgi_temp_path {root}/scgi; uwsgi_temp_path {root}/uwsgi;
    upstream manent {{
        server 127.0.0.1:{one} fail_timeout=1s;
        server 127.0.0.1:{two} fail_timeout=1s;
    }}
    server {{
        listen 127.0.0.1:{port};
        include {snippet};
    }}
}}
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres.running() as address:
        yield address


@dataclass
class Replica:
    """One ``manent serve``, which a test may kill and start again."""

    brain: Path
    port: int
    public: str
    database: str
    agents: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        log = self.brain.parent / f"replica-{self.port}.log"
        shared = [f"--{name}={self.database}" for name in ("database", "gaps", "audit")]
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "manent", "serve", str(self.brain), *shared,
                "--http", str(self.port), "--public-url", self.public, "--writable",
                "--retriever", "bm25", "--agents", str(self.agents),
            ],
            env={**os.environ, "MANENT_HTTP_TOKEN": VAULT},
            stdin=subprocess.DEVNULL,
            stderr=log.open("ab"),
        )  # fmt: skip

    def wait(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200:
                    return
            time.sleep(0.1)
        pytest.fail("a replica does not become ready")

    def end(self, number: int = signal.SIGTERM) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(30)


@dataclass
class Site:
    """The replicas and the address before them."""

    url: str
    replicas: list[Replica]
    clone: Clone
    database: str
    faults: list[str] = field(default_factory=list)
    kills: int = 0
    turns: int = 0

    def ask(
        self,
        method: str,
        token: str,
        url: str = "",
        tasks: bool = False,
        elicits: bool = False,
        **params: Any,
    ) -> httpx2.Response:
        extensions: dict[str, Any] = {f"{K}tasks": {}} if tasks else {}
        capabilities: dict[str, Any] = {"extensions": extensions}
        if elicits:
            capabilities["elicitation"] = {"form": {}}
        meta = {f"{K}protocolVersion": MODERN, f"{K}clientCapabilities": capabilities}
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": method,
            "Mcp-Name": str(params.get("name") or params.get("taskId") or ""),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        return httpx2.post(f"{url or self.url}/mcp", json=body, headers=headers, timeout=60)

    def tool(self, tool: str, token: str = VAULT, url: str = "", **arguments: Any) -> Any:
        said = self.ask("tools/call", token, url, name=tool, arguments=arguments)
        assert said.status_code == 200, said.text
        result = said.json()["result"]
        text = result["content"][0]["text"]
        return text if result.get("isError") else json.loads(text)

    def each(self) -> list[str]:
        return [f"http://127.0.0.1:{replica.port}" for replica in self.replicas]

    def rows(self, query: str) -> list[Any]:
        address = self.database.replace("postgresql:", "postgresql+psycopg:")
        engine = sa.create_engine(address)
        with engine.connect() as connection:
            found = list(connection.execute(sa.text(query)))
        engine.dispose()
        return found


@pytest.fixture
def site(clone: Clone, database: str, tmp_path: Path) -> Iterator[Site]:
    nginx = program("nginx")
    postgres.empty(database)
    agents = tmp_path / "agents.json"
    agents.write_text(
        json.dumps({"scout": {"token": AGENT, "read": ["team"], "write": "quarantine/scout"}})
    )
    agents.chmod(0o600)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    ones = [Replica(clone.brain, free_port(), url, database, agents) for _ in range(2)]
    conf = tmp_path / "nginx.conf"
    import getpass

    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    conf.write_text(
        NGINX.format(
            user=user, root=tmp_path, one=ones[0].port, two=ones[1].port, port=port, snippet=SNIPPET
        )
    )
    try:
        for one in ones:
            one.start()
        for one in ones:
            one.wait()
        command = [nginx, "-c", str(conf), "-p", str(tmp_path), "-g", "daemon off;"]
        with _running(command, lambda: _answers(port)):
            yield Site(url, ones, clone, database)
    finally:
        for one in ones:
            with contextlib.suppress(ProcessLookupError):
                one.end(signal.SIGKILL)


def found(site: Site, url: str, word: str, seconds: float = 10) -> list[str]:
    """Return what a replica finds, once it finds anything."""
    deadline = time.monotonic() + seconds
    while True:
        hits = [hit["name"] for hit in site.tool("brain_search", url=url, query=word)["hits"]]
        if hits or time.monotonic() > deadline:
            return hits
        time.sleep(0.05)


def signed_in(site: Site, authorizing: str, redeeming: str) -> dict[str, Any]:
    """Sign in with the consent page of one replica and the token endpoint of another."""
    verifier = secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    host = {"Host": site.url.removeprefix("http://")}
    with httpx2.Client(base_url=authorizing, headers=host, timeout=20) as browser:
        sent = browser.get(
            "/authorize",
            params={
                "response_type": "code",
                "client_id": CLAUDE,
                "redirect_uri": CALLBACK,
                "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
                "code_challenge_method": "S256",
                "state": "s",
                "resource": f"{site.url}/mcp",
            },
        )
        assert sent.status_code == 302, sent.text
        page = browser.get(sent.headers["Location"].removeprefix(site.url))
        answered = browser.post(
            "/consent",
            data={**form(page), "token": VAULT, "decision": "allow"},
            headers={"Origin": site.url},
        )
    assert answered.status_code == 303, answered.text
    given = httpx2.post(
        f"{redeeming}/token",
        headers=host,
        data={
            "grant_type": "authorization_code",
            "code": query(answered)["code"],
            "client_id": CLAUDE,
            "redirect_uri": CALLBACK,
            "code_verifier": verifier,
        },
    )
    assert given.status_code == 200, given.text
    return dict(given.json())


def test_whatever_goes_to_one_replica_is_there_at_the_other(site: Site) -> None:
    one, two = site.each()
    written = site.tool(
        "brain_write", url=one, name="berths", description="Where boats lie", type="reference",
        body="The xylophone quay.", dir="memory",
    )  # fmt: skip
    assert written["status"] == "created" and found(site, two, "xylophone") == ["berths"]
    site.clone.git("pull", "-q", "origin", "main")
    site.clone.commit({"memory/tides.md": note("tides", "A quokka swims.")}, "tides")
    assert site.clone.push().accepted
    assert found(site, one, "quokka") == found(site, two, "quokka") == ["tides"]

    searched = site.tool("brain_search", url=one, query="a zebra nobody wrote of")
    said = site.tool("brain_feedback", url=two, verdict="wrong", searchId=searched["searchId"])
    assert isinstance(said, dict), said
    assert "register" in said["kept"]

    begun = site.ask(
        "tools/call", VAULT, one, tasks=True, name="brain_curate",
        arguments={"report": "communities"},
    ).json()["result"]  # fmt: skip
    assert begun["resultType"] == "task"
    deadline = time.monotonic() + 20
    while True:
        row = site.ask("tasks/get", VAULT, two, tasks=True, taskId=begun["taskId"]).json()["result"]
        if row["status"] != "working" or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    assert row["status"] == "completed"
    other = site.ask("tasks/get", AGENT, two, tasks=True, taskId=begun["taskId"])
    assert other.json()["error"]["code"] == -32602


def test_a_sign_in_at_one_replica_counts_at_the_other(site: Site) -> None:
    one, two = site.each()
    tokens = signed_in(site, one, two)
    assert "hits" in site.tool("brain_search", tokens["access_token"], one, query="first")
    fields = {
        "grant_type": "refresh_token",
        "refresh_token": tokens["refresh_token"],
        "client_id": CLAUDE,
    }
    host = {"Host": site.url.removeprefix("http://")}
    turned = httpx2.post(f"{one}/token", data=fields, headers=host).json()
    assert "hits" in site.tool("brain_search", turned["access_token"], two, query="first")


def test_one_replica_killed_at_random_under_load_loses_nothing(site: Site) -> None:
    seed = int(os.environ.get("MANENT_SEED", "7"))
    stop = time.monotonic() + SECONDS
    written: list[str] = []
    searched: list[str] = []
    tasks: list[str] = []
    calls: list[str] = []
    lock = threading.Lock()

    def work(worker: int) -> None:
        rolled = random.Random(f"{seed}-{worker}")
        count = 0
        while time.monotonic() < stop:
            count += 1
            kind = rolled.choice(["write", "search", "search", "task"])
            try:
                _call(site, kind, f"note-{worker}-{count}", written, searched, tasks, calls, lock)
            except (httpx2.HTTPError, AssertionError, ValueError):
                time.sleep(0.05)  # a replica went away: a client asks again

    def kill() -> None:
        rolled = random.Random(f"{seed}-kill")
        while time.monotonic() < stop - 1:
            time.sleep(rolled.uniform(1.0, 4.0))
            victim = rolled.choice(site.replicas)
            victim.end(signal.SIGKILL)
            victim.start()
            victim.wait()
            site.kills += 1

    def session() -> None:
        tokens = signed_in(site, *site.each())
        while time.monotonic() < stop:
            tokens = _turned(site, tokens)
            site.turns += 1
            time.sleep(0.2)

    def watched(task: Callable[..., None], *arguments: Any) -> None:
        try:
            task(*arguments)
        except BaseException as error:  # a thread that dies by itself would go unseen
            site.faults.append(f"{task.__name__}: {error!r}")

    threads = [threading.Thread(target=watched, args=(work, n)) for n in range(4)]
    threads += [threading.Thread(target=watched, args=(task,)) for task in (session, kill)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not site.faults, site.faults[:3]
    assert written and searched and tasks and site.kills and site.turns

    history = site.clone.brain_git("log", "--format=%s", "main").splitlines()
    for name in written:
        assert sum(f"({name})" in subject for subject in history) == 1, name
    # Nor was anything written twice whose answer was lost.
    assert len(set(history)) == len(history)
    listed = site.clone.brain_git("ls-tree", "-r", "--name-only", "main").splitlines()
    assert {f"memory/{name}.md" for name in written} <= set(listed)
    assert subprocess.run([GIT, "-C", site.clone.brain, "fsck", "--strict"]).returncode == 0

    lines = [json.loads(row[0]) for row in site.rows("SELECT line FROM manent_audit")]
    kept = {str(line.get("arguments", {}).get("name")) for line in lines}
    asked = {str(line.get("arguments", {}).get("query")) for line in lines}
    assert set(written) <= kept
    assert set(calls) <= asked

    for task in tasks:
        deadline = time.monotonic() + 60
        while True:
            row = site.ask("tasks/get", VAULT, tasks=True, taskId=task).json()["result"]
            if row["status"] != "working" or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        assert row["status"] == "completed", row

    for token in searched:
        said = site.tool("brain_feedback", verdict="helpful", searchId=token)
        assert isinstance(said, dict) and "kept" in said, said


def _turned(site: Site, tokens: dict[str, Any]) -> dict[str, Any]:
    """Turn a refresh token, as a client does whose answers may get lost; use what it gave."""
    fields = {
        "grant_type": "refresh_token",
        "refresh_token": tokens["refresh_token"],
        "client_id": CLAUDE,
    }
    while True:
        with contextlib.suppress(httpx2.HTTPError):
            turned = httpx2.post(f"{site.url}/token", data=fields, timeout=60)
            assert turned.status_code == 200 or turned.status_code >= 500, turned.text
            if turned.status_code == 200:
                break
        time.sleep(0.05)
    found: dict[str, Any] = turned.json()
    with contextlib.suppress(httpx2.HTTPError):
        said = site.ask("tools/list", found["access_token"])
        assert said.status_code == 200 or said.status_code >= 500, said.text
    return found


def _call(
    site: Site,
    kind: str,
    name: str,
    written: list[str],
    searched: list[str],
    tasks: list[str],
    calls: list[str],
    lock: threading.Lock,
) -> None:
    if kind == "write":
        said = site.tool(
            "brain_write", name=name, description="A note", type="reference",
            body="Text.", dir="memory",
        )  # fmt: skip
        if isinstance(said, dict):
            with lock:
                written.append(name)
        elif BUG in said:
            site.faults.append(said)
    elif kind == "search":
        said = site.tool("brain_search", query=f"query {name}")
        if isinstance(said, str):
            # One that has just begun says so; nothing else may go wrong.
            if "try again" not in said:
                site.faults.append(said)
            raise ValueError(said)
        with lock:
            searched.append(said["searchId"])
            calls.append(f"query {name}")
    else:
        answer = site.ask(
            "tools/call", VAULT, tasks=True, name="brain_curate",
            arguments={"report": "duplicates"},
        )  # fmt: skip
        assert answer.status_code == 200, answer.text
        begun = answer.json().get("result", answer.json())
        if "resultType" not in begun:
            site.faults.append(answer.text)
        elif begun["resultType"] == "task":
            with lock:
                tasks.append(begun["taskId"])


def test_a_yes_counts_at_either_replica_and_once(site: Site) -> None:
    one, two = site.each()
    draft = {
        "name": "slipway", "description": "Where boats go in", "type": "reference",
        "body": "A quokka slides.", "dir": "memory",
    }  # fmt: skip

    def write(url: str, **more: Any) -> Any:
        said = site.ask(
            "tools/call", VAULT, url, elicits=True, name="brain_write", arguments=draft, **more
        )
        assert said.status_code == 200, said.text
        return said.json()["result"]

    asked = write(one)
    assert asked["resultType"] == "input_required"
    (key,) = asked["inputRequests"]
    yes = {
        "inputResponses": {key: {"action": "accept", "content": {"write": True}}},
        "requestState": asked["requestState"],
    }
    again = write(two)
    assert again["requestState"] != asked["requestState"]
    done: list[Any] = []
    threads = [
        threading.Thread(target=lambda url=url: done.append(write(url, **yes)))
        for url in (two, one, two, one)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Who came late hears that the note stands, or is asked again.
    said = [one["content"][0]["text"] for one in done if "content" in one]
    assert sum('"created"' in text for text in said) == 1, done
    history = site.clone.brain_git("log", "--format=%s", "main")
    assert history.count("(slipway)") == 1
    # What is written stands; the same yes for another change is no yes.
    draft["body"] = "Another text."
    draft["mode"] = "overwrite"
    assert write(two, **yes)["resultType"] == "input_required"
    rows = site.rows("SELECT count(*) FROM manent_approval_used")
    assert rows[0][0] == 1
