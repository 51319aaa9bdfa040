"""A PostgreSQL server of the tests' own, started and ended by them."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa


def programs() -> Path | None:
    """Return the folder of the newest server that Debian's packages put here."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def as_nobody() -> dict[str, object]:
    """Return how to start the server, which refuses to be root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Run a server on a socket of its own; give the address of its database.

    Skips the test where none is installed.
    """
    pytest.importorskip("psycopg")
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed (Debian: postgresql)")
    # A socket's path is short: pytest's folders are not, and root's are closed to others.
    root = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    if os.geteuid() == 0:
        shutil.chown(root, "postgres", "postgres")

    def call(*arguments: str) -> None:
        subprocess.run(
            arguments, check=True, capture_output=True, cwd=root, env=environment,
            **as_nobody(),  # type: ignore[call-overload]
        )  # fmt: skip

    try:
        data = str(root / "data")
        call("initdb", "-D", data, "-U", "manent", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-k {root} -c listen_addresses='' -c fsync=off"
        call("pg_ctl", "-D", data, "-w", "-l", str(root / "log"), "-o", options, "start")
        try:
            yield f"postgresql://manent@/postgres?host={root}"
        finally:
            call("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(root, ignore_errors=True)


@contextlib.contextmanager
def hanging(address: str) -> Iterator[None]:
    """Have the server hang for the block, with all that it does: it neither answers nor ends."""
    root = Path(address.partition("host=")[2])
    master = (root / "data/postmaster.pid").read_text().split()[0]
    stopped: list[int] = []
    try:
        while found := [pid for pid in (int(master), *_children(master)) if pid not in stopped]:
            for pid in found:
                os.kill(pid, signal.SIGSTOP)
            stopped += found
        yield
    finally:
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def _children(master: str) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if status.read_text().rpartition(")")[2].split()[1] == master:
                found.append(int(status.parent.name))
    return found


def empty(address: str) -> None:
    """Drop every table of a database."""
    engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        for name in sa.inspect(connection).get_table_names():
            connection.execute(sa.text(f'DROP TABLE IF EXISTS "{name}" CASCADE'))
    engine.dispose()
