"""Serving over HTTP: who comes in, both eras, what is refused, and stopping."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from served_http import (
    LEGACY,
    META,
    MODERN,
    Running,
    initialize,
    legacy,
    modern,
    raw,
    running,
    small_server,
)

from manent.server import http as server_http
from manent.server import running as server_running
from manent.server.door import Door
from manent.server.identities import Identities
from manent.server.streams import REVOKED_SECONDS
from manent.server.throttle import Throttle

VAULT = "vault-" + "v" * 20
SCOUT = "scout-" + "s" * 20
CALL: dict[str, Any] = {"name": "whoami", "arguments": {}}


@pytest.fixture
def identities(tmp_path: Path) -> Identities:
    path = tmp_path / "agents.json"
    path.write_text(json.dumps({"scout": {"token": SCOUT, "read": ["team"]}}))
    path.chmod(0o600)
    return Identities(path, VAULT)


@pytest.fixture
def site(identities: Identities) -> Iterator[Running]:
    with running(identities, public_url="https://brain.example.org") as found:
        yield found


def said(response: httpx2.Response) -> str:
    assert response.status_code == 200, (response.status_code, response.text)
    return str(response.json()["result"]["content"][0]["text"])


def code_of(response: httpx2.Response) -> int:
    document = response.json()
    assert "\n" not in document["error"]["message"]
    return int(document["error"]["code"])


# -- who comes in ---------------------------------------------------------------------


@pytest.mark.parametrize(("token", "name"), [(VAULT, "owner"), (SCOUT, "scout")])
def test_a_token_says_who_asks_in_both_eras(site: Running, token: str, name: str) -> None:
    assert said(site.post(modern("tools/call", **CALL), token, MODERN)) == name
    assert said(site.post(legacy("tools/call", **CALL), token, LEGACY)) == name
    assert said(site.post(legacy("tools/call", **CALL), token)) == name


@pytest.mark.parametrize("version", [MODERN, LEGACY])
def test_a_token_in_the_path_for_clients_without_headers(site: Running, version: str) -> None:
    message = (modern if version == MODERN else legacy)("tools/call", **CALL)
    assert said(site.post(message, None, version, f"/t/{SCOUT}/mcp")) == "scout"
    assert said(site.post(message, None, version, f"/t/{VAULT}/mcp/")) == "owner"
    wrong = "wrong-" + "w" * 20
    assert site.post(message, None, version, f"/t/{wrong}/mcp").status_code == 401
    assert site.post(message, VAULT, version, f"/t/{wrong}/mcp").status_code == 401
    assert site.post(message, None, version, f"/t/{SCOUT}/metrics").status_code == 404
    for secret in (SCOUT, VAULT, wrong):
        assert secret not in site.log.getvalue()


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", f"Basic {VAULT}", VAULT, f"Bearer {VAULT}x", "Bearer \xff" * 9],
)
def test_whoever_is_not_known_gets_401(site: Running, authorization: str | None) -> None:
    headers = [] if authorization is None else [(b"Authorization", authorization.encode("latin-1"))]
    response = site.client.post("/mcp", json=modern("tools/list"), headers=headers)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert "error" in response.json()


def test_two_tokens_are_none(site: Running) -> None:
    headers = [("Authorization", f"Bearer {VAULT}"), ("Authorization", f"Bearer {SCOUT}")]
    response = site.client.post("/mcp", json=modern("tools/list"), headers=headers)
    assert response.status_code == 401


def test_a_challenge_names_where_to_sign_in(identities: Identities) -> None:
    def with_challenge(door: Door) -> None:
        door.challenge = 'resource_metadata="https://brain.example.org/x"'

    with running(identities, door=with_challenge) as site:
        response = site.post(modern("tools/list"), None, MODERN)
        assert response.headers["WWW-Authenticate"] == (
            'Bearer resource_metadata="https://brain.example.org/x"'
        )
        response = site.post(modern("tools/list"), "wrong-" + "w" * 20, MODERN)
        assert 'error="invalid_token", resource_metadata=' in response.headers["WWW-Authenticate"]


def test_a_new_agents_file_counts_at_once(site: Running, tmp_path: Path) -> None:
    assert site.post(modern("tools/list"), SCOUT, MODERN).status_code == 200
    (tmp_path / "agents.json").write_text("{}")
    assert site.post(modern("tools/list"), SCOUT, MODERN).status_code == 401


def test_guessing_is_slowed_down_and_locks_nobody_out(identities: Identities) -> None:
    def strict(door: Door) -> None:
        door.throttle = Throttle(burst=3, seconds_each=60)

    with running(identities, door=strict) as site:
        assert site.post(modern("tools/list"), SCOUT, MODERN).status_code == 200
        statuses = [
            site.post(modern("tools/list"), f"guess-{n}-" + "g" * 16, MODERN) for n in range(6)
        ]
        assert [r.status_code for r in statuses] == [401, 401, 401, 429, 429, 429]
        assert int(statuses[-1].headers["Retry-After"]) > 0
        # What is right is not looked at either, if it was never right before.
        assert site.post(modern("tools/list"), VAULT, MODERN).status_code == 429
        assert site.post(modern("tools/list"), SCOUT, MODERN).status_code == 200


# -- hosts, origins, preflights -------------------------------------------------------


def hosted(site: Running, host: str, **headers: str) -> httpx2.Response:
    return site.post(modern("tools/list"), VAULT, MODERN, Host=host, **headers)


def test_only_our_own_names_are_answered(site: Running) -> None:
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]", "127.0.0.2", "192.0.2.7"):
        assert hosted(site, f"{host}:{site.port}").status_code == 200, host
    for host in ("brain.example.org", "brain.example.org:443", "Brain.Example.ORG"):
        assert hosted(site, host).status_code == 200, host
    evil = [
        f"evil.example:{site.port}",
        "evil.example",
        "localhost",
        f"localhost:{site.port + 1}",
        "brain.example.org:8443",
        f"localhost.evil.example:{site.port}",
        f"127.0.0.1.evil.example:{site.port}",
        f"localhost:{site.port}@evil.example",
        f"[::1]evil:{site.port}",
        "x" * 3_000,
    ]
    for host in evil:
        assert hosted(site, host).status_code == 421, host
    refused = [line for line in site.lines() if line["event"] == "refused"]
    assert len(refused) == len(evil) and refused[0]["host"] == evil[0]
    assert refused[0]["reason"] == "host"


def test_the_name_is_looked_at_before_the_token(site: Running) -> None:
    response = site.post(modern("tools/list"), "wrong-" + "w" * 20, MODERN, Host="evil.example")
    assert response.status_code == 421


def test_pages_of_other_origins_may_not_call(site: Running) -> None:
    host = f"localhost:{site.port}"
    for origin in (f"http://localhost:{site.port}", "https://brain.example.org"):
        response = hosted(site, host, Origin=origin)
        assert response.status_code == 200
        assert response.headers["Access-Control-Allow-Origin"] == origin
    for origin in (
        "null",
        "https://evil.example",
        "http://brain.example.org",
        f"http://localhost:{site.port + 1}",
        f"http://192.0.2.7:{site.port}",
        "file://",
        f"http://localhost:{site.port}/",
        "https://brain.example.org.evil.example",
    ):
        response = hosted(site, host, Origin=origin)
        assert response.status_code == 403, origin
        assert "Access-Control-Allow-Origin" not in response.headers
    assert next(line["origin"] for line in site.lines() if line["event"] == "refused") == "null"


def test_further_origins_may_be_named(identities: Identities) -> None:
    with running(identities, origins=("https://tool.example",)) as site:
        assert hosted(site, f"localhost:{site.port}", Origin="https://tool.example").is_success


def test_a_preflight_is_answered_without_a_token(site: Running) -> None:
    headers = {
        "Origin": f"http://localhost:{site.port}",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, mcp-param-region, x-evil",
    }
    response = site.client.request("OPTIONS", "/mcp", headers=headers)
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] == headers["Origin"]
    allowed = response.headers["Access-Control-Allow-Headers"].split(", ")
    assert {"authorization", "mcp-protocol-version", "mcp-param-region"} <= set(allowed)
    assert "x-evil" not in allowed
    foreign = {**headers, "Origin": "https://evil.example"}
    assert site.client.request("OPTIONS", "/mcp", headers=foreign).status_code == 403


# -- eras -----------------------------------------------------------------------------


def test_auto_serves_both(site: Running) -> None:
    opened = site.post(initialize(), VAULT).json()["result"]
    assert opened["protocolVersion"] == LEGACY
    found = site.post(modern("server/discover"), VAULT, MODERN).json()["result"]
    assert found["supportedVersions"] == [MODERN]


def test_an_initialize_is_a_handshake_whatever_stands_in_the_header(site: Running) -> None:
    for version in (MODERN, LEGACY, None):
        opened = site.post(initialize(), VAULT, version, Mcp_Method="initialize").json()
        assert opened["result"]["protocolVersion"] == LEGACY


def test_the_era_never_comes_from_the_method_header(site: Running) -> None:
    response = site.post(legacy("tools/call", **CALL), SCOUT, LEGACY, Mcp_Method="server/discover")
    assert said(response) == "scout"
    response = site.post(legacy("tools/list"), SCOUT, None, Mcp_Method="tools/list")
    assert "resultType" not in response.json()["result"]


def test_a_declared_version_must_stand_in_the_header_too(site: Running) -> None:
    for version in (None, LEGACY):
        response = site.post(modern("tools/list"), VAULT, version, Mcp_Method="tools/list")
        assert (response.status_code, code_of(response)) == (400, -32020)
    response = site.post(legacy("tools/list"), VAULT, MODERN)
    assert (response.status_code, code_of(response)) == (400, -32602)
    declared = modern("tools/list")
    declared["params"]["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    response = site.post(declared, VAULT, "2031-01-01", Mcp_Method="tools/list")
    assert (response.status_code, code_of(response)) == (400, -32022)


def test_pinned_to_legacy(identities: Identities) -> None:
    with running(identities, era="legacy") as site:
        for message in (modern("server/discover"), modern("tools/list")):
            response = site.post(message, VAULT, MODERN)
            assert (response.status_code, code_of(response)) == (400, -32022)
            assert LEGACY in response.json()["error"]["data"]["supported"]
            assert MODERN not in response.json()["error"]["data"]["supported"]
        assert site.post(initialize(), VAULT).json()["result"]["protocolVersion"] == LEGACY
        assert said(site.post(legacy("tools/call", **CALL), SCOUT, LEGACY)) == "scout"


def test_pinned_to_modern(identities: Identities) -> None:
    with running(identities, era="modern") as site:
        response = site.post(initialize(), VAULT)
        assert (response.status_code, code_of(response)) == (400, -32022)
        assert response.json()["error"]["data"] == {"supported": [MODERN], "requested": LEGACY}
        for version in (LEGACY, None):
            response = site.post(legacy("tools/list"), VAULT, version)
            assert (response.status_code, code_of(response)) == (400, -32022)
        assert said(site.post(modern("tools/call", **CALL), SCOUT, MODERN)) == "scout"
        response = site.client.get("/mcp", headers={"Authorization": f"Bearer {VAULT}"})
        assert response.status_code == 405


def called(site: Running, token: str, mode: Any = "auto") -> tuple[str, str]:
    """Call through the SDK's own client; return the revision it settled on, and the answer."""

    async def work() -> tuple[str, str]:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers) as inner:
            transport = streamable_http_client(site.url + "/mcp", http_client=inner)
            async with Client(transport, mode=mode) as client:
                result = await client.call_tool("whoami", {})
                return str(client.protocol_version), str(result.content[0].text)  # type: ignore[union-attr]

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("era", "settled"), [("auto", MODERN), ("legacy", LEGACY), ("modern", MODERN)]
)
def test_the_sdks_client_settles_on_what_is_served(
    identities: Identities, era: str, settled: str
) -> None:
    with running(identities, era=era) as site:
        assert called(site, SCOUT) == (settled, "scout")


def test_the_sdks_client_in_the_old_way(site: Running) -> None:
    assert called(site, VAULT, "legacy") == (LEGACY, "owner")


# -- messages that are none -----------------------------------------------------------

MALFORMED: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", -32700),
    "no JSON": (b"{", -32700),
    "no UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
    "UTF-16": ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), -32700),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    "a number": (b"7", -32600),
    "no version": (b'{"id":1,"method":"ping"}', -32600),
    "a method that is none": (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    "an id that is none": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    "an id that is true": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
    "neither call nor answer": (b'{"jsonrpc":"2.0","id":1}', -32600),
    "a list of parameters": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
    "deep": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 5_000, -32700),
    "too deep": (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 80 + b"]" * 80 + b"}}",
        -32600,
    ),
    "very deep": (b"[" * 90_000, -32700),
    "many values": (b"[" * 3_000_000, -32600),
    "half a character": (rb'{"jsonrpc":"2.0","id":1,"method":"\ud800"}', -32600),
    "a huge number": (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b"}", -32700),
}


@pytest.mark.parametrize("case", MALFORMED)
@pytest.mark.parametrize("version", [MODERN, LEGACY])
def test_a_malformed_message_gets_one_plain_line(site: Running, case: str, version: str) -> None:
    body, code = MALFORMED[case]
    response = site.post(body, VAULT, version)
    assert response.status_code == 400
    assert code_of(response) == code
    assert said(site.post(modern("tools/call", **CALL), SCOUT, MODERN)) == "scout"


@pytest.mark.parametrize("version", [MODERN, LEGACY])
def test_ten_megabytes_get_a_plain_error(site: Running, version: str) -> None:
    arguments = {"text": "x" * 10_000_000}
    message = (modern if version == MODERN else legacy)(
        "tools/call", name="whoami", arguments=arguments
    )
    response = site.post(message, VAULT, version)
    assert response.status_code == 413 and "at most" in response.json()["error"]["message"]
    assert said(site.post(modern("tools/call", **CALL), SCOUT, MODERN)) == "scout"


def test_what_is_announced_as_huge_is_not_waited_for(site: Running) -> None:
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost:{site.port}\r\nAuthorization: Bearer {VAULT}\r\n"
        "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n"
    )
    assert raw(site.port, head.encode()).startswith(b"HTTP/1.1 413")


def test_who_is_not_known_sends_no_body(site: Running) -> None:
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost:{site.port}\r\n"
        "Content-Type: application/json\r\nContent-Length: 5000000\r\nConnection: close\r\n\r\n"
    )
    assert raw(site.port, head.encode()).startswith(b"HTTP/1.1 401")


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_a_body_that_is_not_announced_as_json(site: Running, kind: str | None) -> None:
    body = json.dumps(modern("tools/list")).encode()
    headers = {"Authorization": f"Bearer {VAULT}", "MCP-Protocol-Version": MODERN}
    if kind:
        headers["Content-Type"] = kind
    response = site.client.post("/mcp", content=body, headers=headers)
    assert (response.status_code, code_of(response)) == (415, -32600)


def test_frames_that_are_no_http(site: Running) -> None:
    assert raw(site.port, b"\x16\x03\x01\x02\x00\x01").startswith(b"HTTP/1.1 400")
    assert raw(site.port, b"GET /mcp\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(site.port, b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000).startswith(b"HTTP/1.1 400")
    assert said(site.post(modern("tools/call", **CALL), SCOUT, MODERN)) == "scout"


# -- slow clients ---------------------------------------------------------------------


def test_a_head_that_does_not_come_is_not_waited_for(
    identities: Identities, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_running, "HEAD_SECONDS", 0.5)
    with running(identities) as site:
        with (
            socket.create_connection(("127.0.0.1", site.port), timeout=10) as silent,
            socket.create_connection(("127.0.0.1", site.port), timeout=10) as dripping,
        ):
            dripping.sendall(b"POST /mcp HTTP/1.1\r\n")
            started = time.monotonic()
            assert silent.recv(100) == b"" and dripping.recv(100) == b""
            assert time.monotonic() - started < 5
        # A connection that was answered is kept, and waits again for a head alone.
        assert said(site.post(modern("tools/call", **CALL), SCOUT, MODERN)) == "scout"
        time.sleep(0.8)
        assert said(site.post(modern("tools/call", **CALL), SCOUT, MODERN)) == "scout"


def test_a_body_that_does_not_come_is_not_waited_for(identities: Identities) -> None:
    head = (
        "POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer " + VAULT + "\r\n"
        "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{{"
    )
    with (
        running(identities, body_seconds=0.5) as site,
        socket.create_connection(("127.0.0.1", site.port), timeout=10) as slow,
    ):
        slow.sendall(head.format(port=site.port).encode())
        assert slow.recv(12) == b"HTTP/1.1 408"


def test_slow_clients_keep_nobody_waiting(site: Running) -> None:
    open_ones = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(100)]
    try:
        for connection in open_ones:
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: x\r\n")
        started = time.monotonic()
        assert said(site.post(modern("tools/call", **CALL), SCOUT, MODERN)) == "scout"
        assert time.monotonic() - started < 2
    finally:
        for connection in open_ones:
            connection.close()


# -- what an operator looks at --------------------------------------------------------


def test_alive_and_ready(identities: Identities) -> None:
    ready = threading.Event()
    with running(identities, ready=ready.is_set) as site:
        assert site.client.get("/healthz").json() == {"alive": True}
        waiting = site.client.get("/readyz", headers={"Host": "10.1.2.3"})
        assert (waiting.status_code, waiting.json()) == (503, {"ready": False})
        ready.set()
        assert site.client.get("/readyz").json() == {"ready": True}
        assert site.client.head("/healthz").status_code == 200
        assert site.client.post("/healthz").status_code == 405
        assert not [line for line in site.lines() if line["event"] == "request"]


def test_figures_are_for_the_owner_and_off_unless_asked_for(identities: Identities) -> None:
    def figures(site: Running, token: str | None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return site.client.get("/metrics", headers=headers)

    with running(identities) as site:
        assert figures(site, VAULT).status_code == 404
    with running(identities, figures=True) as site:
        site.metrics.gauge("manent_notes", "Notes served.", lambda: 7)
        site.post(modern("tools/call", **CALL), SCOUT, MODERN)
        assert figures(site, None).status_code == 401
        assert figures(site, SCOUT).status_code == 403
        found = figures(site, VAULT)
        assert found.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert "manent_notes 7\n" in found.text
        assert 'manent_requests_total{route="mcp",status="200"} 1\n' in found.text
        assert 'manent_refused_total{reason="token"}' not in found.text


def test_the_log_says_who_and_how_long_and_nothing_of_what(site: Running) -> None:
    secret = "a question about a hidden matter"
    call: dict[str, Any] = {"name": "whoami", "arguments": {"text": secret}}
    site.post(modern("tools/call", **call), SCOUT, MODERN)
    site.client.get(f"/some/{secret.replace(' ', '-')}?q={secret}")
    deadline = time.monotonic() + 5
    while len(lines := [x for x in site.lines() if x["event"] == "request"]) < 2:
        assert time.monotonic() < deadline  # a line is written once the answer is out
    assert lines[0]["identity"] == "scout" and lines[0]["status"] == 200
    assert lines[1]["route"] == "unknown" and lines[1]["status"] == 404
    assert "hidden" not in site.log.getvalue()


def test_answers_may_not_be_sniffed_or_framed_by_others(site: Running) -> None:
    response = site.post(modern("tools/list"), VAULT, MODERN)
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert "Server" not in response.headers


# -- stopping -------------------------------------------------------------------------


def test_calls_under_way_are_answered_when_the_server_stops(identities: Identities) -> None:
    with running(identities, server=small_server(lambda: 0.7)) as site:
        answers: list[str] = []
        callers = [
            threading.Thread(
                target=lambda v=version, m=make: answers.append(
                    said(site.post(m("tools/call", **CALL), SCOUT, v))
                )
            )
            for version, make in ((MODERN, modern), (LEGACY, legacy))
        ]
        for caller in callers:
            caller.start()
        time.sleep(0.3)
        site.stop()
        for caller in callers:
            caller.join(10)
        site.thread.join(10)
        assert answers == ["scout", "scout"] and not site.thread.is_alive()
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(site.url + "/healthz")


def test_a_call_without_end_does_not_keep_the_server(identities: Identities) -> None:
    with running(identities, server=small_server(lambda: 60.0)) as site:

        def ask() -> None:
            with contextlib.suppress(httpx2.HTTPError):
                site.post(modern("tools/call", **CALL), SCOUT, MODERN)

        caller = threading.Thread(target=ask, daemon=True)
        caller.start()
        time.sleep(0.3)
        site.stop()
        started = time.monotonic()
        site.thread.join(15)
        assert not site.thread.is_alive() and time.monotonic() - started < 10


def test_a_stream_without_end_ends_with_the_server(identities: Identities) -> None:
    with running(identities) as site:
        listen = modern("subscriptions/listen", notifications={"toolsListChanged": True})
        headers = {
            "Authorization": f"Bearer {SCOUT}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "subscriptions/listen",
        }
        with site.client.stream("POST", "/mcp", json=listen, headers=headers) as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            pieces = response.iter_bytes()
            assert b"acknowledged" in next(pieces)
            site.stop()
            started = time.monotonic()
            assert ends_well(pieces)
        site.thread.join(10)
        assert not site.thread.is_alive() and time.monotonic() - started < 3
        assert not [line for line in site.lines() if line["level"] == "error"]


def test_a_listener_that_takes_nothing_in_keeps_no_server(identities: Identities) -> None:
    with running(identities) as site:
        body = json.dumps(modern("subscriptions/listen", notifications={"toolsListChanged": True}))
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nAuthorization: Bearer {SCOUT}"
            "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream"
            f"\r\nMCP-Protocol-Version: {MODERN}\r\nMcp-Method: subscriptions/listen"
            f"\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )
        with socket.create_connection(("127.0.0.1", site.port), timeout=10) as connection:
            connection.sendall(head.encode())
            time.sleep(0.3)
            site.stop()
            site.thread.join(10)
            assert not site.thread.is_alive()


def ends_well(pieces: Iterator[bytes]) -> bool:
    """Tell whether a stream ends with the result of the call that began it, and no cut.

    A cut raises an error of the client.
    """
    last = b"".join(pieces).strip().split(b"data:")[-1]
    result = json.loads(last)["result"]
    named = result["_meta"]["io.modelcontextprotocol/subscriptionId"]
    return bool(result["resultType"] == "complete" and str(named) == "1")


def test_a_stream_ends_with_the_rights_it_was_begun_with(
    identities: Identities, tmp_path: Path
) -> None:
    """An agent that is no longer there, or that may see other notes, listens anew or not at all."""
    file = tmp_path / "agents.json"
    agents = json.loads(file.read_text())
    headers = {
        "Authorization": f"Bearer {SCOUT}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "subscriptions/listen",
    }
    listen = modern("subscriptions/listen", notifications={"toolsListChanged": True})
    for changed in ({**agents["scout"], "read": ["ops", "other"]}, None):
        with (
            running(identities) as site,
            site.client.stream("POST", "/mcp", json=listen, headers=headers) as response,
        ):
            pieces = response.iter_bytes()
            assert b"acknowledged" in next(pieces)
            if changed is None:
                del agents["scout"]
            else:
                agents["scout"] = changed
            file.write_text(json.dumps(agents))
            started = time.monotonic()
            assert ends_well(pieces)
            assert time.monotonic() - started < REVOKED_SECONDS + 1


def test_what_is_bounded_is_documented() -> None:
    assert server_http.LARGEST_BODY < 10_000_000 < server_http.LARGEST_DISCARDED
