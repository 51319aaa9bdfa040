"""The brain that is served: its stores kept at what is there now, its Views, its past.

One thread moves the stores; as many as answer read them, each through its own
``Lane``, and none waits for another. A move that fails leaves them as they were.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from manent.access import Identity, View
from manent.errors import EnvironmentFault, ManentError, StoreDamaged
from manent.facts.store import STORE, fault_of
from manent.repo.git_tree import GitTree
from manent.repo.worktree import ignored
from manent.server.served import Served
from manent.tree import WorkTree
from manent.vault.commit import differences_to
from manent.vault.glimpse import Glimpse, look
from manent.vault.ignore import IGNORE_FILE
from manent.vault.sync import sync
from manent.vault.vault import Delta

if TYPE_CHECKING:
    from manent.search.ranker import Ranker, Setting
    from manent.server.lane import Lane

log = logging.getLogger("manent.server")

PATIENCE = 16
"""Notes embedded while somebody waits for an answer; where more lack a vector, words
alone answer (``manent.search.dense.FEW``)."""

MANY = 2_000
"""Paths past which looking at everything is as quick."""

_READY_SECONDS = 120
_RETRY_SECONDS = 2.0
_ENOUGH = 2
"""Failed tries after which nobody waits for stores that were never read."""
_LOOK_SECONDS = 0.1

Listener = Callable[[Delta], None]


class NotReady(EnvironmentFault):
    """The stores have never been brought to what is served."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why or "the brain is still being read", "try again in a moment")


class Brain:
    """What is served, as it is now.

    listeners: told after every move that changed anything, on the thread that moves.
    fault: why the last move failed, "" when it did not.
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.listeners: list[Listener] = []
        self.fault = ""
        self.moves = 0
        self._mover = ThreadPoolExecutor(1, "manent-move")
        self._lane: Lane | None = None
        self._tip = ""
        self._generation = "unknown"
        self._commits: dict[str, str] = {}
        self._epoch = 0
        self._ready = threading.Event()
        self._local = threading.local()
        self._lanes: list[Lane] = []
        self._lock = threading.Lock()
        self._closed = False
        self._given_up = False
        self._failures = 0

    # -- moving --------------------------------------------------------------

    def start(self) -> Future[bool]:
        """Begin to bring the stores to what is served; calls wait for it."""
        return self._mover.submit(self._reload, None)

    def reload(self, paths: Collection[str] | None = None) -> bool:
        """Bring the stores to what is there now; return whether anything changed.

        paths: what changed, as a watcher saw it, relative to the vault; None: look at
        everything. One at a time. Where it fails the stores stay, ``fault`` says why.
        """
        try:
            move = self._mover.submit(self._reload, paths)
        except RuntimeError:  # closed: nothing moves any more
            return False
        return move.result()

    def _reload(self, paths: Collection[str] | None) -> bool:
        if self._closed:
            return False
        try:
            changed = self._moved(paths)
        except Exception as error:  # the edge of a thread: what stands goes on being served
            self._failed(error)
            return False
        self.fault = ""
        self._failures = 0
        self._ready.set()
        return changed

    def _failed(self, error: Exception) -> None:
        if self._lane is not None:
            with contextlib.suppress(sqlite3.Error):
                self._lane.close()
            self._lane = None
        fault = fault_of(error, self.served.state / STORE) or error
        if isinstance(error, sqlite3.Error | StoreDamaged) or isinstance(fault, StoreDamaged):
            self._renew()
        expected = isinstance(error, ManentError | OSError | sqlite3.Error)
        self.fault = str(fault) if expected else "the server failed; its log says why"
        self._failures += 1
        log.error(
            "reload failed: %s",
            type(error).__name__,
            exc_info=None if expected else error,
            extra={"event": "reload-failed"},
        )
        if not self.ready:
            again = threading.Timer(_RETRY_SECONDS, self._again)
            again.daemon = True
            again.start()

    def _again(self) -> None:
        with contextlib.suppress(RuntimeError):  # closed meanwhile
            self._mover.submit(self._reload, None)

    def _renew(self) -> None:
        """Let every thread open its lane anew: the store was damaged."""
        with self._lock:
            self._epoch += 1

    def _moved(self, paths: Collection[str] | None) -> bool:
        lane = self._moving()
        conventions = self.served.conventions()
        if conventions != lane.vault.conventions:
            lane.vault.conventions = conventions
            self._renew()
        if self.served.is_brain:
            self._to_branch(lane)
        else:
            self._to_folder(lane, paths)
        lane.index.update(self.served.processes)
        generation = lane.vault.store.stamp("vault:generation")
        if generation == self._generation:
            return False
        before, self._generation = self._generation, generation
        delta = Delta(everything=True) if before == "unknown" else lane.vault.since(before)
        self.moves += 1
        for listener in self.listeners:
            listener(delta)
        return True

    def _moving(self) -> Lane:
        """Return the lane that is moved; a new one where its store was thrown away."""
        if self._lane is not None and self._lane.vault.store.is_gone:
            self._lane.close()
            self._lane = None
            # Generations of the new store begin anew: nothing can be told by them.
            self._generation = "unknown"
            self._renew()
        if self._lane is None:
            self._lane = _opened(self.served)
        return self._lane

    def _to_branch(self, lane: Lane) -> None:
        assert lane.repository is not None
        tip = lane.repository.ref(self.served.ref)
        if not tip:
            return
        tree = lane.repository.peel(tip)[1]
        if tip == self._tip and lane.vault.stamp == tree:
            return
        at = GitTree(lane.repository, tree, self.served.prefix)
        differences = differences_to(lane.vault, lane.repository, at)
        sync(lane.vault, at, at.id, differences, processes=self.served.processes)
        self._tip = tip
        self._commits = {at.id: tip}

    def _to_folder(self, lane: Lane, paths: Collection[str] | None) -> None:
        root, vault = self.served.root, lane.vault
        assert root is not None
        hidden = ignored(root, self.served.environment) if lane.repository is not None else ()
        if paths is None or len(paths) > MANY or _rules(paths) or vault.is_empty:
            tree = WorkTree(root, hidden, vault.known(), time.time_ns(), leaves_out=True)
            sync(vault, tree, processes=self.served.processes)
            _tell(tree)
        else:
            known = {path: (e.signature, e.oid) for path in paths for e in vault.files_below(path)}
            tree = WorkTree(root, hidden, known, time.time_ns(), leaves_out=True)
            found = look(tree, vault, paths)
            _tell(tree)
            if not found:
                return
            glimpse = Glimpse(root, vault, {path: new for path, _, new in found})
            sync(vault, glimpse, differences=found, processes=self.served.processes)
        vault.tree = Glimpse(root, vault)

    # -- reading -------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether questions can be answered."""
        return self._ready.is_set()

    @contextlib.contextmanager
    def lease(self, wait_seconds: float = _READY_SECONDS) -> Iterator[Lane]:
        """Enter the calling thread's lane: it sees one state of the stores for the block.

        Raises NotReady when they were never brought up within ``wait_seconds``.
        """
        self._wait(wait_seconds)
        lane = self._own()
        try:
            with lane.reading():
                self._filled(lane)
                lane.commit = self._commits.get(lane.vault.stamp, "")
                yield lane
        except Exception as error:
            known = isinstance(error, ManentError | OSError) and not isinstance(error, StoreDamaged)
            # What is looked up and not there is a mistake of ours far more often than a row's.
            if known or isinstance(error, LookupError):
                raise
            self._damaged(lane, error)

    def _filled(self, lane: Lane) -> None:
        """Raise NotReady where somebody threw the store away and it is still to be filled:
        an empty one would be answered from as if nothing were there."""
        if self._generation in ("", "unknown") or lane.vault.store.stamp("vault:generation"):
            return
        self._renew()
        self._mover.submit(self._reload, None)
        raise NotReady

    def _wait(self, seconds: float) -> None:
        """Wait until questions can be answered, not once it is known that they cannot be.

        Raises NotReady.
        """
        until = time.monotonic() + seconds
        while not self._ready.is_set():
            left = until - time.monotonic()
            if left <= 0 or self._given_up or self._failures >= _ENOUGH:
                raise NotReady(self.fault)
            self._ready.wait(min(left, _LOOK_SECONDS))

    def give_up(self) -> None:
        """Let nobody wait any more for what was never read: the server stops."""
        self._given_up = True

    def _own(self) -> Lane:
        lane: Lane | None = getattr(self._local, "lane", None)
        if lane is not None and self._local.epoch == self._epoch and not lane.vault.store.is_gone:
            return lane
        if lane is not None:
            lane.close()
        lane = _opened(self.served)
        self._local.lane, self._local.epoch = lane, self._epoch
        with self._lock:
            self._lanes.append(lane)
        return lane

    def _damaged(self, lane: Lane, error: Exception) -> None:
        """Throw a damaged store away and have it made anew; say so."""
        fault = fault_of(error, self.served.state / STORE)
        if fault is None:
            raise error
        self._renew()
        self._mover.submit(self._reload, None)
        raise NotReady from error

    def ranker(self, lane: Lane, setting: Setting) -> Ranker:
        """Return the lane's ranker over the present."""
        return lane.ranker(setting, self._epoch)

    def remake_rankers(self) -> None:
        """Let every lane choose its ranker anew: vectors have come."""
        self._renew()

    @contextlib.contextmanager
    def past(
        self, rev: str, identity: Identity, setting: Setting
    ) -> Iterator[tuple[Lane, View, Ranker, str]]:
        """Give the lane, the View as of ``rev``, its ranker, and the commit ("" before the first).

        Raises NotFound, UsageError. The stores cannot be moved while the block runs.
        """
        from manent.server.lane import make_ranker, when

        self._wait(_READY_SECONDS)
        lane = self._own()
        tip = self.tip(lane)
        commit = when(lane, rev, identity, tip)
        if not commit and identity.is_whole_owner:
            from manent.errors import NotFound

            raise NotFound(f"nothing of {rev} or before")
        with lane.past(commit, identity) as (view, index):
            yield lane, view, make_ranker(self.served, index, setting), commit

    def tip(self, lane: Lane) -> str:
        """Return the commit that is served, or checked out; "" where there is none."""
        if lane.repository is None:
            return ""
        return lane.repository.ref(self.served.ref or "HEAD")

    def counts(self) -> dict[str, Any]:
        """Return what an operator may know: for owners alone."""
        with self.lease(0) as lane:
            notes, files = lane.vault.counts()
        return {"notes": notes, "files": files, "moves": self.moves}

    def close(self) -> None:
        """End the moving thread; what it does is finished first."""
        self._closed = True
        self._mover.shutdown(wait=True)


def _opened(served: Served) -> Lane:
    """Open a lane. Imported here: who starts a server hears of it before arrays are read."""
    from manent.server.lane import Lane

    return Lane(served)


def _tell(tree: WorkTree) -> None:
    """Say in the log that something may not be read: for who asks it is as if absent."""
    if tree.unread:
        count = f"{len(tree.unread)} files or folders; manent lint names them"
        log.warning("left out what may not be read", extra={"event": "unread", "cause": count})


def _rules(paths: Collection[str]) -> bool:
    """Tell whether a path decides over others: what is ignored, how notes are read."""
    return any(p == IGNORE_FILE or p.rpartition("/")[2] in (".gitignore", ".git") for p in paths)
