"""Watching what is served: a push, a checkout or an edit is told once, when it has settled.

Events are gathered until nothing came for a moment, so that a checkout of hundreds of
files is one reload. What the system may have swallowed (a folder that was filled before
it was watched, a flood, a name it cannot spell) is never guessed at: then all is looked
at. Where the system tells nothing, the watcher looks for itself.
"""

from __future__ import annotations

import os
import queue
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from manent.server.layout import HIDDEN, REFS, Layout
from manent.server.listening import LOST, Ear
from manent.server.polling import Refs, Signature, differing, files_of, is_remote

QUIET_SECONDS = 0.02
"""Nothing may have come for so long. From the last write to the call it takes 30 to 50 ms
(``pytest tests/unit/server/test_watch.py -k soon``)."""

QUIET_SECONDS_EACH = 0.002
"""And so much longer for each path that came, up to ``LONGEST_QUIET_SECONDS``: who writes
hundreds of files pauses now and then."""

LONGEST_QUIET_SECONDS = 0.1

LOCKED_SECONDS = 2.0
"""How long git may be at work on the files before it is told what it did so far."""

LONGEST_SECONDS = 1.0
"""What never settles is told this often."""

POLL_SECONDS = 1.0
"""How often the watcher looks where the system tells nothing."""

MANY = 2_000
"""More paths than this are not told one by one."""

BEAT_SECONDS = 5.0
"""How often it is looked whether the folders are still the ones that are watched."""

RETRY_SECONDS = 1.0
"""When what failed is tried again; twice as long each time, up to the longest."""

LONGEST_RETRY_SECONDS = 30.0

Changed = frozenset[str] | None
"""Paths within the vault; empty when a ref moved and no file; None: look at everything."""


class Watcher:
    """Tells ``on_change`` what changed, in a thread of its own, one call at a time.

    root: the vault's folder, None for a brain, of which every change is ``None``. git,
    common: the git folder, and where its refs are; None for a plain folder. ignored:
    further names at the root that are left out. poll: look instead of being told; None
    lets the file system decide. report: told in a few words what an operator should know.
    on_change may raise: that is reported, and all is looked at again later.
    """

    def __init__(
        self,
        on_change: Callable[[Changed], object],
        *,
        root: Path | None = None,
        git: Path | None = None,
        common: Path | None = None,
        ignored: Iterable[str] = (),
        poll: bool | None = None,
        report: Callable[[str], None] = lambda reason: None,
        quiet_seconds: float = QUIET_SECONDS,
        longest_seconds: float = LONGEST_SECONDS,
        poll_seconds: float = POLL_SECONDS,
        beat_seconds: float = BEAT_SECONDS,
    ) -> None:
        self._on_change = on_change
        self._layout = Layout(root, git, common, frozenset((*HIDDEN, *ignored)))
        self._polls = poll
        self._report = report
        self._quiet = quiet_seconds
        self._longest = longest_seconds
        self._poll_seconds = poll_seconds
        self._beat_seconds = beat_seconds
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._events: queue.SimpleQueue[set[str]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._folders: set[str] = set()
        layout, stopping = self._layout, self._stopping
        self._ears = (
            Ear(layout.shallow, False, self._heard, self._deaf, stopping),
            Ear(layout.deep, True, self._heard, self._deaf, stopping),
        )

    def start(self) -> Watcher:
        """Begin; what changes after this returned is told."""
        if self._polls is None:
            places = (self._layout.root, self._layout.common)
            self._polls = any(is_remote(place) for place in places if place is not None)
        self._run([*(self._looking() if self._polls else self._listening()), self._gather])
        return self

    def stop(self, seconds: float = 5.0) -> None:
        """End; a call under way is waited for, but no longer than ``seconds``."""
        self._stopping.set()
        self._events.put(set())
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def __enter__(self) -> Watcher:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self, loops: Iterable[Callable[[], None]]) -> None:
        for loop in loops:
            thread = threading.Thread(target=loop, name="manent-watch", daemon=True)
            self._threads.append(thread)
            thread.start()

    # -- being told --------------------------------------------------------------------

    def _listening(self) -> list[Callable[[], None]]:
        """Return the loops that pass on what the system tells, listening already."""
        try:
            for ear in self._ears:
                ear.open()
        except OSError as error:
            for ear in self._ears:
                ear.close()
            self._report(f"the system cannot watch ({type(error).__name__}): looking instead")
            self._polls = True
            return self._looking()
        return [ear.listen for ear in self._ears]

    def _deaf(self) -> None:
        """Look from now on: the system does not tell any more."""
        with self._lock:
            if self._polls:
                return
            self._polls = True
        self._report("the system stopped watching: looking instead")
        self._run(self._looking())
        self._events.put({LOST})

    def _heard(self, paths: set[str], turned: set[str]) -> None:
        """Take in where something happened, as the system names it."""
        if LOST in paths:
            self._events.put({LOST})
            return
        names = {name for path in paths if (name := self._layout.meaning(path)) is not None}
        came = {name for path in turned if (name := self._layout.meaning(path)) is not None}
        if not self._listen_anew(came) and names:
            self._events.put(names)

    def _listen_anew(self, came: Collection[str] = ()) -> bool:
        """Listen to the folders at the root if they are others; tell whether they are.

        came: what came or went. What is below a new folder is told only once it is listened
        to, and then all is looked at: so what was heard until then need not be passed on.
        """
        with self._lock:
            moved = self._layout.moved(came)
        if not moved:
            return False
        for ear in self._ears[0 if "" in moved else 1 :]:
            ear.open_again()
        return True

    # -- looking -----------------------------------------------------------------------

    def _looking(self) -> list[Callable[[], None]]:
        """Return the loops that look for themselves, with what they start from."""
        loops: list[Callable[[], None]] = []
        root, layout = self._layout.root, self._layout
        if root is not None:
            files = files_of(root, layout.skips)
            loops.append(lambda: self._look(lambda: files_of(root, layout.skips), files, None))
        if layout.git is not None and layout.common is not None:
            refs = Refs(layout.git, layout.common)
            seen = refs.look()
            loops.append(lambda: self._look(refs.look, seen, REFS))
        return loops

    def _look(
        self,
        look: Callable[[], dict[str, Signature]],
        seen: dict[str, Signature],
        told: str | None,
    ) -> None:
        while not self._stopping.wait(self._poll_seconds):
            now = look()
            changed = differing(seen, now)
            seen = now
            if changed:
                self._events.put(changed if told is None else {told})

    # -- gathering and telling ---------------------------------------------------------

    def _gather(self) -> None:
        self._folders = self._layout.folders_below()
        failed, wait = False, RETRY_SECONDS
        while not self._stopping.is_set():
            batch = self._settled(wait if failed else None)
            if self._stopping.is_set():
                return
            failed = not self._tell(None if failed else self._changed(batch))
            wait = min(2 * wait, LONGEST_RETRY_SECONDS) if failed else RETRY_SECONDS

    def _settled(self, seconds: float | None) -> set[str]:
        """Return what came until it settled; nothing when ``seconds`` went by without."""
        batch = self._first(seconds)
        began = time.monotonic()
        while batch:
            age = time.monotonic() - began
            busy = age < LOCKED_SECONDS and self._layout.is_locked(LOCKED_SECONDS)
            quiet = min(self._quiet + len(batch) * QUIET_SECONDS_EACH, LONGEST_QUIET_SECONDS)
            left = quiet if busy else min(max(quiet, self._quiet), self._longest - age)
            if left <= 0:
                break
            try:
                batch |= self._events.get(timeout=left)
            except queue.Empty:
                if not busy:
                    break
        return batch

    def _first(self, seconds: float | None) -> set[str]:
        while True:
            try:
                return set(self._events.get(timeout=seconds or self._beat_seconds))
            except queue.Empty:
                if seconds is not None:
                    return set()
            if not self._polls:
                self._listen_anew()

    def _tell(self, changed: Changed) -> bool:
        try:
            self._on_change(changed)
        except Exception as error:
            # Whatever it is: who watches goes on watching, and says so.
            self._report(f"a reload failed ({type(error).__name__})")
            return False
        return True

    def _changed(self, batch: set[str]) -> Changed:
        """Return what a batch comes to, folders replaced by the files in them."""
        if self._layout.root is None:
            return None
        if LOST in batch or len(batch) > MANY:
            self._folders |= self._layout.folders_below()
            return None
        paths: set[str] = set()
        for path in batch - {REFS}:
            found = self._files_at(self._layout.root, path)
            if found is None or len(paths) + len(found) > MANY:
                return None
            paths |= found
        return frozenset(paths)

    def _files_at(self, root: Path, path: str) -> set[str] | None:
        """Return the files a path stands for; None where nobody knows any more."""
        try:
            mode = os.lstat(root / path).st_mode
        except OSError:
            mode = 0
        if not stat.S_ISDIR(mode):
            if path not in self._folders:
                return {path}
            # A folder went, and nobody told what was in it.
            self._folders -= {f for f in self._folders if f == path or f.startswith(path + "/")}
            return None
        if path == ".":
            return set()
        layout = self._layout
        self._folders |= {path} | layout.folders_below(path)
        inner = files_of(root / path, lambda name: layout.skips(f"{path}/{name}"))
        return {f"{path}/{name}" for name in inner}
