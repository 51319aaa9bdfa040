"""Addresses: where the server listens, what it is called, and who may call it so.

A page of another site can make a browser send requests here under a name that it has
pointed at this machine. Such a request names that site in its ``Host``. So requests are
answered under known names alone: the loopback's, an address in figures, and the name in
``--public-url``.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from manent.errors import EnvironmentFault, UsageError
from manent.finding import inert
from manent.values import dataclass, field

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ENDPOINT = "/mcp"
STUCK_MS = 90_000
"""How long an answer may stand unread before its connection is cut."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Place:
    """A host and a port to listen at. port 0: any that is free."""

    host: str
    port: int

    @property
    def text(self) -> str:
        """The place as it stands in a URL."""
        return f"{_bracketed(self.host)}:{self.port}"


def place_of(text: str) -> Place:
    """Read ``PORT``, ``:PORT``, ``HOST:PORT`` or ``[V6]:PORT``. Raises UsageError.

    Without a host it is 127.0.0.1: who wants to be reached from elsewhere says so.
    """
    host, _, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        if not _is_v6(host):
            raise _no_place(text)
    elif ":" in host or "[" in host or "]" in host:
        raise _no_place(text)
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65_535):
        raise _no_place(text)
    if any(c.isspace() or c in "/@?#" for c in host):
        raise _no_place(text)
    return Place(host or "127.0.0.1", int(port))


def _no_place(text: str) -> UsageError:
    return UsageError(
        f"{inert(text)} is no place to listen at", "write PORT, HOST:PORT or [ADDRESS]:PORT"
    )


def hold(place: Place) -> tuple[socket.socket, Place]:
    """Take a port for processes that share it; return what holds it, and the place.

    Nothing that connects is answered by what is returned. Raises EnvironmentFault.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        held = _made(family, True)
        held.bind(address)
    except OSError as error:
        raise EnvironmentFault(
            f"cannot listen at {place.text}: {error.strerror}", "name another port"
        ) from error
    return held, Place(place.host, held.getsockname()[1])


def listen(place: Place, shared: bool = False) -> list[socket.socket]:
    """Return sockets that listen at a place, all at one port. Raises EnvironmentFault.

    shared: other processes of this user listen there too.
    """
    try:
        found = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise EnvironmentFault(f"no host {inert(place.host)}: {error.strerror}") from error
    sockets: list[socket.socket] = []
    port = place.port
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            sockets.append(_bound(family, (address[0], port, *address[2:]), shared))
            port = sockets[0].getsockname()[1]
    except OSError as error:
        for opened in sockets:
            opened.close()
        raise EnvironmentFault(
            f"cannot listen at {place.text}: {error.strerror}", "name another port"
        ) from error
    return sockets


def _made(family: int, shared: bool) -> socket.socket:
    # By its protocol asyncio knows that small answers must not wait for company (TCP_NODELAY).
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return made


def _bound(family: int, address: tuple[object, ...], shared: bool) -> socket.socket:
    opened = _made(family, shared)
    try:
        # Inherited by connections: who vanished, or never takes in an answer, is let go.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STUCK_MS)
        opened.bind(address)
        opened.listen(1024)
        opened.setblocking(False)
    except OSError:
        opened.close()
        raise
    return opened


def public_base(text: str) -> str:
    """Return a ``--public-url`` without its endpoint and trailing slashes. Raises UsageError."""
    if not text:
        return ""
    parts = url_parts(text)
    if parts is None:
        raise UsageError(f"{inert(text)} is no public URL", "write https://HOST[:PORT]")
    if "?" in text or "#" in text:
        raise UsageError(f"{inert(text)} is no public URL", "write it without ? and #")
    if {".", ".."} & set(parts.path.split("/")):
        raise UsageError(f"{inert(text)} is no public URL", "write its path as it is")
    path = parts.path.rstrip("/").removesuffix(ENDPOINT).rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path}"


def origin_of(text: str) -> str:
    """Return an origin as browsers send it. Raises UsageError."""
    parts = url_parts(text)
    if parts is None or parts.path.strip("/") or "?" in text or "#" in text:
        raise UsageError(f"{inert(text)} is no origin", "write https://HOST[:PORT]")
    return f"{parts.scheme}://{parts.netloc}"


def url_parts(text: str) -> SplitResult | None:
    """Return the parts of a URL of the web as browsers write it, None for what is none.

    That is: the host in small letters, an address of IPv6 at its shortest, no port where it
    is the scheme's own. Whatever compares addresses compares what comes of this.
    """
    if not text.isascii() or not text.isprintable() or " " in text:
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not host or "@" in parts.netloc or port == 0:
        return None
    if ("[" in parts.netloc) != _is_v6(host):
        return None
    named = f"[{ipaddress.IPv6Address(host)}]" if _is_v6(host) else host
    shown = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    return parts._replace(netloc=named + shown)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine itself, whatever the network says."""
    if host.lower() in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Names:
    """Under which names the server answers, and from pages of which origins.

    public_url: as ``public_base`` returns it. origins: further ones, as browsers send them.
    """

    public_url: str = ""
    origins: frozenset[str] = field(default_factory=frozenset)

    def knows_host(self, host: str, port: int) -> bool:
        """Tell whether a ``Host`` header is one of ours; port: the one listened at."""
        found = _split(host)
        if found is None:
            return False
        if found in self._public():
            return True
        name, named_port = found
        if (80 if named_port is None else named_port) != port:
            return False
        return is_loopback(name) or _is_address(name)

    def knows_origin(self, origin: str, host: str, port: int) -> bool:
        """Tell whether a page of this ``Origin`` may call; host: the request's own ``Host``."""
        if origin in self.origins:
            return True
        scheme, separator, named = origin.lower().partition("://")
        if not separator or scheme not in _DEFAULT_PORTS:
            return False
        found = _split(named)
        if found is None:
            return False
        if self.public_url.startswith(scheme + "://") and found in self._public():
            return True
        name, named_port = found
        if (_DEFAULT_PORTS[scheme] if named_port is None else named_port) != port:
            return False
        return is_loopback(name) or (_is_address(name) and named == host.lower())

    def _public(self) -> tuple[tuple[str, int | None], ...]:
        if not self.public_url:
            return ()
        parts = urlsplit(self.public_url)
        default, name = _DEFAULT_PORTS[parts.scheme], parts.hostname or ""
        port = parts.port or default
        return ((name, port), (name, None)) if port == default else ((name, port),)


def _split(host: str) -> tuple[str, int | None] | None:
    """Return (name, port or None) of a ``Host`` header; None for what is none."""
    host = host.lower()
    if host.startswith("["):
        name, closed, rest = host[1:].partition("]")
        if not closed or not _is_v6(name):
            return None
    else:
        name, colon, port = host.partition(":")
        rest = colon + port
    if not name or not name.isascii():
        return None
    if not rest:
        return name, None
    digits = rest[1:]
    if rest[0] != ":" or not digits.isdigit() or len(digits) > 5:
        return None
    return name, int(digits)


def _is_v6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_address(name: str) -> bool:
    """Tell whether a name is an address in figures, which nobody can point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
