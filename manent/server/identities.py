"""Who calls: the vault's token and the tokens of the agents file.

Every candidate is compared, in constant time each, so that how long a refusal takes
says nothing of how near a guess was. The file is looked at again whenever it changed;
a new one that cannot be used leaves the last good one standing, and is reported.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from manent.access import OWNER, OWNER_NAME, Identity, load_agents
from manent.access import agent as find
from manent.errors import EnvironmentFault, ManentError, UsageError
from manent.finding import inert
from manent.values import dataclass

SHORTEST = 16
"""Characters of a token at least."""

VARIABLE = "MANENT_HTTP_TOKEN"
"""The variable that may hold the vault's token."""

LARGEST_BYTES = 4_000_000
"""Of an agents file: some 20,000 agents."""

_UNSETTLED_NS = 2_000_000_000
"""A file written this shortly before it was read may change again within one tick of its
clock, and be none the wiser: it is read again until it is older."""

_TOKEN_BYTES = 4_096


def resolve_token(
    token: str | None, token_file: Path | None, environment: Mapping[str, str]
) -> str:
    """Return the vault's token: given, in a file, or in ``MANENT_HTTP_TOKEN``.

    Raises UsageError, EnvironmentFault: none at all, one that is too short or that no
    header can carry, a file that others may read.
    """
    if token is not None and token_file is not None:
        raise UsageError("--token and --token-file exclude each other", "give one of them")
    if token is not None:
        return _sound(token, "--token")
    if token_file is not None:
        return read_secret(token_file, "token file")
    if environment.get(VARIABLE):
        return _sound(environment[VARIABLE], VARIABLE)
    raise UsageError(
        "serving over HTTP needs a token of the vault",
        f"give --token-file FILE or set {VARIABLE}; `openssl rand -hex 32` makes one",
    )


def read_secret(path: Path, what: str, kind: str = "token") -> str:
    """Return the token or key that a file holds. Raises UsageError, EnvironmentFault.

    what: the file, in messages. kind: what it holds. A pipe is a file too.
    """
    text = _read(path, what, _TOKEN_BYTES, pipe=True)
    return _sound(text.strip(" \t\r\n"), f"the {what} {inert(str(path))}", kind)


def _sound(token: str, source: str, kind: str = "token") -> str:
    if len(token) < SHORTEST:
        raise UsageError(
            f"{source}: the {kind} must have at least {SHORTEST} characters",
            "`openssl rand -hex 32` makes one",
        )
    if not all("!" <= c <= "~" for c in token):
        raise UsageError(f"{source}: a {kind} is visible ASCII without blanks", "make another")
    return token


def digest_of(token: str | bytes) -> bytes:
    """Return the SHA-256 of a token. bytes: as a header carried it."""
    if isinstance(token, str):
        token = token.encode("utf-8", "surrogateescape")
    return hashlib.sha256(token).digest()


@dataclass(frozen=True, slots=True)
class _Known:
    """What one reading of the agents file came to."""

    agents: dict[str, Identity]
    digests: tuple[tuple[bytes, Identity], ...]


Signature = tuple[int, ...]
Binding = tuple[str, str]
"""A name, and what stands for the key of then."""


class Identities:
    """Everybody who may call.

    agents_path: the agents file, None for none. vault_token: the owner's token, None where
    there is no HTTP. report: told in one line when the file was read again, or could not
    be; the second argument says whether it could. now_ns: the clock that file times are by.
    listeners: told, in whatever thread, when something was added to what ``ended``.
    Raises EnvironmentFault when the file cannot be used at the start.
    """

    def __init__(
        self,
        agents_path: Path | None,
        vault_token: str | None,
        *,
        report: Callable[[str, bool], None] = lambda message, good: None,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._path = agents_path
        self._owner = None if vault_token is None else digest_of(vault_token)
        self._vault_key = (vault_token or "").encode()
        self._report = report
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._signature: Signature | None = None
        self._settled = True
        self._fault = ""
        self._text: str | None = None
        self._known = _Known({}, ())
        self._ended: dict[Binding, None] = {}
        self.listeners: list[Callable[[], None]] = []
        if agents_path is not None:
            self._signature = self._sign()
            self._known = self._load()

    @property
    def fault(self) -> str:
        """What is wrong with the agents file as it stands now, "" for nothing."""
        return self._fault

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agents, in the order of the file."""
        return tuple(self._known.agents)

    def of_token(self, token: str | bytes) -> Identity | None:
        """Return whose token it is, or None. bytes: as a header carried it."""
        return self.of_digest(digest_of(token))

    def of_digest(self, digest: bytes) -> Identity | None:
        """Return whose token has this SHA-256, or None."""
        self.refresh()
        found: Identity | None = None
        for candidate, identity in self._known.digests:
            if hmac.compare_digest(candidate, digest):
                found = identity
        if self._owner is not None and hmac.compare_digest(self._owner, digest):
            found = OWNER
        return found

    def named(self, name: str) -> Identity:
        """Return the identity of that name, the owner or an agent. Raises UsageError."""
        self.refresh()
        if name == OWNER_NAME and self._entry(self._known, name) is None:
            return OWNER
        return find(self._known.agents, name)

    def key_of(self, name: str) -> bytes | None:
        """Return the key that tokens issued to ``name`` are derived by; None: it may have none.

        It changes with the vault's token, and an agent's with its own token too.
        """
        self.refresh()
        return self._key(self._known, name)

    def bound_of(self, name: str) -> str:
        """Return what stands for that key where it must not be known, "" for none."""
        self.refresh()
        return self._bound(self._known, name)

    def ended(self) -> tuple[Binding, ...]:
        """Return what bound somebody until the file named another token, or nobody.

        The keys are the same again once a token is put back: who must not live again
        then is noted down by whoever asks, and ``note`` told.
        """
        return tuple(self._ended)

    def note(self, binding: Binding) -> None:
        """Forget what ended: it is noted down."""
        self._ended.pop(binding, None)

    def _key(self, known: _Known, name: str) -> bytes | None:
        if self._owner is None:
            return None
        agent = self._entry(known, name)
        if agent is None and name != OWNER_NAME:
            return None
        if agent is not None and not agent.token_sha256:
            return None
        bound = f"{name}\0{agent.token_sha256 if agent else ''}"
        return hmac.new(self._vault_key, b"manent issued\0" + bound.encode(), "sha256").digest()

    def _bound(self, known: _Known, name: str) -> str:
        key = self._key(known, name)
        return "" if key is None else hashlib.sha256(b"bound\0" + key).hexdigest()[:16]

    def _entry(self, known: _Known, name: str) -> Identity | None:
        """Return what the file says of a name; an owner that only pushes is the vault's own."""
        found = known.agents.get(name)
        pushes = found is not None and not found.token_sha256 and self._owner is not None
        return None if name == OWNER_NAME and pushes else found

    def refresh(self) -> bool:
        """Read the agents file again if it changed; return whether the identities are other."""
        if self._path is None:
            return False
        with self._lock:
            signature = self._sign()
            if signature == self._signature and self._settled:
                return False
            self._signature = signature
            return self._reread()

    def _reread(self) -> bool:
        before = (self._known, self._fault)
        try:
            known = self._load()
        except ManentError as error:
            self._fault = error.message
            if self._fault != before[1]:
                self._report(self._fault, False)
            return False
        self._fault = ""
        changed = known.digests != before[0].digests or known.agents != before[0].agents
        self._known = known
        if changed:
            self._note_ended(before[0])
        if changed or before[1]:
            self._report("the agents file was read again", True)
        return changed

    def _note_ended(self, before: _Known) -> None:
        """Note what binds nobody any more, and tell who listens."""
        for name in {*before.agents, OWNER_NAME}:
            held, holds = self._entry(before, name), self._entry(self._known, name)
            if (held and held.token_sha256) == (holds and holds.token_sha256):
                continue
            if bound := self._bound(before, name):
                self._ended[name, bound] = None
        if self._ended:
            for listener in self.listeners:
                listener()

    def _sign(self) -> Signature | None:
        assert self._path is not None
        try:
            status = self._path.stat()
        except OSError:
            self._settled = True
            return None
        self._settled = abs(self._now_ns() - status.st_mtime_ns) > _UNSETTLED_NS
        return (
            status.st_mtime_ns,
            status.st_ctime_ns,
            status.st_size,
            status.st_ino,
            status.st_dev,
            status.st_mode,
        )

    def _load(self) -> _Known:
        assert self._path is not None
        text = _read(self._path, "agents file", LARGEST_BYTES)
        if text == self._text:
            return self._known
        known = _known(text, f"the agents file {inert(str(self._path))}", self._owner)
        self._text = text
        return known


def _known(text: str, source: str, owner: bytes | None) -> _Known:
    try:
        agents = load_agents(text, source)
    except EnvironmentFault as error:
        raise EnvironmentFault(inert(error.message), error.hint) from error
    digests = []
    for name, identity in agents.items():
        if name == OWNER_NAME and not identity.is_whole_owner:
            raise EnvironmentFault(f"{source}: agent {name}: that is the name of the vault's owner")
        if not identity.token_sha256:
            continue
        digest = bytes.fromhex(identity.token_sha256)
        if owner is not None and hmac.compare_digest(owner, digest):
            raise EnvironmentFault(f"{source}: agent {name} has the vault's own token")
        digests.append((digest, identity))
    return _Known(agents, tuple(digests))


def _read(path: Path, what: str, largest: int, pipe: bool = False) -> str:
    """Return the text of a file that keeps tokens. Raises EnvironmentFault.

    pipe: it may be a pipe too, as a shell makes one of a command.
    """
    named = f"the {what} {inert(str(path))}"
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not (pipe and stat.S_ISFIFO(mode)):
            raise EnvironmentFault(f"{named} is no file")
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise EnvironmentFault(f"{named} cannot be read: {error.strerror}") from error
    with open(descriptor, "rb") as file:
        _private(os.fstat(descriptor).st_mode, named)
        content = file.read(largest + 1)
    if len(content) > largest:
        raise EnvironmentFault(f"{named} is larger than {largest} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EnvironmentFault(f"{named} is no UTF-8") from error


def _private(mode: int, named: str) -> None:
    if os.name != "posix" or not stat.S_ISREG(mode):
        return
    if mode & 0o007:
        raise EnvironmentFault(f"{named} is open to everybody on this machine", "chmod 600 it")
    if mode & 0o020:
        raise EnvironmentFault(f"{named} may be changed by its group", "chmod 600 it")
