"""Work that leaves no cycles, with the collector of cycles left out of it.

The rows of a large vault are no cycles, and hold none; a collector that goes over
them again and again costs a twentieth of an index of 100,000 notes (1.4 of 25 s of
processor time, ``gc.callbacks``).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def left_alone() -> Iterator[None]:
    """Do the block without looking for cycles; afterwards it is as it was."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
