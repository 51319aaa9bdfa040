"""Taking in the bundle of what is served, where there are no stores yet.

What is dear to make comes from the bundle: links and headings of notes, the search index,
vectors. What decides comes from the repository: which files there are, and of each note
its header, who may read it above all. Whatever is wrong with a bundle, the repository is
read instead, and one line says why.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from manent.errors import EnvironmentFault, ManentError, StoreDamaged
from manent.facts.facts import Facts, to_json
from manent.facts.store import STORE, Store
from manent.links.storing import outline_from_json
from manent.note import read
from manent.repo.git_tree import GitTree
from manent.repo.open import Repository
from manent.search.index import SearchIndex
from manent.search.meaning import FOLDER
from manent.search.vectors import KEY_BYTES, VectorStore, open_store
from manent.server.bundle import contents
from manent.server.bundle.sealed import Bundle, Unsound, name_of, verified
from manent.server.bundle.source import Source
from manent.server.served import Served
from manent.tree import Kind
from manent.values import dataclass
from manent.vault.ignore import IGNORE_FILE, is_note_path, parse, text_of
from manent.vault.rows import batches
from manent.vault.sync import sync
from manent.vault.vault import Vault

SEARCH = "search"
BEFORE = 8
"""Commits before the tip whose bundles do as well: what came since is read from the
repository."""

_LOCK = "bundle.lock"
_MODELS = 8
_WIDEST = 8_192
"""Dimensions of a model."""
_ROWS = 4_096

Told = Callable[..., None]
"""Takes an event, a level and fields, as ``logs.Log`` does."""


@dataclass(frozen=True, slots=True)
class Taker:
    """Fills the stores of what is served from a bundle. log: told what came of it."""

    served: Served
    source: Source
    key: bytes
    log: Told

    def take(self) -> bool:
        """Fill empty stores from the newest bundle there is; return whether that was done.

        Never raises for a bundle: the repository has all that it would have given.
        """
        began = time.monotonic()
        try:
            with contextlib.closing(Store(self.served.state / STORE)) as store, self._alone():
                vault = Vault(store, self.served.conventions())
                if not vault.is_empty:
                    return False
                repository = self.served.reopened()
                assert repository is not None, "what is served is a brain"
                with contextlib.closing(repository):
                    return self._taken(repository, vault, began)
        except Unsound as unsound:
            self._refused(unsound.message)
        except (ManentError, OSError) as error:
            said = error.message if isinstance(error, ManentError) else error.strerror
            self.log("bundle-missing", "warning", fault=str(said))
        except Exception:  # the edge: what somebody signed may be anything
            self._refused("what it holds cannot be read")
        return False

    def _refused(self, why: str) -> None:
        self.log("bundle-refused", "warning", reason=f"{why}: the repository is read instead")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of those who share the stores: one fetches, the others find it done."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(self.served.state / _LOCK, flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    # -- finding -------------------------------------------------------------

    def _taken(self, repository: Repository, vault: Vault, began: float) -> bool:
        made = contents.versions(vault.conventions)
        for tree in _trees(repository, self.served.ref, self.served.prefix):
            with tempfile.TemporaryFile(dir=self.served.state) as file:
                name = name_of(tree.id, made)
                if not self.source.fetch(name, file):
                    continue
                try:
                    bundle = _checked(verified(file, self.key, name), tree, made)
                    notes, vectors = _Intake(self.served, vault, tree, bundle).take()
                except Unsound as fault:
                    self._refused(fault.message)
                    return False
            ms = round((time.monotonic() - began) * 1000, 1)
            self.log("bundle-taken", "info", count=notes, vectors=vectors, ms=ms)
            return True
        self.log("bundle-missing", "info", reason="no bundle of this tree, or of one just before")
        return False


def _trees(repository: Repository, ref: str, prefix: str) -> Iterator[GitTree]:
    """Yield the vault at the tip, and then at the commits before it."""
    tip = repository.ref(ref)
    if not tip:
        return
    seen: set[str] = set()
    asked = ("rev-list", "--first-parent", "-n", str(1 + BEFORE), tip, "--")
    for commit in [tip, *repository.git.run(*asked).decode("ascii").split()]:
        with contextlib.suppress(ManentError):  # no such folder there, or a shallow history
            tree = GitTree(repository, commit, prefix)
            if tree.id not in seen:
                seen.add(tree.id)
                yield tree


def _checked(bundle: Bundle, tree: GitTree, made: dict[str, str]) -> Bundle:
    if bundle.table.get("tree") != tree.id or bundle.table.get("made") != made:
        raise Unsound("it is of another tree or another version")
    return bundle


class _Intake:
    """One bundle on its way into empty stores."""

    def __init__(self, served: Served, vault: Vault, tree: GitTree, bundle: Bundle) -> None:
        self._state = served.state
        self._processes = served.processes
        self._vault = vault
        self._tree = tree
        self._bundle = bundle

    def take(self) -> tuple[int, int]:
        """Return how many notes there are, and how many vectors came."""
        vault = self._vault
        with vault.store.transaction():
            if vault.is_empty:
                self._take_facts()
                sync(vault, self._tree, self._tree.id, processes=self._processes)
        if contents.listing(vault) == self._bundle.table.get("listing"):
            self._take_index()
            return vault.counts()[0], self._take_vectors()
        return vault.counts()[0], 0

    # -- facts ---------------------------------------------------------------

    def _take_facts(self) -> None:
        """Keep what was found in each blob, but for its header: that is read here."""
        paths = self._notes()
        for batch in batches(self._bundle.lines(contents.FACTS)):
            rows = [row for line in batch if (row := self._facts(line, paths)) is not None]
            self._vault.store.db.executemany("INSERT OR REPLACE INTO blob VALUES (?, ?)", rows)

    def _notes(self) -> dict[str, str]:
        """Return a path of each blob that is a note of the tree."""
        tree = self._tree
        found = tree.get(IGNORE_FILE)
        plain = found is not None and found.kind is Kind.FILE
        ignore = parse(text_of(tree.read(IGNORE_FILE)) if plain else "")
        return {
            entry.oid: entry.path
            for entry in tree.entries()
            if entry.kind is Kind.FILE and is_note_path(entry.path, ignore)
        }

    def _facts(self, line: bytes, paths: dict[str, str]) -> tuple[str, str] | None:
        """Return the row of a blob; None for one that is none of this tree's."""
        try:
            oid, outline, labels = json.loads(line)
            if not contents.is_outline(outline) or not contents.are_texts(labels):
                raise Unsound("its facts cannot be read")
            path = paths.get(oid)
        except (ValueError, TypeError, RecursionError):
            raise Unsound("its facts cannot be read") from None
        if path is None:
            return None
        note = read(self._tree.read(path))
        facts = Facts(
            str(note.state),
            note.frontmatter,
            dict(note.key_lines),
            note.problems,
            outline_from_json(outline),
            note.body_line,
            tuple(labels),
        )
        return self._vault.facts_key(oid), to_json(facts)

    # -- the index -----------------------------------------------------------

    def _take_index(self) -> None:
        parts = [name for name in self._bundle.parts if name.startswith(contents.INDEX)]
        index = SearchIndex(self._vault, self._state / SEARCH)
        try:
            index.adopt(map(self._bundle.blocks, parts))
        except StoreDamaged as damaged:
            raise Unsound("its search index cannot be read") from damaged

    # -- vectors -------------------------------------------------------------

    def _take_vectors(self) -> int:
        models = self._bundle.table.get("models")
        if not isinstance(models, list) or len(models) > _MODELS:
            raise Unsound("its vectors cannot be read")
        return sum(self._take_model(place, said) for place, said in enumerate(models))

    def _take_model(self, place: int, said: Any) -> int:
        try:
            model, dimensions = str(said["model"]), int(said["dimensions"])
        except (KeyError, TypeError, ValueError):
            raise Unsound("its vectors cannot be read") from None
        if not 0 < dimensions <= _WIDEST:
            raise Unsound("its vectors cannot be read")
        store = open_store(self._state / FOLDER, model, dimensions)
        if store.folder is None:
            raise EnvironmentFault("there is no place to keep vectors")
        self._add_rows(store, f"{contents.VECTORS}{place}", dimensions)
        return self._learn(store, f"{contents.DOCUMENTS}{place}")

    def _add_rows(self, store: VectorStore, part: str, dimensions: int) -> None:
        width = KEY_BYTES + 4 * dimensions
        for batch in batches(self._pieces(part, width), _ROWS):
            whole = np.frombuffer(b"".join(batch), np.uint8).reshape(len(batch), width)
            rows = np.frombuffer(whole[:, KEY_BYTES:].tobytes(), "<f4").reshape(
                len(batch), dimensions
            )
            if not np.isfinite(rows).all():
                raise Unsound("its vectors are no numbers")
            store.add([piece[:KEY_BYTES] for piece in batch], rows)

    def _learn(self, store: VectorStore, part: str) -> int:
        assert store.folder is not None
        docs = {doc for doc, _ in self._vault.docs()}
        keys: dict[int, bytes] = {}
        for piece in self._pieces(part, contents.DOC_BYTES):
            doc = int.from_bytes(piece[:8], "little", signed=True)
            if doc in docs:
                keys[doc] = piece[8:]
        with store.writing():
            contents.text_keys(store.folder, self._vault).learn(keys)
        return len(keys)

    def _pieces(self, part: str, size: int) -> Iterator[bytes]:
        if part not in self._bundle.parts:
            raise Unsound("it lacks a part that it names")
        for piece in self._bundle.pieces(part, size):
            if len(piece) != size:
                raise Unsound("a part is not as long as it says")
            yield piece
