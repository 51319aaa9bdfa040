"""Where the server listens, and under which names it answers."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.errors import EnvironmentFault, UsageError
from manent.server.address import STUCK_MS, Names, Place, listen, origin_of, place_of, public_base


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("8080", Place("127.0.0.1", 8080)),
        (":8080", Place("127.0.0.1", 8080)),
        ("0", Place("127.0.0.1", 0)),
        ("0.0.0.0:80", Place("0.0.0.0", 80)),
        ("localhost:65535", Place("localhost", 65535)),
        ("[::1]:9", Place("::1", 9)),
        ("[::]:9", Place("::", 9)),
        ("brain.example:443", Place("brain.example", 443)),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert place_of(text) == place
    assert place_of(place.text) == place


@pytest.mark.parametrize(
    "text",
    ["", ":", "host", "host:", "65536", "-1", "::1:80", "[::1]", "[x]:1", "[::1:1", "a b:1",
     "http://x:1", "x@y:1", "٨٠", "1e3", "host:80/x", "\n80"],
)  # fmt: skip
def test_no_places(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        place_of(text)
    assert "\n" not in str(refusal.value)


@given(st.text(max_size=40))
def test_any_text_is_a_place_or_refused(text: str) -> None:
    try:
        place = place_of(text)
    except UsageError:
        return
    assert 0 <= place.port <= 65_535 and place.host


def test_port_0_is_a_free_one_and_a_taken_one_is_refused() -> None:
    sockets = listen(Place("127.0.0.1", 0))
    try:
        port = sockets[0].getsockname()[1]
        assert port > 0
        with pytest.raises(EnvironmentFault, match="cannot listen"):
            listen(Place("127.0.0.1", port))
        with socket.create_connection(("127.0.0.1", port)) as connection:
            assert connection.getpeername()[1] == port
    finally:
        for opened in sockets:
            opened.close()


def test_connections_answer_at_once_and_are_let_go_when_stuck() -> None:
    opened = listen(Place("127.0.0.1", 0))[0]
    try:
        with socket.create_connection(opened.getsockname()):
            opened.setblocking(True)
            taken, _ = opened.accept()
            with taken:
                # asyncio switches Nagle's algorithm off for what is called TCP alone.
                assert taken.proto == socket.IPPROTO_TCP
                assert taken.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                if hasattr(socket, "TCP_USER_TIMEOUT"):
                    stuck = taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
                    assert stuck == STUCK_MS
    finally:
        opened.close()


def test_a_host_that_is_none_is_refused() -> None:
    with pytest.raises(EnvironmentFault, match="no host"):
        listen(Place("no-such-host.invalid", 0))


def test_every_address_of_a_name_is_listened_to_at_one_port() -> None:
    sockets = listen(Place("localhost", 0))
    try:
        assert len({opened.getsockname()[1] for opened in sockets}) == 1
    finally:
        for opened in sockets:
            opened.close()


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("", ""),
        ("https://brain.example", "https://brain.example"),
        ("https://Brain.example/", "https://brain.example"),
        ("https://brain.example:8443/mcp", "https://brain.example:8443"),
        ("https://brain.example/team/mcp/", "https://brain.example/team"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/mcp", "http://[::1]:8080"),
        ("https://Brain.example:443/mcp", "https://brain.example"),
        ("http://brain.example:80/", "http://brain.example"),
        ("https://brain.example:80", "https://brain.example:80"),
        ("https://brain.example:", "https://brain.example"),
        ("http://[0:0::1]:8080", "http://[::1]:8080"),
        ("HTTPS://brain.example:0443/Team", "https://brain.example/Team"),
    ],
)
def test_public_urls(text: str, base: str) -> None:
    assert public_base(text) == base


@pytest.mark.parametrize(
    "text",
    ["brain.example", "ftp://x", "https://", "https://u:p@x", "https://x?y", "https://x#y",
     "https://x:99999", "https://x:0", "https://[x", "https://x y", "javascript:alert(1)",
     "https://x\n", "https://é.example", "https://x/../y", "https://[v1.x]"],
)  # fmt: skip
def test_no_public_urls(text: str) -> None:
    with pytest.raises(UsageError):
        public_base(text)


@given(st.text(max_size=20), st.sampled_from(["https://", "http://", "HTTPS://X", "https://[::1]"]))
def test_a_public_url_is_brought_to_its_form_once(text: str, scheme: str) -> None:
    try:
        base = public_base(scheme + text)
    except UsageError:
        return
    assert public_base(base + "/mcp") == public_base(base + "/mcp/") == base


def test_origins() -> None:
    assert origin_of("https://Tool.example/") == "https://tool.example"
    assert origin_of("https://tool.example:443") == "https://tool.example"
    assert origin_of("http://tool.example:80/") == "http://tool.example"
    assert origin_of("http://localhost:6274") == "http://localhost:6274"
    for text in ("", "tool.example", "https://x/path", "https://x/mcp", "null", "*"):
        with pytest.raises(UsageError):
            origin_of(text)


@given(st.text(max_size=60), st.integers(0, 65_535))
def test_any_header_is_known_or_not(text: str, port: int) -> None:
    names = Names("https://brain.example")
    known = names.knows_host(text, port)
    assert known in (True, False)
    assert names.knows_origin(text, "localhost:1", port) in (True, False)


@given(st.from_regex(r"[a-z0-9.-]{1,30}", fullmatch=True), st.integers(1, 65_535))
def test_a_name_that_somebody_points_here_is_not_known(name: str, port: int) -> None:
    host = f"{name}.evil.example"
    assert not Names("https://brain.example").knows_host(f"{host}:{port}", port)
    assert not Names("https://brain.example").knows_origin(f"http://{host}:{port}", host, port)


def test_a_public_name_needs_its_own_port() -> None:
    names = Names("https://brain.example:8443")
    assert names.knows_host("brain.example:8443", 1)
    assert not names.knows_host("brain.example", 1)
    assert names.knows_origin("https://brain.example:8443", "brain.example:8443", 1)
    assert not names.knows_origin("http://brain.example:8443", "brain.example:8443", 1)
    assert not names.knows_origin("https://brain.example", "brain.example", 1)


@pytest.mark.parametrize("text", ["https://Brain.example:443/mcp", "https://brain.example"])
def test_a_port_that_goes_without_saying_is_said_or_not(text: str) -> None:
    names = Names(public_base(text))
    for host in ("brain.example", "BRAIN.example:443"):
        assert names.knows_host(host, 1)
        assert names.knows_origin("https://brain.example", host, 1)
    assert not names.knows_host("brain.example:80", 1)


def test_a_loopback_name_without_a_port_is_port_80() -> None:
    assert Names().knows_host("localhost", 80)
    assert not Names().knows_host("localhost", 8080)
    assert Names().knows_origin("http://localhost", "localhost", 80)
