"""The process ``manent serve --http``: how it starts, what it refuses, how it ends."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from oauth_site import form, free_port, query
from served_http import MODERN, modern

VAULT = "vault-" + "v" * 20
COMMAND = [sys.executable, "-m", "manent", "serve"]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    shutil.copytree(Path(__file__).parents[2] / "fixture-vault", folder)
    return folder


def refused(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@contextmanager
def started(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run the server; give the process, its stderr unread but for a line, and its port."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        line = json.loads(process.stderr.readline())
        assert line["event"] == "listening"
        yield process, line["port"]
    finally:
        process.kill()
        process.communicate()


def headers() -> dict[str, str]:
    return {
        "Authorization": f"Bearer {VAULT}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "brain_list",
    }


CALL: dict[str, Any] = {"name": "brain_list", "arguments": {"limit": 1}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--http", "0"], "needs a token"),
        (["--http", "0", "--token", "short"], "16 characters"),
        (["--http", "nowhere:", "--token", VAULT], "no place to listen"),
        (["--http", "0", "--token", VAULT, "--public-url", "brain.example"], "no public URL"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(
    vault: Path, arguments: list[str], said: str
) -> None:
    found = refused(str(vault), *arguments)
    assert found.returncode == 2 and found.stdout == ""
    assert said in found.stderr and len(found.stderr.strip().splitlines()) <= 2


def test_agents_files_are_refused_as_everywhere(vault: Path, tmp_path: Path) -> None:
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps({"scout": {"token": VAULT, "read": []}}))
    agents.chmod(0o600)
    common = (str(vault), "--http", "0", "--token", VAULT, "--agents", str(agents))
    found = refused(*common)
    assert found.returncode == 2 and "the vault's own token" in found.stderr
    agents.write_text("{}")
    agents.chmod(0o644)
    found = refused(*common)
    assert found.returncode == 2 and "open to everybody" in found.stderr


def test_it_answers_and_ends_when_told(vault: Path) -> None:
    with started(str(vault), "--http", "0", MANENT_HTTP_TOKEN=VAULT) as (process, port):
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 30
        while httpx2.get(url + "/readyz").status_code != 200 and time.monotonic() < deadline:
            time.sleep(0.1)
        answer = httpx2.post(url + "/mcp", json=modern("tools/call", **CALL), headers=headers())
        assert answer.status_code == 200 and not answer.json()["result"].get("isError")
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=20)
        assert process.returncode == 0 and out == b""
        assert VAULT.encode() not in said
        assert json.loads(said.splitlines()[-1])["event"] == "stopped"


def test_a_stderr_that_nobody_reads_stops_nothing(vault: Path) -> None:
    with started(str(vault), "--http", "0", "--token", VAULT) as (process, port):
        with httpx2.Client(timeout=20) as client:
            for _ in range(700):
                client.get(f"http://127.0.0.1:{port}/nothing-here")
            answer = client.post(
                f"http://127.0.0.1:{port}/mcp", json=modern("tools/call", **CALL), headers=headers()
            )
        assert answer.status_code == 200
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 0


def test_people_sign_in_to_the_process(vault: Path, tmp_path: Path) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    arguments = [str(vault), "--http", str(port), "--token", VAULT, "--public-url", base + "/mcp"]
    arguments += ["--database", f"sqlite:///{tmp_path / 'serve.db'}"]
    call = modern("tools/call", **CALL)
    with started(*arguments) as (process, _), httpx2.Client(base_url=base, timeout=20) as client:
        lost = client.post("/mcp", json=call)
        assert "resource_metadata=" in lost.headers["WWW-Authenticate"]
        document = lost.headers["WWW-Authenticate"].split('"')[-2]
        assert httpx2.get(document).json()["resource"] == f"{base}/mcp"
        verifier = "v" * 43
        digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
        redirect = "https://claude.ai/api/mcp/auth_callback"
        known = "https://claude.ai/oauth/mcp-oauth-client-metadata"
        asked = client.get(
            "/authorize",
            params={
                "response_type": "code", "client_id": known, "redirect_uri": redirect, "state": "s",
                "code_challenge": digest.decode().rstrip("="), "code_challenge_method": "S256",
                "resource": f"{base}/mcp",
            },
        )  # fmt: skip
        page = client.get(asked.headers["Location"])
        fields = {**form(page), "token": VAULT, "decision": "allow"}
        sent = client.post("/consent", data=fields, headers={"Origin": base})
        tokens = client.post(
            "/token",
            data={
                "grant_type": "authorization_code", "code": query(sent)["code"],
                "client_id": known, "redirect_uri": redirect, "code_verifier": verifier,
            },
        ).json()  # fmt: skip
        found = {**headers(), "Authorization": f"Bearer {tokens['access_token']}"}
        assert client.post("/mcp", json=call, headers=found).status_code == 200
        assert client.get("/ui/").status_code == 200
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 0 and tokens["access_token"].encode() not in said


def test_without_a_public_address_nobody_signs_in(vault: Path) -> None:
    with started(str(vault), "--http", "0", "--token", VAULT) as (_, port):
        base = f"http://127.0.0.1:{port}"
        assert httpx2.get(base + "/.well-known/oauth-authorization-server").status_code == 404
        lost = httpx2.post(base + "/mcp", json=modern("tools/call", **CALL))
        assert lost.headers["WWW-Authenticate"] == "Bearer"
        assert httpx2.get(base + "/ui/").status_code == 200


# -- several processes ----------------------------------------------------------------


def asked(port: int, token: str = VAULT) -> int:
    """Ask for the tools on a connection of its own; return the status."""
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "tools/list",
    }
    url = f"http://127.0.0.1:{port}/mcp"
    return httpx2.post(url, json=modern("tools/list"), headers=headers, timeout=30).status_code


def children(process: subprocess.Popen[bytes]) -> set[int]:
    task = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not task.exists():
        pytest.skip("this system does not list the children of a process")
    return {int(word) for word in task.read_text().split()}


def until(told: Any, seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not told():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_several_processes_answer_at_one_port_and_one_that_dies_is_replaced(vault: Path) -> None:
    with started(str(vault), "--http", "0", "--processes", "2", MANENT_HTTP_TOKEN=VAULT) as (
        process,
        port,
    ):
        until(lambda: len(children(process)) == 2)
        first = children(process)
        assert [asked(port) for _ in range(12)] == [200] * 12
        until(lambda: asked(port, "wrong-" + "w" * 20) == 401)
        time.sleep(2)  # one that lives no longer is not started again
        victim = min(first)
        os.kill(victim, signal.SIGKILL)
        until(lambda: len(children(process)) == 2 and victim not in children(process))

        def answers() -> bool:
            try:
                return asked(port) == 200
            except httpx2.HTTPError:
                return False

        until(answers)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert not any(Path(f"/proc/{child}").exists() for child in first)


def test_what_several_processes_cannot_serve_is_said_once(vault: Path) -> None:
    done = refused(str(vault), "--http", "0", "--processes", "3", "--token", "short")
    assert done.returncode == 2 and done.stderr.count("at least 16 characters") == 1
    assert refused(str(vault), "--processes", "2").returncode == 2
    told = ("--http", "0", "--processes", "2", "--metrics", "--token", VAULT)
    assert refused(str(vault), *told).returncode == 2


def test_processes_end_when_the_one_that_keeps_them_is_killed(vault: Path) -> None:
    with started(str(vault), "--http", "0", "--processes", "2", MANENT_HTTP_TOKEN=VAULT) as (
        process,
        _,
    ):
        until(lambda: len(children(process)) == 2)
        left = children(process)
        process.kill()
        process.wait(10)
        until(lambda: not any(_lives(child) for child in left))


def _lives(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False
