"""The pages at ``/ui/``: an owner signs in with a real browser, and nobody else."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import accessibility
import browser as browsers
import pytest
import uvicorn
from browser import Tab
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vaults import note, write

from manent.errors import EnvironmentFault
from manent.server.address import Names
from manent.server.apps.desk import Desk
from manent.server.apps.sessions import SESSION_SECONDS, Sessions
from manent.server.brain import Brain
from manent.server.dispatch import Dispatcher, Parts
from manent.server.door import Door
from manent.server.http import App, identity_of
from manent.server.identities import Identities
from manent.server.logs import Log
from manent.server.metrics import Metrics
from manent.server.oauth.opening import Kept
from manent.server.protocol import BrainOffer, build
from manent.server.served import Served
from manent.server.throttle import Throttle
from manent.server.tool import Asked

TOKEN = "a-token-of-the-vault-" + "k" * 12
AGENT = "a-token-of-an-agent--" + "k" * 12
CHIEF = "a-token-of-a-chief---" + "k" * 12


@dataclass
class Site:
    """A running server, and a clock that a test may move."""

    port: int
    agents: Path
    desk: Desk
    ahead: float = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/ui/"

    def ask(
        self, method: str, path: str, body: str = "", **headers: str
    ) -> tuple[int, Mapping[str, str], str]:
        """Send one request as a browser on a page of this server would."""
        sent = {"Origin": f"http://127.0.0.1:{self.port}"} if method == "POST" else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        kept = {name: value for name, value in sent.items() if value != "none"}
        connection.request(method, path, body or None, kept)
        answer = connection.getresponse()
        found = (
            answer.status,
            {k.lower(): v for k, v in answer.getheaders()},
            answer.read().decode(),
        )
        connection.close()
        return found

    def enter(self, token: str = TOKEN) -> str:
        """Sign in; return the cookie, "" where there is none."""
        _, headers, _ = self.ask("POST", "/ui/enter", f"token={token}")
        return headers.get("set-cookie", "").partition(";")[0]

    def call(self, cookie: str, name: str, **headers: str) -> tuple[int, Any]:
        """Call a tool as the document around a page does."""
        body = json.dumps({"name": name, "arguments": {}})
        given = {"Content_Type": "application/json", "Cookie": cookie} | headers
        status, _, said = self.ask("POST", "/ui/call", body, **given)
        return status, json.loads(said) if said.startswith("{") else said


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    root = write(tmp_path / "vault", {
        "hub.md": note("hub", "[[quay]]"), "quay.md": note("quay", "Of stone."),
        "quarantine/tide/new.md": note("new", status="quarantine", author="tide"),
    })  # fmt: skip
    agents = tmp_path / "agents.json"
    rows = {
        "tide": {"token": AGENT, "read": ["team"]},
        "chief": {"token": CHIEF, "read": "*", "write": "*"},
    }
    agents.write_text(json.dumps(rows))
    agents.chmod(0o600)
    brain = Brain(Served(root, None, "", "", tmp_path / "state"))
    brain.start()
    dispatcher = Dispatcher(brain, Parts())
    offer = BrainOffer(dispatcher)
    identities = Identities(agents, TOKEN)
    log, metrics = Log((tmp_path / "log").open("w")), Metrics()

    def run(tool: Any, identity: Any, given: Any) -> Any:
        return offer.run(tool, identity, given, Asked())

    kept = Kept(identities, lambda: f"sqlite:///{tmp_path / 'kept.sqlite'}")
    sessions = Sessions(identities, kept, now=lambda: time.time() + found.ahead)
    desk = Desk(identities, dispatcher.tool, run, sessions)
    app = App(
        build(offer, identity_of), Door(identities, Names(), log, metrics), log, metrics,
        lambda: True, more=desk,
    )  # fmt: skip
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    found = Site(port, agents, desk)
    yield found
    server.should_exit = True
    thread.join()
    offer.close()
    brain.close()
    kept.close()


# -- who comes in ----------------------------------------------------------------------


def test_nobody_sees_a_page_without_the_vaults_token(site: Site) -> None:
    for path, status in (("/ui/", 200), ("/ui/graph", 401), ("/ui/gaps/page", 401)):
        found, headers, said = site.ask("GET", path)
        assert (found, "Sign in" in said) == (status, True)
        assert headers["cache-control"] == "no-store" and headers["x-frame-options"] == "DENY"
    assert site.call("", "brain_list")[0] == 401
    for token in ("", "wrong", AGENT, CHIEF, TOKEN + "x"):
        assert site.enter(token) == ""
    cookie = site.enter()
    assert site.call(cookie, "brain_list")[0] == 200
    assert site.ask("GET", "/ui/graph", Cookie=cookie)[0] == 200
    assert site.ask("GET", "/ui")[1]["location"] == "ui/"
    for path in ("/ui/nothing", "/ui/graph/other", "/ui/../etc/passwd", "/ui/page.css/x"):
        assert site.ask("GET", path, Cookie=cookie)[0] == 404
    assert site.ask("DELETE", "/ui/")[0] == 405


def test_a_session_is_sealed_and_ends(site: Site) -> None:
    _, headers, _ = site.ask("POST", "/ui/enter", f"token={TOKEN}")
    flags = headers["set-cookie"]
    assert "HttpOnly" in flags and "SameSite=Strict" in flags and "Secure" not in flags
    cookie = flags.partition(";")[0]
    name, _, value = cookie.partition("=")
    for wrong in (value[:-1], value + "x", value.replace("ui.", "at.", 1), "x" * 9_000, ""):
        assert site.call(f"{name}={wrong}", "brain_list")[0] == 401
    site.ahead = SESSION_SECONDS - 60
    assert site.call(cookie, "brain_list")[0] == 200
    site.ahead = SESSION_SECONDS + 60
    assert site.call(cookie, "brain_list")[0] == 401
    site.ahead = -365 * 86_400
    assert site.call(cookie, "brain_list")[0] == 401, "of a clock that ran ahead"
    site.ahead = 0
    out = site.ask("POST", "/ui/leave", Cookie=cookie)
    assert out[0] == 303 and "Max-Age=0" in out[1]["set-cookie"]
    site.desk.sessions.identities = Identities(None, TOKEN + "-changed")
    assert site.call(cookie, "brain_list")[0] == 401, "another token of the vault ends it"


def test_signing_out_ends_the_session_and_no_other(site: Site) -> None:
    cookie, other = site.enter(), site.enter()
    status, headers, _ = site.ask("POST", "/ui/leave", Cookie=cookie)
    assert status == 303 and "Max-Age=0" in headers["set-cookie"]
    assert site.call(cookie, "brain_list")[0] == 401, "whoever kept the cookie has nothing"
    assert site.ask("GET", "/ui/graph", Cookie=cookie)[0] == 401
    assert site.call(other, "brain_list")[0] == 200
    for none in ("", "manent-ui=", "manent-ui=ui.x.y", cookie):
        assert site.ask("POST", "/ui/leave", Cookie=none)[0] == 303


def test_a_token_that_is_put_back_revives_no_session(site: Site, tmp_path: Path) -> None:
    cookie, database = site.enter(), f"sqlite:///{tmp_path / 'kept.sqlite'}"
    assert site.call(cookie, "brain_list")[0] == 200
    # A server with another token of the vault began, and ended.
    for token in (TOKEN + "-changed", TOKEN):
        kept = Kept(Identities(None, token), lambda: database)
        kept()
        kept.close()
    assert site.call(cookie, "brain_list")[0] == 401
    assert site.call(site.enter(), "brain_list")[0] == 200


def test_cookies_of_others_beside_ours_are_none_of_our_business(site: Site) -> None:
    cookie = site.enter()
    beside = ('prefs={"a":"b"}', "a b", "e@x=1", "=", ";;", "x", 'q="1;2"', "\xe9=\xff",
              "$Version=1", "manent-ui=wrong", "MANENT-UI=x", 'manent-ui="', "a,b=c",
              "x" * 3_000)  # fmt: skip
    for odd in beside:
        for header in (f"{odd}; {cookie}", f"{cookie}; {odd}", f"{odd};{cookie};{odd}"):
            assert site.call(cookie, "brain_list", Cookie=header)[0] == 200, odd
            assert site.ask("GET", "/ui/graph", Cookie=header)[0] == 200, odd
    assert site.call(cookie, "brain_list", Cookie="; ".join(beside))[0] == 401


def test_a_database_that_is_away_is_said_in_words(site: Site) -> None:
    cookie, kept = site.enter(), site.desk.sessions.kept

    def away() -> Any:
        raise EnvironmentFault("the database of sign-ins: gone", "is it reachable?")

    site.desk.sessions.kept = away
    for method, path, body in (("GET", "/ui/graph", ""), ("POST", "/ui/enter", f"token={TOKEN}"),
                               ("POST", "/ui/leave", "")):  # fmt: skip
        status, headers, said = site.ask(method, path, body, Cookie=cookie)
        assert status == 503 and "cannot look that up now" in said and "gone" not in said
        assert headers["retry-after"] and headers["content-type"].startswith("text/html")
        assert "set-cookie" not in headers
    assert site.call(cookie, "brain_list")[0] == 503
    assert site.ask("GET", "/ui/")[0] == 200, "nothing had to be looked up"
    site.desk.sessions.kept = kept
    assert site.call(cookie, "brain_list")[0] == 200


def status_of(port: int, data: bytes) -> int:
    """Send bytes as they are and return the status of what comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(data)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    return int(answer.split(b" ", 2)[1])


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(["enter", "leave", "call", "", "graph", "x"]),
    st.binary(max_size=80)
    | st.lists(st.sampled_from([b"a=1", b"&", b";", b"token=x"])).map(b"".join),
    st.binary(max_size=40),
)
def test_any_form_and_any_cookie_gets_an_answer(
    site: Site, name: str, body: bytes, cookie: bytes
) -> None:
    site.desk.throttle = Throttle(burst=10**9)
    clean = cookie.translate(None, b"\r\n\0")
    own = b"http://127.0.0.1:%d" % site.port
    head = b"POST /ui/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: %s\r\nCookie: %s\r\n" % (
        name.encode(), site.port, own, clean,
    )  # fmt: skip
    rest = b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body)
    assert status_of(site.port, head + rest) in (303, 400, 401, 403, 404)
    query = body.translate(None, b"\r\n\0 ")
    asked = b"GET /ui/graph?%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
    assert status_of(site.port, asked % (query, site.port)) in (400, 401)


def test_a_form_with_more_fields_than_any_of_ours_is_none(site: Site) -> None:
    body = "&".join(f"f{n}=1" for n in range(50)) + f"&token={TOKEN}"
    assert site.ask("POST", "/ui/enter", body)[0] == 403
    assert site.ask("GET", f"/ui/graph?{body}", Cookie=site.enter())[0] == 200


def test_over_https_the_cookie_is_bound_to_the_host(site: Site) -> None:
    site.desk.sessions.audience = "https://brain.example.org"
    _, headers, _ = site.ask("POST", "/ui/enter", f"token={TOKEN}")
    assert headers["set-cookie"].startswith("__Host-manent-ui=ui.")
    assert headers["set-cookie"].endswith("; Secure") and "Path=/;" in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    site.desk.sessions.audience = "https://other.example.org"
    assert site.call(cookie, "brain_list")[0] == 401


def test_only_a_page_of_this_server_may_post(site: Site) -> None:
    cookie = site.enter()
    own = f"http://127.0.0.1:{site.port}"
    for headers in (
        {"Origin": "none"},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": own, "Sec_Fetch_Site": "cross-site"},
        {"Origin": own, "Sec_Fetch_Site": "same-site"},
    ):
        assert site.call(cookie, "brain_list", **headers)[0] == 403, headers
        status, said, _ = site.ask("POST", "/ui/enter", f"token={TOKEN}", **headers)
        assert status == 403 and "set-cookie" not in said
    assert site.call(cookie, "brain_list", Content_Type="text/plain")[0] == 400
    assert site.ask("GET", "/ui/", Host="evil.example")[0] == 421


def test_who_guesses_is_slowed_down(site: Site) -> None:
    said = [site.ask("POST", "/ui/enter", f"token=guess-{n}")[0] for n in range(14)]
    assert said[:10] == [403] * 10 and said[-1] == 429
    status, headers, _ = site.ask("POST", "/ui/enter", f"token={TOKEN}")
    assert status == 429 and int(headers["retry-after"]) > 0


def test_calls_that_are_none(site: Site) -> None:
    cookie = site.enter()
    sent = {"Content_Type": "application/json", "Cookie": cookie}
    for body in ("", "{", "[]", '{"name":3}', '{"name":"brain_list","arguments":[]}', "[" * 60_000):
        assert site.ask("POST", "/ui/call", body, **sent)[0] == 400
    assert site.ask("POST", "/ui/call", "x" * 70_000, **sent)[0] == 413
    assert site.call(cookie, "brain_nothing")[0] == 404
    status, said = site.call(cookie, "brain_read")
    assert status == 200 and said["isError"] and "name" in said["content"][0]["text"]


def test_what_an_address_names_is_only_a_name(site: Site) -> None:
    cookie = site.enter()
    for name in ("%22%3E%3Cscript%3E", "{content}", "{title}", "%00", "a" * 3_000, "%FF"):
        status, _, said = site.ask("GET", f"/ui/graph?name={name}", Cookie=cookie)
        assert status == 200 and said.count("<script") == 1 and said.count("<main>") == 1


# -- in a browser ----------------------------------------------------------------------


@pytest.fixture
def tab() -> Iterator[Tab]:
    with browsers.running() as browser:
        yield browser.tab()


def sign_in(tab: Tab, site: Site, path: str = "") -> None:
    tab.go(site.url + path)
    tab.run(f"document.getElementById('token').value = {json.dumps(TOKEN)};"
            "document.querySelector('form').submit()")  # fmt: skip
    tab.until("document.title.startsWith('Pages')")


def test_an_owner_signs_in_and_walks_the_graph(tab: Tab, site: Site) -> None:
    tab.go(site.url)
    tab.picture("ui-sign-in")
    sign_in(tab, site)
    assert tab.run("document.cookie") == "", "no script reads the session"
    assert tab.run("[...document.querySelectorAll('a')].map(a => a.textContent)") == [
        "Quarantine", "Open gaps", "Graph",
    ]  # fmt: skip
    tab.go(site.url + "graph?name=hub")
    tab.until("document.querySelectorAll('.node').length === 2", frame=True)
    tab.run("document.querySelectorAll('.node')[1].dispatchEvent(new Event('click'))", frame=True)
    tab.until("document.querySelector('pre').textContent.includes('Of stone')", frame=True)
    tab.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Ask about it')"
            ".click()", frame=True)  # fmt: skip
    tab.until("!document.getElementById('asked').hidden")
    assert "quay.md" in tab.run("document.getElementById('question').value")
    tab.picture("ui-graph")
    assert tab.complaints() == []
    own = f"http://127.0.0.1:{site.port}/"
    assert all(url.startswith(own) for url in tab.requests())


def test_the_queue_is_shown_and_what_cannot_be_shown_is_said(tab: Tab, site: Site) -> None:
    sign_in(tab, site)
    tab.go(site.url + "quarantine")
    tab.until("document.getElementById('state').textContent === '1 draft waits'", frame=True)
    assert tab.run("document.querySelector('code').textContent", frame=True) == (
        "manent promote --note quarantine/tide/new.md --commit"
    )
    tab.go(site.url + "gaps")
    tab.until("document.getElementById('state').textContent.includes('no searches')", frame=True)
    assert tab.complaints() == []


def test_a_page_in_its_frame_reaches_nothing(tab: Tab, site: Site) -> None:
    sign_in(tab, site)
    tab.go(site.url + "quarantine")
    tab.until("document.getElementById('state').textContent === '1 draft waits'", frame=True)
    assert tab.run("window.origin", frame=True) == "null"
    for script in ("fetch('/ui/call', {method: 'POST'})", "document.cookie", "parent.document"):
        tried = f"(async () => {script})().then(() => 'reached', () => 'refused')"
        assert tab.run(tried, frame=True) == "refused"


def test_the_documents_around_the_pages_are_accessible(tab: Tab, site: Site) -> None:
    tab.go(site.url)
    assert accessibility.violations(tab) == []
    sign_in(tab, site)
    assert accessibility.violations(tab) == []
    for path in ("graph", "graph?name=hub", "quarantine"):
        tab.go(site.url + path)
        tab.until("document.readyState === 'complete'")
        assert accessibility.violations(tab) == [], path
