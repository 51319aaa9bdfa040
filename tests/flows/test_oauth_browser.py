"""The page that asks, in a real browser: what a person sees, and where the answer leads."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import browser as browsers
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from browser import Browser, Tab
from oauth_site import Flow, Site, signing_in

from manent.server.identities import Identities

VAULT = "vault-" + "v" * 20


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers.running() as found:
        yield found


@pytest.fixture
def tab(browser: Browser) -> Tab:
    browser.events.clear()
    return browser.tab()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with signing_in(Identities(None, VAULT), tmp_path / "oauth.db") as found:
        yield found


class Client(http.server.BaseHTTPRequestHandler):
    """The end of a client that waits for the browser to come back."""

    heard: list[dict[str, str]]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/callback":
            self.heard.append({k: v[0] for k, v in parse_qs(parts.query).items()})
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Back</title><p>You may close this.</p>")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def client(host: str = "127.0.0.1") -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Wait for a browser at an address of this machine."""
    heard: list[dict[str, str]] = []
    handler = type("Handler", (Client,), {"heard": heard})
    with http.server.ThreadingHTTPServer((host, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://{host}:{server.server_port}/callback", heard
        server.shutdown()
        thread.join()


def opened(tab: Tab, site: Site, redirect: str) -> Flow:
    """Have a client send the browser to the page."""
    identity = site.register(redirect_uris=[redirect], client_name="My <b>tool</b>").json()
    flow = Flow(site, identity["client_id"], redirect)
    tab.go(f"{site.base}/authorize?{urlencode(flow.parameters())}")
    tab.until("document.title.startsWith('Allow access?')")
    return flow


def typed(tab: Tab, text: str) -> None:
    """Type into the field that has the focus once the page stands, and press Enter."""
    tab.until("document.readyState === 'complete' && document.activeElement.id === 'token'")
    tab.send("Input.insertText", text=text)
    tab.press("Enter", 13, "\r")


def test_a_person_signs_in(tab: Tab, site: Site) -> None:
    with client() as (redirect, heard):
        flow = opened(tab, site, redirect)
        assert "My <b>tool</b> asks to use this memory" in tab.run("document.body.innerText")
        # The field has the focus; Enter allows.
        assert tab.run("document.activeElement.id") == "token"
        tab.picture("consent-light")
        tab.scheme("dark")
        tab.picture("consent-dark")
        typed(tab, VAULT)
        tab.until("document.title === 'Back'")
        assert heard[0]["state"] == flow.state and heard[0]["iss"] == site.base
        tokens = flow.exchange(heard[0]["code"]).json()
        assert site.mcp(tokens["access_token"]).status_code == 200
    strange = [url for url in tab.requests() if not url.startswith((site.base, redirect))]
    assert [url for url in strange if not url.endswith("/favicon.ico")] == []
    assert VAULT not in tab.run("location.href")


def test_a_wrong_token_is_said_and_can_be_mended(tab: Tab, site: Site) -> None:
    with client() as (redirect, heard):
        opened(tab, site, redirect)
        typed(tab, "wrong-" + "w" * 20)
        tab.until("document.querySelector('[role=alert]') !== null")
        assert heard == [] and tab.run("document.getElementById('token').value") == ""
        typed(tab, VAULT)
        tab.until("document.title === 'Back'")
        assert "code" in heard[0]


def test_a_person_denies(tab: Tab, site: Site) -> None:
    with client() as (redirect, heard):
        opened(tab, site, redirect)
        tab.run("document.querySelector('button[value=deny]').click()")
        tab.until("document.title === 'Back'")
        assert heard[0]["error"] == "access_denied"


def test_nothing_runs_and_nothing_frames_the_page(tab: Tab, site: Site) -> None:
    with client() as (redirect, _):
        opened(tab, site, redirect)
        place = tab.run("location.href")
        tab.run("(() => { const s = document.createElement('script');"
                " s.textContent = 'window.ran = true'; document.body.append(s); })()")  # fmt: skip
        assert tab.run("window.ran === undefined")
        # A page of another origin that puts it into a frame gets nothing to show.
        tab.go(redirect.replace("/callback", "/other"))
        tab.run(f"document.body.innerHTML = '<iframe src=\"{place}\"></iframe>'")
        tab.browser.wait(1.0)
        said = " ".join(str(event["params"]) for event in tab.browser.events)
        assert "frame-ancestors" in said or "ERR_BLOCKED_BY_RESPONSE" in said


def test_a_form_of_another_origin_gets_no_code(tab: Tab, site: Site) -> None:
    with client() as (redirect, heard):
        opened(tab, site, redirect)
        hidden = "Array.from(document.querySelectorAll('input[type=hidden]')).map(i => i.outerHTML)"
        fields = "".join(tab.run(hidden))
        tab.go(redirect.replace("/callback", "/other"))
        page = (
            f"<form method=post action='{site.base}/consent'>{fields}"
            f"<input name=token value='{VAULT}'><input name=decision value=allow></form>"
        )
        tab.run(f"document.body.innerHTML = {page!r}")
        tab.run("document.forms[0].submit()")
        tab.until(f"location.href.startsWith('{site.base}')")
        assert heard == [] and "forbidden" in tab.run("document.body.innerText")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_accessibility_check_finds_nothing(tab: Tab, site: Site, theme: str) -> None:
    from conformance.node import Unreachable, install

    try:
        folder = install("axe-core@4.13.0").folder
    except Unreachable as why:
        pytest.skip(f"no accessibility check: {why}")
    script = (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    with client() as (redirect, _):
        tab.scheme(theme)
        opened(tab, site, redirect)
        typed(tab, "wrong-" + "w" * 20)
        tab.until("document.querySelector('[role=alert]') !== null")
        tab.run(script + "; true")
        found = tab.run("axe.run(document).then(r => r.violations.map(v => v.id + ' ' + "
                        "v.nodes.map(n => n.html + ' ' + n.failureSummary).join()))")  # fmt: skip
    assert found == []
