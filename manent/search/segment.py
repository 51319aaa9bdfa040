"""A segment: postings of some documents in one file, read where it lies.

The file is a header and flat arrays, each at a multiple of 64 bytes. Opening
one maps it and reads the header; looking a term up touches a few pages. A
segment never changes: documents leave it by being struck from a list kept
beside it (``lexical``), until a merge writes a new one.

Layout::

    magic 8 bytes | version u32 | length of header u32 | CRC-32 of header u32
    header: JSON {size, documents, terms, languages, sections: {name: [offset, count, crc]}}
    sections, little-endian:
      ids i64[n], by_id u32[n]          ids by number, and numbers by ascending id
      lengths u32[4 n]                  field by field
      term_bytes u8[], term_starts u64[t + 1]        terms in byte order
      starts u64[t + 1]                 the postings of term i: starts[i] to starts[i + 1]
      posting_documents u32[p], posting_counts u32[p]
      backwards u32[]                   terms that may be misspelled, by their reversed stems
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.errors import StoreDamaged
from manent.search.constants import FUZZY_SHORTEST_STEM
from manent.search.languages import CODES
from manent.search.postings import TAG, Run
from manent.values import replace

VERSION = 1
_MAGIC = b"MNNTSEG\n"
_ALIGNMENT = 64
_TYPES = {
    "ids": "<i8",
    "by_id": "<u4",
    "lengths": "<u4",
    "term_bytes": "|u1",
    "term_starts": "<u8",
    "starts": "<u8",
    "posting_documents": "<u4",
    "posting_counts": "<u4",
    "backwards": "<u4",
}
_HINT = "the search index is derived: rebuild it"


class Segment:
    """Read access to one segment.

    buffer: the bytes of the file. documents: how many it holds, struck ones
    included. ids: (n,) int64.
    lengths: (4, n) uint32. languages: places in ``CODES`` of those that occur.
    Raises StoreDamaged when the buffer is no segment of this version, or when
    a posting list read from it points outside.
    """

    def __init__(self, buffer: Any, name: str = "in memory") -> None:
        self.name = name
        self.buffer = buffer
        header = self._header(buffer)
        try:
            self.documents = int(header["documents"])
            self.terms = int(header["terms"])
            self.languages: tuple[int, ...] = tuple(map(int, header["languages"]))
            self._sections: dict[str, Any] = header["sections"]
            arrays = {kind: self._array(buffer, kind) for kind in _TYPES}
            self.lengths: NDArray[np.uint32] = arrays["lengths"].reshape(4, self.documents)
        except (KeyError, TypeError, ValueError) as fault:
            raise self._damaged("its header does not fit") from fault
        self.ids: NDArray[np.int64] = arrays["ids"]
        self._by_id = arrays["by_id"]
        self._term_bytes = arrays["term_bytes"].data
        self._term_starts = arrays["term_starts"].data
        self._starts = arrays["starts"].data
        self._starts_array = arrays["starts"]
        self._term_starts_array = arrays["term_starts"]
        self._documents = arrays["posting_documents"]
        self._counts = arrays["posting_counts"]
        self._backwards = arrays["backwards"].data
        self._check_shapes()

    @classmethod
    def open(cls, path: Path) -> Segment:
        """Map the segment in a file; never through a symbolic link."""
        descriptor = open_plain(path)
        try:
            if not os.fstat(descriptor).st_size:
                raise StoreDamaged(f"search segment {path.name} is empty", _HINT)
            return cls(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ), path.name)
        finally:
            os.close(descriptor)

    def _header(self, buffer: Any) -> dict[str, Any]:
        head = bytes(buffer[:20])
        if len(head) < 20 or head[:8] != _MAGIC:
            raise self._damaged("it is no segment")
        version, length, crc = (int.from_bytes(head[i : i + 4], "little") for i in (8, 12, 16))
        if version != VERSION:
            raise self._damaged(f"it has version {version}, not {VERSION}")
        text = bytes(buffer[20 : 20 + length])
        if zlib.crc32(text) != crc:
            raise self._damaged("its header is broken")
        header: dict[str, Any] = json.loads(text)
        if header.get("size") != len(buffer):
            raise self._damaged("its size is not what its header says")
        return header

    def _array(self, buffer: Any, kind: str) -> NDArray[Any]:
        offset, count, _ = self._sections[kind]
        return np.frombuffer(buffer, np.dtype(_TYPES[kind]), count, offset)

    def _check_shapes(self) -> None:
        postings = len(self._documents)
        fits = (
            len(self.ids) == len(self._by_id) == self.documents
            and len(self._starts) == len(self._term_starts) == self.terms + 1
            and len(self._counts) == postings == self._starts[self.terms]
            and self._term_starts[self.terms] == len(self._term_bytes)
            and all(0 <= place < len(CODES) for place in self.languages)
        )
        if not fits:
            raise self._damaged("its parts do not fit together")

    def _damaged(self, why: str) -> StoreDamaged:
        return StoreDamaged(f"search segment {self.name} cannot be read: {why}", _HINT)

    def verify(self) -> None:
        """Read everything and raise StoreDamaged where a section's checksum differs."""
        for kind, (_, _, crc) in self._sections.items():
            if zlib.crc32(self._array(self.buffer, kind).data) != crc:
                raise self._damaged(f"its {kind} are broken")

    def numbers(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of those of ``ids`` that this segment holds."""
        if not self.documents or not ids.size:
            return np.zeros(0, np.int64)
        with sound(self.name):
            places = np.searchsorted(self.ids, ids, sorter=self._by_id)
            found = self._by_id[np.minimum(places, self.documents - 1)].astype(np.int64)
            held: NDArray[np.int64] = found[self.ids[found] == ids]
        return held

    def term(self, number: int) -> bytes:
        """Return the term of that number, in byte order from 0."""
        return bytes(self._term_bytes[self._term_starts[number] : self._term_starts[number + 1]])

    def find(self, term: bytes) -> int:
        """Return the number of a term, or -1."""
        place = self._first_at_least(term)
        return place if place < self.terms and self.term(place) == term else -1

    def prefixed(self, prefix: bytes) -> tuple[int, int]:
        """Return the range of terms that start with ``prefix``."""
        # 0xFF follows every byte that UTF-8 uses.
        return self._first_at_least(prefix), self._first_at_least(prefix + b"\xff")

    def ending(self, suffix: bytes) -> list[int]:
        """Return the terms whose stem ends with ``suffix``, of those that may be misspelled."""
        wanted = suffix[::-1]
        return list(self._backwards[self._back(wanted) : self._back(wanted + b"\xff")])

    def _first_at_least(self, key: bytes) -> int:
        low, high = 0, self.terms
        text, starts = self._term_bytes, self._term_starts
        while low < high:
            middle = (low + high) >> 1
            if bytes(text[starts[middle] : starts[middle + 1]]) < key:
                low = middle + 1
            else:
                high = middle
        return low

    def _back(self, key: bytes) -> int:
        low, high = 0, len(self._backwards)
        while low < high:
            middle = (low + high) >> 1
            if _stem(self.term(self._backwards[middle]))[::-1] < key:
                low = middle + 1
            else:
                high = middle
        return low

    def term_sizes(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bytes of each term, tag included."""
        starts = self._term_starts_array
        sizes: NDArray[np.int64] = (starts[numbers + 1] - starts[numbers]).astype(np.int64)
        return sizes

    def postings(self, low: int, high: int = -1) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return (documents, packed counts) of the terms from ``low`` up to ``high``.

        high: -1 means the one term ``low``. Whoever uses a document as a place
        meets an IndexError where a damaged file names one that is not there.
        """
        first, last = self._starts[low], self._starts[low + 1 if high < 0 else high]
        if not first <= last <= len(self._documents):
            raise self._damaged("a posting list lies outside")
        return self._documents[first:last], self._counts[first:last]

    def starts(self, low: int, high: int) -> NDArray[np.int64]:
        """Return where the postings of terms ``low`` to ``high`` begin, the first at 0."""
        found = self._starts_array[low : high + 1].astype(np.int64)
        return np.asarray(found - found[0])

    def run(self, live: NDArray[np.bool_]) -> Run:
        """Return what is live of this segment as a run, for a merge."""
        with sound(self.name):
            return self._run(live)

    def _run(self, live: NDArray[np.bool_]) -> Run:
        renumbered = np.cumsum(live) - 1
        documents, packed = self.postings(0, self.terms)
        kept = live[documents]
        before = np.concatenate(([0], np.cumsum(kept)))
        sizes = np.diff(before[self._starts_array.astype(np.int64)])
        used = np.flatnonzero(sizes)
        present = np.zeros(len(CODES), np.int64)
        present[list(self.languages)] = 1
        return Run(
            ids=self.ids[live],
            lengths=self.lengths[:, live],
            languages=present,
            terms=[self.term(number) for number in used.tolist()],
            counts=sizes[used],
            documents=renumbered[documents[kept]].astype(np.uint32),
            packed=packed[kept],
        )


def open_plain(path: Path) -> int:
    """Open a file for reading; StoreDamaged when it cannot be, or is a symbolic link.

    A file that is not there raises FileNotFoundError as ever.
    """
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise StoreDamaged(f"{path} cannot be opened: {fault.strerror}", _HINT) from fault


@contextlib.contextmanager
def sound(name: str) -> Iterator[None]:
    """Say of what goes wrong inside that the index named is damaged.

    Its arrays point into one another; where one was changed on disk, numpy finds
    a place that is not there, or a term no letters.
    """
    try:
        yield
    except (IndexError, KeyError, ValueError, OverflowError) as fault:
        raise StoreDamaged(f"search index {name} is damaged: {fault}", _HINT) from fault


def _stem(term: bytes) -> bytes:
    return term.partition(TAG)[0]


def assemble(runs: Iterable[Run]) -> list[bytes | memoryview]:
    """Return the pieces of a segment file that holds all documents of the runs, in order."""
    assembly = Assembly()
    for run in runs:
        assembly.add(run)
    return assembly.pieces()


class Assembly:
    """Runs that come one by one, and become a segment in the end.

    Terms are numbered as they come: so most is done while others make the next run, and
    a term that many runs share is held once.
    """

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self._numbers: list[NDArray[np.int64]] = []
        self._seen: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.postings = self.terms = 0

    def add(self, run: Run) -> None:
        """Take one more run. postings, terms: how many the runs have between them."""
        self.postings += len(run.documents)
        self.terms += len(run.terms)
        numbers = map(self._seen.__getitem__, run.terms)
        self._numbers.append(np.fromiter(numbers, np.int64, len(run.terms)))
        self.runs.append(replace(run, terms=[]))

    def pieces(self) -> list[bytes | memoryview]:
        """Return the pieces of a segment file that holds all documents, in order."""
        runs = self.runs
        terms = sorted(self._seen)
        ranks = np.empty(len(terms), np.int64)
        numbers = np.fromiter(map(self._seen.__getitem__, terms), np.int64, len(terms))
        ranks[numbers] = np.arange(len(terms))
        places = [ranks[one] for one in self._numbers]
        starts, documents, packed = _gather(runs, places, len(terms))
        ids = np.concatenate([run.ids for run in runs]) if runs else np.zeros(0, np.int64)
        lengths = np.concatenate([run.lengths for run in runs], axis=1)
        sizes = np.fromiter(map(len, terms), np.uint64, len(terms))
        text = np.frombuffer(b"".join(terms), np.uint8) if terms else np.zeros(0, np.uint8)
        sections = {
            "ids": ids,
            "by_id": np.argsort(ids, kind="stable"),
            "lengths": np.ascontiguousarray(lengths),
            "term_bytes": text,
            "term_starts": np.concatenate(([0], np.cumsum(sizes, dtype=np.uint64))),
            "starts": starts,
            "posting_documents": documents,
            "posting_counts": packed,
            "backwards": _backwards(terms),
        }
        spoken = np.flatnonzero(sum(run.languages for run in runs))
        return list(_pieces(sections, len(ids), len(terms), spoken.tolist()))


def _gather(
    runs: Sequence[Run], places: list[NDArray[np.int64]], terms: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Lay the postings of all runs out by term, those of an earlier run first."""
    totals = np.zeros(terms, np.int64)
    for run, place in zip(runs, places, strict=True):
        totals[place] += run.counts
    starts = np.concatenate(([0], np.cumsum(totals)))
    documents = np.empty(int(starts[-1]), np.uint32)
    packed = np.empty(int(starts[-1]), np.uint32)
    filled = starts[:-1].copy()
    base = 0
    for run, place in zip(runs, places, strict=True):
        begins = np.cumsum(run.counts) - run.counts
        target = np.repeat(filled[place] - begins, run.counts) + np.arange(len(run.documents))
        documents[target] = run.documents + np.uint32(base)
        packed[target] = run.packed
        filled[place] += run.counts
        base += len(run.ids)
    return starts.astype(np.uint64), documents, packed


def _backwards(terms: list[bytes]) -> NDArray[np.uint32]:
    """Return the places of stems that may be misspelled, sorted from their last letter.

    Identifiers and numbers are left out: one digit off is another thing.
    """
    stems = {
        place: term[:-2][::-1]  # without the tag and the letter of its language
        for place, term in enumerate(terms)
        if term[-2:-1] == TAG and len(term) >= FUZZY_SHORTEST_STEM + 2
    }
    return np.array(sorted(stems, key=stems.__getitem__), np.uint32)


def _pieces(
    sections: dict[str, NDArray[Any]], documents: int, terms: int, languages: list[int]
) -> Iterator[bytes | memoryview]:
    arrays = {kind: np.ascontiguousarray(sections[kind], _TYPES[kind]) for kind in _TYPES}
    header: dict[str, Any] = {"documents": documents, "terms": terms, "languages": languages}
    # The header holds offsets that depend on its own length: reserve room for the longest.
    offset = _aligned(20 + 256 + 64 * len(arrays))
    table = {}
    for kind, array in arrays.items():
        table[kind] = [offset, array.size, zlib.crc32(array.data)]
        offset = _aligned(offset + array.nbytes)
    first = min(place for place, _, _ in table.values())
    text = json.dumps(header | {"sections": table, "size": offset}).encode()
    text = text.ljust(first - 20)
    numbers = (VERSION, len(text), zlib.crc32(text))
    yield _MAGIC + b"".join(number.to_bytes(4, "little") for number in numbers) + text
    for array in arrays.values():
        yield array.data.cast("B") if array.size else b""
        yield b"\0" * (_aligned(array.nbytes) - array.nbytes)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT
