"""Tell whether a process that was written down still runs, also long after.

A number alone does not say: numbers are given again. So the time it began is
written down beside it.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

_POLL_SECONDS = 0.05


def seal(pid: int) -> str:
    """Return what names a running process and no other, "" where it has ended."""
    try:
        row = Path(f"/proc/{pid}/stat").read_bytes()
    except FileNotFoundError:
        return "" if Path("/proc/self/stat").exists() else _by_ps(pid)
    except OSError:
        return ""
    # The name in brackets may hold anything; what follows it is counted from its end.
    fields = row[row.rfind(b")") + 1 :].split()
    # One that has ended, and that nobody has asked after, is listed as Z.
    return "" if fields[0] in (b"Z", b"X") else f"{pid} {fields[19].decode('ascii')}"


def _by_ps(pid: int) -> str:
    done = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, began = done.stdout.strip().partition(" ")
    return "" if not state or state[0] == "Z" else f"{pid} {began.strip()}"


def number(sealed: str) -> int:
    """Return the number of the process that ``seal`` named, 0 for none."""
    return int(sealed.partition(" ")[0] or 0)


def lives(sealed: str) -> bool:
    """Tell whether the process that ``seal`` named still runs."""
    return bool(sealed) and seal(number(sealed)) == sealed


def outlive(sealed: str, waiting: Callable[[str], None]) -> None:
    """Return once the process has ended; ``waiting`` is told its number when that takes time."""
    told = False
    while lives(sealed):
        if not told:
            waiting(str(number(sealed)))
            told = True
        time.sleep(_POLL_SECONDS)
