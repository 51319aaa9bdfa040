"""A server that people can sign in to, and the steps of a client, for tests."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from served_http import Running, running

from manent.server.door import Door
from manent.server.identities import Identities
from manent.server.oauth.opening import Kept, open_sign_in
from manent.server.oauth.provider import Provider
from manent.server.oauth.routes import SignIn

CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata"
CALLBACK = "https://claude.ai/api/mcp/auth_callback"


class Clock:
    """Seconds since 1970 that a test may let go by."""

    def __init__(self, now: float = 1_900_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Going:
    """Seconds since 1970 by a clock that goes, ahead of the right time or behind it."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.ahead = ahead

    def __call__(self) -> float:
        return 1_900_000_000.0 + time.monotonic() + self.ahead


def free_port() -> int:
    """Return a port that nobody listened at a moment ago."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return int(tried.getsockname()[1])


@dataclass
class Site:
    """A running server with what a client needs to sign in."""

    running: Running
    base: str
    provider: Provider
    sign_in: SignIn
    clock: Any
    browser: httpx2.Client

    def register(self, **said: Any) -> httpx2.Response:
        """Register a client."""
        body = {"redirect_uris": ["http://127.0.0.1:7777/callback"], "client_name": "Test", **said}
        return self.running.client.post("/register", json=body)

    def token(self, **fields: str) -> httpx2.Response:
        """Ask the token endpoint."""
        return self.running.client.post("/token", data=fields)

    def mcp(self, token: str, path: str = "/mcp") -> httpx2.Response:
        """Call the endpoint with a token."""
        from served_http import MODERN, modern

        return self.running.post(
            modern("tools/call", name="whoami", arguments={}), token, MODERN, path
        )


@dataclass
class Flow:
    """One sign-in, step by step."""

    site: Site
    client: str = CLAUDE
    redirect: str = CALLBACK
    state: str = field(default_factory=lambda: secrets.token_urlsafe(8))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def parameters(self, **other: str | None) -> dict[str, str]:
        """Return what a client asks with."""
        fields: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client,
            "redirect_uri": self.redirect,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": self.state,
            "resource": self.site.provider.resource,
            **other,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def authorize(self, **other: str | None) -> httpx2.Response:
        """Send the browser to the authorization endpoint."""
        return self.site.browser.get("/authorize", params=self.parameters(**other))

    def page(self) -> httpx2.Response:
        """Open the page that asks."""
        sent = self.authorize()
        assert sent.status_code == 302, sent.text
        return self.site.browser.get(sent.headers["Location"].removeprefix(self.site.base))

    def answer(self, page: httpx2.Response, token: str, **other: str | None) -> httpx2.Response:
        """Answer the page."""
        fields: dict[str, str | None] = {**form(page), "token": token, "decision": "allow", **other}
        kept = {name: value for name, value in fields.items() if value is not None}
        headers = {"Origin": self.site.base}
        return self.site.browser.post("/consent", data=kept, headers=headers)

    def code(self, token: str) -> str:
        """Sign in and return the code."""
        sent = self.answer(self.page(), token)
        assert sent.status_code == 303, sent.text
        told = query(sent)
        assert told["state"] == self.state and told["iss"] == self.site.base
        return told["code"]

    def exchange(self, code: str, **other: str) -> httpx2.Response:
        """Send the code to the token endpoint."""
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
            **other,
        }
        return self.site.token(**fields)

    def tokens(self, token: str) -> dict[str, Any]:
        """Sign in and return the tokens."""
        response = self.exchange(self.code(token))
        assert response.status_code == 200, response.text
        return dict(response.json())

    def refresh(self, token: str, **other: str) -> httpx2.Response:
        """Send a refresh token."""
        fields = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client}
        return self.site.token(**{**fields, **other})


def form(page: httpx2.Response) -> dict[str, str]:
    """Return the hidden fields of a page."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page.text)
    return {name: html.unescape(value) for name, value in found}


def query(response: httpx2.Response) -> dict[str, str]:
    """Return what a browser is sent back with."""
    pairs = parse_qs(urlsplit(response.headers["Location"]).query)
    return {name: values[0] for name, values in pairs.items()}


@contextmanager
def signing_in(
    identities: Identities,
    database: str | Path,
    *,
    clock: Callable[[], float] | None = None,
    redirects: Iterable[str] = (),
    port: int = 0,
    base: str = "",
    door: Callable[[Door], None] = lambda door: None,
) -> Iterator[Site]:
    """Run a server that people can sign in to, known as ``http://127.0.0.1:PORT``.

    base: known under this name instead, as one of several behind one address, and asked
    under it by whoever has the headers of one.
    """
    port = port or free_port()
    own = f"http://127.0.0.1:{port}"
    base = base or own
    clock = clock or Clock()
    address = database if isinstance(database, str) else f"sqlite:///{database}"
    made: list[SignIn] = []
    kept = Kept(identities, lambda: address, base)

    def more(entrance: Door) -> SignIn:
        made.append(open_sign_in(entrance, base, kept, redirects, clock))
        return made[0]

    try:
        with (
            running(identities, public_url=base, port=port, door=door, more=more) as found,
            httpx2.Client(base_url=own, follow_redirects=False, timeout=20) as browser,
        ):
            yield Site(found, base, made[0].provider, made[0], clock, browser)
    finally:
        kept.close()
