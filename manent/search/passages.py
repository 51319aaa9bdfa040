"""Several vectors a note, one a passage: what ``--passages`` asks for. Off by default.

A note is as near to a query as its nearest passage. Each passage is some six hundred
letters of the body, cut where a sentence ends, under the note's name and description.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np
from numpy.typing import NDArray

from manent import late
from manent.search.embed.embedder import Embedder
from manent.search.index import document
from manent.search.lexical import Snapshot
from manent.search.meaning import Meaning, named, part_key
from manent.search.nearest import cosines
from manent.search.rank import Ids
from manent.vault.record import NoteRecord

LETTERS = 600
MOST = 32
"""Passages of one note; what a longer note says after them is found by its words."""
_END = late.pattern(r"(?<=[.!?。！？])\s+|\n\s*\n")


def passages(body: str) -> list[str]:
    """Cut a body into passages; one that is empty has one, which is empty."""
    made, current = [], ""
    for sentence in _sentences(body[: LETTERS * MOST]):
        if current and len(current) + len(sentence) > LETTERS:
            made.append(current)
            current = sentence
        else:
            current = f"{current} {sentence}".strip()
    return [*made, current][:MOST] if current or not made else made[:MOST]


def _sentences(body: str) -> Iterator[str]:
    for sentence in _END.split(body):
        yield from (sentence[at : at + LETTERS] for at in range(0, len(sentence), LETTERS))


class Passages(Meaning):
    """The vectors of passages, and of each note its nearest one."""

    @staticmethod
    def kept_as(model: Embedder) -> str:
        """Return the name that vectors of passages are kept by."""
        return f"{model.id}-passages"

    def parts(self, note: NoteRecord) -> list[str]:
        """Return the passages of a note, each under its name and description."""
        body = document(self.index.vault, note).body.strip()
        head = [part for part in (named(note), note.description) if part]
        return ["\n".join([*head, passage]) for passage in passages(body)]

    def near(
        self,
        ids: Ids,
        asked: NDArray[np.float32],
        seen_by: Hashable = None,
        closer: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float32]:
        """Return the cosine of each document's nearest passage; 0 where it has none."""
        found = np.zeros(len(ids), np.float32)
        held = np.flatnonzero(self.rows_of(ids) >= 0)
        if held.size:
            rows = [self._passages_of[doc] for doc in ids[held].tolist()]
            starts = np.cumsum([0, *(len(some) for some in rows[:-1])])
            near = cosines(self.store.rows, np.concatenate(rows), asked)
            found[held] = np.maximum.reduceat(near, starts)
        return found

    def _stand(self, snapshot: Snapshot, ids: Ids) -> None:
        super()._stand(snapshot, ids)
        known = {**self._known.by_doc, **self._aside}
        self._passages_of = {
            doc: self.store.find(list(self._parts_of(known[doc])))
            for doc in ids[self.rows_of(ids) >= 0].tolist()
        }
        self._rows_held = sum(map(len, self._passages_of.values()))

    def _parts_of(self, key: bytes) -> Iterator[bytes]:
        """Yield the keys of a text's parts, as many as there are."""
        for part in range(MOST):
            one = part_key(key, part)
            if self.store.find([one])[0] < 0:
                return
            yield one

    def _with_parts(self, keys: list[bytes]) -> list[bytes]:
        return [part for key in keys for part in self._parts_of(key)]
