"""The recipe as an operator runs it: the built wheel, ``setup.sh``, ``serve.env``, a server."""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import postgres
import pytest
import sqlalchemy as sa
from conftest import REAL_HOME
from repositories import GIT
from servers import SETUP, free_port

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "vault-" + "v" * 20
K = "io.modelcontextprotocol/"
MODERN = "2026-07-28"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(out), ROOT]
    subprocess.run(command, cwd=out, check=True, capture_output=True)
    (made,) = out.glob("*.whl")
    return made


def set_up(root: Path, wheel: Path) -> subprocess.CompletedProcess[str]:
    """Run ``setup.sh`` for real below a scratch root: pip installs what it asks for."""
    kept = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(REAL_HOME)}
    asked = {"MANENT_ROOT": str(root), "MANENT_USER": getpass.getuser(), "MANENT_WORKER": "5"}
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return subprocess.run(
        ["sh", str(SETUP), str(wheel), "team-memory"],
        env={**pip, **kept, **asked, "GIT_CONFIG_GLOBAL": "/dev/null"},
        capture_output=True,
        text=True,
    )


def environment(root: Path, **given: str) -> dict[str, str]:
    """Write ``serve.env`` as its example tells to, and read it as systemd would."""
    example = (root / "etc/manent/serve.env.example").read_text()
    lines = []
    for line in example.splitlines():
        name, is_set, _ = line.partition("=")
        lines.append(f"{name}={given[name]}" if is_set and name in given else line)
    file = root / "etc/manent/serve.env"
    file.write_text("\n".join(lines) + "\n")
    file.chmod(0o640)
    pairs = (line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return dict(pairs)


@contextlib.contextmanager
def served(root: Path, variables: dict[str, str], port: int) -> Iterator[str]:
    """Start one replica as its unit does; it must end well when it is told to."""
    unit = (root / "etc/systemd/system/manent-serve@.service").read_text()
    (start,) = [x for x in unit.splitlines() if x.startswith("ExecStart=")]
    command = start.removeprefix("ExecStart=").replace("%i", str(port)).split()
    log = root / "replica.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command,
            env={"PATH": "/usr/bin:/bin", "HOME": str(root / "var/lib/manent"), **variables},
            stdin=subprocess.DEVNULL,
            stderr=stream,
            cwd="/",
        )
        try:
            url = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + 60
            while not _ready(url):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.2)
            yield url
        finally:
            process.terminate()
            status = process.wait(30)
    assert status == 0, log.read_text()


def _ready(url: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/readyz") as answer:
        return bool(answer.status == 200)
    return False


def ask(url: str, method: str, named: str = "", **params: Any) -> Any:
    capabilities = {"extensions": {f"{K}tasks": {}}}
    meta = {f"{K}protocolVersion": MODERN, f"{K}clientCapabilities": capabilities}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": method,
        **({"Mcp-Name": named} if named else {}),
    }
    request = urllib.request.Request(f"{url}/mcp", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["result"]


def works(url: str) -> None:
    """A note is written and found, a report is a task, and people can sign in."""
    new = {"name": "tides", "description": "When", "type": "reference", "body": "A quokka."}
    ask(url, "tools/call", "brain_write", name="brain_write", arguments=new)
    deadline = time.monotonic() + 30
    while True:
        given = {"name": "brain_search", "arguments": {"query": "quokka"}}
        said = json.loads(ask(url, "tools/call", "brain_search", **given)["content"][0]["text"])
        if said["hits"]:
            break
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert said["searchId"]
    task = ask(url, "tools/call", "brain_curate", name="brain_curate", arguments={})["taskId"]
    while ask(url, "tasks/get", task, taskId=task)["status"] != "completed":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    place = f"{url}/.well-known/oauth-authorization-server"
    with urllib.request.urlopen(place) as answer:
        assert json.load(answer)["issuer"].rstrip("/") == url


@pytest.mark.slow
def test_what_it_installs_serves_from_files_and_then_from_postgresql(
    wheel: Path, tmp_path: Path
) -> None:
    root = tmp_path
    first = set_up(root, wheel)
    assert first.returncode == 0, first.stdout + first.stderr
    python = str(root / "opt/manent/bin/python")
    have = "import importlib.util as u; print(*[bool(u.find_spec(m)) for m in ('mcp', 'psycopg')])"
    installed = [python, "-I", "-c", have]
    assert subprocess.run(installed, capture_output=True, text=True).stdout.split()[0] == "True"
    port = free_port()
    given = {"MANENT_HTTP_TOKEN": TOKEN, "MANENT_PUBLIC_URL": f"http://127.0.0.1:{port}"}
    with served(root, environment(root, **given), port) as url:
        works(url)
    state = root / "var/lib/manent/team-memory"
    assert {"server.sqlite", "gaps.sqlite", "audit.jsonl"} <= {x.name for x in state.iterdir()}
    with postgres.running() as address:
        # The operator names it in serve.env, and runs the recipe again.
        variables = environment(root, **given, MANENT_DATABASE=address)
        again = set_up(root, wheel)
        assert again.returncode == 0, again.stdout + again.stderr
        assert subprocess.run(installed, capture_output=True, text=True).stdout == "True True\n"
        with served(root, variables, port) as url:
            works(url)
        engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
        with engine.connect() as connection:
            for table in ("manent_task", "manent_audit", "manent_search"):
                rows = connection.execute(sa.text(f"SELECT count(*) FROM {table}"))
                assert rows.scalar_one(), table
        engine.dispose()
    log = [GIT, "-C", str(root / "srv/brains/team-memory.git"), "log", "--format=%s", "main"]
    assert "tides" in subprocess.run(log, capture_output=True, text=True, check=True).stdout
