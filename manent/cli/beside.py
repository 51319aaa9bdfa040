"""What works beside a server, in processes of its own: embedding, and answers to hooks."""

from __future__ import annotations

import abc
import contextlib
import os
import subprocess
import sys
import threading
from typing import Any

from manent.cli.embedding import background_command
from manent.repo.open import common_folder
from manent.search.background import Background
from manent.server.brain import PATIENCE, Brain
from manent.server.served import Served
from manent.vault.vault import Delta

WARM_SECONDS = 2.0
"""After so long a session is no short one: what takes its time may begin."""
_FURTHER = "e5-512"
"""The default model at its full reach (``search.opening.QUALITY``, which loads arrays)."""
_LOOK_SECONDS = 1.0
_ENDED_SECONDS = 5.0


class Beside(abc.ABC):
    """A thread that looks after a process until the block ends."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="manent-beside", daemon=True)

    def __enter__(self) -> Any:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join(_ENDED_SECONDS)
        self.stop()

    @abc.abstractmethod
    def _run(self) -> None: ...

    @abc.abstractmethod
    def stop(self) -> None:
        """End the process."""


class Embedding(Beside):
    """Gives every note a vector in the background; rankers by meaning begin when all have one.

    Where vectors of the default model's full reach were begun (``manent index --embed
    --model e5-512``), notes get those too, afterwards.
    """

    def __init__(self, served: Served, brain: Brain) -> None:
        super().__init__()
        self._brain = brain
        self._wanted = threading.Event()
        self._model = served.model
        place = served.root or (served.repository.path if served.repository else None)
        assert place is not None, "what is served has a place"
        self._state = served.state
        self._first = Background(background_command(place, served.model))
        self._further = Background(background_command(place, _FURTHER))
        brain.listeners.append(self._changed)

    def _changed(self, delta: Delta) -> None:
        # A few are embedded by whoever asks first.
        if delta.everything or len(delta.docs_new) > PATIENCE:
            self._wanted.set()

    def _run(self) -> None:
        from manent.search.embed.choose import default_model

        if self._stopping.wait(WARM_SECONDS) or not (self._model or default_model()):
            return
        while not self._stopping.is_set():
            if self._wanted.wait(_LOOK_SECONDS) and self._brain.ready:
                self._wanted.clear()
                self._embed()

    def _embed(self) -> None:
        if self._ended(self._first) and self._wants_further():
            self._ended(self._further)

    def _wants_further(self) -> bool:
        from manent.search.embed.choose import default_model
        from manent.search.opening import has_quality

        return not self._model and default_model() == "e5" and has_quality(self._state)

    def _ended(self, work: Background) -> bool:
        """Have work done; return whether it was, and nothing new came up meanwhile."""
        with contextlib.suppress(OSError):
            work.start()
        while work.running:
            if self._stopping.wait(_LOOK_SECONDS):
                return False
        if work.code == 0:
            self._brain.remake_rankers()
        return work.code == 0 and not self._wanted.is_set()

    def stop(self) -> None:
        """End the work; what was made stays."""
        for work in (self._first, self._further):
            work.stop()


_WORK = "import sys; from manent.cli.worker import work; work(sys.argv[1], int(sys.argv[2]))"


class HookWorker(Beside):
    """Keeps a worker that answers the brain's hooks, by the hooks' own code."""

    def __init__(self, served: Served) -> None:
        super().__init__()
        assert served.repository is not None, "a brain is a repository"
        git_dir = os.fspath(common_folder(served.repository.path))
        self._command = [sys.executable, "-I", "-c", _WORK, git_dir, str(os.getpid())]
        self._process: subprocess.Popen[bytes] | None = None

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_SECONDS):
            if self._process is None or self._process.poll() is not None:
                self._start()
                # Where another worker listens, or the policy wants none, it ends at once.
                self._stopping.wait(_ENDED_SECONDS)

    def _start(self) -> None:
        nothing = subprocess.DEVNULL
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                self._command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
            )

    def stop(self) -> None:
        """End the worker."""
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_ENDED_SECONDS)
