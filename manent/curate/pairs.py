"""Which notes of a View are compared for copies, and the pairs found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from manent.access import View
from manent.curate.duplicates import THRESHOLD, duplicates
from manent.curate.edges import Edges
from manent.errors import NotFound
from manent.note import read
from manent.vault.record import NoteRecord

_LISTS = frozenset({"moc", "index"})
_SETTLED = frozenset({"deprecated", "archived"})


class Alike(NamedTuple):
    """Two notes that say the same, a before b in the order of paths."""

    a: NoteRecord
    b: NoteRecord
    score: float
    jaccard: float
    containment: float


class Copies(list[Alike]):
    """Pairs of copies. untold: more of them, among notes that hundreds are like.
    unasked: notes whose common phrases were not all compared, so as to come to an end."""

    untold: int = 0
    unasked: int = 0


def alike_notes(
    view: View,
    edges: Edges,
    threshold: float = THRESHOLD,
    check: Callable[[], None] = lambda: None,
) -> Copies:
    """Return the pairs of notes whose bodies score at least ``threshold``, best first.

    Left out: maps and indexes, which repeat what they list; notes that are
    deprecated or archived; and pairs of which one supersedes the other.
    check: called for each note; may raise to end the work.
    """
    notes = compared(edges)
    replaced = edges.of("supersedes")
    found = Copies()
    pairs = duplicates(_bodies(view, notes, check), threshold)
    found.untold, found.unasked = pairs.untold, pairs.unasked
    for pair in pairs:
        a, b = notes[pair.a], notes[pair.b]
        if b.id not in replaced.get(a.id, ()) and a.id not in replaced.get(b.id, ()):
            found.append(Alike(a, b, pair.score, pair.jaccard, pair.containment))
    return found


def compared(edges: Edges) -> list[NoteRecord]:
    """Return the notes that are compared, in the order of paths."""
    return [
        note
        for note in edges.notes.values()
        if note.type not in _LISTS and note.status not in _SETTLED
    ]


def _bodies(view: View, notes: list[NoteRecord], check: Callable[[], None]) -> Iterator[str]:
    for note in notes:
        check()
        try:
            yield read(view.content(note)).body
        except NotFound:
            yield ""  # removed from the folder while it was being read
