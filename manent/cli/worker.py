"""A process beside a push that answers its post-receive, and the pushes after it.

It listens on a socket in the brain's state folder, which is closed to others,
forks for each hook, and leaves when nobody has come for ``manent.worker``
seconds or when the installed code has changed. Each fork does what the hook's
own process would have done: same code, same verdict, same limits.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

from manent.cli.hook import PROCESS_BYTES, READY, SOCKET, STALE
from manent.errors import ManentError
from manent.repo.open import Repository

_REQUEST_BYTES = 64 << 20
_PATIENCE_SECONDS = 10
SHORT_SECONDS = 10
"""A worker that stays no longer is there for the push that started it."""
_QUIET_SECONDS = 0.3
"""With nobody asking for so long, the push that started it is over: time to make ready."""


def work(git_dir: str, judging: int, seconds: int = 0) -> None:
    """Make ready, then answer hooks until nobody comes any more.

    judging: the process of the hook that started this one: as long as it lives
    the push it judges is under way, and its post-receive will come. seconds: what
    the policy says (``manent.worker``), where it was read already.
    """
    from manent.cli.hooking import run
    from manent.gate.policy import read_policy
    from manent.repo.open import state_folder

    repository = Repository(Path(git_dir), None, os.environ, light=True)
    seconds = seconds or read_policy(repository.section()).worker_seconds
    if not seconds:
        return
    state = state_folder(repository)
    listener = _listening(state)
    if listener is not None:
        os.chdir("/")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        _warm()
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


def _warm() -> None:
    """Import what the post-receive of the push under way needs."""
    # Indexing multiplies no matrices: the library's threads would only spin at its start.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import manent.gate.index
    import manent.search.index

    del manent


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
    listener.settimeout(_QUIET_SECONDS if idle_seconds > SHORT_SECONDS else idle_seconds)
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            if _lives(judging):
                continue
            if listener.gettimeout() == idle_seconds:
                break
            # For the pushes to come; this one waits for it no more.
            from manent.gate.warm import warm

            _keep_settings(state.parent)
            warm()
            listener.settimeout(idle_seconds)
            continue
        with connection:
            if _peer(connection) != os.geteuid():
                continue
            stale = _code() != written
            # Who came may have gone: it waits for no worker that was stopped meanwhile.
            with contextlib.suppress(OSError):
                connection.sendall(STALE if stale else READY)
                if not stale and os.fork() == 0:
                    listener.close()
                    _answer(connection, run)
            if stale:
                break
    with contextlib.suppress(OSError):
        if (state / SOCKET).stat().st_ino == own:
            (state / SOCKET).unlink()


def _keep_settings(git_dir: Path) -> None:
    """Read the brain's config for the pushes to come."""
    from manent.cli.hooking import keep_settings

    # How git ended is told to those alone who wait for their children.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        with contextlib.suppress(ManentError):
            keep_settings(Repository(git_dir, None, os.environ, light=True))
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)


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
        connection.sendall(os.getpid().to_bytes(PROCESS_BYTES, "big"))
        (hook, lines, folder, environment), descriptors = _received(connection)
        for target, descriptor in zip((1, 2), descriptors, strict=True):
            os.dup2(descriptor, target)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        status = run(hook, lines)
        sys.stdout.flush()
    finally:
        # Whatever failed above, the client hears 1: refused.
        with contextlib.suppress(OSError):
            connection.sendall(bytes([status & 127]))
        os._exit(0)


def _received(
    connection: socket.socket,
) -> tuple[tuple[str, bytes, str, dict[str, str]], list[int]]:
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
    hook, lines, folder, environment = marshal.loads(bytes(chunks))
    return (str(hook), bytes(lines), str(folder), dict(environment)), descriptors


def _peer(connection: socket.socket) -> int:
    """Return the user at the other end; our own where the system does not say."""
    if not hasattr(socket, "SO_PEERCRED"):
        return os.geteuid()
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", raw)[1])


def _code() -> tuple[int, int]:
    """Return how many modules the package has and the sum of when each was written."""
    count = total = 0
    folders = [os.fspath(Path(__file__).parent.parent)]
    while folders:
        with os.scandir(folders.pop()) as listed:
            for entry in listed:
                if entry.name.endswith(".py"):
                    count, total = count + 1, total + entry.stat().st_mtime_ns
                elif not entry.name.startswith("_") and entry.is_dir():
                    folders.append(entry.path)
    return count, total
