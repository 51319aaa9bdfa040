"""Signing in takes any input: an answer in a known form, never an error of the server."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from oauth_site import CALLBACK, CLAUDE, Flow, Site, signing_in
from served_http import raw

from manent.server.identities import Identities
from manent.server.throttle import Throttle

VAULT = "vault-" + "v" * 20

NAMES = st.sampled_from(
    ["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method",
     "state", "resource", "scope", "grant_type", "code", "code_verifier", "refresh_token",
     "request", "csrf", "token", "decision", "client_secret", "token_type_hint", "x"]
)  # fmt: skip
VALUES = st.sampled_from(
    [CLAUDE, CALLBACK, "code", "S256", "plain", "a" * 43, "authorization_code", "refresh_token",
     "mna1.e30.x", "mnr1.bnVsbA.x", "http://127.0.0.1:1/callback", "allow", "deny", ""]
) | st.text(max_size=30)  # fmt: skip
FIELDS = st.lists(st.tuples(NAMES, VALUES), max_size=8)
PATHS = st.sampled_from(["/authorize", "/consent", "/token", "/register", "/revoke"])
KINDS = st.sampled_from(["application/x-www-form-urlencoded", "application/json", "text/plain", ""])


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "oauth.db"
        with signing_in(Identities(None, VAULT), file) as found:
            for name in ("_guesses", "_registrations", "_throttle"):
                setattr(found.sign_in, name, Throttle(burst=10**9))
            yield found


def unhurt(site: Site, status: int) -> None:
    assert status < 500, site.running.lines()[-3:]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(PATHS, FIELDS, st.sampled_from(["GET", "POST"]), KINDS)
def test_any_parameters(
    site: Site, path: str, fields: list[tuple[str, str]], method: str, kind: str
) -> None:
    text = urlencode(fields, errors="surrogatepass")
    headers = {"Origin": site.base, **({"Content-Type": kind} if kind else {})}
    if method == "GET":
        response = site.browser.get(f"{path}?{text}", headers=headers)
    else:
        response = site.browser.post(path, content=text.encode(), headers=headers)
    unhurt(site, response.status_code)
    place = response.headers.get("Location", "")
    assert place.startswith((CALLBACK, f"{site.base}/consent?", "http://127.0.0.1:1/")) or not place


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(PATHS, st.binary(max_size=200), KINDS)
def test_any_bytes(site: Site, path: str, body: bytes, kind: str) -> None:
    headers = {"Origin": site.base, **({"Content-Type": kind} if kind else {})}
    unhurt(site, site.browser.post(path, content=body, headers=headers).status_code)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=60))
def test_any_query_and_cookie(site: Site, odd: bytes) -> None:
    clean = odd.translate(None, b"\r\n\0 ")
    port = site.running.port
    head = b"GET /consent?" + clean + b" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: " % port
    answer = raw(port, head + clean + b"\r\nConnection: close\r\n\r\n")
    unhurt(site, int(answer.split(b" ", 2)[1]))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.dictionaries(
    st.sampled_from(["redirect_uris", "client_name", "grant_types", "response_types",
                     "application_type", "scope", "token_endpoint_auth_method"]),
    st.recursive(st.none() | st.integers() | st.text(max_size=20),
                 lambda x: st.lists(x, max_size=3), max_leaves=4)))  # fmt: skip
def test_any_registration(site: Site, said: dict[str, object]) -> None:
    response = site.register(**said)
    assert response.status_code in (201, 400), response.text
    if response.status_code == 201:
        flow = Flow(site, response.json()["client_id"], "http://127.0.0.1:9/callback")
        unhurt(site, flow.page().status_code)
