"""What the SDK's handlers ask for: clients, codes, grants and the tokens they give."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    IdentityAssertionParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl

from manent.access import OWNER_NAME, Identity
from manent.errors import ManentError
from manent.server.identities import Identities
from manent.server.oauth.clients import SCOPE, Client, as_written, client_of, pinned
from manent.server.oauth.sealed import SKEW_SECONDS, claimed, counts, seal, unseal
from manent.server.oauth.standing import Standing, apart
from manent.server.oauth.store import Grant, Registered, Store
from manent.server.throttle import network_of

CODE_SECONDS = 300
"""How long a code may be used."""

ACCESS_SECONDS = 3_600
"""How long an access token counts."""

GRANT_SECONDS = 60 * 86_400
"""How long a grant that nobody uses lasts; each refresh begins it anew."""

RETRY_SECONDS = 30
"""How long a refresh token that was turned gives the same new one once more: the answer
may have been lost on its way, or two places of one client asked at the same moment."""

REQUEST_SECONDS = 600
"""How long somebody may look at the page that asks."""

_ACCESS, _REFRESH, _REQUEST = "mna1", "mnr1", "mnq1"


FROM: ContextVar[str] = ContextVar("from", default="")
"""The address that a request came from, which the SDK's handlers do not hand on."""

BACK_TO: ContextVar[str] = ContextVar("back_to", default="")
"""The redirect that is sent along with a code; theirs calls another one a wrong request."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks somebody to allow."""

    client: Client
    redirect: str
    explicit: bool
    challenge: str
    state: str | None
    text: str


@dataclass(slots=True)
class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """The authorization server behind the SDK's handlers.

    base: the address of the server, as clients reach it. now: seconds since 1970.
    """

    base: str
    resource: str
    identities: Identities
    store: Store
    now: Callable[[], float] = time.time
    standing: Standing = field(init=False)

    def __post_init__(self) -> None:
        self.standing = Standing(self.store, self.identities, self.base)

    # -- clients -----------------------------------------------------------------------

    async def get_client(self, client_id: str) -> Client | None:
        """Return a client that is known by its address, or that registered itself."""
        known = pinned(client_id)
        if known is not None or len(client_id) > 64:
            return known
        found = await apart(self.store.client, client_id)
        return None if found is None else client_of(found.id, found.name, found.redirects, False)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a client; ``routes`` has looked at what it says of itself."""
        redirects = tuple(str(uri) for uri in client_info.redirect_uris or ())
        client = Registered(client_info.client_id, client_info.client_name or "", redirects)
        network = self._network_digest(FROM.get())
        if not await apart(self.store.register, client, network, self._now_ms()):
            words = "too many programs of that network are signed in"
            raise RegistrationError("invalid_client_metadata", words)

    # -- asking ------------------------------------------------------------------------

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Return the address of the page that asks whoever sits before the browser."""
        claims = {
            "n": OWNER_NAME,
            "c": client.client_id,
            "u": str(params.redirect_uri),
            "x": params.redirect_uri_provided_explicitly,
            "p": params.code_challenge,
            "s": params.state,
            "e": int(self.now()) + REQUEST_SECONDS,
        }
        sealed = seal(_REQUEST, self.base, claims, self._own_key())
        return construct_redirect_uri(f"{self.base}/consent", request=sealed)

    async def asked(self, sealed: str) -> Request | None:
        """Return what a page was asked to ask, None for what this server did not write."""
        claims = unseal(sealed, _REQUEST, self.base, self.identities.key_of)
        if claims is None or not counts(claims, self.now(), REQUEST_SECONDS):
            return None
        client = await self.get_client(claims["c"])
        if client is None:
            return None
        return Request(client, claims["u"], claims["x"], claims["p"], claims["s"], sealed)

    async def allowed(self, request: Request, identity: Identity) -> str | None:
        """Return where to send the browser back to, with a code; None: not for this one."""
        await self.standing.settle()
        bound = self.identities.bound_of(identity.name)
        if not bound:
            return None
        code = secrets.token_urlsafe(32)
        row = {
            "identity": identity.name,
            "bound": bound,
            "audience": self.base,
            "redirect": request.redirect,
            "explicit": request.explicit,
            "challenge": request.challenge,
            "e": int(self.now()) + CODE_SECONDS,
        }
        now_ms = self._now_ms()
        digest = self._code_digest(code)
        client, expires_ms = request.client.client_id, now_ms + CODE_SECONDS * 1000
        await apart(self.store.keep_code, digest, client, row, expires_ms, now_ms)
        return self.back(request, code=code)

    def back(self, request: Request, **said: str) -> str:
        """Return the address a client is sent back to, with what it is told."""
        return construct_redirect_uri(request.redirect, **said, state=request.state, iss=self.base)

    # -- codes -------------------------------------------------------------------------

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return a code and use it up, right or wrong: whoever has it has one try."""
        await self.standing.settle()
        digest = self._code_digest(authorization_code)
        row = await apart(self.store.use_code, digest, client.client_id, self._now_ms())
        late = row is not None and not counts(row, self.now(), CODE_SECONDS)
        bound = None if row is None else self.identities.bound_of(row["identity"])
        if row is None or late or bound != row["bound"] or not _goes_with(row):
            # It may have come twice: what it gave is looked up anew, not remembered.
            self.standing.forget()
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=[SCOPE],
            expires_at=time.time() + CODE_SECONDS,
            client_id=client.client_id,
            code_challenge=row["challenge"],
            redirect_uri=AnyUrl(row["redirect"]),
            redirect_uri_provided_explicitly=row["explicit"],
            resource=self.resource,
            subject=row["identity"],
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Begin a grant and return its first tokens."""
        now_ms = self._now_ms()
        name = authorization_code.subject or ""
        expires_ms = now_ms + GRANT_SECONDS * 1000
        grant = Grant(
            secrets.token_hex(16),
            name,
            client.client_id,
            expires_ms,
            0,
            now_ms,
            bound=self.identities.bound_of(name),
            audience=self.base,
        )
        digest = self._code_digest(authorization_code.code)
        if not await apart(self.store.begin, grant, digest, now_ms):
            raise TokenError("invalid_grant", "authorization code does not exist")
        return self._tokens(grant.id, name, client.client_id, 0)

    # -- tokens ------------------------------------------------------------------------

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """Return a refresh token of this client's, turned or not."""
        await self.standing.settle()
        claims = unseal(refresh_token, _REFRESH, self.resource, self.identities.key_of)
        if claims is None or claims["c"] != client.client_id:
            return None
        grant = await apart(self.store.grant, claims["g"])
        if grant is None or grant.revoked or grant.identity != claims["n"]:
            return None
        if grant.expires_ms <= self._now_ms():
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=client.client_id,
            scopes=[SCOPE],
            resource=self.resource,
            subject=grant.identity,
        )

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,
        refresh_token: RefreshToken,
        scopes: list[str],
    ) -> OAuthToken:
        """Turn a refresh token into new tokens; one that was turned before ends the grant."""
        claims = unseal(refresh_token.token, _REFRESH, self.resource, self.identities.key_of)
        if claims is None:
            raise TokenError("invalid_grant", "refresh token does not exist")
        identity, generation, now_ms = claims["g"], claims["k"], self._now_ms()
        expires_ms = now_ms + GRANT_SECONDS * 1000
        whose = (self.identities.bound_of(claims["n"]), self.base)
        if not await apart(self.store.turn, identity, generation, expires_ms, now_ms, *whose):
            await self._turned_before(identity, generation, now_ms)
        return self._tokens(identity, claims["n"], client.client_id, generation + 1)

    async def _turned_before(self, identity: str, generation: int, now_ms: int) -> None:
        """Return when its answer may just have been lost; else end the grant and raise."""
        grant = await apart(self.store.grant, identity)
        if grant is not None and not grant.revoked and grant.generation == generation + 1:
            # Whoever turned it may have looked at another clock, or at this one a moment
            # after this request did: the age is less than nothing then.
            age_ms = abs(now_ms - grant.turned_ms)
            if age_ms <= (RETRY_SECONDS + SKEW_SECONDS) * 1000:
                return
        # Two hold the same token, and one of them stole it.
        await self.standing.end(identity)
        raise TokenError("invalid_grant", "refresh token does not exist")

    async def load_access_token(self, token: str) -> AccessToken | None:
        """Return what an access token says, if it counts."""
        await self.standing.settle()
        claims = unseal(token, _ACCESS, self.resource, self.identities.key_of)
        if claims is None or not counts(claims, self.now(), ACCESS_SECONDS):
            return None
        if not await self.standing.lives(claims["g"]):
            return None
        return AccessToken(
            token=token,
            client_id=claims["c"],
            scopes=[SCOPE],
            expires_at=claims["e"],
            resource=self.resource,
            subject=claims["n"],
            claims={"iss": self.base, "grant": claims["g"]},
        )

    async def issued(self, token: bytes) -> tuple[Identity, Mapping[str, str]] | None:
        """Return whom an access token was issued to, for the door of the HTTP server."""
        try:
            found = await self.load_access_token(token.decode("ascii"))
        except UnicodeDecodeError:
            return None
        if found is None or found.subject is None:
            return None
        try:
            identity = self.identities.named(found.subject)
        except ManentError:
            return None
        return identity, {"client": found.client_id}

    def made(self, token: bytes) -> bool:
        """Tell whether this server made an access token, whether it counts still or not."""
        text = token.decode("latin-1")
        return unseal(text, _ACCESS, self.resource, self.identities.key_of) is not None

    async def held(self, token: bytes) -> bool:
        """Tell whether a token, right or wrong, is of a grant that stands.

        Nobody guesses the name of one: whoever knows it was given it.
        """
        return await self._held(token.decode("latin-1"), _ACCESS)

    async def holds(self, fields: Mapping[str, str]) -> bool:
        """Tell the same of a form: of the code or the token in it."""
        if code := fields.get("code"):
            return await apart(self.store.keeps_code, self._code_digest(code), self._now_ms())
        token = fields.get("refresh_token") or fields.get("token", "")
        return await self._held(token, _REFRESH) or await self._held(token, _ACCESS)

    async def _held(self, token: str, kind: str) -> bool:
        claims = claimed(token, kind)
        return claims is not None and await self.standing.lives(claims.get("g"))

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """End the grant that a token is of, whichever of its tokens it is."""
        kind = _ACCESS if isinstance(token, AccessToken) else _REFRESH
        claims = unseal(token.token, kind, self.resource, self.identities.key_of)
        if claims is not None:
            await self.standing.end(claims["g"])

    async def exchange_identity_assertion(
        self, client: OAuthClientInformationFull, params: IdentityAssertionParams
    ) -> OAuthToken:
        """Refuse: nobody else vouches for the one owner there is."""
        raise TokenError("unsupported_grant_type", "this server takes no assertions")

    # -- within ------------------------------------------------------------------------

    def _tokens(self, grant: str, name: str, client: str, generation: int) -> OAuthToken:
        key = self.identities.key_of(name)
        if key is None:
            raise TokenError("invalid_grant", "whoever allowed this is not known any more")
        expires = int(self.now()) + ACCESS_SECONDS
        # What tells an access token from the one before is its generation.
        claims = {"n": name, "c": client, "g": grant, "k": generation}
        return OAuthToken(
            access_token=seal(_ACCESS, self.resource, {**claims, "e": expires}, key),
            refresh_token=seal(_REFRESH, self.resource, claims, key),
            expires_in=ACCESS_SECONDS,
            scope=SCOPE,
        )

    def _own_key(self) -> bytes:
        key = self.identities.key_of(OWNER_NAME)
        assert key is not None, "there is a vault's token wherever there is HTTP"
        return key

    def _code_digest(self, code: str) -> str:
        written = code.encode("utf-8", "surrogateescape")
        return hmac.new(self._own_key(), b"code\0" + written, hashlib.sha256).hexdigest()

    def _network_digest(self, address: str) -> str:
        """Return what stands for a network: no address is kept."""
        network = network_of(address).encode()
        return hmac.new(self._own_key(), b"network\0" + network, hashlib.sha256).hexdigest()[:16]

    def _now_ms(self) -> int:
        return int(self.now() * 1000)


def _goes_with(row: Mapping[str, Any]) -> bool:
    """Tell whether the redirect that came with a code is the one it was asked for with."""
    given = BACK_TO.get()
    if not row["explicit"]:
        return not given
    return as_written(given) == as_written(row["redirect"])
