"""Signing in: the whole way, and every refusal on it."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from oauth_site import CALLBACK, CLAUDE, Clock, Flow, Site, form, free_port, query, signing_in
from pydantic import AnyUrl
from served_http import LEGACY, MODERN

from manent.errors import EnvironmentFault, UsageError
from manent.server.address import public_base
from manent.server.door import Door
from manent.server.identities import Identities
from manent.server.oauth import provider as module
from manent.server.oauth import store as store_module
from manent.server.oauth.clients import Redirects
from manent.server.oauth.sealed import SKEW_SECONDS
from manent.server.throttle import Throttle

VAULT = "vault-" + "v" * 20
SCOUT = "scout-" + "s" * 20


def agents(folder: Path, scout: str = SCOUT) -> Path:
    path = folder / "agents.json"
    path.write_text(json.dumps({"scout": {"token": scout, "read": ["team"]}, "pusher": {}}))
    path.chmod(0o600)
    return path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with signing_in(Identities(agents(tmp_path), VAULT), tmp_path / "oauth.db") as found:
        yield found


def who(response: httpx2.Response) -> str:
    assert response.status_code == 200, response.text
    return str(response.json()["result"]["content"][0]["text"])


def refused(response: httpx2.Response, error: str, status: int = 400) -> None:
    assert (response.status_code, response.json()["error"]) == (status, error), response.text
    assert "access_token" not in response.text


# -- finding the way ------------------------------------------------------------------


def test_a_401_leads_to_the_documents(site: Site) -> None:
    challenge = site.mcp("nobody-" + "n" * 20).headers["WWW-Authenticate"]
    place = challenge.split('resource_metadata="')[1].split('"')[0]
    found = httpx2.get(place).json()
    assert found["resource"] == f"{site.base}/mcp"
    assert found["authorization_servers"] == [site.base]
    at_root = httpx2.get(f"{site.base}/.well-known/oauth-protected-resource").json()
    assert at_root == found
    server = httpx2.get(f"{site.base}/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == site.base
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    assert server["client_id_metadata_document_supported"] is True
    assert server["authorization_response_iss_parameter_supported"] is True
    for key in ("authorization_endpoint", "token_endpoint", "registration_endpoint"):
        assert server[key].startswith(site.base + "/")


def test_other_addresses_and_methods(site: Site) -> None:
    client = site.running.client
    assert client.get("/elsewhere").status_code == 404
    assert client.get("/token").status_code == 405
    assert client.post("/.well-known/oauth-authorization-server").status_code == 405
    assert client.get("/token", headers={"Host": "evil.example"}).status_code == 421
    assert client.post("/register", headers={"Origin": "https://evil.example"}).status_code == 403


def test_a_preflight_of_the_token_endpoint(site: Site) -> None:
    headers = {"Origin": site.base, "Access-Control-Request-Method": "POST"}
    response = site.running.client.request("OPTIONS", "/token", headers=headers)
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] == site.base


# -- the whole way --------------------------------------------------------------------


@pytest.mark.parametrize(("token", "name"), [(VAULT, "owner"), (SCOUT, "scout")])
def test_whoever_signs_in_is_who_calls(site: Site, token: str, name: str) -> None:
    tokens = Flow(site).tokens(token)
    assert tokens["token_type"] == "Bearer" and tokens["expires_in"] == 3600
    assert who(site.mcp(tokens["access_token"])) == name
    assert token not in json.dumps(tokens)


def test_tokens_survive_a_restart(tmp_path: Path) -> None:
    port, clock = free_port(), Clock()
    identities = Identities(agents(tmp_path), VAULT)
    with signing_in(identities, tmp_path / "oauth.db", port=port, clock=clock) as site:
        tokens = Flow(site).tokens(SCOUT)
    again = Identities(agents(tmp_path), VAULT)
    with signing_in(again, tmp_path / "oauth.db", port=port, clock=clock) as site:
        assert who(site.mcp(tokens["access_token"])) == "scout"
        turned = Flow(site).refresh(tokens["refresh_token"]).json()
        assert who(site.mcp(turned["access_token"])) == "scout"


def test_a_new_vault_token_ends_everything(tmp_path: Path) -> None:
    port, clock, file = free_port(), Clock(), tmp_path / "oauth.db"
    with signing_in(Identities(agents(tmp_path), VAULT), file, port=port, clock=clock) as site:
        owner, scout = Flow(site).tokens(VAULT), Flow(site).tokens(SCOUT)
        late = Flow(site)
        code = late.code(SCOUT)
    with signing_in(Identities(agents(tmp_path), VAULT + "2"), file, port=port, clock=clock) as new:
        for tokens in (owner, scout):
            assert new.mcp(tokens["access_token"]).status_code == 401
            refused(Flow(new).refresh(tokens["refresh_token"]), "invalid_grant")
        late.site = new
        refused(late.exchange(code), "invalid_grant")


def test_an_agents_new_token_ends_what_the_agent_allowed(site: Site, tmp_path: Path) -> None:
    owner, scout = Flow(site).tokens(VAULT), Flow(site).tokens(SCOUT)
    late = Flow(site)
    code = late.code(SCOUT)
    agents(tmp_path, SCOUT + "2")
    assert site.mcp(scout["access_token"]).status_code == 401
    refused(Flow(site).refresh(scout["refresh_token"]), "invalid_grant")
    refused(late.exchange(code), "invalid_grant")
    assert who(site.mcp(owner["access_token"])) == "owner"
    (tmp_path / "agents.json").write_text("{}")
    assert site.mcp(scout["access_token"]).status_code == 401


@pytest.mark.parametrize("asked", [True, False], ids=["somebody asks meanwhile", "nobody asks"])
def test_a_token_that_is_put_back_revives_nothing(site: Site, tmp_path: Path, asked: bool) -> None:
    owner, scout = Flow(site).tokens(VAULT), Flow(site).tokens(SCOUT)
    late = Flow(site)
    code = late.code(SCOUT)
    identities = site.provider.identities
    for other in (lambda: agents(tmp_path, SCOUT + "2"), lambda: _emptied(tmp_path)):
        other()
        if asked:
            assert site.mcp(scout["access_token"]).status_code == 401
        assert identities.refresh() or asked, "as a server does every few seconds"
        until = time.monotonic() + 10
        while identities.ended() and time.monotonic() < until:
            time.sleep(0.01)
        agents(tmp_path)
        assert site.mcp(scout["access_token"]).status_code == 401
        refused(Flow(site).refresh(scout["refresh_token"]), "invalid_grant")
        refused(late.exchange(code), "invalid_grant")
        assert who(site.mcp(owner["access_token"])) == "owner"
        late = Flow(site)
        scout, code = Flow(site).tokens(SCOUT), late.code(SCOUT)
        assert who(site.mcp(scout["access_token"])) == "scout"
    # Other rights end nothing, and a file that is as it was neither.
    rows = {"scout": {"token": SCOUT, "read": ["public"]}, "pusher": {}}
    (tmp_path / "agents.json").write_text(json.dumps(rows))
    assert who(site.mcp(scout["access_token"])) == "scout"
    assert late.exchange(code).status_code == 200


def _emptied(folder: Path) -> None:
    (folder / "agents.json").write_text("{}")


def test_a_vaults_token_that_is_put_back_revives_nothing(tmp_path: Path) -> None:
    port, clock, file = free_port(), Clock(), tmp_path / "oauth.db"

    def served(token: str) -> Any:
        return signing_in(Identities(agents(tmp_path), token), file, port=port, clock=clock)

    with served(VAULT) as site:
        old = Flow(site).tokens(VAULT), Flow(site).tokens(SCOUT)
        late = Flow(site)
        code = late.code(SCOUT)
    with served(VAULT + "2") as site:
        new = Flow(site).tokens(VAULT + "2")
    with signing_in(Identities(None, VAULT + "3"), file, clock=clock):
        pass  # another brain's, at another address: what it does not know is not its to end
    with served(VAULT + "2") as site:
        assert who(site.mcp(new["access_token"])) == "owner"
    with served(VAULT) as site:
        for tokens in old:
            assert site.mcp(tokens["access_token"]).status_code == 401
            refused(Flow(site).refresh(tokens["refresh_token"]), "invalid_grant")
        late.site = site
        refused(late.exchange(code), "invalid_grant")
        again = Flow(site).tokens(SCOUT)
    with served(VAULT) as site:
        assert who(site.mcp(again["access_token"])) == "scout", "a restart ends nothing"


@pytest.mark.parametrize("token", ["", "chief-" + "c" * 20])
def test_an_owner_in_the_agents_file_signs_in_like_any_other(tmp_path: Path, token: str) -> None:
    file = agents(tmp_path)
    with signing_in(Identities(file, VAULT), tmp_path / "oauth.db") as site:
        before = Flow(site).tokens(VAULT)
        entry = {"read": "*", "write": "*", **({"token": token} if token else {})}
        file.write_text(json.dumps({"owner": entry}))
        for given in filter(None, (VAULT, token)):
            assert who(site.mcp(Flow(site).tokens(given)["access_token"])) == "owner"
        # It ends what stood before only where it has a token that it hangs on.
        assert site.mcp(before["access_token"]).status_code == (401 if token else 200)


def test_tokens_of_one_server_are_none_at_another(tmp_path: Path) -> None:
    identities = Identities(agents(tmp_path), VAULT)
    with (
        signing_in(identities, tmp_path / "one.db") as one,
        signing_in(identities, tmp_path / "other.db") as other,
    ):
        tokens = Flow(one).tokens(VAULT)
        assert other.mcp(tokens["access_token"]).status_code == 401


def test_two_servers_share_a_database(tmp_path: Path) -> None:
    port, clock, file = free_port(), Clock(), tmp_path / "oauth.db"
    identities = Identities(agents(tmp_path), VAULT)
    with signing_in(identities, file, port=port, clock=clock) as one:
        flow = Flow(one)
        client = one.register().json()["client_id"]
        flow.client, flow.redirect = client, "http://127.0.0.1:5/callback"
        tokens = flow.tokens(SCOUT)
        from manent.server.oauth.provider import Provider
        from manent.server.oauth.store import Store

        store = Store(f"sqlite:///{file}")
        other = Provider(one.base, one.provider.resource, identities, store, clock)
        issued = asyncio.run(other.issued(tokens["access_token"].encode()))
        assert issued is not None and issued[0].name == "scout"
        found = asyncio.run(other.load_access_token(tokens["access_token"]))
        assert found is not None
        asyncio.run(other.revoke_token(found))
        refused(flow.refresh(tokens["refresh_token"]), "invalid_grant")
        store.close()


# -- clients --------------------------------------------------------------------------


def test_a_client_registers_and_gets_no_secret(site: Site) -> None:
    response = site.register(
        redirect_uris=[CALLBACK],
        client_name="Claude",
        token_endpoint_auth_method="client_secret_post",
        scope="everything openid",
        logo_uri="https://tracker.example/x.png",
    )
    assert response.status_code == 201, response.text
    found = response.json()
    assert found["token_endpoint_auth_method"] == "none" and "client_secret" not in found
    assert found["redirect_uris"] == [CALLBACK] and found["scope"] == "brain"
    assert "logo_uri" not in found
    flow = Flow(site, client=found["client_id"])
    assert who(site.mcp(flow.tokens(VAULT)["access_token"])) == "owner"


@pytest.mark.parametrize(
    "redirects",
    [
        None, [], "https://claude.ai/api/mcp/auth_callback", [7], ["https://evil.example/callback"],
        ["https://claude.ai/api/mcp/auth_callback/"], ["https://claude.ai/api/mcp/auth_callback?x=1"],
        ["https://claude.ai.evil.example/api/mcp/auth_callback"], ["http://claude.ai/api/mcp/auth_callback"],
        ["https://CLAUDE.ai/api/mcp/auth_callback"], ["https://claude.ai@evil.example/"],
        ["http://127.0.0.1.evil.example/callback"], ["http://evil@127.0.0.1:1/callback"],
        ["http://localhost:1/callback#x"], ["https://127.0.0.1:1/callback"],
        ["javascript:alert(1)"],
        ["cursor://anysphere/callback"], ["http://127.0.0.1:1/\ncallback"], ["http://127.1/callback"],
        [CALLBACK, "https://evil.example/"], ["http://localhost:1/c"] * 11,
        ["http://localhost/" + "x" * 600],
        ["http://localhost\\@evil.example/callback"], ["http://127.0.0.1:0/callback"],
    ],
)  # fmt: skip
def test_redirects_that_are_not_allowed_are_not_registered(site: Site, redirects: Any) -> None:
    refused(site.register(redirect_uris=redirects), "invalid_redirect_uri")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 60_000, b"7"])
def test_a_registration_that_is_none(site: Site, body: bytes) -> None:
    response = site.running.client.post("/register", content=body)
    refused(response, "invalid_client_metadata")


def test_a_registration_of_another_kind(site: Site) -> None:
    refused(site.register(grant_types=["client_credentials"]), "invalid_client_metadata")
    refused(site.register(response_types=["token"]), "invalid_client_metadata")
    refused(site.register(grant_types="authorization_code"), "invalid_client_metadata")
    huge = site.running.client.post("/register", content=b'{"client_name":"' + b"x" * 70_000)
    refused(huge, "invalid_request", 413)


def test_registrations_are_slowed_down(site: Site) -> None:
    statuses = [site.register().status_code for _ in range(40)]
    assert statuses[:30] == [201] * 30 and set(statuses[30:]) == {429}


def test_one_network_leaves_the_others_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a proxy the address is the client's own; a /48 of IPv6 is one customer's."""
    monkeypatch.setattr(store_module, "MOST_OF_ONE", 5)
    monkeypatch.setattr(store_module, "MOST_CLIENTS", 8)
    with signing_in(Identities(agents(tmp_path), VAULT), tmp_path / "oauth.db") as site:
        body = {"redirect_uris": ["http://127.0.0.1:7777/callback"]}

        def register(address: str) -> httpx2.Response:
            site.sign_in._registrations = Throttle()
            headers = {"X-Test-Address": address}
            return site.running.client.post("/register", json=body, headers=headers)

        inner = site.running.app.more

        async def behind(scope: Any, receive: Any, send: Any) -> None:
            found = dict(scope["headers"]).get(b"x-test-address")
            client = scope["client"] if found is None else (found.decode(), 1)
            assert inner is not None
            await inner({**scope, "client": client}, receive, send)

        site.running.app.more = behind
        mine = register("192.0.2.7").json()["client_id"]
        seen = [register(f"2001:db8:1:{n:x}::1").status_code for n in range(30)]
        seen += [register("198.51.100.9").status_code for n in range(30)]
        assert set(seen) == {201}
        flow = Flow(site, mine, "http://127.0.0.1:5/callback")
        assert who(site.mcp(flow.tokens(SCOUT)["access_token"])) == "scout"
        late = register("203.0.113.1")
        assert late.status_code == 201 and site.provider.store.client(mine) is not None
        kept = b"".join(file.read_bytes() for file in tmp_path.glob("oauth.db*"))
        assert b"192.0.2.7" not in kept and b"2001:db8" not in kept


def test_a_loopback_redirect_may_have_any_port_and_nothing_else(site: Site) -> None:
    client = site.register(redirect_uris=["http://127.0.0.1:7777/callback"]).json()["client_id"]
    for port in (1, 7777, 65535):
        assert (
            Flow(site, client, f"http://127.0.0.1:{port}/callback").authorize().status_code == 302
        )
    for other in ("http://localhost:7777/callback", "http://127.0.0.1:7777/other", CALLBACK,
                  "http://127.0.0.1:7777/callback?x=1", "http://[::1]:7777/callback"):  # fmt: skip
        response = Flow(site, client, other).authorize()
        assert response.status_code == 400 and "Location" not in response.headers


@pytest.mark.parametrize("client", ["", "nobody", "https://evil.example/client.json", "x" * 5_000])
def test_an_unknown_client_is_sent_nowhere(site: Site, client: str) -> None:
    response = Flow(site, client=client).authorize()
    assert response.status_code == 400 and "Location" not in response.headers
    assert "not known here" in response.text


@pytest.mark.parametrize(
    "redirect",
    ["https://evil.example/", CALLBACK + "/", CALLBACK + "?a=b", "", "//evil.example",
     "https://claude.ai/api/mcp/auth_callback%2f", "http://127.0.0.1:1/callback"],
)  # fmt: skip
def test_a_foreign_redirect_is_never_followed(site: Site, redirect: str) -> None:
    response = Flow(site, redirect=redirect).authorize()
    assert response.status_code == 400 and "Location" not in response.headers


def test_the_list_of_redirects_can_be_another(tmp_path: Path) -> None:
    mine = "https://tool.example/callback"
    identities = Identities(agents(tmp_path), VAULT)
    with signing_in(identities, tmp_path / "oauth.db", redirects=[mine]) as site:
        client = site.register(redirect_uris=[mine]).json()["client_id"]
        assert Flow(site, client, mine).tokens(VAULT)["access_token"]
        # What is known under its own address is bound by the list too.
        editor, place = (
            "https://vscode.dev/oauth/client-metadata.json",
            "https://vscode.dev/redirect",
        )
        assert Flow(site, editor, place).authorize().status_code == 400
        assert Flow(site, editor, "http://127.0.0.1:5/").authorize().status_code == 302
    for uri in ("http://tool.example/", "tool", "https://u@tool.example/", "https://x y/"):
        with pytest.raises(UsageError):
            Redirects(frozenset({uri}))


@pytest.mark.parametrize(
    "mine",
    ["https://Tool.example/cb", "https://tool.example:443/x?y=1", "https://tool.example",
     "https://tool.example/a/../b", "https://tool.example/%7Ea", "https://[2001:DB8:0::1]:443/cb"],
)  # fmt: skip
def test_a_redirect_that_is_named_is_one_that_works(tmp_path: Path, mine: str) -> None:
    """However it was written: by the operator, by the client, or by a browser."""
    identities = Identities(agents(tmp_path), VAULT)
    with signing_in(identities, tmp_path / "oauth.db", redirects=[mine]) as site:
        forms = {mine, str(AnyUrl(mine))}
        for registered in forms:
            client = site.register(redirect_uris=[registered]).json()["client_id"]
            for asked in forms:
                tokens = Flow(site, client, asked).tokens(SCOUT)
                assert who(site.mcp(tokens["access_token"])) == "scout"
        other = mine.replace("example", "EXAMPLE").replace("DB8", "dB8")
        refused(site.register(redirect_uris=[other]), "invalid_redirect_uri")


@pytest.mark.parametrize("name", ["https://Brain.Example.org:443", "https://brain.example.org"])
def test_a_public_address_is_what_browsers_make_of_it(tmp_path: Path, name: str) -> None:
    identities = Identities(agents(tmp_path), VAULT)
    with signing_in(identities, tmp_path / "oauth.db", base=public_base(name)) as site:
        site.browser.headers["Host"] = site.running.client.headers["Host"] = "brain.example.org"
        flow = Flow(site)
        for resource in (site.base, name, f"{name}/mcp", f"{name}/mcp/", None):
            assert "/consent?" in flow.authorize(resource=resource).headers["Location"]
        for resource in (f"{name}/other", "https://brain.example.com/mcp", "mcp", f"{name}:8443"):
            assert query(flow.authorize(resource=resource))["error"] == "invalid_target"
        page = flow.page()
        # A client for tests keeps no cookie of another host, as a browser would.
        cookie = {"Cookie": page.headers["Set-Cookie"].partition(";")[0]}
        fields = {**form(page), "token": SCOUT, "decision": "allow"}
        origin = {"Origin": "https://brain.example.org"}
        sent = site.browser.post("/consent", data=fields, headers={**cookie, **origin})
        assert sent.status_code == 303, sent.text
        tokens = flow.exchange(query(sent)["code"]).json()
        assert tokens["access_token"]


# -- asking ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "+" * 43}, "invalid_request"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"state": "s" * 3_000}, "invalid_request"),
    ],
)
def test_what_is_wrong_with_a_request_is_told_the_client(
    site: Site, changed: dict[str, str | None], error: str
) -> None:
    response = Flow(site).authorize(**changed)
    assert response.status_code == 302
    assert response.headers["Location"].startswith(CALLBACK + "?")
    told = query(response)
    assert told["error"] == error and told["iss"] == site.base and "code" not in told


def test_a_parameter_that_stands_twice_says_two_things(site: Site) -> None:
    asked = Flow(site).parameters()
    for name in ("redirect_uri", "client_id", "code_challenge"):
        twice: list[tuple[str, Any]] = [*asked.items(), (name, "https://evil.example/")]
        response = site.browser.get("/authorize", params=twice)
        assert response.status_code == 400 and "Location" not in response.headers
    flow = Flow(site)
    code = flow.code(VAULT)
    body = f"grant_type=authorization_code&code={code}&code=other&client_id={CLAUDE}"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    refused(site.running.client.post("/token", content=body, headers=headers), "invalid_request")


def test_the_page_says_who_asks_and_may_not_be_framed(site: Site) -> None:
    page = Flow(site).page()
    assert page.status_code == 200
    assert "Claude" in page.text and "claude.ai/api/mcp/auth_callback" in page.text
    policy = page.headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'",
                 "form-action 'self' https://claude.ai"):  # fmt: skip
        assert part in policy
    assert "unsafe" not in policy and "script-src" not in policy and "<script" not in page.text
    assert page.headers["X-Frame-Options"] == "DENY"
    assert page.headers["Cache-Control"] == "no-store"
    cookie = page.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie


def test_a_name_cannot_break_the_page(site: Site) -> None:
    name = '<script>alert(1)</script>"\u202e\u2028\x1b' + "x" * 500
    client = site.register(client_name=name).json()["client_id"]
    page = Flow(site, client, "http://127.0.0.1:1/callback").page()
    assert "<script" not in page.text and "\u202e" not in page.text and "x" * 100 not in page.text
    assert "so it calls itself" in page.text


def test_denying_tells_the_client(site: Site) -> None:
    flow = Flow(site)
    told = query(flow.answer(flow.page(), "", decision="deny"))
    assert told == {"error": "access_denied", "state": flow.state, "iss": site.base}


@pytest.mark.parametrize("decision", [None, "maybe", "ALLOW", "allow ", "deny,allow"])
def test_only_who_says_so_allows(site: Site, decision: str | None) -> None:
    flow = Flow(site)
    response = flow.answer(flow.page(), VAULT, decision=decision)
    assert response.status_code == 400 and "Location" not in response.headers
    assert "allow, or deny" in response.text
    assert flow.answer(response, VAULT).status_code == 303


def test_a_person_is_told_in_words_and_a_program_in_json(site: Site) -> None:
    flow = Flow(site)
    page = flow.page()
    code = flow.code(VAULT)
    place = flow.authorize().headers["Location"]

    def away(*arguments: object) -> None:
        raise EnvironmentFault("the database of sign-ins: gone", "is it reachable?")

    class Away:
        def __getattr__(self, name: str) -> Any:
            return away

    site.provider.store = Away()  # type: ignore[assignment]
    registered = Flow(site, client="registered")
    for response in (
        registered.authorize(),
        flow.answer(page, VAULT),
        site.browser.get("/consent?request=x&request=y"),
        site.browser.post("/consent", json={}, headers={"Origin": site.base}),
        site.browser.post("/authorize", json={}),
    ):
        assert response.status_code in (400, 503) and "<h1>" in response.text
        assert response.headers["Content-Type"].startswith("text/html")
        assert "gone" not in response.text and "{" not in response.text.split("</style>")[1]
        assert response.headers["X-Frame-Options"] == "DENY"
        assert ("Retry-After" in response.headers) == (response.status_code == 503)
    assert site.browser.get(place).status_code == 200, "nothing had to be looked up"
    refused(flow.exchange(code), "temporarily_unavailable", 503)
    refused(site.register(), "temporarily_unavailable", 503)


@pytest.mark.parametrize(
    "token", ["", "wrong-" + "w" * 20, VAULT[:-1], SCOUT + "x", "\u0000", "é" * 30]
)
def test_a_wrong_token_gives_no_code(site: Site, token: str) -> None:
    flow = Flow(site)
    response = flow.answer(flow.page(), token)
    assert response.status_code in (400, 403) and "Location" not in response.headers
    assert token == "" or token not in site.running.log.getvalue()
    # The page asks again, and the right token opens it.
    if response.status_code == 403:
        assert flow.answer(response, VAULT).status_code == 303


def test_wrong_tokens_are_slowed_down(tmp_path: Path) -> None:
    def strict(door: Door) -> None:
        door.throttle = Throttle(burst=3, seconds_each=60)

    identities = Identities(agents(tmp_path), VAULT)
    with signing_in(identities, tmp_path / "oauth.db", door=strict) as site:
        flow = Flow(site)
        page = flow.page()
        answers = [flow.answer(page, f"wrong-{n}-" + "w" * 20) for n in range(5)]
        assert [answer.status_code for answer in answers] == [403, 403, 403, 429, 429]
        assert flow.answer(page, VAULT).status_code == 429
        assert int(answers[-1].headers["Retry-After"]) > 0


def test_a_form_of_another_page_is_refused(site: Site) -> None:
    flow = Flow(site)
    page = flow.page()
    fields = {**form(page), "token": VAULT, "decision": "allow"}
    post = site.browser.post
    for origin in (
        None,
        "null",
        "https://evil.example",
        site.base.replace("127.0.0.1", "localhost"),
    ):
        headers = {} if origin is None else {"Origin": origin}
        response = post("/consent", data=fields, headers=headers)
        assert response.status_code == 403 and "Location" not in response.headers
    for changed in ({"csrf": "0" * 64}, {"csrf": None}):
        assert flow.answer(page, VAULT, **changed).status_code == 403
    site.browser.cookies.clear()
    assert flow.answer(page, VAULT).status_code == 403


def test_a_request_that_was_changed_or_is_old_asks_nobody(site: Site) -> None:
    flow = Flow(site)
    place = flow.authorize().headers["Location"]
    changed = place[:-1] + ("A" if place[-1] != "A" else "B")
    for other in (changed, "/consent", "/consent?request=x", "/consent?request=" + "x" * 9_000):
        assert site.browser.get(other).status_code == 400
    page = flow.page()
    assert flow.answer(page, VAULT, request=form(page)["request"][:-2]).status_code == 400
    site.clock.now += 601
    assert site.browser.get(place).status_code == 400
    assert flow.answer(page, VAULT).status_code == 400


def test_an_agent_without_a_token_signs_in_nowhere(site: Site) -> None:
    assert site.provider.identities.key_of("pusher") is None


# -- codes ----------------------------------------------------------------------------


def test_a_code_needs_its_verifier_and_has_one_try(site: Site) -> None:
    flow = Flow(site)
    code = flow.code(VAULT)
    refused(flow.exchange(code, code_verifier="w" * 64), "invalid_grant")
    refused(flow.exchange(code), "invalid_grant")
    code = flow.code(VAULT)
    refused(flow.exchange(code, code_verifier="short"), "invalid_request")
    refused(flow.exchange(code, code_verifier=flow.challenge), "invalid_grant")


def test_a_code_that_comes_twice_ends_what_it_gave(site: Site) -> None:
    flow = Flow(site)
    code = flow.code(VAULT)
    tokens = flow.exchange(code).json()
    refused(flow.exchange(code), "invalid_grant")
    assert site.mcp(tokens["access_token"]).status_code == 401
    refused(flow.refresh(tokens["refresh_token"]), "invalid_grant")


def test_a_code_lives_five_minutes(site: Site) -> None:
    flow = Flow(site)
    code = flow.code(VAULT)
    site.clock.now += 299
    assert flow.exchange(code).status_code == 200
    code = flow.code(VAULT)
    site.clock.now += 301
    refused(flow.exchange(code), "invalid_grant")


def test_another_clients_code_is_none(site: Site) -> None:
    mine = Flow(site)
    other = Flow(site, site.register().json()["client_id"], "http://127.0.0.1:1/callback")
    code = mine.code(VAULT)
    refused(other.exchange(code, code_verifier=mine.verifier), "invalid_grant")
    refused(mine.exchange(code, client_id=other.client), "invalid_grant")
    # It was not used up by whom it was not for.
    assert mine.exchange(code).status_code == 200


def test_a_code_goes_with_its_redirect(site: Site) -> None:
    flow = Flow(site)
    code = flow.code(VAULT)
    other = "https://claude.com/api/mcp/auth_callback"
    refused(flow.exchange(code, redirect_uri=other), "invalid_grant")
    refused(flow.exchange(code), "invalid_grant")
    refused(flow.exchange(flow.code(VAULT), redirect_uri=""), "invalid_grant")
    refused(flow.exchange(flow.code(VAULT), redirect_uri="https://x.example/"), "invalid_grant")


def test_other_things_that_get_no_tokens(site: Site) -> None:
    flow = Flow(site)
    refused(flow.exchange("no-such-code"), "invalid_grant")
    for kind in ("password", "client_credentials", "x" * 99, "urn:ietf:params:oauth:grant-type:"
                 "jwt-bearer"):  # fmt: skip
        response = site.token(grant_type=kind, client_id=CLAUDE, assertion="x")
        refused(response, "unsupported_grant_type")
        assert "jwt" not in response.text
    refused(site.token(client_id=CLAUDE), "invalid_request")
    assert "jwt" not in site.token(client_id=CLAUDE).text
    refused(flow.exchange("x", client_id="nobody"), "invalid_client", 401)
    refused(flow.exchange("x", resource="https://elsewhere.example/mcp"), "invalid_target")
    refused(site.running.client.post("/token", json={}), "invalid_request")
    refused(site.token(x="y" * 70_000), "invalid_request", 413)


def test_at_the_same_moment_one_alone_gets_tokens(site: Site) -> None:
    flow = Flow(site)
    code = flow.code(VAULT)
    statuses: list[int] = []

    def once() -> None:
        with httpx2.Client(base_url=site.base, timeout=20) as client:
            fields = {
                "grant_type": "authorization_code", "code": code, "client_id": CLAUDE,
                "redirect_uri": CALLBACK, "code_verifier": flow.verifier,
            }  # fmt: skip
            statuses.append(client.post("/token", data=fields).status_code)

    threads = [threading.Thread(target=once) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(200) <= 1 and set(statuses) <= {200, 400}


# -- tokens ---------------------------------------------------------------------------


def test_an_access_token_expires(site: Site) -> None:
    tokens = Flow(site).tokens(VAULT)
    site.clock.now += 3_599
    assert who(site.mcp(tokens["access_token"])) == "owner"
    site.clock.now += 2
    assert site.mcp(tokens["access_token"]).status_code == 401


def test_a_clock_that_is_set_back_prolongs_nothing(site: Site) -> None:
    """What a clock sealed that ran a year ahead does not count for that year."""
    flow, right = Flow(site), site.clock.now
    site.clock.now = right + 365 * 86_400
    tokens, code = flow.tokens(VAULT), flow.code(VAULT)
    assert who(site.mcp(tokens["access_token"])) == "owner"
    site.clock.now = right
    assert site.mcp(tokens["access_token"]).status_code == 401
    refused(flow.exchange(code), "invalid_grant")
    # Whoever was signed in stays so; and clocks of several servers differ a little.
    again = flow.refresh(tokens["refresh_token"]).json()
    assert who(site.mcp(again["access_token"])) == "owner"
    site.clock.now = right - 30
    assert who(site.mcp(again["access_token"])) == "owner"


def test_a_forged_token_is_none(site: Site) -> None:
    flow = Flow(site)
    tokens, scout = flow.tokens(VAULT), flow.tokens(SCOUT)
    good = tokens["access_token"]
    kind, body, digest = good.split(".")
    _, other_body, other_digest = scout["access_token"].split(".")
    forged = [
        good[:-1] + ("A" if good[-1] != "A" else "B"), f"{kind}.{other_body}.{digest}",
        f"{kind}.{body}.{other_digest}", f"mnr1.{body}.{digest}", f"{kind}.{body}.",
        f"{kind}.{body}",
        f"{kind}..{digest}", good + "=", good + ".x", tokens["refresh_token"], good.upper(),
        "mna1.bnVsbA." + digest, "mna1.W10." + digest, f"{kind}.{body}.{digest}\u00e9",
    ]  # fmt: skip
    site.running.app.door.throttle = Throttle(burst=1_000)
    for token in forged:
        headers = [(b"Authorization", f"Bearer {token}".encode())]
        response = site.running.client.post("/mcp", json={}, headers=headers)
        assert response.status_code == 401, token
    refused(flow.refresh(good), "invalid_grant")
    assert who(site.mcp(good)) == "owner"


def test_who_guesses_at_an_address_shuts_no_client_out_that_calls_from_there(site: Site) -> None:
    """A client's tokens are others each hour; what it was given goes on all the same."""
    flow = Flow(site)
    tokens, other = flow.tokens(SCOUT), Flow(site)
    waiting = other.code(SCOUT)
    guesses = [site.mcp(f"wrong-{n}-" + "w" * 20).status_code for n in range(14)]
    assert guesses == [401] * 10 + [429] * 4
    codes = [flow.exchange(f"no-code-{n}").status_code for n in range(34)]
    assert codes == [400] * 30 + [429] * 4
    for _ in range(2):
        assert who(site.mcp(tokens["access_token"])) == "scout"
        tokens = flow.refresh(tokens["refresh_token"]).json()
    newer = other.exchange(waiting).json()
    assert who(site.mcp(newer["access_token"])) == "scout"
    site.clock.now += 3_601
    assert site.mcp(newer["access_token"]).status_code == 401, "it is told to refresh"
    again = other.refresh(newer["refresh_token"]).json()
    assert who(site.mcp(again["access_token"])) == "scout"
    sent = {"token": again["access_token"], "client_id": CLAUDE}
    assert site.running.client.post("/revoke", data=sent).status_code == 200
    # Everybody else waits: also who writes what looks like a token of this server.
    forged = [
        f"mna1.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.AA"
        for claims in ({"n": "owner", "g": "0" * 32}, {"g": 7}, {"g": ["x"]}, {}, {"g": "\0" * 32})
    ]
    for token in (*forged, again["access_token"], VAULT, "mna1.x.y", "mna1." + "A" * 9_000):
        assert site.mcp(token).status_code == 429
    assert flow.exchange("no-such-code").status_code == 429
    assert flow.refresh(again["refresh_token"]).status_code == 429


def test_a_token_whose_time_is_over_is_no_guess(site: Site) -> None:
    flow = Flow(site)
    old, revoked = flow.tokens(SCOUT), flow.tokens(SCOUT)
    sent = {"token": revoked["access_token"], "client_id": CLAUDE}
    assert site.running.client.post("/revoke", data=sent).status_code == 200
    site.clock.now += 3_601
    for _ in range(12):
        assert site.mcp(old["access_token"]).status_code == 401
        assert site.mcp(revoked["access_token"]).status_code == 401
    assert site.mcp("wrong-" + "w" * 20).status_code == 401
    # One that only looks like it is one.
    kind, body, digest = old["access_token"].split(".")
    wrong = [f"{kind}.{body}.{digest[:-4]}{n:04d}" for n in range(9)]
    assert [site.mcp(token).status_code for token in wrong] == [401] * 9
    assert site.mcp("wrong-" + "x" * 20).status_code == 429


def test_a_token_in_the_path_may_be_an_issued_one(site: Site) -> None:
    tokens = Flow(site).tokens(SCOUT)
    response = site.running.post(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami"}},
        None,
        LEGACY,
        f"/t/{tokens['access_token']}/mcp",
    )
    assert who(response) == "scout"
    assert tokens["access_token"] not in site.running.log.getvalue()


def test_refreshing_turns_both_tokens(site: Site) -> None:
    flow = Flow(site)
    first = flow.tokens(SCOUT)
    second = flow.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert second["access_token"] != first["access_token"]
    assert who(site.mcp(second["access_token"])) == "scout"
    third = flow.refresh(second["refresh_token"]).json()
    assert who(site.mcp(third["access_token"])) == "scout"


def test_an_answer_that_was_lost_may_be_asked_for_again(site: Site) -> None:
    flow = Flow(site)
    first = flow.tokens(SCOUT)
    one, other = (flow.refresh(first["refresh_token"]).json() for _ in range(2))
    assert one["refresh_token"] == other["refresh_token"]


def test_a_turned_token_that_comes_back_ends_the_grant(site: Site) -> None:
    flow = Flow(site)
    first = flow.tokens(SCOUT)
    second = flow.refresh(first["refresh_token"]).json()
    site.clock.now += module.RETRY_SECONDS + SKEW_SECONDS + 1
    refused(flow.refresh(first["refresh_token"]), "invalid_grant")
    refused(flow.refresh(second["refresh_token"]), "invalid_grant")
    assert site.mcp(second["access_token"]).status_code == 401
    first = flow.tokens(SCOUT)
    second = flow.refresh(first["refresh_token"]).json()
    flow.refresh(second["refresh_token"])
    refused(flow.refresh(first["refresh_token"]), "invalid_grant")


def test_a_refresh_token_is_one_clients_own_and_expires(site: Site) -> None:
    flow = Flow(site)
    tokens = flow.tokens(SCOUT)
    other = site.register().json()["client_id"]
    refused(flow.refresh(tokens["refresh_token"], client_id=other), "invalid_grant")
    refused(flow.refresh(tokens["refresh_token"], scope="everything"), "invalid_scope")
    refused(flow.refresh(tokens["refresh_token"][:-3]), "invalid_grant")
    site.clock.now += 61 * 86_400
    refused(flow.refresh(tokens["refresh_token"]), "invalid_grant")


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_a_revoked_token_takes_the_other_one_along(site: Site, which: str) -> None:
    flow = Flow(site)
    tokens = flow.tokens(SCOUT)
    assert who(site.mcp(tokens["access_token"])) == "scout"
    post = site.running.client.post
    assert post("/revoke", data={"token": tokens[which], "client_id": CLAUDE}).status_code == 200
    assert site.mcp(tokens["access_token"]).status_code == 401
    refused(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    assert post("/revoke", data={"token": "nothing", "client_id": CLAUDE}).status_code == 200


def test_nobody_revokes_what_is_anothers(site: Site) -> None:
    tokens = Flow(site).tokens(SCOUT)
    other = site.register().json()["client_id"]
    site.running.client.post("/revoke", data={"token": tokens["access_token"], "client_id": other})
    assert who(site.mcp(tokens["access_token"])) == "scout"


def test_nothing_secret_is_kept_or_logged(site: Site, tmp_path: Path) -> None:
    flow = Flow(site)
    code = flow.code(SCOUT)
    tokens = flow.exchange(code).json()
    site.mcp(tokens["access_token"])
    flow.refresh(tokens["refresh_token"])
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("oauth.db*"))
    logged = site.running.log.getvalue().encode()
    secrets = (VAULT, SCOUT, code, flow.verifier, *map(str, tokens.values()))
    for secret in (s for s in secrets if len(s) > 16):
        assert secret.encode() not in kept and secret.encode() not in logged


# -- the SDK's own client ---------------------------------------------------------------


class Tokens:
    """Where the SDK's client keeps what it got."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.info: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.info

    async def set_client_info(self, client_info: Any) -> None:
        self.info = client_info


@pytest.mark.parametrize(("mode", "settled"), [("auto", MODERN), ("legacy", LEGACY)])
def test_the_sdks_client_signs_in_in_both_eras(site: Site, mode: Any, settled: str) -> None:
    redirect = "http://127.0.0.1:7777/callback"
    places: list[str] = []

    async def opened(place: str) -> None:
        places.append(place)

    async def answered() -> AuthorizationCodeResult:
        page = await asyncio.to_thread(site.browser.get, places[-1])
        page = await asyncio.to_thread(site.browser.get, page.headers["Location"])
        sent = await asyncio.to_thread(Flow(site).answer, page, SCOUT)
        told = query(sent)
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

    async def work() -> tuple[str, str]:
        provider = OAuthClientProvider(
            server_url=site.base + "/mcp",
            client_metadata=OAuthClientMetadata(
                client_name="Test", redirect_uris=[AnyUrl(redirect)]
            ),
            storage=Tokens(),
            redirect_handler=opened,
            callback_handler=answered,
        )
        async with httpx2.AsyncClient(auth=provider, timeout=20) as inner:
            transport = streamable_http_client(site.base + "/mcp", http_client=inner)
            async with Client(transport, mode=mode) as client:
                result = await client.call_tool("whoami", {})
                return str(client.protocol_version), str(result.content[0].text)  # type: ignore[union-attr]

    assert asyncio.run(work()) == (settled, "scout")
