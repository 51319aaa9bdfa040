"""Hearing from the system where something changed, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

STEP_MS = 8
"""How often the system is asked; two of these go by before it tells. A watcher that hears
nothing takes 1.4% of a core then (``pytest tests/unit/server/test_watch.py -k idle``)."""

LOST = "\0"
"""Heard instead of paths: something may have been missed."""

_MODIFIED = 2


class Ear:
    """Listens to folders and passes on the paths at which something happened.

    folders: which, asked again at each opening. deep: all below them counts. heard: gets
    the paths, and those of them that came or went; or ``LOST``, once it listens anew.
    deaf: called when the system refuses to go on. stopping: ends it.
    """

    def __init__(
        self,
        folders: Callable[[], Sequence[str]],
        deep: bool,
        heard: Callable[[set[str], set[str]], None],
        deaf: Callable[[], None],
        stopping: threading.Event,
    ) -> None:
        self._folders = folders
        self._deep = deep
        self._pass_on = heard
        self._deaf = deaf
        self._stopping = stopping
        self._again = threading.Event()
        self._notify: RustNotify | None = None

    def is_set(self) -> bool:
        """Tell the system's watcher, which takes this for an event, whether to return."""
        return self._stopping.is_set() or self._again.is_set()

    def open(self) -> None:
        """Begin to listen. Raises OSError when the system cannot."""
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        old, folders = self._notify, list(self._folders())
        try:
            # The new one listens before the old one stops.
            self._notify = (
                RustNotify(folders, False, False, 300, self._deep, True) if folders else None
            )
        except WatchfilesRustInternalError as error:
            raise OSError("the system has no watch left") from error
        except UnicodeEncodeError as error:
            raise OSError("a folder has a name that cannot be passed on") from error
        if old is not None:
            old.close()

    def open_again(self) -> None:
        """Listen to the folders as they are now; ``LOST`` is heard then."""
        self._again.set()

    def close(self) -> None:
        """Stop listening."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def listen(self) -> None:
        """Pass on what is heard until stopped."""
        try:
            while not self._stopping.is_set():
                if self._again.is_set():
                    self._again.clear()
                    self.open()
                    self._pass_on({LOST}, set())
                self._hear()
        except OSError:
            self._deaf()
        finally:
            self.close()

    def _hear(self) -> None:
        from watchfiles._rust_notify import WatchfilesRustInternalError

        if self._notify is None:
            self._again.wait(0.2)
            return
        try:
            told = self._notify.watch(0, STEP_MS, 0, self)
        except WatchfilesRustInternalError:
            # A name that is no UTF-8, a watch that could not be added: it repeats the
            # error for ever, so another one takes its place.
            self._again.set()
            return
        if isinstance(told, set):
            turned = {path for kind, path in told if kind != _MODIFIED}
            self._pass_on({path for _, path in told}, turned)
