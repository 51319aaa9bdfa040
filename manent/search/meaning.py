"""The vectors of a vault's notes: which there are, which are missing, how they come to be.

What is embedded of a note is its name (unless it is mostly numbers), its description
and how its body begins; no dates. A vector is kept by that text, so that two branches
which say the same share it, an edited note costs one vector, and work that was broken
off goes on where it stood.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from manent import late
from manent.errors import NotFound, StoreDamaged
from manent.search.embed.embedder import Embedder
from manent.search.index import SearchIndex, document
from manent.search.lexical import Snapshot
from manent.search.making import WORTH_WORKERS, Keyed, Opening, made
from manent.search.nearest import beside, closer_looked, cosines
from manent.search.rank import Ids
from manent.search.sketch import WORTH, here, sketch_of
from manent.search.texts import TextKeys
from manent.search.vectors import Rows, VectorStore, key_of, open_store
from manent.vault.record import NoteRecord
from manent.vault.vault import Vault

if TYPE_CHECKING:
    from concurrent.futures import Future

FOLDER = "vectors"
"""Where vectors lie in the folder of a vault's derived data."""
BODY_LETTERS = 1_400
"""How far into a body is read. Truncation beat chunks on notes of one thought each."""
TEXT_VERSION = 2
"""Raise it whenever ``text_of`` changes: what is remembered of documents is kept by it."""
_READ_AT_ONCE = 256
_SPARE_ROWS = 1_000
_BLANKS = late.pattern(r"\s+")

Progress = Callable[[int, int], None]
"""Told how many notes have a vector now, and how many there are."""


def text_of(vault: Vault, note: NoteRecord) -> str:
    """Return what is embedded of a note. Raises NotFound when its file is gone."""
    body = document(vault, note).body.lstrip()[:BODY_LETTERS]
    said = note.description
    # A description that is only how the body begins would be read twice.
    if _plain(body).startswith(_plain(said).rstrip(".…")):
        said = ""
    return "\n".join(part for part in (named(note), said, body) if part) or note.name


def named(note: NoteRecord) -> str:
    """Return what a note is called, in words; "" where its name is mostly numbers and initials."""
    if note.title != note.name:
        return note.title
    parts = [part for part in note.name.split("-") if part]
    words = sum(part.isalpha() and (len(part) > 2 or not part.isascii()) for part in parts)
    return " ".join(parts) if 2 * words >= len(parts) else ""


def documents_file(vault: str) -> str:
    """Return the file, in a model's folder, of which text each document of a vault has."""
    return f"documents-{vault}-{TEXT_VERSION}"


def part_key(key: bytes, part: int) -> bytes:
    """Return the key of a part of a text; the first part has the text's own."""
    return key if part == 0 else key_of(f"{key.hex()} {part}")


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().casefold()


class Meaning:
    """The vectors of an index's documents, by one model.

    state: the folder of the vault's derived data; None keeps vectors in memory.
    opening: how worker processes open the same model; None: this process does it all.
    """

    def __init__(
        self,
        index: SearchIndex,
        model: Embedder,
        state: Path | None = None,
        opening: Opening | None = None,
    ) -> None:
        self.index = index
        self.model = model
        self._opening = opening
        parent = None if state is None else state / FOLDER
        self.store: VectorStore = open_store(parent, self.kept_as(model), model.dimensions)
        folder = self.store.folder
        self._known = TextKeys(None if folder is None else folder / documents_file(index.vault.id))
        self._aside: dict[int, bytes] = {}
        self._unreadable: set[int] = set()
        self._snapshot: Snapshot | None = None
        self._lacking = 0
        self._row_of = np.zeros(0, np.int64)
        self._rows_held = 0

    # -- what a note is embedded as ------------------------------------------

    @staticmethod
    def kept_as(model: Embedder) -> str:
        """Return the name that vectors made this way are kept by."""
        return model.id

    def parts(self, note: NoteRecord) -> list[str]:
        """Return the texts of a note that are embedded, one or more. Raises NotFound."""
        return [text_of(self.index.vault, note)]

    # -- standing ------------------------------------------------------------

    def bring_up(
        self,
        patience: int | None = None,
        processes: int = 1,
        progress: Progress | None = None,
        wanted: Callable[[], Ids] | None = None,
    ) -> int:
        """Give every note a vector; return how many lack one all the same.

        patience: how many may be made now; where more are missing none is, and their
        number is returned (an upper bound: some may have the text of another branch).
        wanted: gives the documents that count, those of the View of who waits; None: all.
        """
        snapshot = self.index.open()
        if snapshot is self._snapshot and not self._lacking:
            return 0
        ids = snapshot.ids()
        if snapshot is not self._snapshot:
            self._aside, self._unreadable = {}, set()
        counting = ids if wanted is None else wanted()
        missing = self._missing(counting)
        if len(missing) and (patience is None or len(missing) <= patience):
            self._make(missing, len(counting), processes, progress)
            missing = self._missing(counting)
        elif wanted is None:
            self._begin()
        self._stand(snapshot, ids)
        self._lacking = sum(doc not in self._unreadable for doc in self._without_row(ids))
        if not self._lacking:
            self._tidy(ids)
        return len(missing)

    def _without_row(self, ids: Ids) -> list[int]:
        without: list[int] = ids[self._row_of[ids] < 0].tolist()
        return without

    def rows_of(self, ids: Ids) -> Rows:
        """Return the rows of these documents, -1 where one has no vector."""
        return self._row_of[ids]

    def asked(self, query: str) -> Future[NDArray[np.float32]]:
        """Begin to embed a query on a second thread, while this one looks its words up."""
        return beside(self._query, query)

    def _query(self, query: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.model.queries([query])[0]
        return row

    def cosines(self, ids: Ids, query: str) -> NDArray[np.float32]:
        """Return the cosine of each document with a query; 0 where one has no vector."""
        return self.near(ids, self._query(query))

    def near(
        self,
        ids: Ids,
        asked: NDArray[np.float32],
        seen_by: Hashable = None,
        closer: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float32]:
        """Return the cosine of each document with an embedded query; 0 where one has no vector.

        seen_by: whose documents these are, all of them. Where there are many, only the best
        are then compared exactly, and those at the places ``closer``; the others roughly
        (``sketch.py``).
        """
        rows = self.rows_of(ids)
        held = rows >= 0
        if not held.all():
            found = np.zeros(len(ids), np.float32)
            found[held] = cosines(self.store.rows, rows[held], asked)
            return found
        if seen_by is None or len(rows) < WORTH or not self.store.stands or not here():
            return cosines(self.store.rows, rows, asked)
        sketch = sketch_of((self.store.folder, self.store.stands, seen_by), self.store.dimensions)
        found = sketch.cosines(self.store.rows, rows, asked)
        return closer_looked(found, self.store.rows, rows, asked, closer)

    def _missing(self, ids: Ids) -> list[int]:
        """Return the documents without a vector, as far as it is known without reading."""
        self.store.refresh()
        self._known.refresh()
        rows = self._found(ids)
        return [doc for doc in ids[rows < 0].tolist() if doc not in self._unreadable]

    def _found(self, ids: Ids) -> Rows:
        known, aside, nothing = self._known.by_doc, self._aside, b""
        keys = [aside.get(doc) or known.get(doc, nothing) for doc in ids.tolist()]
        return self.store.find(keys)

    def _stand(self, snapshot: Snapshot, ids: Ids) -> None:
        rows = self._found(ids)
        self._row_of = np.full(int(ids.max()) + 1 if ids.size else 0, -1, np.int64)
        self._row_of[ids] = rows
        self._rows_held = len(ids)
        self._snapshot = snapshot

    # -- making --------------------------------------------------------------

    def _make(
        self, missing: list[int], whole: int, processes: int, progress: Progress | None
    ) -> None:
        workers = processes if len(missing) > WORTH_WORKERS else 1
        done = whole - len(missing)
        for keys, rows in made(self._read(missing), self.model, self._opening, workers):
            self._keep(keys, rows)
            done = min(whole, done + len(keys))
            if progress is not None:
                progress(done, whole)

    def _read(self, missing: list[int]) -> Iterator[Keyed]:
        """Yield the texts of documents, without those that have a vector after all."""
        for start in range(0, len(missing), _READ_AT_ONCE):
            batch = missing[start : start + _READ_AT_ONCE]
            texts = dict(self._texts(batch))
            self._unreadable.update(set(batch) - texts.keys())
            self._learn({doc: key_of("\0".join(parts)) for doc, parts in texts.items()})
            unlike = {key_of("\0".join(parts)): parts for parts in texts.values()}
            keys = list(unlike)
            for key, row in zip(keys, self.store.find(keys).tolist(), strict=True):
                if row < 0:
                    # The first part last: where it is, all the others are.
                    numbered = reversed(list(enumerate(unlike[key])))
                    yield from (Keyed(part_key(key, n), text) for n, text in numbered)

    def _texts(self, docs: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        found = self.index.vault.notes_of_docs(docs)
        for note in sorted(found, key=lambda note: note.doc):
            with contextlib.suppress(NotFound):  # removed from the folder meanwhile
                yield note.doc, self.parts(note)

    def _learn(self, keys: dict[int, bytes]) -> None:
        # An id given inside a transaction that will be undone is given again later.
        if self.index.vault.store.db.in_transaction:
            self._aside.update(keys)
        elif self.store.folder is None:
            self._known.learn(keys)
        else:
            try:
                with self.store.writing():
                    self._known.learn(keys)
            except (OSError, StoreDamaged):
                self._leave_disk()
                self._known.learn(keys)

    def _keep(self, keys: list[bytes], rows: NDArray[np.float32]) -> None:
        try:
            self.store.add(keys, rows)
        except (OSError, StoreDamaged):
            self._leave_disk()
            self.store.add(keys, rows)

    def _begin(self) -> None:
        """Have a store on the disk though no note has a vector.

        By whether there is one, rankers of meaning begin: a vault of hidden notes alone must
        not look other than an empty one.
        """
        with contextlib.suppress(OSError, StoreDamaged):
            self.store.begin()

    def _leave_disk(self) -> None:
        """Go on in memory where the disk is full, or may not be written."""
        self.store = self.store.detached()
        held, self._known = self._known, TextKeys(None)
        self._known.by_doc = held.by_doc

    def _tidy(self, ids: Ids) -> None:
        """Give the room of many unwanted rows back. Not where the vault is looked at aside."""
        spare = self.store.size - self._rows_held
        aside = self.index.vault.store.db.in_transaction
        if self.store.folder is None or aside or spare <= _SPARE_ROWS + len(ids) // 2:
            return
        wanted = set(ids.tolist())
        with contextlib.suppress(OSError, StoreDamaged):  # it is only room
            keys = [key for doc, key in self._known.by_doc.items() if doc in wanted]
            self.store.compact(self._with_parts(keys))
            with self.store.writing():
                self._known.forget_all_but(wanted)
        self._stand(self.index.open(), ids)

    def _with_parts(self, keys: list[bytes]) -> list[bytes]:
        """Return the keys of all rows that belong to these texts."""
        return keys
