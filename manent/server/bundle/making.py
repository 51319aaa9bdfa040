"""Making the bundle of a tree, and putting it where replicas find it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from manent.errors import EnvironmentFault, StoreDamaged
from manent.facts.store import STORE, Store
from manent.finding import inert
from manent.repo.git_tree import GitTree
from manent.search.index import SearchIndex
from manent.search.meaning import FOLDER, part_key
from manent.search.vectors import VectorStore
from manent.server.bundle import contents
from manent.server.bundle.sealed import NUMBERS, Unsound, Writer, name_of, verified
from manent.values import dataclass
from manent.vault.rows import batches
from manent.vault.sync import sync
from manent.vault.vault import Vault

KEPT = 4
"""Bundles that stay in a folder, the newest: a replica that is late finds the one before."""

_SCRATCH = "bundle-"
_LOCK = "publish.lock"
_NAME = re.compile(r"[0-9a-f]{40}\.\d+-[0-9a-f]{12}\.bundle")
_LEFT = re.compile(r"\.[0-9a-f]{40}\.\d+-[0-9a-f]{12}\.bundle\.[0-9a-f]{8}")
_LEFT_SECONDS = 3_600.0
_BLOCK = 1 << 20
_MODE = 0o640
"""Of a bundle: a web server reads it as a member of the folder's group, nobody else."""


class Published(NamedTuple):
    """A bundle that stands. made: it was made now. vectors: notes with one, all models."""

    path: Path
    made: bool
    notes: int
    vectors: int


class _Embedded(NamedTuple):
    """The vectors of one model for the notes of a tree. keys: by path."""

    store: VectorStore
    keys: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Publisher:
    """Makes bundles. state: the folder of derived data, whose vectors are taken along.

    folder: where bundles go, those of one brain alone. processes: how many may work.
    """

    state: Path
    folder: Path
    key: bytes
    processes: int = 1

    def publish(self, vault: Vault, tree: GitTree) -> Published:
        """Put the bundle of a tree into the folder, unless one as good stands there.

        vault: as it stands at that tree. Raises EnvironmentFault.
        """
        name = name_of(tree.id, contents.versions(vault.conventions))
        target = self.folder / name
        try:
            self.folder.mkdir(mode=0o750, exist_ok=True)
            with self._alone():
                embedded = list(self._embedded(vault))
                notes, vectors = vault.counts()[0], sum(len(one.keys) for one in embedded)
                if self._stands(target, _models(embedded)):
                    return Published(target, False, notes, vectors)
                self._make(vault, tree, embedded, target)
                self._sweep()
        except OSError as error:
            said = f"the bundle cannot be kept in {inert(str(self.folder))}: {error.strerror}"
            raise EnvironmentFault(said, "name a folder that exists and has room") from error
        return Published(target, True, notes, vectors)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of those who publish, with nothing left by one that was killed."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(self.state / _LOCK, flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in self.state.glob(f"{_SCRATCH}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
        finally:
            os.close(lock)

    def _stands(self, target: Path, models: list[dict[str, object]]) -> bool:
        """Tell whether a sound bundle with at least these vectors is there."""
        try:
            with target.open("rb") as file:
                found = verified(file, self.key, target.name).table.get("models")
        except (OSError, Unsound):
            return False
        return found == models

    # -- vectors -------------------------------------------------------------

    def _embedded(self, vault: Vault) -> Iterator[_Embedded]:
        """Yield each model's vectors, as far as the notes of the tree have one."""
        for folder in sorted((self.state / FOLDER).glob("*/current.json")):
            store = _opened(folder.parent)
            if store is None:
                continue
            known = contents.text_keys(folder.parent, vault).by_doc
            keys = {note.path: known[note.doc] for note in vault.notes() if note.doc in known}
            rows = store.find(list(keys.values())).tolist()
            held = [path for path, row in zip(keys, rows, strict=True) if row >= 0]
            if held:
                yield _Embedded(store, {path: keys[path] for path in held})

    # -- making --------------------------------------------------------------

    def _make(
        self, vault: Vault, tree: GitTree, embedded: Sequence[_Embedded], target: Path
    ) -> None:
        draft = self.folder / f".{target.name}.{os.urandom(4).hex()}"
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=self.state))
        try:
            with _created(draft) as file, contextlib.closing(Store(scratch / STORE)) as store:
                writer = Writer(file, self.key, target.name)
                self._fill(_carried(vault, store), tree, embedded, scratch, writer)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
            shutil.rmtree(scratch, ignore_errors=True)

    def _fill(
        self,
        vault: Vault,
        tree: GitTree,
        embedded: Sequence[_Embedded],
        scratch: Path,
        writer: Writer,
    ) -> None:
        """Fill a bundle. vault: one that has never stood at any tree."""
        sync(vault, tree, tree.id, processes=self.processes)
        index = SearchIndex(vault, scratch / "search")
        index.rebuild(self.processes)
        writer.part(contents.FACTS, _facts(vault))
        for place, segment in enumerate(index.segments()):
            writer.part(f"{contents.INDEX}{place}", _cut(segment))
        for place, one in enumerate(embedded):
            writer.part(f"{contents.VECTORS}{place}", _rows(vault, one), NUMBERS)
            writer.part(f"{contents.DOCUMENTS}{place}", _documents(vault, one))
        writer.close(
            tree=tree.id,
            made=contents.versions(vault.conventions),
            notes=vault.counts()[0],
            listing=contents.listing(vault),
            models=_models(embedded),
        )

    # -- the folder ----------------------------------------------------------

    def _sweep(self) -> None:
        """Take away the oldest bundles, and what a killed publisher left half written."""
        found = [path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)]
        found.sort(key=_modified, reverse=True)
        late = time.time() - _LEFT_SECONDS
        left = [p for p in self.folder.iterdir() if _LEFT.fullmatch(p.name) and _modified(p) < late]
        for path in [*found[KEPT:], *left]:
            path.unlink(missing_ok=True)


def _carried(vault: Vault, store: Store) -> Vault:
    """Return a vault that stands nowhere yet, and need not parse what this one has parsed."""
    fresh = Vault(store, vault.conventions)
    with store.transaction():
        for batch in batches({note.oid for note in vault.notes()}):
            facts = vault.facts_of(batch)
            rows = ((vault.facts_key(oid), text) for oid, text in facts.items())
            store.db.executemany("INSERT OR REPLACE INTO blob VALUES (?, ?)", rows)
    return fresh


def _modified(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _opened(folder: Path) -> VectorStore | None:
    """Return the vectors in a folder, None where there are none to be had."""
    try:
        said = json.loads((folder / "current.json").read_bytes())
        return VectorStore(folder, str(said["model"]), int(said["dimensions"]))
    except (OSError, ValueError, KeyError, TypeError, StoreDamaged):
        return None


def _models(embedded: Sequence[_Embedded]) -> list[dict[str, object]]:
    return [
        {"model": one.store.model, "dimensions": one.store.dimensions, "documents": len(one.keys)}
        for one in embedded
    ]


@contextlib.contextmanager
def _created(path: Path) -> Iterator[IO[bytes]]:
    """Give a new file; on the disk once the block is left."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, _MODE)  # a server's own umask is narrower
        yield file
        file.flush()
        os.fsync(file.fileno())


def _facts(vault: Vault) -> Iterator[bytes]:
    oids = sorted({note.oid for note in vault.notes()})
    for batch in batches(oids):
        facts = vault.facts_of(batch)
        for oid in sorted(facts):
            loaded = json.loads(facts[oid])
            row = [oid, loaded[contents.OUTLINE], loaded[contents.LABELS]]
            yield json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"


def _cut(buffer: memoryview) -> Iterator[bytes]:
    for at in range(0, len(buffer), _BLOCK):
        yield bytes(buffer[at : at + _BLOCK])


def _rows(vault: Vault, one: _Embedded) -> Iterator[bytes]:
    """Yield each text's rows once, in the order in which a first embedding makes them."""
    seen: set[bytes] = set()
    for note in _by_document(vault):
        key = one.keys.get(note[1])
        if key is None or key in seen:
            continue
        seen.add(key)
        for part in reversed(_parts(one.store, key)):
            row = int(one.store.find([part])[0])
            yield part + one.store.rows[row].astype("<f4").tobytes()


def _parts(store: VectorStore, key: bytes) -> list[bytes]:
    """Return the keys of a text's parts; most texts have one."""
    parts = [key]
    while store.find([part := part_key(key, len(parts))])[0] >= 0:
        parts.append(part)
    return parts


def _documents(vault: Vault, one: _Embedded) -> Iterator[bytes]:
    for doc, path in _by_document(vault):
        if path in one.keys:
            yield doc.to_bytes(8, "little", signed=True) + one.keys[path]


def _by_document(vault: Vault) -> list[tuple[int, str]]:
    return sorted((note.doc, note.path) for note in vault.notes())
