"""Workers of a pool end when the process they work for is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from manent.orphans import end_with_parent

POOL = """
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from manent.orphans import end_with_parent
if __name__ == "__main__":
    with ProcessPoolExecutor(2, get_context("spawn"), end_with_parent) as pool:
        list(pool.map(abs, range(100)))
        print(*pool._processes, flush=True)
        time.sleep(600)
"""


def ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_bytes().rpartition(b")")[2].split()[0] == b"Z"


@pytest.mark.skipif(os.name != "posix", reason="processes are asked after by number")
def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    started = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    workers = [int(word) for word in started.stdout.readline().split()]
    assert workers and not any(ended(worker) for worker in workers)
    started.send_signal(signal.SIGKILL)
    started.wait()
    started.stdout.close()
    deadline = time.monotonic() + 60
    while not all(ended(worker) for worker in workers):
        assert time.monotonic() < deadline, "they wait for nobody"
        time.sleep(0.05)


def test_a_process_of_its_own_is_bound_to_nobody() -> None:
    asked = "from manent.orphans import end_with_parent; end_with_parent(); print('alive')"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert done.stdout == "alive\n"
    end_with_parent()
