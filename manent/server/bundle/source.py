"""Where bundles lie: a folder, or whatever gives files to a plain GET."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import quote, urlsplit

from manent.errors import EnvironmentFault, UsageError
from manent.server.bundle.sealed import LARGEST_BYTES, Unsound
from manent.values import dataclass

QUIET_SECONDS = 10.0
"""How long a server may say nothing."""

WHOLE_SECONDS = 300.0
"""How long one bundle may take: past that, reading the repository is quicker."""

_BLOCK = 1 << 20


class Source(Protocol):
    """Bundles by their names."""

    def fetch(self, name: str, into: IO[bytes]) -> bool:
        """Copy a bundle; False where there is none. Raises EnvironmentFault, Unsound."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of this machine, or one that is mounted."""

    path: Path

    def fetch(self, name: str, into: IO[bytes]) -> bool:
        """Copy a bundle: what is looked at afterwards nobody else can change."""
        try:
            descriptor = os.open(self.path / name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            if not self.path.is_dir():
                raise EnvironmentFault("the folder of bundles is not there") from None
            return False
        except OSError as error:
            raise EnvironmentFault(f"the folder of bundles: {error.strerror}") from error
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Unsound("it is no file")
            _copy(file.read, into, time.monotonic() + WHOLE_SECONDS)
        return True


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error) or "the connection ended"
    return "what it answers is no HTTP"


@dataclass(frozen=True, slots=True)
class Site:
    """A folder behind ``http://`` or ``https://``."""

    url: str

    def fetch(self, name: str, into: IO[bytes]) -> bool:
        """Copy a bundle. Where the answer is another address, it is not followed."""
        until = time.monotonic() + WHOLE_SECONDS
        try:
            with self._asked(name, until) as answer:
                if answer.status in (404, 410):
                    return False
                if answer.status != 200:
                    raise EnvironmentFault(f"the bundles' server answers {answer.status}")
                _copy(answer.read1, into, until)
                if time.monotonic() >= until:
                    raise TimeoutError  # what was ended from outside looks like an end
                if answer.length:
                    raise EnvironmentFault("the bundles' server breaks off its answer")
        except (OSError, ValueError, http.client.HTTPException) as error:
            late = time.monotonic() >= until
            said = "takes too long" if late else f"cannot be asked: {_reason(error)}"
            raise EnvironmentFault(f"the bundles' server {said}") from error
        return True

    @contextlib.contextmanager
    def _asked(self, name: str, until: float) -> Iterator[http.client.HTTPResponse]:
        """Ask for a bundle; the connection ends at ``until``, whatever comes by it."""
        parts = urlsplit(self.url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        asking = kind(parts.hostname or "", parts.port, timeout=QUIET_SECONDS)
        with contextlib.closing(asking):
            asking.connect()
            # A byte now and then is no silence: what never ends is ended from outside.
            ending = threading.Timer(until - time.monotonic(), _end, [asking.sock])
            ending.daemon = True
            ending.start()
            try:
                asking.request("GET", f"{parts.path}/{quote(name)}")
                yield asking.getresponse()
            finally:
                ending.cancel()


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _copy(read: Callable[[int], bytes], into: IO[bytes], until: float) -> None:
    came = 0
    while data := read(_BLOCK):
        came += len(data)
        if came > LARGEST_BYTES:
            raise Unsound("it is larger than any bundle")
        if time.monotonic() > until:
            raise EnvironmentFault("it takes longer than to do without")
        into.write(data)


def source_of(text: str) -> Source:
    """Return where bundles lie: a folder, or an address. Raises UsageError."""
    if "://" not in text:
        return Folder(Path(text))
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or parts.query or parts.fragment or parts.username is not None:
        raise UsageError("bundles lie in a folder, or at https://HOST/FOLDER", "see --help")
    return Site(text.rstrip("/"))
