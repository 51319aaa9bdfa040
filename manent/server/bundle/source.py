"""Where bundles lie: a folder, or whatever gives files to a plain GET."""

from __future__ import annotations

import http.client
import os
import stat
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol
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
            return False
        except OSError as error:
            raise EnvironmentFault(f"the folder of bundles: {error.strerror}") from error
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Unsound("it is no file")
            _copy(file.read, into, time.monotonic() + WHOLE_SECONDS)
        return True


@dataclass(frozen=True, slots=True)
class Site:
    """A folder behind ``http://`` or ``https://``."""

    url: str

    def fetch(self, name: str, into: IO[bytes]) -> bool:
        """Copy a bundle. Where the answer is another address, it is not followed."""
        address = f"{self.url}/{quote(name)}"
        try:
            with _opener().open(address, timeout=QUIET_SECONDS) as answer:
                if answer.status != 200:
                    raise EnvironmentFault(f"the bundles' server answers {answer.status}")
                _copy(answer.read1, into, time.monotonic() + WHOLE_SECONDS)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in (404, 410):
                return False
            raise EnvironmentFault(f"the bundles' server answers {error.code}") from error
        except (OSError, http.client.HTTPException) as error:
            raise EnvironmentFault(
                f"the bundles' server cannot be asked: {type(error).__name__}"
            ) from error
        return True


class _Stays(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: bundles come from the address that an operator named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Return nothing to go on with."""


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_Stays)


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
