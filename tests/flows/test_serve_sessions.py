"""Sessions of the pages at several servers at once: what ends at one has ended."""

from __future__ import annotations

import http.client
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from served_process import OWNER, Server, running
from vaults import note, write


def ask(
    server: Server, method: str, path: str, cookie: str = "", body: str = ""
) -> tuple[int, str]:
    """Ask as a browser does; return the status and the cookie that was set."""
    port = urlsplit(server.url).port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{port}"}
    connection.request(method, path, body or None, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, (answer.headers["Set-Cookie"] or "").partition(";")[0]


def shown(server: Server, cookie: str) -> int:
    return ask(server, "GET", "/ui/graph", cookie)[0]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write(tmp_path / "vault", {"hub.md": note("hub", "A quay of stone.")})


def test_who_signs_out_at_one_server_is_out_at_the_other(vault: Path, tmp_path: Path) -> None:
    database = ("--database", f"sqlite:///{tmp_path / 'shared.sqlite'}")
    with running(vault, *database) as one, running(vault, *database) as other:
        cookie = ask(one, "POST", "/ui/enter", body=f"token={OWNER}")[1]
        kept = ask(other, "POST", "/ui/enter", body=f"token={OWNER}")[1]
        assert [shown(server, cookie) for server in (one, other)] == [200, 200]
        assert ask(other, "POST", "/ui/leave", cookie)[0] == 303
        assert [shown(server, cookie) for server in (one, other)] == [401, 401]
        assert [shown(server, kept) for server in (one, other)] == [200, 200]
    with running(vault, *database) as again:
        assert (shown(again, cookie), shown(again, kept)) == (401, 200)


def test_processes_of_one_server_know_the_same_sessions(vault: Path) -> None:
    with running(vault, "--processes", "2") as server:
        cookie = ask(server, "POST", "/ui/enter", body=f"token={OWNER}")[1]
        assert {shown(server, cookie) for _ in range(24)} == {200}
        assert ask(server, "POST", "/ui/leave", cookie)[0] == 303
        assert {shown(server, cookie) for _ in range(24)} == {401}
