"""A person's yes, for exactly what they were shown, and for once.

What goes out with the question comes back with the answer, and whoever answers can
send anything. So it carries a seal over who asked, for which tool, and what was
shown; and one that was used is kept until long after it has expired.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import datetime
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from manent.errors import EnvironmentFault
from manent.repo.placing import replace
from manent.values import dataclass

LASTS_SECONDS = 900
"""How long an answer may take."""
KEPT_SECONDS = 30 * 24 * 3600
"""How long after it has expired a used state is kept: a clock that jumps and comes
back brings none to life."""

KEY, USED, LOCK = "approval.key", "approval.used", "approval.lock"
_KEY_BYTES = 32
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Asking:
    """What a state is bound to. shown: a digest of all that the person was shown."""

    principal: str
    tool: str
    shown: str


class Used(Protocol):
    """Which states were used."""

    def has(self, identity: str, now: datetime.datetime) -> bool:
        """Tell whether one was used."""

    def take(self, identity: str, until: int, now: datetime.datetime) -> bool:
        """Use one up; False when that was done before. It is kept before this returns."""


def shared_key(token: str) -> bytes:
    """Return the key of all servers that know the vault's token: what one asked, another
    takes the answer to. It ends with the token."""
    return hmac.digest(token.encode(), b"manent approval", "sha256")


class Approval:
    """Seals states, and knows which were used.

    folder: of what must outlive the server. key, used: those that servers of several
    machines share; by default a key of the folder's own, and a list beside it.
    """

    def __init__(
        self,
        folder: Path,
        lasts_seconds: int = LASTS_SECONDS,
        key: bytes = b"",
        used: Used | None = None,
    ) -> None:
        self._folder = folder
        self._lasts = lasts_seconds
        self._key = key
        self._used: Used = used or _InFile(folder)

    def seal(self, asking: Asking, now: datetime.datetime) -> str:
        """Return a fresh state. Raises EnvironmentFault where the key cannot be kept."""
        row = {
            "by": asking.principal,
            "tool": asking.tool,
            "shown": asking.shown,
            "until": int(now.timestamp()) + self._lasts,
            "id": secrets.token_hex(12),
        }
        written = json.dumps(row, separators=(",", ":")).encode("ascii")
        return f"{_packed(written)}.{_packed(self._seal(written))}"

    def holds(self, state: str, asking: Asking, now: datetime.datetime) -> bool:
        """Tell whether a state is one of ours, for just this, in time and never used."""
        row = self._opened(state)
        if row is None or not self._bound(row, asking, now):
            return False
        return not self._used.has(row["id"], now)

    def use(self, state: str, asking: Asking, now: datetime.datetime) -> bool:
        """Use a state up; False when it does not hold, or no longer.

        It is on the disk as used before this returns: what follows happens once or never.
        """
        row = self._opened(state)
        if row is None or not self._bound(row, asking, now):
            return False
        return self._used.take(row["id"], row["until"], now)

    def _bound(self, row: Mapping[str, Any], asking: Asking, now: datetime.datetime) -> bool:
        meant = (row["by"], row["tool"], row["shown"])
        left = row["until"] - now.timestamp()
        # One that lasts longer than any of ours was sealed by a clock that has gone back.
        in_time = 0 < left <= self._lasts
        return in_time and meant == (asking.principal, asking.tool, asking.shown)

    # -- seals ---------------------------------------------------------------

    def _seal(self, written: bytes) -> bytes:
        return hmac.new(self._held_key(), b"approval\0" + written, hashlib.sha256).digest()

    def _opened(self, state: str) -> dict[str, Any] | None:
        if not state or len(state) > _LONGEST or not state.isascii():
            return None
        head, _, tail = state.partition(".")
        written, seal = _unpacked(head), _unpacked(tail)
        if written is None or seal is None:
            return None
        if not hmac.compare_digest(seal, self._seal(written)):
            return None
        row: dict[str, Any] = json.loads(written)  # ours: the seal says so
        return row

    def _held_key(self) -> bytes:
        if not self._key:
            with _alone(self._folder):
                self._key = self._read_key() or self._new_key()
        return self._key

    def _read_key(self) -> bytes:
        place = self._folder / KEY
        try:
            status = place.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                raise EnvironmentFault(f"{place} is no file of this user", "remove it")
            if stat.S_IMODE(status.st_mode) & 0o077:
                return b""  # others may have read it: no state that it sealed counts
            key = place.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise EnvironmentFault(f"cannot read {place}: {error.strerror}") from error
        return key if len(key) == _KEY_BYTES else b""

    def _new_key(self) -> bytes:
        key = secrets.token_bytes(_KEY_BYTES)
        (self._folder / KEY).unlink(missing_ok=True)  # its mode may have been another
        _put(self._folder / KEY, key)
        return key


class _InFile:
    """Used states in a file, for the servers of one machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, identity: str, now: datetime.datetime) -> bool:
        with _alone(self._folder):
            return identity in self._rows(now)

    def take(self, identity: str, until: int, now: datetime.datetime) -> bool:
        with _alone(self._folder):
            used = self._rows(now)
            if identity in used:
                return False
            used[identity] = until
            text = "".join(f"{until} {one}\n" for one, until in sorted(used.items()))
            _put(self._folder / USED, text.encode("ascii"))
        return True

    def _rows(self, now: datetime.datetime) -> dict[str, int]:
        """Return the used states, by id, with when they expired; the oldest left out."""
        try:
            text = (self._folder / USED).read_text(encoding="ascii")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise EnvironmentFault(
                "the used approvals cannot be read", "ask an operator"
            ) from error
        found: dict[str, int] = {}
        for line in text.splitlines():
            until, _, one = line.partition(" ")
            if until.isdigit() and int(until) + KEPT_SECONDS > now.timestamp():
                found[one] = int(until)
        return found


def _put(place: Path, content: bytes) -> None:
    try:
        replace(place, content, 0o600)
    except OSError as error:
        said = f"an approval cannot be kept: {error.strerror}"
        raise EnvironmentFault(said, "is the disk full or read-only?") from error


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock that servers of one vault share on a machine."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        descriptor = os.open(folder / LOCK, flags, 0o600)
    except OSError as error:
        said = f"an approval cannot be kept: {error.strerror}"
        raise EnvironmentFault(said, "is the disk full or read-only?") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _packed(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode("ascii").rstrip("=")


def _unpacked(text: str) -> bytes | None:
    """Return the bytes of a text that ``_packed`` made, None for any other."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    # Several texts stand for the same bytes; only one of them is ours.
    return content if _packed(content) == text else None
