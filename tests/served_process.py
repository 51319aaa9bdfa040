"""``manent serve --http`` as a process of its own, for one test."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

OWNER = "owner-" + "o" * 20
MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_SECONDS = 90


class Server:
    """A server that runs. url: of its endpoint."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.url = f"http://127.0.0.1:{port}/mcp"
        self.process = process

    def call(self, name: str, token: str = OWNER, /, **arguments: Any) -> Any:
        """Call a tool; return its document, or the text of a failure."""
        result = self.send("tools/call", name, token, {}, name=name, arguments=arguments)["result"]
        text = result["content"][0]["text"]
        return text if result["isError"] else json.loads(text)

    def send(
        self,
        method: str,
        named: str = "",
        token: str = OWNER,
        declared: Mapping[str, Any] | None = None,
        /,
        **params: Any,
    ) -> Any:
        """Send a modern request and return the whole answer, an error or not.

        named: for the routing header. declared: the client's capabilities.
        """
        meta = {**_META, "io.modelcontextprotocol/clientCapabilities": dict(declared or {})}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": method,
            **({"Mcp-Name": named} if named else {}),
        }
        asked = urllib.request.Request(self.url, json.dumps(message).encode(), headers)
        try:
            with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return json.load(refused)

    def paths(self, **arguments: Any) -> list[str]:
        """Return the paths of a search's hits."""
        return [hit["path"] for hit in self.call("brain_search", **arguments)["hits"]]


@contextlib.contextmanager
def running(
    what: Path,
    *options: str,
    ends: bool = True,
    log: int | IO[bytes] = subprocess.DEVNULL,
    port: int = 0,
) -> Iterator[Server]:
    """Serve on a port, or one that is free. ends: it is told to end, and must; else it may
    be dead already. log: where what it logs goes.
    """
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "manent", "serve", str(what), "--http", str(port), *options]
    process = subprocess.Popen(command, env={**os.environ, "MANENT_HTTP_TOKEN": OWNER}, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/readyz", process)
        yield Server(port, process)
    finally:
        process.terminate()
        status = process.wait(30)
    assert not ends or status == 0


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, "the server ended"
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)
    raise AssertionError("the server was not ready in time")
