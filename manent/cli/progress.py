"""A line that counts, on a terminal, once the work has taken a second."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

Show = Callable[..., None]
"""Told the figures that the line holds."""


@contextlib.contextmanager
def counting(form: str, quiet: bool) -> Iterator[Show | None]:
    """Yield what shows ``form``, filled in, on stderr; None where nobody is to see it.

    form: as ``str.format`` takes it: ``{} of {} notes embedded``. The line is gone
    at the end.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    began = time.monotonic()
    shown = False

    def show(*figures: int) -> None:
        nonlocal shown
        if time.monotonic() - began > 1:
            shown = True
            sys.stderr.write(f"\r{form.format(*figures)}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
