"""The lexical search index: a folder of segments under one manifest.

Everything here is derived: the folder may be deleted at any time. One writer
at a time (a file lock), any number of readers: a manifest names the segments
and what was struck from each, and replacing it, atomically, is the only thing
that changes what readers see. A reader keeps what it opened until ``refresh``.

Small changes write a small segment and strike documents from old ones. Small
segments of like size are merged, so their number stays logarithmic; the large
ones are left alone until ``rebuild`` or ``compact``.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import unicodedata
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from manent.errors import StoreDamaged
from manent.orphans import end_with_parent
from manent.search import segment as segments
from manent.search import tokenizer
from manent.search.bm25 import Contribution, Scope, Visible
from manent.search.constants import DEFAULTS, LIFTED, Constants
from manent.search.coverage import lifts
from manent.search.kept import Terms
from manent.search.postings import Analyser, Document, Run, batches, size_of
from manent.search.pruning import contenders
from manent.search.query import Question
from manent.search.rank import Factors, Order, best, by_id
from manent.search.segment import Assembly, Segment, assemble, open_plain, sound
from manent.values import dataclass

_MANIFEST = "manifest.json"
_HINT = "the search index is derived: rebuild it"
FORMAT = f"{segments.VERSION}.{tokenizer.VERSION}.{unicodedata.unidata_version}"
"""What an index must have been made by to be of use."""
_FAN = 6
"""Segments of like size that are merged into one."""
_MERGED_AT_MOST = 4096
"""Documents of the largest segment that a small change may write."""
_RUN_POSTINGS = 40_000_000
"""Postings held in memory before a rebuild writes a segment (320 MB)."""
_RUN_TERMS = 4_000_000
_ATTEMPTS = 20
_SCOPES = 8
"""Views whose statistics a snapshot keeps, about 1 MB each at 100,000 documents."""


T = TypeVar("T")


class Making(NamedTuple, Generic[T]):
    """How documents are made, by functions of modules, so that other processes find them.

    document: the document of a source. size_of: about how many characters it has.
    """

    document: Callable[[T], Document]
    size_of: Callable[[T], int]


def _itself(document: Document) -> Document:
    return document


AS_IT_IS = Making(_itself, size_of)
"""Documents that are made already."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A document found. score: after demotion; relevance: before.

    lift: what relevance was multiplied by for the share of the question it holds.
    explanation: the lines that add up to ``relevance / lift``, when asked for.
    """

    id: int
    score: float
    relevance: float
    lift: float = 1.0
    explanation: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """A segment, and which of its documents are struck (numbers, ascending)."""

    segment: Segment
    struck: NDArray[np.int64]

    @property
    def alive(self) -> NDArray[np.bool_] | None:
        if not self.struck.size:
            return None
        alive = np.ones(self.segment.documents, bool)
        alive[self.struck] = False
        return alive

    @property
    def documents(self) -> int:
        return self.segment.documents - len(self.struck)

    def run(self) -> Run:
        alive = self.alive
        return self.segment.run(np.ones(self.segment.documents, bool) if alive is None else alive)

    def without(self, ids: NDArray[np.int64]) -> _Held:
        gone = self.segment.numbers(ids)
        if not gone.size:
            return self
        return _Held(self.segment, np.union1d(self.struck, gone))


class Snapshot:
    """The index at one moment, searchable; nothing that happens later changes it."""

    def __init__(self, held: list[_Held]) -> None:
        self._held = held
        self._scopes: OrderedDict[bytes, Scope] = OrderedDict()
        self._terms = Terms()

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return sum(held.documents for held in self._held)

    def ids(self) -> NDArray[np.int64]:
        """Return the ids of all documents, ascending."""
        alive = [h.segment.ids if h.alive is None else h.segment.ids[h.alive] for h in self._held]
        return np.sort(np.concatenate(alive)) if alive else np.zeros(0, np.int64)

    def scope(self, visible: Visible = None) -> Scope:
        """Return the documents one asker may see, with their statistics; keep it per View.

        A few are kept here too, by what their arrays hold, so that asking again
        with an equal array costs little. A function is asked anew each time.
        """
        if callable(visible):
            return Scope([(h.segment, h.alive) for h in self._held], visible, self._terms)
        key = b"" if visible is None else _digest(visible)
        scope = self._scopes.get(key)
        if scope is None:
            scope = Scope([(h.segment, h.alive) for h in self._held], visible, self._terms)
            self._scopes[key] = scope
            if len(self._scopes) > _SCOPES:
                self._scopes.popitem(last=False)
        else:
            self._scopes.move_to_end(key)
        return scope

    def search(
        self,
        query: str,
        k: int,
        visible: Visible | Scope = None,
        order: Order = None,
        weights: Constants = DEFAULTS,
        demotion: Factors = None,
        explain: bool = False,
    ) -> list[Scored]:
        """Return the k best documents for a query, best first, equals by path order.

        query: any text; it has no syntax. visible: who is seen, or a ``Scope``
        made before. The answer is that of an index of the visible documents.
        """
        if k <= 0:
            return []
        with sound("of this vault"):
            scope = visible if isinstance(visible, Scope) else self.scope(visible)
            words = scope.words(Question(query), weights)
            places, sums = contenders(scope, words, max(k, LIFTED), weights, demotion)
            ids = scope.identify(places)
            kept = np.ones(len(ids)) if demotion is None else by_id(demotion, ids)
            first = best(ids, sums * kept, LIFTED, order)
            lift = np.ones(len(ids))
            lift[first] = lifts(scope, words, places[first], weights)
            relevance = sums * lift
            scores = relevance * kept
            return [
                Scored(
                    id=int(ids[at]),
                    score=float(scores[at]),
                    relevance=float(relevance[at]),
                    lift=float(lift[at]),
                    explanation=scope.explain(words, int(places[at]), weights) if explain else (),
                )
                for at in best(ids, scores, k, order).tolist()
            ]

    def overlay(self, removed: Iterable[int], added: Iterable[Document]) -> Snapshot:
        """Return this index with a few documents changed, in memory alone."""
        return Snapshot(_changed(self._held, removed, list(added)))


class LexicalStore:
    """The search index in a folder, which need not exist yet.

    Raises StoreDamaged, from any method that reads, when a file is damaged or
    of another version; ``rebuild`` mends it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._opened: dict[str, Segment] = {}
        self._manifest: dict[str, Any] | None = None
        self._snapshot: Snapshot | None = None

    @property
    def stamp(self) -> str:
        """What the last commit was stamped with, "" for an empty store."""
        self._open()
        return str(self._manifest["stamp"]) if self._manifest else ""

    @property
    def snapshot(self) -> Snapshot:
        """The index as it was when first asked for, or at the last ``refresh``."""
        return self._open()

    @property
    def wants_compaction(self) -> bool:
        """Whether so much was changed that ``compact`` would make searches quicker."""
        held = self._open()._held
        struck = sum(len(h.struck) for h in held)
        return len(held) > 24 or struck > 1000 + sum(h.documents for h in held) // 4

    def refresh(self) -> bool:
        """Look at what was committed since; return whether anything was."""
        before = self._manifest
        self._snapshot = None
        self._open()
        return self._manifest != before

    def search(
        self,
        query: str,
        k: int,
        visible: Visible | Scope = None,
        order: Order = None,
        weights: Constants = DEFAULTS,
        demotion: Factors = None,
        explain: bool = False,
    ) -> list[Scored]:
        """Search the current snapshot: see ``Snapshot.search``."""
        return self._open().search(query, k, visible, order, weights, demotion, explain)

    def overlay(self, removed: Iterable[int], added: Iterable[Document]) -> Snapshot:
        """Return the current snapshot with a few documents changed, in memory alone."""
        return self._open().overlay(removed, added)

    def rebuild(self, documents: Iterable[Document], stamp: str, processes: int = 1) -> None:
        """Index all documents anew, whatever was there, good or damaged.

        Works through batches; memory does not grow with the text. processes:
        worker processes that cut and count (this one puts together).
        """
        self.rebuild_from(documents, AS_IT_IS, stamp, processes)

    def rebuild_from(
        self, sources: Iterable[T], making: Making[T], stamp: str, processes: int = 1
    ) -> None:
        """Do as ``rebuild``, of what documents are made of: the workers make them."""
        with self._writing():
            generation = self._generation_on_disk() + 1
            files: list[str] = []
            for pieces in _segments_of(_runs(sources, making, processes)):
                files.append(self._write(generation, len(files), pieces))
            held = [(name, _Held(self._segment(name), _NONE)) for name in files]
            self._commit(generation, held, stamp)

    def segments(self) -> list[memoryview]:
        """Return the bytes of the segments it stands on, struck documents included."""
        return [memoryview(held.segment.buffer) for held in self._open()._held]

    def adopt(
        self, made: Iterable[Iterable[bytes]], documents: NDArray[np.int64], stamp: str
    ) -> None:
        """Stand on segments that were made elsewhere, whatever was there before.

        documents: the ids that they hold between them, ascending. Raises StoreDamaged
        where they hold others or are broken; then what was there stays.
        """
        with self._writing():
            generation = self._generation_on_disk() + 1
            held = []
            for place, pieces in enumerate(made):
                name = self._write(generation, place, pieces)
                segment = Segment.open(self.folder / name)
                segment.verify()
                held.append((name, _Held(segment, _NONE)))
            if not np.array_equal(Snapshot([one for _, one in held]).ids(), documents):
                raise StoreDamaged(f"{self.folder} was given another vault's index", _HINT)
            self._opened.update({name: one.segment for name, one in held})
            self._commit(generation, held, stamp)

    def update(self, removed: Iterable[int], added: Iterable[Document], stamp: str) -> None:
        """Take documents out and put others in. Ids that are not there are no fault.

        An added id that is already there replaces what it named.
        """
        with self._writing():
            self.refresh()
            before = self._open()._held
            self._replace(_merged(_changed(before, removed, list(added))), stamp)

    def compact(self) -> None:
        """Merge everything into one segment, and forget what was struck."""
        with self._writing():
            self.refresh()
            before = self._open()._held
            if len(before) > 1 or any(h.struck.size for h in before):
                generation = self._generation_on_disk() + 1
                pieces = assemble([h.run() for h in before])
                name = self._write(generation, 0, pieces)
                self._commit(generation, [(name, _Held(self._segment(name), _NONE))], self.stamp)

    def verify(self) -> None:
        """Read every byte; raise StoreDamaged where one differs from what was written."""
        for held in self._open()._held:
            held.segment.verify()

    # Reading

    def _open(self) -> Snapshot:
        """Return the snapshot, reading the manifest if it is not held."""
        for attempt in range(_ATTEMPTS):
            if self._snapshot is not None:
                return self._snapshot
            manifest = self._read_manifest()
            entries = manifest["segments"] if manifest else []
            try:
                held = [self._load(entry) for entry in entries]
            except FileNotFoundError as fault:
                # A writer replaced the manifest and took old files away meanwhile.
                if attempt == _ATTEMPTS - 1:
                    raise StoreDamaged(f"{self.folder} lacks a file it names", _HINT) from fault
                continue
            self._manifest, self._snapshot = manifest, Snapshot(held)
            used = {entry["file"] for entry in entries}
            self._opened = {name: s for name, s in self._opened.items() if name in used}
        raise AssertionError("unreachable")

    def _read_manifest(self) -> dict[str, Any] | None:
        try:
            text = _read(self.folder / _MANIFEST)
        except FileNotFoundError:
            return None
        try:
            body = json.loads(text)
            manifest = body["manifest"]
            sound = body["crc"] == zlib.crc32(_spelled(manifest))
        except (ValueError, KeyError, TypeError) as fault:
            raise StoreDamaged(f"{self.folder / _MANIFEST} is broken", _HINT) from fault
        if not sound:
            raise StoreDamaged(f"{self.folder / _MANIFEST} is broken", _HINT)
        if manifest["format"] != FORMAT:
            made = f"{self.folder} was written by another version"
            raise StoreDamaged(f"{made} ({manifest['format']}, not {FORMAT})", _HINT)
        return dict(manifest)

    def _load(self, entry: dict[str, Any]) -> _Held:
        segment = self._segment(entry["file"], entry.get("written", 0))
        struck = _NONE
        if entry["struck"]:
            data = _read(self.folder / entry["struck"])
            if zlib.crc32(data) != entry["crc"]:
                raise StoreDamaged(f"{self.folder / entry['struck']} is broken", _HINT)
            struck = np.frombuffer(data, "<u4").astype(np.int64)
        if segment.documents != entry["documents"]:
            raise StoreDamaged(f"{self.folder / entry['file']} is another segment", _HINT)
        return _Held(segment, struck)

    def _segment(self, name: str, written: int | None = None) -> Segment:
        """Return a segment, read whole where it is not as old as it was when committed.

        Adding its bytes up each time it is opened would take longer than most questions.
        """
        if name not in self._opened:
            segment = Segment.open(self.folder / name)
            if written is not None and written != self._written(name):
                segment.verify()
            self._opened[name] = segment
        return self._opened[name]

    def _written(self, name: str) -> int:
        return (self.folder / name).stat().st_mtime_ns

    # Writing

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the writer's lock, in a folder made for us alone."""
        import fcntl

        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        lock = os.open(self.folder / "lock", flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _generation_on_disk(self) -> int:
        """Return a number no file here bears yet, also when the manifest is gone or broken."""
        numbers = [0]
        for path in self.folder.glob("*-*.*"):
            head = path.name.partition("-")[0]
            if head.isdecimal():
                numbers.append(int(head))
        return max(numbers)

    def _replace(self, after: list[_Held], stamp: str) -> None:
        """Commit segments, of which some are in memory only as yet."""
        generation = self._generation_on_disk() + 1
        names = {id(segment): name for name, segment in self._opened.items()}
        named = []
        for place, held in enumerate(h for h in after if h.documents):
            name = names.get(id(held.segment))
            if name is None:
                name = self._write(generation, place, [held.segment.buffer])
            named.append((name, _Held(self._segment(name), held.struck)))
        self._commit(generation, named, stamp)

    def _write(self, generation: int, place: int, pieces: Iterable[bytes | memoryview]) -> str:
        name = f"{generation}-{place}.segment"
        _create(self.folder / name, pieces)
        return name

    def _commit(self, generation: int, named: list[tuple[str, _Held]], stamp: str) -> None:
        old = {e["file"]: e for e in (self._manifest or {"segments": []})["segments"]}
        entries = []
        for place, (name, held) in enumerate(named):
            numbers = held.struck.astype("<u4").tobytes()
            crc = zlib.crc32(numbers) if numbers else 0
            struck = old[name]["struck"] if name in old and old[name]["crc"] == crc else ""
            if numbers and not struck:
                struck = f"{generation}-{place}.struck"
                _create(self.folder / struck, [numbers])
            entry = {"file": name, "documents": held.segment.documents, "struck": struck}
            entries.append(entry | {"crc": crc, "written": self._written(name)})
        manifest = {"format": FORMAT, "stamp": stamp, "segments": entries}
        body = {"manifest": manifest, "crc": zlib.crc32(_spelled(manifest))}
        fresh = self.folder / f"{generation}-new.json"
        _create(fresh, [json.dumps(body).encode()])
        fresh.replace(self.folder / _MANIFEST)
        self._manifest, self._snapshot = manifest, Snapshot([held for _, held in named])
        self._sweep({str(e[kind]) for e in entries for kind in ("file", "struck")})

    def _sweep(self, used: set[str]) -> None:
        """Delete files that no manifest names; readers keep what they have mapped."""
        self._opened = {name: s for name, s in self._opened.items() if name in used}
        for path in self.folder.glob("*-*.*"):
            if path.name not in used and path.name.partition("-")[0].isdecimal():
                path.unlink(missing_ok=True)


_NONE = np.zeros(0, np.int64)


def _digest(visible: NDArray[np.bool_]) -> bytes:
    bits = np.packbits(np.asarray(visible, bool))
    return hashlib.blake2b(bits.data, digest_size=32).digest()


def _spelled(manifest: dict[str, Any]) -> bytes:
    return json.dumps(manifest, sort_keys=True).encode()


def _read(path: Path) -> bytes:
    with os.fdopen(open_plain(path), "rb") as file:
        return file.read()


def _create(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file that is not there yet, for the user alone."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            file.write(piece)


def _changed(held: list[_Held], removed: Iterable[int], added: list[Document]) -> list[_Held]:
    """Strike what was removed or replaced, and add a segment in memory of what is new."""
    latest = {document.id: document for document in added}
    gone = np.fromiter({*removed, *latest}, np.int64)
    after = [h.without(gone) for h in held]
    if latest:
        analyser = Analyser()
        runs = [analyser.run(batch) for batch in batches(latest.values(), size_of)]
        after.append(_Held(_in_memory(runs), _NONE))
    return after


def _merged(held: list[_Held]) -> list[_Held]:
    """Merge small segments of like size until fewer than ``_FAN`` of any size remain."""
    while True:
        tiers: dict[int, list[_Held]] = {}
        for one in held:
            tiers.setdefault(_tier(one.documents), []).append(one)
        for same in tiers.values():
            if len(same) >= _FAN and sum(h.documents for h in same) <= _MERGED_AT_MOST:
                gone = {id(one) for one in same}
                held = [one for one in held if id(one) not in gone] + [_merge(same)]
                break
        else:
            return held


def _tier(documents: int) -> int:
    tier = 0
    while documents >= _FAN:
        documents //= _FAN
        tier += 1
    return tier


def _merge(held: list[_Held]) -> _Held:
    return _Held(_in_memory([one.run() for one in held]), _NONE)


def _in_memory(runs: list[Run]) -> Segment:
    return Segment(b"".join(assemble(runs)))


def _segments_of(runs: Iterable[Run]) -> Iterator[list[bytes | memoryview]]:
    """Put runs together into as few segments as memory allows."""
    assembly = Assembly()
    for run in runs:
        assembly.add(run)
        if assembly.postings >= _RUN_POSTINGS or assembly.terms >= _RUN_TERMS:
            yield assembly.pieces()
            assembly = Assembly()
    if assembly.runs:
        yield assembly.pieces()


def _runs(sources: Iterable[T], making: Making[T], processes: int) -> Iterator[Run]:
    """Return the runs of all batches, in order, made here or by worker processes."""
    if processes <= 1:
        analyser = Analyser()
        for batch in batches(sources, making.size_of):
            yield analyser.run([making.document(source) for source in batch])
        return
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, get_context("spawn"), _start_worker) as pool:
        waiting: list[Future[Run]] = []
        for batch in batches(sources, making.size_of):
            waiting.append(pool.submit(_work, making, batch))
            if len(waiting) > processes:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()


_worker: list[Analyser] = []


def _start_worker() -> None:
    gc.disable()  # it would go over the words it learnt again and again, which are no cycles
    end_with_parent()
    _worker.append(Analyser())


def _work(making: Making[T], batch: list[T]) -> Run:
    made = _worker[0].run([making.document(source) for source in batch])
    gc.collect(0)  # what this batch left, should any of it be a cycle
    return made
