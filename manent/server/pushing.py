"""Send commits on to the remote, and never over what stands there.

One push at a time, on a thread of its own. Whoever writes waits a little for it and
is told what became of it; a remote that hangs holds nobody up.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late

from manent.errors import EnvironmentFault, ManentError
from manent.finding import inert
from manent.repo.command import Git, clean
from manent.repo.open import Repository

log = logging.getLogger("manent.server")

LIMIT_SECONDS = 60
"""How long one push may take."""
WAIT_SECONDS = 10
"""How long a writer waits for it."""
CLOSE_SECONDS = 5
"""How long a server that stops waits for it."""

UNDER_WAY = "the push is still under way"
MOVED = "the remote has moved on: fetch and merge it, then the next push sends both"

_OWN = (
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_PROXY_COMMAND",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
)  # fmt: skip
"""What a user may have told git about reaching a remote."""


class Pushing:
    """Pushes the branch that is served to where it belongs, forward only.

    branch: "" for whatever is checked out when it is pushed. environment: the server's.
    Raises EnvironmentFault when there is no remote to push to.
    """

    def __init__(
        self,
        repository: Repository,
        branch: str,
        environment: Mapping[str, str],
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        own = {key: environment[key] for key in _OWN if key in environment}
        self._environment = clean(environment, **own)
        self._folder = repository.workdir or repository.path
        self._git = Git("", self._folder, self._environment)
        self._branch = branch
        self._limit = limit_seconds
        self._thread = ThreadPoolExecutor(1, "manent-push")
        self._waiting: Future[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        if self._remote(self._current()) not in self._remotes():
            raise EnvironmentFault("there is no remote to push to", "git remote add origin …")

    def push(self, wait_seconds: float = WAIT_SECONDS) -> str:
        """Push what is committed by now; return why it is not there, "" when it is.

        wait_seconds: for how long to wait for it; it goes on afterwards.
        """
        with self._lock:
            # One that has not begun takes along what was committed meanwhile.
            waiting = self._waiting
            if waiting is None or waiting.running() or waiting.done():
                waiting = self._waiting = self._thread.submit(self._push)
        try:
            return waiting.result(wait_seconds)
        except Late:
            return UNDER_WAY

    def close(self, wait_seconds: float = CLOSE_SECONDS) -> None:
        """End the thread; a push under way has a moment to finish."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(Late, CancelledError):
            if self._waiting is not None:
                self._waiting.result(wait_seconds)
        process = self._process
        if process is not None:
            _end(process)
        self._thread.shutdown(wait=True)

    def _push(self) -> str:
        try:
            fault = self._pushed()
        except (ManentError, OSError) as error:
            fault = f"git does not push: {error}"
        if fault:
            log.warning("not pushed: %s", fault, extra={"event": "push-failed"})
        return fault

    def _pushed(self) -> str:
        branch = self._current()
        if not branch:
            return "no branch is checked out: nothing is pushed"
        remote = self._remote(branch)
        asked = [
            self._git.program, "push", "--porcelain", "--no-follow-tags",
            "--recurse-submodules=no", "--end-of-options", remote,
            f"refs/heads/{branch}:{self._target(branch, remote)}",
        ]  # fmt: skip
        status, out, said = self._run(asked)
        return "" if status == 0 else _fault(out, said)

    def _run(self, asked: list[str]) -> tuple[int, str, str]:
        """Run git where nothing can ask a person; end it, and all it started, when it is late."""
        process = subprocess.Popen(
            asked, cwd=self._folder, env=self._environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._process = process
        try:
            out, said = process.communicate(timeout=self._limit)
        except subprocess.TimeoutExpired:
            _end(process)
            return 1, "", f"it took longer than {self._limit:g} seconds"
        except BaseException:
            _end(process)
            raise
        finally:
            self._process = None
        return process.returncode, _text(out), _text(said)

    # -- where to -------------------------------------------------------------

    def _current(self) -> str:
        if self._branch:
            return self._branch
        status, out, _ = self._git.attempt("symbolic-ref", "-q", "HEAD")
        return "" if status else _text(out).strip().removeprefix("refs/heads/")

    def _setting(self, key: str) -> str:
        status, out, _ = self._git.attempt("config", key)
        return "" if status else _text(out).strip()

    def _remotes(self) -> list[str]:
        return _text(self._git.run("remote")).split()

    def _remote(self, branch: str) -> str:
        keys = (f"branch.{branch}.pushRemote", "remote.pushDefault", f"branch.{branch}.remote")
        return next((found for key in keys if (found := self._setting(key))), "origin")

    def _target(self, branch: str, remote: str) -> str:
        """Return the branch over there: the one it follows, else that of the same name."""
        followed = self._setting(f"branch.{branch}.merge")
        if followed and self._setting(f"branch.{branch}.remote") == remote:
            return followed
        return f"refs/heads/{branch}"


def _fault(out: str, said: str) -> str:
    """Return in one line why a push did not arrive. Addresses are left out: they hold keys."""
    row = next((line for line in out.splitlines() if line.startswith("!")), "")
    if "[rejected]" in row:
        return MOVED
    gate = next((line for line in said.splitlines() if "manent:" in line), "")
    if gate:
        return inert("the remote said no: " + gate.partition("manent:")[2].strip())[:200]
    if row:
        return inert("the remote said no: " + row.rpartition("\t")[2].strip())[:200]
    if said.startswith("it took longer"):
        return said
    return "git cannot reach the remote"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and all it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)
            return


def _text(out: bytes) -> str:
    return out.decode("utf-8", "surrogateescape")
