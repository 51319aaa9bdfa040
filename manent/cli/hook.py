"""What git calls: ``python -I -m manent.cli.hook NAME``.

A worker that this push or one before it left behind (``manent.worker``) is asked
first: it has imported what is needed and answers by the same code. Where none
answers, the work is done here, and a worker is started beside it: while one
processor judges, the other makes ready to index. Little is imported before that.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SOCKET = "gate.sock"
STATE = "manent"
_ASKED = ("pre-receive", "post-receive")


def main(argv: Sequence[str]) -> int:
    """Run the hook ``argv[0]`` and return its exit status."""
    name = argv[0] if argv else ""
    lines = sys.stdin.buffer.read() if name in _ASKED else b""
    if name in _ASKED:
        status = asked(name, lines)
        if status is not None:
            return status
    if name == "pre-receive":
        start_worker()
    from manent.cli.hooking import run

    return run(name, lines)


def asked(name: str, lines: bytes) -> int | None:
    """Return the exit status a waiting worker gives, None where none answers."""
    git_dir = os.environ.get("GIT_DIR") or "."
    # Owned by us in a folder closed to others: nobody else listens there.
    try:
        if os.lstat(f"{git_dir}/{STATE}/{SOCKET}").st_uid != os.geteuid():
            return None
    except OSError:
        return None
    import json
    import socket

    here = os.getcwd()  # noqa: PTH109 - pathlib costs more than the rest of this module
    connection = socket.socket(socket.AF_UNIX)
    try:
        # A socket's path may have 107 bytes; a brain's may have more.
        os.chdir(f"{git_dir}/{STATE}")
        try:
            connection.connect(SOCKET)
        finally:
            os.chdir(here)
        request = [name, lines.decode("latin-1"), here, dict(os.environ)]
        raw = json.dumps(request).encode()
        socket.send_fds(connection, [len(raw).to_bytes(8, "big")], [1, 2])
        connection.sendall(raw)
        answer = connection.recv(1)
    except OSError:
        return None
    finally:
        connection.close()
    # No answer, or 255 for a worker whose code is no longer the installed one.
    return answer[0] if answer and answer[0] != STALE else None


STALE = 255


def start_worker() -> None:
    """Fork a worker off this process while it is small; nothing depends on it."""
    judging = os.getpid()
    try:
        first = os.fork()
    except OSError:
        return
    if first:
        os.waitpid(first, 0)
        return
    try:
        # Twice, and away from git's pipes: git waits until the last of them is closed.
        os.setsid()
        if os.fork():
            os._exit(0)
        void = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(void, descriptor)
        from manent.cli.worker import work

        work(os.path.abspath(os.environ.get("GIT_DIR") or "."), judging)  # noqa: PTH100
    finally:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
