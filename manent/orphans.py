"""No worker process outlives the one it works for.

A pool's workers wait for work on a pipe whose other end they hold themselves: where
their parent is killed they would wait for ever, 50 MB each.
"""

from __future__ import annotations

import os
import threading


def end_with_parent() -> None:
    """In a process that ``multiprocessing`` started: end as soon as the starter has.

    Does nothing in a process that nobody started so.
    """
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(sentinel: int) -> None:
    from multiprocessing.connection import wait

    wait([sentinel])
    os._exit(1)
