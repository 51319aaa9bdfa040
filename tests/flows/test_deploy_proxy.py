"""The reverse proxy of the recipe: what stands in a path as a token stands in no log."""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from repositories import Clone
from served_http import META, MODERN
from servers import _answers, _running, free_port, program

RECIPE = Path(__file__).resolve().parents[2] / "deploy/root/etc/nginx"
TOKEN = "path-token-" + "p" * 24

NGINX = """
{user}
worker_processes 1;
pid {root}/nginx.pid;
error_log {root}/logs/main.log {level};
events {{}}
http {{
    error_log {root}/logs/http.log {level};
    access_log {root}/logs/other.log;
    client_body_temp_path {root}/body; fastcgi_temp_path {root}/fastcgi;
    proxy_temp_path {root}/proxy; scgi_temp_path {root}/scgi; uwsgi_temp_path {root}/uwsgi;
    upstream manent {{ {servers} }}
    include {recipe}/conf.d/manent.conf;
    {site}
}}
"""


def site_of(root: Path, port: int, level: str) -> str:
    """Return the recipe's server block, at a plain port and with logs of the test's own."""
    text = (RECIPE / "sites-available/manent").read_text()
    lines = [x for x in text.splitlines() if "ssl" not in x or "#" in x]
    site = "\n".join(lines).replace("/var/log/nginx", str(root / "logs"))
    site = site.replace("server {", f"server {{\n    listen 127.0.0.1:{port};")
    site = site.replace("error.log warn", f"error.log {level}")
    serve = f"include {RECIPE}/snippets/manent-serve.conf;"
    assert "include snippets/manent.conf;" in site
    return site.replace("include snippets/manent.conf;", serve)


@dataclass
class Proxy:
    """The proxy, and what it has logged."""

    port: int
    logs: Path

    def post(self, path: str, body: bytes = b"{}", **headers: str) -> int:
        """Send a request; return the status."""
        given = {"Content-Type": "application/json", **headers}
        url = f"http://127.0.0.1:{self.port}{path}"
        return httpx2.post(url, content=body, headers=given, timeout=20).status_code

    def raw(self, data: bytes) -> None:
        """Send bytes and go away."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(data)

    def said(self) -> str:
        return "".join(file.read_text(errors="replace") for file in self.logs.iterdir())


@contextlib.contextmanager
def proxied(root: Path, *upstreams: int, level: str = "info", port: int = 0) -> Iterator[Proxy]:
    """Run the recipe's proxy before these ports, and look for the token in its logs."""
    (root / "logs").mkdir(exist_ok=True)
    port, conf = port or free_port(), root / "nginx.conf"
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    servers = " ".join(f"server 127.0.0.1:{one};" for one in upstreams)
    conf.write_text(
        NGINX.format(
            user=user,
            root=root,
            level=level,
            servers=servers,
            recipe=RECIPE,
            site=site_of(root, port, level),
        )
    )
    command = [program("nginx"), "-c", str(conf), "-p", str(root), "-g", "daemon off;"]
    with _running(command, lambda: _answers(port)):
        found = Proxy(port, root / "logs")
        yield found
    assert found.said(), "the logs are read"
    assert TOKEN not in found.said()


@contextlib.contextmanager
def answering(say: Callable[[socket.socket], None]) -> Iterator[int]:
    """Listen on a port; to who connects and has sent something, ``say`` answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def work() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    connection.recv(65_536)
                    say(connection)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield int(listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)


def test_replicas_that_are_away(tmp_path: Path) -> None:
    """Refused connections first, then no live upstream, for several spellings of the path."""
    with proxied(tmp_path, free_port(), free_port()) as proxy:
        for path in (f"/t/{TOKEN}/mcp", f"/t/{TOKEN}/mcp/", f"//t/./{TOKEN}/mcp", f"/t/{TOKEN}"):
            for _ in range(3):
                assert proxy.post(path) == 502
        assert proxy.post("/mcp") == 502
    said = proxy.said()
    assert "no live upstreams" in said, "what goes wrong elsewhere is logged as ever"


def test_bodies_that_are_too_large(tmp_path: Path) -> None:
    def ok(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")

    with answering(ok) as port, proxied(tmp_path, port) as proxy:
        assert proxy.post(f"/t/{TOKEN}/mcp", b"x" * 9_000_000) == 413
        pieces = b"".join(b"100000\r\n" + b"x" * 0x100000 + b"\r\n" for _ in range(10))
        head = f"POST /t/{TOKEN}/mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        with contextlib.suppress(OSError):
            proxy.raw(head.encode() + pieces + b"0\r\n\r\n")
        # One that has to be laid aside in a file is worth a warning to nginx.
        with contextlib.suppress(httpx2.HTTPError):
            proxy.post(f"/t/{TOKEN}/mcp", b"x" * 3_000_000)
        assert proxy.post("/mcp", b"x" * 9_000_000) == 413
    assert "too large body" in proxy.said()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no http at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["nothing", "no-http", "short", "long-head", "bad-chunk"],
)
def test_replicas_that_answer_wrongly_or_not_at_all(tmp_path: Path, answer: bytes) -> None:
    with (
        answering(lambda connection: connection.sendall(answer)) as port,
        proxied(tmp_path, port) as proxy,
    ):
        for path in (f"/t/{TOKEN}/mcp", "/mcp"):
            with contextlib.suppress(httpx2.HTTPError):
                proxy.post(path)


def test_clients_that_go_away_or_send_what_nobody_can_read(tmp_path: Path) -> None:
    with proxied(tmp_path, free_port(), level="warn") as proxy:
        head = f"POST /t/{TOKEN}/mcp HTTP/1.1\r\nHost: x\r\n".encode()
        proxy.raw(head + b"Content-Length: 900\r\n\r\nhalf")
        proxy.raw(head + b"no header at all\x00\r\n\r\n")
        proxy.raw(head + b"X: " + b"y" * 100_000 + b"\r\n\r\n")
        proxy.raw(head[:-2])
        proxy.raw(head.replace(b"/mcp", b"/" + b"z" * 100_000) + b"\r\n")
        assert proxy.post("/mcp") == 502
        assert proxy.post("/elsewhere") == 404
    assert '"POST /elsewhere HTTP/1.1" 404' in proxy.said(), "others are logged as ever"


def test_a_token_in_a_path_comes_in_as_ever(clone: Clone, tmp_path: Path) -> None:
    """A real replica behind the proxy, killed at last."""
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps({"scout": {"token": TOKEN, "read": ["team"]}}))
    agents.chmod(0o600)
    port, front, log = free_port(), free_port(), tmp_path / "replica.log"
    options = ["--agents", str(agents), "--http", str(port), "--retriever", "bm25"]
    options += ["--public-url", f"http://127.0.0.1:{front}"]
    with log.open("wb") as stream:
        replica = subprocess.Popen(
            [sys.executable, "-m", "manent", "serve", str(clone.brain), *options],
            env={**os.environ, "MANENT_HTTP_TOKEN": "vault-" + "v" * 20},
            stdin=subprocess.DEVNULL,
            stderr=stream,
        )
    try:
        with proxied(tmp_path, port, port=front) as proxy:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
            headers = {
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": MODERN,
                "Mcp-Method": "tools/list",
            }
            until = 60
            while not _answers(port) and until:
                until -= 1
                threading.Event().wait(0.5)
            asked = json.dumps(message).encode()
            assert proxy.post(f"/t/{TOKEN}/mcp", asked, **headers) == 200
            replica.kill()
            replica.wait(10)
            assert proxy.post(f"/t/{TOKEN}/mcp", asked, **headers) == 502
    finally:
        replica.kill()
        replica.wait(10)
    assert TOKEN not in log.read_text()
