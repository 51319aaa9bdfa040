"""The addresses of signing in: what is looked at before and after the SDK's handlers.

The SDK's handlers know the protocol; what this server is stricter about stands here: one
redirect to the letter, S256 and nothing else, no parameter twice, bounded sizes, public
clients, ``iss`` in every answer that goes through a browser.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.revoke import RevocationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.provider import construct_redirect_uri
from mcp.server.auth.settings import ClientRegistrationOptions
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from manent.access import OWNER_NAME
from manent.errors import ManentError, UsageError
from manent.server.address import public_base
from manent.server.door import client_of as address_of
from manent.server.identities import digest_of
from manent.server.logs import Log
from manent.server.oauth.clients import SCOPE, Redirects
from manent.server.oauth.forms import (
    Fault,
    Fields,
    again,
    asking,
    body_of,
    fields_of,
    form_of,
    posting,
)
from manent.server.oauth.page import consent, policy, refusal
from manent.server.oauth.provider import BACK_TO, FROM, Provider, Request
from manent.server.oauth.registering import GRANTS, metadata_of
from manent.server.throttle import Throttle, network_of

RESOURCE_DOCUMENT = "/.well-known/oauth-protected-resource"
SERVER_DOCUMENT = "/.well-known/oauth-authorization-server"

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_LONGEST_STATE = 2_000
_HIDDEN = {"Cache-Control": "no-store", "Pragma": "no-cache"}

_SEEN = ("/authorize", "/consent")
"""What a browser shows to a person."""

_AWAY = Fault(
    "temporarily_unavailable", "The server cannot look that up now. Please try again soon.", 503
)

Handler = Callable[[HttpRequest], Awaitable[Response]]


class SignIn:
    """The ASGI application of signing in.

    throttle: of wrong tokens, shared with the door. registrations: of new clients.
    """

    def __init__(
        self,
        provider: Provider,
        redirects: Redirects,
        log: Log,
        throttle: Throttle,
        registrations: Throttle | None = None,
        guesses: Throttle | None = None,
    ) -> None:
        self.provider = provider
        self._redirects = redirects
        self._log = log
        self._throttle = throttle
        self._registrations = registrations or Throttle(30, 20, group=network_of)
        self._guesses = guesses or Throttle(burst=30, seconds_each=2)
        authenticator = ClientAuthenticator(provider)
        self._authorize = AuthorizationHandler(provider)
        self._token = TokenHandler(provider, authenticator)
        self._revoke = RevocationHandler(provider, authenticator)
        options = ClientRegistrationOptions(enabled=True, default_scopes=[SCOPE])
        self._register = RegistrationHandler(provider, options)
        base = urlsplit(provider.base)
        self._origin = f"{base.scheme}://{base.netloc}"
        self._secure = base.scheme == "https"
        self._cookie = "__Host-manent" if self._secure else "manent-consent"
        self._routes = self._table(base.path)

    @property
    def challenge(self) -> str:
        """What a 401 of the endpoint adds, so that clients find their way here."""
        base = urlsplit(self.provider.base)
        place = f"{self._origin}{RESOURCE_DOCUMENT}{base.path}/mcp"
        return f'resource_metadata="{place}"'

    def _table(self, prefix: str) -> dict[tuple[str, str], Handler]:
        documents = {f"{SERVER_DOCUMENT}{prefix}": self._server_document()}
        documents[SERVER_DOCUMENT] = self._server_document()
        for path in ("", "/mcp", f"{prefix}/mcp", prefix):
            documents[RESOURCE_DOCUMENT + path] = self._resource_document()
        table: dict[tuple[str, str], Handler] = {
            ("GET", path): _document(found) for path, found in documents.items()
        }
        table[("GET", "/authorize")] = table[("POST", "/authorize")] = self.authorize
        table[("GET", "/consent")], table[("POST", "/consent")] = self.ask, self.answer
        table[("POST", "/token")] = self.token
        table[("POST", "/register")] = self.register
        table[("POST", "/revoke")] = self.revoke
        return table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for one of these addresses; 404 for any other."""
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        handler = self._routes.get((method, scope["path"]))
        if handler is None:
            response = self._nowhere(scope["path"])
        else:
            try:
                response = await handler(HttpRequest(scope, receive))
            except Fault as fault:
                response = _told(scope["path"], fault)
            except ManentError:
                response = _told(scope["path"], _AWAY)
        await response(scope, receive, send)

    def _nowhere(self, path: str) -> Response:
        methods = sorted(method for method, known in self._routes if known == path)
        if methods:
            return Response(status_code=405, headers={"Allow": ", ".join(methods)})
        return _refused(Fault("not_found", "there is nothing here", 404))

    # -- documents ---------------------------------------------------------------------

    def _resource_document(self) -> Mapping[str, Any]:
        return {
            "resource": self.provider.resource,
            "authorization_servers": [self.provider.base],
            "scopes_supported": [SCOPE],
            "bearer_methods_supported": ["header"],
            "resource_name": "manent",
        }

    def _server_document(self) -> Mapping[str, Any]:
        base = self.provider.base
        return {
            "issuer": base,
            "authorization_endpoint": f"{base}/authorize",
            "token_endpoint": f"{base}/token",
            "registration_endpoint": f"{base}/register",
            "revocation_endpoint": f"{base}/revoke",
            "scopes_supported": [SCOPE],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": list(GRANTS),
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "client_id_metadata_document_supported": True,
            "authorization_response_iss_parameter_supported": True,
        }

    # -- registering -------------------------------------------------------------------

    async def register(self, request: HttpRequest) -> Response:
        """Register a client, which holds no secret whatever it asked for."""
        self._slow(self._registrations, request)
        self._registrations.failed(address_of(request.scope))
        FROM.set(address_of(request.scope))
        body = await body_of(request)
        try:
            said = json.loads(body.decode())
        except (ValueError, RecursionError):
            raise Fault("invalid_client_metadata", "the body is no JSON") from None
        if not isinstance(said, dict):
            raise Fault("invalid_client_metadata", "the body is no object")
        kept = metadata_of(said, self._redirects)
        return await self._register.handle(again(request, json.dumps(kept).encode()))

    # -- asking ------------------------------------------------------------------------

    async def authorize(self, request: HttpRequest) -> Response:
        """Take a client's request; send the browser to the page that asks."""
        fields, redirect = await self._asked_for(request)
        if (fault := self._unsound(fields)) is not None:
            return self._back(redirect, fields.get("state"), fault)
        response = await self._authorize.handle(asking(request, fields))
        place = response.headers.get("location", "")
        if place and not place.startswith(f"{self.provider.base}/consent?"):
            # An error that the SDK sends back to the client: it has to say who sends it.
            response.headers["location"] = construct_redirect_uri(place, iss=self.provider.base)
        response.headers.update(_HIDDEN)
        return response

    async def _asked_for(self, request: HttpRequest) -> tuple[Fields, str]:
        """Return the parameters, and where to send back to; raises Fault where to nowhere."""
        if request.method == "POST":
            fields = await form_of(request)
        else:
            fields = fields_of(request.scope["query_string"].decode("latin-1"))
        client = await self.provider.get_client(fields.get("client_id", ""))
        if client is None:
            raise Fault("invalid_client", "that program is not known here: connect it again")
        redirect = fields.get("redirect_uri")
        if redirect is None and len(client.redirects) == 1:
            redirect = client.redirects[0]
        if redirect is None or not self._redirects.matches(redirect, client.redirects):
            raise Fault("invalid_request", "that program may not be sent back there")
        return fields, redirect

    def _unsound(self, fields: Fields) -> Fault | None:
        """Return what is wrong with a request, for the client to be told."""
        if fields.get("response_type") != "code":
            return Fault("unsupported_response_type", "response_type must be code")
        if fields.get("code_challenge_method") != "S256":
            return Fault("invalid_request", "code_challenge_method must be S256")
        if not _CHALLENGE.fullmatch(fields.get("code_challenge", "")):
            return Fault("invalid_request", "code_challenge must be 43 letters of base64url")
        if len(fields.get("state", "")) > _LONGEST_STATE:
            return Fault("invalid_request", "state is too long")
        if not self._is_resource(fields.get("resource")):
            return Fault("invalid_target", "that is not the resource of this server")
        return None

    def _is_resource(self, named: str | None) -> bool:
        if named is None:
            return True
        try:
            return public_base(named) == self.provider.base
        except UsageError:
            return False

    def _back(self, redirect: str, state: str | None, fault: Fault) -> Response:
        place = construct_redirect_uri(
            redirect,
            error=fault.error,
            error_description=fault.words,
            state=state if state is None or len(state) <= _LONGEST_STATE else None,
            iss=self.provider.base,
        )
        return RedirectResponse(place, 302, _HIDDEN)

    async def ask(self, request: HttpRequest) -> Response:
        """Show the page that asks."""
        fields = fields_of(request.scope["query_string"].decode("latin-1"))
        asked = await self.provider.asked(fields.get("request", ""))
        if asked is None:
            return _page(refusal("This request is too old, or none of this server's."), 400)
        return self._asking(request, asked, "", 200)

    def _asking(self, request: HttpRequest, asked: Request, fault: str, status: int) -> Response:
        cookie = request.cookies.get(self._cookie, "")
        if not re.fullmatch(r"[0-9a-f]{64}", cookie):
            cookie = secrets.token_hex(32)
        html = consent(
            asked.client,
            asked.redirect,
            self.provider.resource,
            asked.text,
            self._csrf(cookie, asked),
            fault,
        )
        response = _page(html, status, asked.redirect)
        response.set_cookie(
            self._cookie,
            cookie,
            max_age=3_600,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="strict",
        )
        return response

    def _csrf(self, cookie: str, asked: Request) -> str:
        key = self.provider.identities.key_of(OWNER_NAME)
        assert key is not None
        return hmac.digest(key, f"csrf\0{cookie}\0{asked.text}".encode(), "sha256").hex()

    async def answer(self, request: HttpRequest) -> Response:
        """Take what was answered on the page."""
        if request.headers.get("origin") != self._origin:
            return _page(refusal("The form must come from this server's own page."), 403)
        fields = await form_of(request)
        asked = await self.provider.asked(fields.get("request", ""))
        if asked is None or not self._redirects.matches(asked.redirect, asked.client.redirects):
            return _page(refusal("This request is too old, or none of this server's."), 400)
        cookie = request.cookies.get(self._cookie, "")
        given = fields.get("csrf", "").encode("utf-8", "surrogateescape")
        if not cookie or not hmac.compare_digest(self._csrf(cookie, asked).encode(), given):
            return self._asking(request, asked, "That page was an old one. Please try again.", 403)
        if fields.get("decision") == "deny":
            self._log("sign-in", outcome="denied", client=address_of(request.scope))
            place = self.provider.back(asked, error="access_denied")
            return RedirectResponse(place, 303, _HIDDEN)
        if fields.get("decision") != "allow":
            return self._asking(request, asked, "Please choose: allow, or deny.", 400)
        return await self._signed(request, asked, fields.get("token", ""))

    async def _signed(self, request: HttpRequest, asked: Request, token: str) -> Response:
        address, digest = address_of(request.scope), digest_of(token.strip())
        if wait := self._throttle.wait(address, digest):
            words = f"Too many wrong tokens. Please wait {wait} seconds."
            response = self._asking(request, asked, words, 429)
            response.headers["Retry-After"] = str(wait)
            return response
        identity = self.provider.identities.of_digest(digest)
        place = None if identity is None else await self.provider.allowed(asked, identity)
        if identity is None or place is None:
            self._throttle.failed(address)
            self._log("sign-in", "warning", outcome="refused", client=address)
            return self._asking(request, asked, "That token is not known here.", 403)
        self._throttle.passed(address, digest)
        self._log("sign-in", outcome="ok", identity=identity.name, client=address)
        return RedirectResponse(place, 303, _HIDDEN)

    # -- tokens ------------------------------------------------------------------------

    async def token(self, request: HttpRequest) -> Response:
        """Give tokens for a code, or for a refresh token."""
        fields = await form_of(request)
        await self._slow_guesses(request, fields)
        if not self._is_resource(fields.get("resource")):
            raise Fault("invalid_target", "that is not the resource of this server")
        kind = fields.get("grant_type")
        if kind not in GRANTS:
            error = "invalid_request" if kind is None else "unsupported_grant_type"
            raise Fault(error, f"grant_type must be one of {', '.join(GRANTS)}")
        by_code = kind == "authorization_code"
        if by_code and not _VERIFIER.fullmatch(fields.get("code_verifier", "")):
            raise Fault("invalid_request", "code_verifier must be 43 to 128 letters")
        BACK_TO.set(fields.get("redirect_uri", ""))
        response: Response = await self._token.handle(posting(request, fields))
        if response.status_code != 200:
            self._guesses.failed(address_of(request.scope))
        return response

    async def revoke(self, request: HttpRequest) -> Response:
        """End what a token gives."""
        # The SDK's handler wants a secret of clients that have none.
        fields = {"client_secret": "", **await form_of(request)}
        await self._slow_guesses(request, fields)
        response = await self._revoke.handle(posting(request, fields))
        if response.status_code != 200:
            self._guesses.failed(address_of(request.scope))
        return response

    async def _slow_guesses(self, request: HttpRequest, fields: Fields) -> None:
        """Slow down who guesses; who holds what cannot be guessed does not wait for them."""
        if self._guesses.wait(address_of(request.scope)) and not await self.provider.holds(fields):
            self._slow(self._guesses, request)

    def _slow(self, throttle: Throttle, request: HttpRequest) -> None:
        wait = throttle.wait(address_of(request.scope))
        if wait:
            raise Fault("slow_down", f"too many requests: wait {wait} seconds", 429)


# -- answers --------------------------------------------------------------------


def _page(html: str, status: int, redirect: str = "") -> Response:
    headers = {
        "Content-Security-Policy": policy(redirect),
        "X-Frame-Options": "DENY",
        # With none at all, a browser would not say where the form comes from.
        "Referrer-Policy": "same-origin",
        **_HIDDEN,
    }
    return HTMLResponse(html, status, headers)


def _document(document: Mapping[str, Any]) -> Handler:
    async def handle(request: HttpRequest) -> Response:
        return JSONResponse(dict(document), headers={"Cache-Control": "public, max-age=3600"})

    return handle


def _told(path: str, fault: Fault) -> Response:
    """Return an answer for whoever reads it: words for people, JSON for programs."""
    response = _page(refusal(fault.words), fault.status) if path in _SEEN else _refused(fault)
    if fault is _AWAY:
        response.headers["Retry-After"] = "10"
    return response


def _refused(fault: Fault) -> Response:
    body = {"error": fault.error, "error_description": fault.words}
    headers = dict(_HIDDEN)
    if fault.status == 429:
        headers["Retry-After"] = re.sub(r"\D", "", fault.words) or "60"
    return JSONResponse(body, fault.status, headers)
