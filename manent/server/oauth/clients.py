"""Which programs may be sent back to, where, and which are known by an address of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl, ValidationError

from manent.errors import UsageError
from manent.finding import inert
from manent.server.address import LOOPBACK, url_parts
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

    allowed: exact URLs, each of them also as browsers write it. Raises UsageError for one
    that is not https, but for loopback.
    """

    allowed: frozenset[str] = field(default_factory=lambda: frozenset(WEB))

    def __post_init__(self) -> None:
        written = {uri: as_written(uri) for uri in self.allowed}
        for uri, same in written.items():
            if same is None or not (same.startswith("https:") or _loopback(uri) is not None):
                raise UsageError(f"{inert(uri)} is no place to send back to", "write https://…")
        allowed = self.allowed | {same for same in written.values() if same is not None}
        object.__setattr__(self, "allowed", allowed)

    def allows(self, uri: str) -> bool:
        """Tell whether any client may be sent back there."""
        return len(uri) <= LONGEST_REDIRECT and (uri in self.allowed or _loopback(uri) is not None)

    def matches(self, uri: str, registered: Iterable[str]) -> bool:
        """Tell whether a client that registered these may be sent back there now.

        Of a loopback address the port is whatever was free, so it does not count.
        """
        if not self.allows(uri):
            return False
        same, local = as_written(uri), _loopback(uri)
        return any(
            same == as_written(other) or (local is not None and local == _loopback(other))
            for other in registered
        )


def as_written(uri: str) -> str | None:
    """Return a redirect as browsers write it, None for what says several things or nothing.

    It is also how the SDK writes the address of a client that registered it.
    """
    if any(c in uri for c in '\\"<>^`{|}#') or url_parts(uri) is None:
        return None
    try:
        return str(AnyUrl(uri))
    except ValidationError:
        return None


def _loopback(uri: str) -> tuple[str, str, str] | None:
    """Return (host, path, query) of an address on this machine, None for any other."""
    named, written = url_parts(uri), as_written(uri)
    if named is None or written is None:
        return None
    if named.scheme != "http" or named.hostname not in LOOPBACK:
        return None
    parts = urlsplit(written)
    return named.hostname, parts.path, parts.query


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
