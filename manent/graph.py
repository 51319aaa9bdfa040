"""Notes and the typed edges between them, walked within a View."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from manent.links.link import LinkKind
from manent.values import dataclass
from manent.vault.record import NoteRecord
from manent.vault.vault import Edge

TYPED = {
    LinkKind.PROVENANCE: "provenance",
    LinkKind.SUPERSEDES: "supersedes",
    LinkKind.CONTRADICTS: "contradicts",
}


class Notes(Protocol):
    """What a walk needs of a View."""

    def edges_from(self, note: NoteRecord) -> list[Edge]:
        """Return the links of a note, in order of place."""

    def edges_to(self, note: NoteRecord) -> list[Edge]:
        """Return the links that lead to a note."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A note reached from another one.

    kind: ``wikilink`` or a typed edge. direction: ``out`` or ``in``.
    depth: how many steps from where the walk began, from 1.
    """

    note: NoteRecord
    kind: str
    direction: str
    depth: int
    via: str


def edge_kind(kind: str) -> str:
    """Return the edge's type: the three list fields by name, every other link a wikilink."""
    return TYPED.get(LinkKind(kind), "wikilink")


class Walk:
    """A breadth-first walk along edges, both ways.

    notes_of: from ids to notes, hidden ones left out.
    """

    def __init__(self, notes: Notes, notes_of: Lookup) -> None:
        self._notes = notes
        self._notes_of = notes_of

    def neighbours(self, start: NoteRecord, depth: int = 1) -> list[Neighbour]:
        """Return every note within ``depth`` steps, nearest first, then by path.

        A note that several edges of one step reach is listed once a kind and
        direction, at its least depth.
        """
        seen = {start.id}
        frontier = [start]
        found: list[Neighbour] = []
        for step in range(1, depth + 1):
            reached: dict[int, NoteRecord] = {}
            for note in frontier:
                for other, kind, direction in self._steps(note):
                    if other.id in seen:
                        continue
                    reached[other.id] = other
                    found.append(Neighbour(other, kind, direction, step, note.path))
            seen.update(reached)
            frontier = sorted(reached.values(), key=lambda n: n.path)
        return sorted(_once(found), key=lambda n: (n.depth, n.note.path, n.kind, n.direction))

    def _steps(self, note: NoteRecord) -> Iterator[tuple[NoteRecord, str, str]]:
        outgoing = [(e.target, edge_kind(e.kind), "out") for e in self._notes.edges_from(note)]
        incoming = [(e.source, edge_kind(e.kind), "in") for e in self._notes.edges_to(note)]
        edges = dict.fromkeys(outgoing + incoming)
        others = {n.id: n for n in self._notes_of({other for other, _, _ in edges})}
        for other, kind, direction in edges:
            if other in others and other != note.id:
                yield others[other], kind, direction


class Lookup(Protocol):
    """From ids to the notes they name, in no order."""

    def __call__(self, ids: Iterable[int]) -> Iterator[NoteRecord]:
        """Return the notes."""


def _once(found: list[Neighbour]) -> list[Neighbour]:
    kept: dict[tuple[int, str, str, int], Neighbour] = {}
    for item in sorted(found, key=lambda n: n.via):
        kept.setdefault((item.note.id, item.kind, item.direction, item.depth), item)
    return list(kept.values())
