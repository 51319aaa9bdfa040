"""What git calls: ``python -I -c 'from manent.cli.hook import main; main("NAME")'``.

A worker that this push or one before it left behind (``manent.worker``) is asked
first: it has imported what is needed and answers by the same code. Where none
answers, the work is done here, and a worker is started beside it as soon as all is
imported that both need: while one processor judges, the other makes ready to index.
Nothing is imported before a worker is asked which an interpreter does not hold
anyway: a push waits for each millisecond twice
(``python -X importtime -c 'import manent.cli.hook'``).
"""

from __future__ import annotations

import gc
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import NoReturn

SOCKET = "gate.sock"
STATE = "manent"
_ASKED = ("pre-receive", "post-receive")
_COLLECT_AFTER = 50_000
"""Objects made between two collections of the youngest: 700 costs a push a tenth."""


def main(name: str) -> NoReturn:
    """Run the hook ``name`` and end the process, at once, with its exit status."""
    lines = sys.stdin.buffer.read() if name in _ASKED else b""
    status = asked(name, lines) if name in _ASKED else None
    if status is None:
        # Making classes and patterns keeps the collector busy and leaves it nothing.
        gc.set_threshold(_COLLECT_AFTER)
        from manent.cli.hooking import run

        status = run(name, lines, start_worker)
    # Taking the interpreter apart, module by module, costs a push a tenth and is for
    # nobody. What a hook says it writes by ``say``, which keeps nothing back.
    os._exit(status)


def asked(name: str, lines: bytes) -> int | None:
    """Return the exit status a waiting worker gives, None where none answers."""
    git_dir = os.environ.get("GIT_DIR") or "."
    # Owned by us in a folder closed to others: nobody else listens there.
    try:
        if os.lstat(f"{git_dir}/{STATE}/{SOCKET}").st_uid != os.geteuid():
            return None
    except OSError:
        return None
    # Not ``socket``, which imports enumerations and selectors: 8 ms of the 30 a client has.
    import _socket

    here = os.getcwd()  # noqa: PTH109 - pathlib costs more than the rest of this module
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        # A socket's path may have 107 bytes; a brain's may have more.
        os.chdir(f"{git_dir}/{STATE}")
        connection.settimeout(READY_SECONDS)
        try:
            connection.connect(SOCKET)
        finally:
            os.chdir(here)
        # One that was stopped, or hangs, is asked nothing: it would do it when it wakes.
        if connection.recv(1) != READY:
            return None
        raw = request(name, lines, here, dict(os.environ))
        streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (1, 2))
        passed = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
        connection.sendmsg([len(raw).to_bytes(8, "big")], passed)
        connection.sendall(raw)
        connection.settimeout(PATIENCE_SECONDS)
        process = int.from_bytes(connection.recv(PROCESS_BYTES), "big")
        if name == "post-receive":
            connection.settimeout(None)  # the push stands; to index takes what it takes
        try:
            answer = connection.recv(1)
        except TimeoutError:
            return _late(connection, process)
    except OSError:
        return None
    finally:
        connection.close()
    return answer[0] if answer else None


def _late(connection: socket, process: int) -> int:
    """Wait for a verdict for as long as the brain's policy says; then refuse.

    process: the one that judges. It bounds that itself; who stopped it, or the system,
    bounds nothing, and git waits until the last has closed what it writes to.
    """
    import signal

    from manent.cli.hooking import say, time_out

    seconds = time_out()
    connection.settimeout(seconds)
    try:
        answer = connection.recv(1)
        if answer:
            return answer[0]
        said = "ended without an answer"
    except TimeoutError:
        said = f"did not answer within {seconds} s (manent.timeout)"
        if process:
            os.kill(process, signal.SIGKILL)
    say([f"manent: refused: the process beside the brain {said}"])
    return 1


def request(name: str, lines: bytes, folder: str, environment: dict[str, str]) -> bytes:
    """Return what a worker is asked: both ends are one user's and one installation's."""
    return marshal.dumps((name, lines, folder, environment))


READY = b"\0"
"""What a worker says to whoever comes, before it is asked anything."""

STALE = b"\xff"
"""What it says when the installed code is no longer its own."""

PROCESS_BYTES = 4
"""Then it says which process does what it is asked."""

READY_SECONDS = 2
"""A worker says at once that it is there: it has nothing else to do."""

PATIENCE_SECONDS = 10
"""How long an answer may take before the brain is asked how long it may take."""


def start_worker(git_dir: str, seconds: int) -> None:
    """Fork a worker off this process, which has imported much; nothing depends on it.

    seconds: how long it is to stay (``manent.worker``). Not from a process under
    limits: they would bind pushes that came without them.
    """
    if not seconds or _limited():
        return
    judging = os.getpid()
    try:
        if os.fork():
            # Nobody waits for it: this process ends before it does.
            return
    except OSError:
        return
    try:
        # Away from git's pipes: git waits until the last of them is closed.
        os.setsid()
        void = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(void, descriptor)
        # Nor what this process asks git through: git would wait for its last reader.
        os.closerange(3, _DESCRIPTORS)
        from manent.cli.worker import work

        work(git_dir, judging, seconds)
    finally:
        os._exit(0)


_DESCRIPTORS = 256
"""More than a hook has open when it starts a worker."""


def _limited() -> bool:
    import resource

    kinds = (resource.RLIMIT_FSIZE, resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)
