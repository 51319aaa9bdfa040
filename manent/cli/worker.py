"""A process beside a push that answers its post-receive, and the pushes after it.

It listens on a socket in the brain's state folder, which is closed to others,
forks for each hook, and leaves when nobody has come for ``manent.worker``
seconds or when the installed code has changed. Each fork does what the hook's
own process would have done: same code, same verdict, same limits.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

from manent.cli.hook import SOCKET, STALE

_REQUEST_BYTES = 64 << 20
_PATIENCE_SECONDS = 10
SHORT_SECONDS = 30
"""A worker that stays no longer is there for the push that started it."""


def work(git_dir: str, judging: int) -> None:
    """Make ready, then answer hooks until nobody comes any more.

    judging: the process of the hook that started this one: as long as it lives
    the push it judges is under way, and its post-receive will come.
    """
    from manent.cli.hooking import run
    from manent.gate.policy import read_policy
    from manent.repo.open import Repository, state_folder

    repository = Repository(Path(git_dir), None, os.environ, light=True)
    seconds = read_policy(repository.section()).worker_seconds
    if not seconds:
        return
    state = state_folder(repository)
    listener = _listening(state)
    if listener is not None:
        os.chdir("/")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        _warm(whole=seconds > SHORT_SECONDS)
        _serve(listener, state, seconds, run, judging)


def _listening(state: Path) -> socket.socket | None:
    """Return a socket that listens in the state folder; None when another does."""
    here = Path.cwd()
    listener = socket.socket(socket.AF_UNIX)
    os.chdir(state)
    try:
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
            if probe.connect_ex(SOCKET) == 0:
                listener.close()
                return None
        Path(SOCKET).unlink(missing_ok=True)
        listener.bind(SOCKET)
        Path(SOCKET).chmod(0o600)
        listener.listen(64)
    except OSError:
        listener.close()
        return None
    finally:
        os.chdir(here)
    return listener


def _warm(whole: bool) -> None:
    """Import what post-receive needs; the scanners too where more pushes are awaited."""
    import manent.gate.index
    import manent.search.index

    del manent
    if whole:
        import manent.gate.receive
        from manent.facts.derive import scanner
        from manent.gate.policy import Policy
        from manent.gate.texts import Texts

        del manent
        scanner(Texts(Policy()).context())("warm")


def _serve(
    listener: socket.socket,
    state: Path,
    idle_seconds: int,
    run: Callable[[str, bytes], int],
    judging: int,
) -> None:
    written = _code()
    own = (state / SOCKET).stat().st_ino
    # Again, so that the kernel names this process to whoever asks who listens.
    listener.listen(64)
    listener.settimeout(idle_seconds)
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            if _lives(judging):
                continue
            break
        with connection:
            if _peer(connection) != os.geteuid():
                continue
            if _code() != written:
                connection.sendall(bytes([STALE]))
                break
            if os.fork() == 0:
                listener.close()
                _answer(connection, run)
    with contextlib.suppress(OSError):
        if (state / SOCKET).stat().st_ino == own:
            (state / SOCKET).unlink()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _answer(connection: socket.socket, run: Callable[[str, bytes], int]) -> None:
    """Do one hook's work in this fork, print to the client's own pipes, and end."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        connection.settimeout(_PATIENCE_SECONDS)
        (hook, lines, folder, environment), descriptors = _received(connection)
        for target, descriptor in zip((1, 2), descriptors, strict=True):
            os.dup2(descriptor, target)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        status = run(hook, lines.encode("latin-1"))
        sys.stdout.flush()
    finally:
        # Whatever failed above, the client hears 1: refused.
        with contextlib.suppress(OSError):
            connection.sendall(bytes([status & 127]))
        os._exit(0)


def _received(connection: socket.socket) -> tuple[tuple[str, str, str, dict[str, str]], list[int]]:
    head, descriptors, _, _ = socket.recv_fds(connection, 8, 2)
    wanted = int.from_bytes(head, "big")
    if len(head) != 8 or len(descriptors) != 2 or wanted > _REQUEST_BYTES:
        raise ValueError("a request of another form")
    chunks = bytearray()
    while len(chunks) < wanted:
        chunk = connection.recv(min(1 << 16, wanted - len(chunks)))
        if not chunk:
            raise ValueError("a request that ends early")
        chunks += chunk
    hook, lines, folder, environment = json.loads(bytes(chunks))
    return (hook, lines, folder, environment), descriptors


def _peer(connection: socket.socket) -> int:
    """Return the user at the other end; our own where the system does not say."""
    if not hasattr(socket, "SO_PEERCRED"):
        return os.geteuid()
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", raw)[1])


def _code() -> tuple[int, int]:
    """Return how many modules the package has and when the newest was written."""
    root = Path(__file__).resolve().parent.parent
    times = [path.stat().st_mtime_ns for path in root.rglob("*.py")]
    return len(times), max(times)
