"""The door of the HTTP server: who may come in, and what is said to who may not.

Every request passes here before anything else looks at it: its host and origin, its
preflight, its token. A token in a path is taken out of the path at once, so that nothing
behind the door can log it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Protocol

from starlette.types import Receive, Scope, Send

from manent.access import Identity
from manent.errors import ManentError
from manent.server.address import ENDPOINT, Names
from manent.server.identities import Identities, digest_of
from manent.server.logs import Log
from manent.server.metrics import Metrics
from manent.server.throttle import Throttle
from manent.values import dataclass, field

IDENTITY = "manent.identity"
"""The key of a scope under which stands who asks."""

STANDS = "manent.stands"
"""The key under which stands what tells whether whoever came in would still be let in."""

CLAIMS = "manent.claims"
"""The key under which stands what an issued token was for, where it was one."""

_TOKEN_PATH = "/t/"
_EXPOSED = "WWW-Authenticate, Mcp-Session-Id"
_ASKED = re.compile(r"[A-Za-z0-9-]{1,64}")
_ALLOWED = (
    "authorization",
    "content-type",
    "accept",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
)

Header = tuple[bytes, bytes]

Issued = tuple[Identity, Mapping[str, str]]
"""Whom an access token was issued to, and what is known of it."""


class Issuer(Protocol):
    """What issues access tokens, where the server does. Any of these may raise ManentError."""

    async def issued(self, token: bytes) -> Issued | None:
        """Return whom a token was issued to, if it counts."""

    async def held(self, token: bytes) -> bool:
        """Tell whether a token, right or wrong, names what nobody can guess."""

    def made(self, token: bytes) -> bool:
        """Tell whether a token was issued here, whether it counts still or not."""


@dataclass(frozen=True, slots=True)
class Response:
    """A short answer that this code makes itself."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        headers = {"Content-Length": str(len(self.body)), **self.headers}
        if self.body:
            headers["Content-Type"] = self.content_type
        lines = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": lines})
        body = b"" if scope["method"] == "HEAD" else self.body
        await send({"type": "http.response.body", "body": body})


def error(status: int, code: str, words: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer that says what is wrong, in the form OAuth clients read."""
    body = json.dumps({"error": code, "error_description": words}).encode()
    return Response(status, body, headers=headers or {})


def header_of(scope: Scope, name: bytes) -> str | None:
    """Return a header, None where it is not there; several of one name are one, joined."""
    found = [value for key, value in scope["headers"] if key == name]
    return b", ".join(found).decode("latin-1") if found else None


def client_of(scope: Scope) -> str:
    """Return the address a request came from."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def port_of(scope: Scope) -> int:
    """Return the port a request came in at."""
    server = scope.get("server")
    return int(server[1] or 0) if server else 0


def without_token(scope: Scope) -> tuple[Scope, bytes | None]:
    """Take the token out of ``/t/TOKEN/…``; return the scope without it, and the token."""
    path = scope["path"]
    if not path.startswith(_TOKEN_PATH):
        return scope, None
    token, _, rest = path[len(_TOKEN_PATH) :].partition("/")
    rest = "/" + rest
    clean = {**scope, "path": rest, "raw_path": rest.encode("utf-8", "replace")}
    return clean, token.encode("utf-8", "surrogateescape")


@dataclass(slots=True)
class Door:
    """Lets in whoever may.

    issuer: what issues access tokens, where the server does. challenge: what a 401 adds to
    ``WWW-Authenticate``.
    """

    identities: Identities
    names: Names
    log: Log
    metrics: Metrics
    throttle: Throttle = field(default_factory=Throttle)
    issuer: Issuer | None = None
    challenge: str = ""

    def strange(self, scope: Scope) -> Response | None:
        """Return what to say to a host or an origin that is not ours."""
        host = header_of(scope, b"host") or ""
        port = port_of(scope)
        if not self.names.knows_host(host, port):
            self._refused(scope, "host", host=host)
            return error(421, "misdirected", "this server does not answer under that name")
        origin = header_of(scope, b"origin")
        if origin is not None and not self.names.knows_origin(origin, host, port):
            self._refused(scope, "origin", origin=origin)
            return error(403, "forbidden", "pages of that origin may not call this server")
        return None

    def preflight(self, scope: Scope) -> Response | None:
        """Return the answer to a browser that asks before it calls."""
        if scope["method"] != "OPTIONS":
            return None
        asked = header_of(scope, b"access-control-request-headers") or ""
        named = [name.strip().lower() for name in asked.split(",")]
        extra = [name for name in named if name.startswith("mcp-") and _ASKED.fullmatch(name)]
        allowed = ", ".join(dict.fromkeys((*_ALLOWED, *extra[:32])))
        headers = {
            "Allow": "GET, POST, DELETE, OPTIONS",
            "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
            "Access-Control-Allow-Headers": allowed,
            "Access-Control-Max-Age": "600",
        }
        return Response(204, headers=headers)

    def headers(self, scope: Scope) -> list[Header]:
        """Return the headers that every answer to a request carries."""
        lines = [
            (b"x-content-type-options", b"nosniff"),
            # With none at all, a browser would not say where a form comes from either.
            (b"referrer-policy", b"same-origin"),
            (b"vary", b"Origin"),
        ]
        origin = header_of(scope, b"origin")
        if origin is not None:
            lines.append((b"access-control-allow-origin", origin.encode("latin-1")))
            lines.append((b"access-control-expose-headers", _EXPOSED.encode()))
        return lines

    async def enter(self, scope: Scope, in_path: bytes | None) -> Response | None:
        """Find out who asks and write it into the scope, or return what to say instead."""
        token = in_path if in_path is not None else _bearer(scope["headers"])
        if token is None:
            return self._unknown("", "a token is needed: Authorization: Bearer")
        address, digest = client_of(scope), digest_of(token)
        try:
            if wait := await self._wait(address, digest, token):
                self._refused(scope, "throttled")
                words = "too many wrong tokens from this address"
                return error(429, "slow_down", words, {"Retry-After": str(wait)})
            found, claims = await self._found(digest, token)
        except ManentError:
            return error(503, "temporarily_unavailable", "the token cannot be looked up now")
        if found is None:
            # One that was issued here and counts no more is no guess.
            if self.issuer is None or not self.issuer.made(token):
                self.throttle.failed(address)
            self._refused(scope, "token")
            return self._unknown("invalid_token", "the token is not known, or not any more")
        if claims is None:
            self.throttle.passed(address, digest)
        scope[IDENTITY] = found
        scope[CLAIMS] = claims or {}
        scope[STANDS] = partial(self._stands, token, digest, found)
        return None

    async def _wait(self, address: str, digest: bytes, token: bytes) -> int:
        """Return how many seconds a token must wait for those who guess at its address.

        A client's access token is another one each hour, so it is not by having been right
        before that it is known, but by the grant it is of.
        """
        wait = self.throttle.wait(address, digest)
        if wait and self.issuer is not None and await self.issuer.held(token):
            return 0
        return wait

    async def _found(
        self, digest: bytes, token: bytes
    ) -> tuple[Identity | None, Mapping[str, str] | None]:
        """Return whose token it is, and what an issued one was for; None, None: nobody's."""
        found = self.identities.of_digest(digest)
        if found is not None or self.issuer is None:
            return found, None
        return await self.issuer.issued(token) or (None, None)

    async def _stands(self, token: bytes, digest: bytes, identity: Identity) -> bool:
        """Tell whether a token still lets in the same one with the same rights."""
        try:
            found, _ = await self._found(digest, token)
        except ManentError:
            return False
        return found == identity

    def _unknown(self, code: str, words: str) -> Response:
        parts = [part for part in (f'error="{code}"' if code else "", self.challenge) if part]
        challenge = "Bearer " + ", ".join(parts) if parts else "Bearer"
        return error(401, code or "unauthorized", words, {"WWW-Authenticate": challenge})

    def _refused(self, scope: Scope, reason: str, **fields: str) -> None:
        self.metrics.count("manent_refused_total", "Requests refused at the door.", reason=reason)
        self.log("refused", "warning", reason=reason, client=client_of(scope), **fields)


def _bearer(headers: Iterable[Header]) -> bytes | None:
    found = [value for name, value in headers if name == b"authorization"]
    if len(found) != 1:
        return None
    scheme, _, token = found[0].strip().partition(b" ")
    return token.strip() or None if scheme.lower() == b"bearer" else None


def is_endpoint(path: str) -> bool:
    """Tell whether a path is the one that MCP is spoken at."""
    return path in (ENDPOINT, ENDPOINT + "/")
