"""Several servers behind one address: whoever is asked next knows what another one did."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx2
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from oauth_site import Clock, Flow, Going, Site, form, free_port, query, signing_in
from served_http import MODERN, modern

from manent.server.identities import Identities
from manent.server.oauth import standing as module
from manent.server.streams import ANSWER_SECONDS, LOOK_SECONDS, REVOKED_SECONDS

VAULT = "vault-" + "v" * 20
SCOUT = "scout-" + "s" * 20


@pytest.fixture
def database(any_database: str) -> str:
    return any_database


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    path = tmp_path / "agents.json"
    path.write_text(json.dumps({"scout": {"token": SCOUT, "read": ["team"]}}))
    path.chmod(0o600)
    return path


@contextlib.contextmanager
def both(
    agents: Path, database: str, clock: Callable[[], float], other_clock: Callable[[], float]
) -> Iterator[tuple[Site, Site]]:
    """Run two servers of one database, known under one name."""
    base = f"http://127.0.0.1:{free_port()}"
    with (
        signing_in(Identities(agents, VAULT), database, clock=clock, base=base) as one,
        signing_in(Identities(agents, VAULT), database, clock=other_clock, base=base) as other,
    ):
        yield one, other


@pytest.fixture
def two(agents: Path, database: str) -> Iterator[tuple[Site, Site]]:
    """Two servers that look at one clock, which a test moves."""
    clock = Clock()
    with both(agents, database, clock, clock) as found:
        yield found


@pytest.fixture(params=[-50.0, -3.0, 0.0, 3.0, 50.0])
def skewed(
    agents: Path, database: str, request: pytest.FixtureRequest
) -> Iterator[tuple[Site, Site]]:
    """Two servers whose clocks go, and differ."""
    with both(agents, database, Going(), Going(request.param)) as found:
        yield found


def test_each_step_at_another_server(two: tuple[Site, Site]) -> None:
    one, other = two
    redirect = "http://127.0.0.1:5/callback"
    client = one.register(redirect_uris=[redirect]).json()["client_id"]
    flow = Flow(other, client, redirect)
    place = flow.authorize().headers["Location"].removeprefix(one.base)
    page = one.browser.get(place)
    fields = {**form(page), "token": SCOUT, "decision": "allow"}
    other.browser.cookies.update(page.cookies)
    sent = other.browser.post("/consent", data=fields, headers={"Origin": one.base})
    assert sent.status_code == 303, sent.text
    flow.site = one
    tokens = flow.exchange(query(sent)["code"]).json()
    for site in two:
        assert site.mcp(tokens["access_token"]).status_code == 200
    flow.site = other
    assert flow.exchange(query(sent)["code"]).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("name", ["a\0b", "\0" * 90, "\x1b[2J", "\u202eevil", "é\ud800x"])
def test_a_client_of_any_name_is_kept(two: tuple[Site, Site], name: str) -> None:
    one, other = two
    body = json.dumps({"redirect_uris": ["http://127.0.0.1:5/cb"], "client_name": name})
    said = one.running.client.post("/register", content=body)
    assert said.status_code == 201, said.text
    flow = Flow(other, said.json()["client_id"], "http://127.0.0.1:6/cb")
    page = flow.page()
    assert page.status_code == 200 and not set("\0\x1b\u202e") & set(page.text)


def at_once(sites: Sequence[Site], refresh: str) -> list[httpx2.Response]:
    """Return what comes of turning one token everywhere at the same moment."""
    found: list[httpx2.Response] = []
    threads = [
        threading.Thread(target=lambda site=site: found.append(Flow(site).refresh(refresh)))
        for site in sites
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_refresh_at_both_at_once_loses_nobody(two: tuple[Site, Site]) -> None:
    flow = Flow(two[0])
    tokens = flow.tokens(SCOUT)
    for _ in range(5):
        found = at_once((*two, *two), tokens["refresh_token"])
        assert [response.status_code for response in found] == [200] * 4
        assert len({response.json()["refresh_token"] for response in found}) == 1
        tokens = found[0].json()
    for site in two:
        assert site.mcp(tokens["access_token"]).status_code == 200


def test_with_clocks_that_go_and_differ_it_loses_nobody_either(skewed: tuple[Site, Site]) -> None:
    tokens = Flow(skewed[0]).tokens(SCOUT)
    for n in range(10):
        found = at_once((*skewed, *skewed), tokens["refresh_token"])
        assert [response.status_code for response in found] == [200] * 4, n
        assert len({response.json()["refresh_token"] for response in found}) == 1
        tokens = found[n % 4].json()
    for site in skewed:
        assert site.mcp(tokens["access_token"]).status_code == 200


@pytest.mark.parametrize("first", [0, 1])
def test_an_answer_that_was_lost_is_given_by_a_server_with_another_clock(
    skewed: tuple[Site, Site], first: int
) -> None:
    turner, other = Flow(skewed[first]), Flow(skewed[1 - first])
    old = turner.tokens(SCOUT)["refresh_token"]
    lost, again = turner.refresh(old).json(), other.refresh(old).json()
    assert again["refresh_token"] == lost["refresh_token"]
    assert other.refresh(again["refresh_token"]).status_code == 200


@pytest.mark.parametrize("first", [0, 1])
def test_a_stolen_token_ends_the_grant_whatever_the_clocks_say(
    skewed: tuple[Site, Site], first: int
) -> None:
    turner, other = Flow(skewed[first]), Flow(skewed[1 - first])
    old = turner.tokens(SCOUT)["refresh_token"]
    newer = turner.refresh(turner.refresh(old).json()["refresh_token"]).json()
    assert other.refresh(old).json()["error"] == "invalid_grant"
    assert turner.refresh(newer["refresh_token"]).json()["error"] == "invalid_grant"


def test_what_one_revokes_the_other_refuses(
    two: tuple[Site, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KNOWN_SECONDS", 0.0)
    one, other = two
    tokens = Flow(one).tokens(SCOUT)
    assert other.mcp(tokens["access_token"]).status_code == 200
    sent = {"token": tokens["refresh_token"], "client_id": Flow(one).client}
    assert one.running.client.post("/revoke", data=sent).status_code == 200
    assert other.mcp(tokens["access_token"]).status_code == 401
    assert Flow(other).refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_who_guesses_shuts_nobody_out_of_a_server_they_never_asked(two: tuple[Site, Site]) -> None:
    one, other = two
    tokens = Flow(one).tokens(SCOUT)
    assert [other.mcp(f"wrong-{n}").status_code for n in range(12)][-1] == 429
    assert other.mcp(tokens["access_token"]).status_code == 200
    assert [Flow(other).exchange(f"no-{n}").status_code for n in range(31)][-1] == 429
    turned = Flow(other).refresh(tokens["refresh_token"]).json()
    assert other.mcp(turned["access_token"]).status_code == 200


def test_any_order_of_servers_keeps_a_session_going(two: tuple[Site, Site]) -> None:
    dice = random.Random(7)
    flow = Flow(dice.choice(two))
    tokens = flow.tokens(VAULT)
    for _ in range(12):
        dice.choice(two).clock.now += 3_000
        flow.site = dice.choice(two)
        tokens = flow.refresh(tokens["refresh_token"]).json()
        assert dice.choice(two).mcp(tokens["access_token"]).status_code == 200


@contextlib.contextmanager
def listening(site: Site, token: str) -> Iterator[threading.Thread]:
    """Listen with a token; the thread ends when the stream does."""
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "subscriptions/listen",
    }
    body = modern("subscriptions/listen", notifications={"toolsListChanged": True})
    began = threading.Event()

    def listen() -> None:
        client = httpx2.Client(base_url=str(site.running.client.base_url), timeout=60)
        host = {"Host": site.base.removeprefix("http://")}
        with (
            contextlib.suppress(httpx2.HTTPError),
            client.stream("POST", "/mcp", json=body, headers={**headers, **host}) as response,
        ):
            for piece in response.iter_bytes():
                if b"acknowledged" in piece:
                    began.set()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert began.wait(20)
    yield thread


def test_what_is_revoked_ends_its_streams_at_every_server(two: tuple[Site, Site]) -> None:
    one, other = two
    revoked, kept = Flow(one).tokens(SCOUT), Flow(one).tokens(SCOUT)
    with (
        listening(other, revoked["access_token"]) as ends,
        listening(one, revoked["access_token"]) as ends_too,
        listening(other, kept["access_token"]) as goes_on,
    ):
        time.sleep(2 * LOOK_SECONDS)
        assert ends.is_alive() and ends_too.is_alive(), "nothing has happened yet"
        sent = {"token": revoked["refresh_token"], "client_id": Flow(one).client}
        assert one.running.client.post("/revoke", data=sent).status_code == 200
        began = time.monotonic()
        ends.join(2 * REVOKED_SECONDS)
        ends_too.join(2 * REVOKED_SECONDS)
        assert not ends.is_alive() and not ends_too.is_alive()
        # A machine that is busy is given a second more than the bound.
        assert time.monotonic() - began < REVOKED_SECONDS + 1
        assert other.mcp(revoked["access_token"]).status_code == 401
        assert goes_on.is_alive()


def test_an_hour_ends_a_stream_too(two: tuple[Site, Site]) -> None:
    site = two[0]
    with listening(site, Flow(site).tokens(SCOUT)["access_token"]) as ends:
        site.clock.now += 3_601
        ends.join(2 * REVOKED_SECONDS)
        assert not ends.is_alive()


def test_the_bound_is_what_its_parts_come_to() -> None:
    assert module.KNOWN_SECONDS > 0
    assert module.KNOWN_SECONDS + LOOK_SECONDS + ANSWER_SECONDS <= REVOKED_SECONDS
