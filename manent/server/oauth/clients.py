"""Which programs may be sent back to, where, and which are known by an address of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl

from manent.errors import UsageError
from manent.finding import inert
from manent.server.address import LOOPBACK
from manent.values import dataclass, field

SCOPE = "brain"
"""The one thing that can be asked for; what may be done with it depends on who signs in."""

WEB = (
    "https://claude.ai/api/mcp/auth_callback",
    "https://claude.com/api/mcp/auth_callback",
)
"""Where the web clients that everybody has want to be sent back to."""

MOST_REDIRECTS = 10
LONGEST_REDIRECT = 500
LONGEST_NAME = 80

_LOCAL = ("http://localhost/callback", "http://127.0.0.1/callback")


@dataclass(frozen=True, slots=True)
class Known:
    """A client that names itself by the address of a document about itself."""

    name: str
    redirects: tuple[str, ...]


PINNED: Mapping[str, Known] = {
    "https://claude.ai/oauth/mcp-oauth-client-metadata": Known("Claude", WEB),
    "https://claude.ai/oauth/claude-code-client-metadata": Known("Claude Code", _LOCAL),
    "https://vscode.dev/oauth/client-metadata.json": Known(
        "Visual Studio Code", ("http://127.0.0.1:33418/", "https://vscode.dev/redirect")
    ),
    "https://zed.dev/oauth/client-metadata.json": Known("Zed", ("http://127.0.0.1/callback",)),
    "https://chatgpt.com/oauth/codex/client.json": Known("Codex", _LOCAL),
}
"""What such documents said when they were looked at. They are not fetched: a server that
fetches what a stranger names can be sent anywhere."""


@dataclass(frozen=True, slots=True)
class Redirects:
    """Where a browser may be sent back to: addresses to the letter, and this machine.

    allowed: exact URLs. Raises UsageError for one that is not https, but for loopback.
    """

    allowed: frozenset[str] = field(default_factory=lambda: frozenset(WEB))

    def __post_init__(self) -> None:
        for uri in self.allowed:
            parts = _parts(uri)
            if parts is None or (parts.scheme != "https" and _loopback(uri) is None):
                raise UsageError(f"{inert(uri)} is no place to send back to", "write https://…")

    def allows(self, uri: str) -> bool:
        """Tell whether any client may be sent back there."""
        return len(uri) <= LONGEST_REDIRECT and (uri in self.allowed or _loopback(uri) is not None)

    def matches(self, uri: str, registered: Iterable[str]) -> bool:
        """Tell whether a client that registered these may be sent back there now.

        Of a loopback address the port is whatever was free, so it does not count.
        """
        if not self.allows(uri):
            return False
        local = _loopback(uri)
        return any(
            uri == other or (local is not None and local == _loopback(other))
            for other in registered
        )


def _loopback(uri: str) -> tuple[str, str, str] | None:
    """Return (host, path, query) of an address on this machine, None for any other."""
    parts = _parts(uri)
    if parts is None or parts.scheme != "http" or parts.hostname not in LOOPBACK:
        return None
    return parts.hostname, parts.path or "/", parts.query


def _parts(uri: str) -> Any:
    """Return the parts of a URL that says one thing to everybody who reads it, else None."""
    if not uri.isascii() or not uri.isprintable() or any(c in uri for c in ' \\"<>^`{|}#'):
        return None
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or "@" in parts.netloc or port == 0:
        return None
    return parts


class Client(OAuthClientInformationFull):
    """A client as the SDK's handlers know one; its redirects were checked to the letter."""

    redirects: tuple[str, ...] = ()
    verified: bool = False

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:
        """Return the one scope there is, whatever was asked for."""
        return [SCOPE]

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Return the address: ``routes`` has compared it before, as it was sent."""
        return redirect_uri if redirect_uri is not None else AnyUrl(self.redirects[0])


def client_of(identity: str, name: str, redirects: Iterable[str], verified: bool) -> Client:
    """Return a client. verified: its name is more than its own claim."""
    listed = tuple(redirects)
    return Client(
        client_id=identity,
        client_name=name,
        redirect_uris=[AnyUrl(uri) for uri in listed],
        redirects=listed,
        verified=verified,
        token_endpoint_auth_method="none",
        scope=SCOPE,
    )


def pinned(identity: str) -> Client | None:
    """Return the client that is known under an address of its own."""
    known = PINNED.get(identity)
    return None if known is None else client_of(identity, known.name, known.redirects, True)
