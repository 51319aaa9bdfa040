"""Run ``manent`` inside the test's own process, and see all that it says."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from manent.cli.main import run


class Said(NamedTuple):
    """What a command said: its exit code and every byte of both streams."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """Stdout as text; it must be UTF-8."""
        return self.out.decode()

    @property
    def errors(self) -> str:
        """Stderr as text; it must be UTF-8."""
        return self.err.decode()

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


def ask(*arguments: str, encoding: str = "utf-8") -> Said:
    """Run ``manent ARGUMENTS`` with streams of its own."""
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdout, sys.stderr
    sys.stdout = io.TextIOWrapper(out, encoding=encoding, write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding=encoding, write_through=True)
    try:
        code = run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return Said(code, out.getvalue(), err.getvalue())
    finally:
        sys.stdout, sys.stderr = before


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Make ``folder`` the current one for the time of the block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
