"""How long a replica takes until it answers, from empty stores, with a bundle and without.

``python -m eval.bench.start BRAIN [options of manent serve…]`` prints seconds of the clock
and of the processor, children included. It deletes the brain's derived data first.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

_SECONDS = 600.0


def main(brain: str, *options: str) -> None:
    """Start a server, wait for it, end it; print what it took."""
    shutil.rmtree(Path(brain) / "manent", ignore_errors=True)
    port = _free_port()
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "manent", "serve", brain, "--http", str(port), *options],
        env={**os.environ, "MANENT_HTTP_TOKEN": secrets.token_hex(16)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not _ready(port):
            if process.poll() is not None or time.monotonic() - began > _SECONDS:
                sys.exit(f"it does not answer: {process.communicate()[1]}")
            time.sleep(0.05)
        took, worked = time.monotonic() - began, _processor_seconds(process.pid)
    finally:
        process.terminate()
    said = [line for line in process.communicate()[1].splitlines() if '"bundle-' in line]
    print(f"ready after {took:.1f} s, {worked:.1f} s of processor time", *said, sep="\n")


def _free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return int(tried.getsockname()[1])


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _processor_seconds(parent: int) -> float:
    """Return what a process and its children, those that ended too, have used."""
    ticks = 0
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                rows = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if place.name == str(parent) or rows[1] == str(parent):
                ticks += sum(map(int, rows[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main(*sys.argv[1:])
