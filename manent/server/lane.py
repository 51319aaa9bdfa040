"""One thread's way into the derived stores: each answer is read from one state of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manent.access import Identity, View
from manent.errors import NotAVault, NotFound, StoreDamaged
from manent.facts.store import STORE, Store
from manent.repo.git_tree import EMPTY_TREE, GitTree
from manent.search.index import SearchIndex
from manent.server.served import Served
from manent.vault.commit import differences_to
from manent.vault.glimpse import Glimpse
from manent.vault.sync import prefetch, sync
from manent.vault.vault import Vault

if TYPE_CHECKING:
    from manent.search.ranker import Ranker, Setting

SEARCH = "search"
_TRIES = 5
_LOOK_SECONDS = 5.0
_VIEWS = 256
"""Identities whose Views are held; each is small."""


class Lane:
    """The stores of what is served, opened by the thread that uses them.

    vault: at the tree it stands at while the lane is entered. index: of the same.
    commit: what that tree was published as, "" where that is unknown.
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.repository = served.reopened()
        self.vault = Vault(Store(served.state / STORE), served.conventions())
        self.index = SearchIndex(self.vault, served.state / SEARCH)
        self.commit = ""
        self._views: dict[Identity, View] = {}
        self._generation = "unknown"
        self._ranker: Ranker | None = None
        self._epoch = -1
        self._made = 0.0

    @contextlib.contextmanager
    def reading(self) -> Iterator[Lane]:
        """Hold the stores still for the block: whatever others write meanwhile, it sees
        one state. Raises EnvironmentFault."""
        db = self.vault.store.db
        try:
            self._begin()
            yield self
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")

    def _begin(self) -> None:
        db = self.vault.store.db
        for attempt in range(_TRIES):
            db.execute("BEGIN")
            generation = self.vault.store.stamp("vault:generation")
            if generation != self._generation:
                self._views.clear()
                self._generation = generation
                self._stand()
            if attempt == _TRIES - 1 or self._in_step(generation):
                return
            # The index was brought further between the two looks at them.
            db.execute("ROLLBACK")
            self._generation = "unknown"

    def _in_step(self, generation: str) -> bool:
        self.index.open()
        try:
            stamp = self.index.stamp
        except StoreDamaged:
            return True
        of, _, at = stamp.partition(":")
        return of != self.vault.id or not at or not generation or int(at) <= int(generation)

    def _stand(self) -> None:
        """Read from the tree the stores stand at."""
        if self.served.root is not None:
            self.vault.tree = Glimpse(self.served.root, self.vault)
        elif self.vault.stamp:
            assert self.repository is not None
            self.vault.tree = GitTree(self.repository, self.vault.stamp)

    def view(self, identity: Identity) -> View:
        """Return what an identity sees, while the lane is entered."""
        found = self._views.get(identity)
        if found is None:
            if len(self._views) >= _VIEWS:
                self._views.clear()
            found = self._views[identity] = View(self.vault, identity)
        return found

    def ranker(self, setting: Setting, epoch: int) -> Ranker:
        """Return the ranker over the index. epoch: another one makes it anew."""
        if self._ranker is None or epoch != self._epoch or self._may_be_better():
            self._ranker, self._epoch = make_ranker(self.served, self.index, setting), epoch
            self._made = time.monotonic()
        return self._ranker

    def _may_be_better(self) -> bool:
        """Whether words alone answer, and vectors may have come: somebody else makes them."""
        by_words = self._ranker is not None and self._ranker.name == "bm25"
        late = time.monotonic() - self._made > _LOOK_SECONDS
        return by_words and late and not self.served.retriever

    @contextlib.contextmanager
    def past(self, commit: str, identity: Identity) -> Iterator[tuple[View, SearchIndex]]:
        """Lay the tree of ``commit`` over the stores for the block; nothing of it stays.

        commit: "" for a time before the first. To anybody but an owner a past note is
        shown only where today's View holds its exact content.
        """
        assert self.repository is not None
        trusted = identity.is_whole_owner
        tree = self.repository.peel(commit)[1] if commit else EMPTY_TREE
        at = self._laid(tree)
        prefetch(self.vault, at, differences_to(self.vault, self.repository, at))
        try:
            with self.vault.store.transaction(keep=False):
                today = View(self.vault, identity)
                blobs = None if trusted else frozenset(note.oid for note in today.notes())
                sync(self.vault, at, at.id, differences_to(self.vault, self.repository, at))
                view = View(self.vault, identity, blobs)
                yield view, SearchIndex(self.vault, self.served.state / SEARCH)
        finally:
            self._generation = "unknown"
            self._views.clear()

    def _laid(self, tree: str) -> GitTree:
        """Return the vault in a tree of the repository; an empty one where it had no folder."""
        assert self.repository is not None
        try:
            return GitTree(self.repository, tree, self.served.prefix)
        except NotAVault:
            return GitTree(self.repository, EMPTY_TREE)

    def close(self) -> None:
        """Let go of the stores."""
        self.vault.store.close()
        if self.repository is not None:
            self.repository.close()


def make_ranker(served: Served, index: SearchIndex, setting: Setting) -> Ranker:
    """Return the ranker that was asked for, or the best that is ready."""
    from manent.search.opening import by_default
    from manent.search.ranker import make

    if served.retriever:
        return make(served.retriever, index, setting)
    return by_default(index, setting)


def when(lane: Lane, rev: str, identity: Identity, tip: str) -> str:
    """Return the commit that ``rev`` names, "" for a time before the first.

    rev: a full commit id that ``tip`` reaches, or a day; ids are an owner's. Raises
    NotFound, UsageError: git's own syntax is none.
    """
    from manent.errors import UsageError
    from manent.server.days import is_day

    trusted = identity.is_whole_owner
    if not trusted and not identity.history:
        raise UsageError("rev is not for you", "leave it out")
    repository = lane.repository
    if repository is None:
        raise UsageError("this vault has no history", "leave rev out")
    if is_day(rev):
        said = (
            repository.git.run("rev-list", "-1", f"--until={rev}T23:59:59Z", tip, "--")
            if tip
            else b""
        )
        return said.decode("ascii").strip()
    if not trusted:
        raise UsageError("name the revision by its day", "as in 2026-03-09")
    if len(rev) != 40 or any(c not in "0123456789abcdef" for c in rev):
        raise UsageError("rev is a full commit id or a day", "as in 2026-03-09")
    status, _, _ = (
        repository.git.attempt("merge-base", "--is-ancestor", rev, tip) if tip else (1, b"", "")
    )
    if status:
        raise NotFound(f"no commit {rev} on what is served", "name one that the branch reaches")
    return rev
