"""Bundles of derived stores, as options of ``manent serve`` and ``manent index`` name them."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from manent.cli.beside import Beside
from manent.errors import UsageError
from manent.finding import inert
from manent.search.background import Background
from manent.server.brain import Brain
from manent.server.identities import read_secret
from manent.server.served import Served
from manent.vault.vault import Delta

if TYPE_CHECKING:
    from manent.server.bundle.taking import Taker

QUIET_SECONDS = 5.0
"""How long nothing must have changed before a bundle is made."""

LATE_SECONDS = 300.0
"""How long a brain that never rests waits for one."""

REST = 10
"""How many times as long as the last bundle took its maker rests."""

AGAIN_SECONDS = 600.0
"""How often it is looked whether vectors came since."""

_LOOK_SECONDS = 0.5
_SAID_BYTES = 2_000


def read_key(file: str) -> bytes:
    """Return the deployment's key. Raises UsageError, EnvironmentFault."""
    return read_secret(Path(file), "file of the bundles' key", "key").encode()


def taker_of(served: Served, options: dict[str, Any], log: Callable[..., None]) -> Taker | None:
    """Return what fills empty stores from a bundle; None where none is to. Raises UsageError."""
    if not options["bundles"]:
        return None
    from manent.server.bundle.source import Folder, source_of
    from manent.server.bundle.taking import Taker

    if not served.is_brain:
        raise UsageError("--bundles is for a brain", "a folder is read where it lies")
    source = source_of(options["bundles"])
    if options["publish_bundles"] and not isinstance(source, Folder):
        raise UsageError(
            "--publish-bundles needs a folder", "a web server gives out what lies in it"
        )
    return Taker(served, source, read_key(options["bundle_key_file"]), log)


class Publishing(Beside):
    """Has the bundle of what is served made, once nothing has changed for a moment.

    log: told what went wrong. It is another process's work, so nobody waits for it.
    """

    def __init__(
        self, served: Served, brain: Brain, options: dict[str, Any], log: Callable[..., None]
    ) -> None:
        super().__init__()
        assert served.repository is not None, "a brain is a repository"
        self._brain = brain
        self._log = log
        command = [
            sys.executable, "-m", "manent", "--quiet", "index",
            "--bundle", options["bundles"], "--bundle-key-file", options["bundle_key_file"],
        ]  # fmt: skip
        if served.frontmatter:
            command += ["--frontmatter", served.frontmatter]
        if served.branch != served.repository.head_branch:
            command += ["--rev", served.ref]
        command += ["--", os.fspath(served.repository.path)]
        self._work = Background(command)
        self._wanted = self._changed = time.monotonic()
        self._is_wanted = True
        brain.listeners.append(self._moved)

    def _moved(self, delta: Delta) -> None:
        self._changed = time.monotonic()
        if not self._is_wanted:
            self._is_wanted, self._wanted = True, self._changed

    def _run(self) -> None:
        rests_until = 0.0
        while not self._stopping.wait(_LOOK_SECONDS):
            now = time.monotonic()
            if self._brain.ready and now >= rests_until and self._is_due(now):
                self._is_wanted = False
                self._publish()
                over = time.monotonic()
                rests_until = over + REST * (over - now)
                # Vectors come without a move: looked at again by and by.
                self._wanted = over

    def _is_due(self, now: float) -> bool:
        if not self._is_wanted:
            return now - self._wanted >= AGAIN_SECONDS
        return now - self._changed >= QUIET_SECONDS or now - self._wanted >= LATE_SECONDS

    def _publish(self) -> None:
        with tempfile.TemporaryFile() as said:
            try:
                self._work.start(said)
            except OSError:
                self._log("bundle-unpublished", "warning", reason="no process could be started")
                return
            while self._work.running:
                if self._stopping.wait(_LOOK_SECONDS):
                    return
            if self._work.code:
                self._log("bundle-unpublished", "warning", reason=_reason(said))

    def stop(self) -> None:
        """End the work; the bundles that stand stay."""
        self._work.stop()


def _reason(said: IO[bytes]) -> str:
    """Return the last line that a process said."""
    said.seek(max(0, said.seek(0, os.SEEK_END) - _SAID_BYTES))
    lines = said.read().decode("utf-8", "replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    return inert(last.removeprefix("manent: ")) or "`manent index --bundle` failed"
