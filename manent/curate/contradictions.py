"""Disagreements that can be checked without understanding a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from manent.curate.edges import Edges
from manent.vault.record import NoteRecord

_SETTLED = frozenset({"deprecated", "archived"})


class Contradiction(NamedTuple):
    """What two notes, or a ring of them, disagree on.

    kind: ``declared`` (each says it contradicts the other), ``one-sided`` (one
    says so), ``superseded-active`` (the second replaces the first, which is
    still active), ``supersedes-cycle`` (each replaces the next, or one itself), ``edge-gone``
    (the note's ``edge`` names ``target``, which is not there).
    """

    kind: str
    notes: tuple[NoteRecord, ...]
    edge: str = ""
    target: str = ""


def contradictions(edges: Edges) -> list[Contradiction]:
    """Return what disagrees, by kind in the order above, then by path."""
    found = [
        *_declared(edges),
        *_superseded(edges),
        *_cycles(edges),
        *(
            Contradiction("edge-gone", (edges.notes[source],), kind, target)
            for source, kind, target in edges.lost
        ),
    ]
    return sorted(
        found, key=lambda c: (_ORDER[c.kind], [n.path for n in c.notes], c.edge, c.target)
    )


_ORDER = {
    kind: place
    for place, kind in enumerate(
        ("declared", "one-sided", "superseded-active", "supersedes-cycle", "edge-gone")
    )
}


def _declared(edges: Edges) -> Iterator[Contradiction]:
    against = edges.of("contradicts")
    builders = _builders(edges)
    for source, targets in against.items():
        for target in targets:
            mutual = source in against.get(target, ())
            if mutual and target < source:
                continue  # told from the other side
            pair = (edges.notes[source], edges.notes[target])
            if any(note.status in _SETTLED for note in pair):
                continue
            # A third note that builds on both has settled it.
            if (builders.get(source, set()) & builders.get(target, set())) - {source, target}:
                continue
            if mutual:
                yield Contradiction("declared", _by_path(*pair))
            else:
                yield Contradiction("one-sided", pair)


def _by_path(*notes: NoteRecord) -> tuple[NoteRecord, ...]:
    return tuple(sorted(notes, key=lambda n: n.path))


def _builders(edges: Edges) -> dict[int, set[int]]:
    """Return, by note, the notes that name it in supersedes or provenance."""
    found: dict[int, set[int]] = {}
    for kind in ("supersedes", "provenance"):
        for source, targets in edges.of(kind).items():
            if edges.notes[source].quarantined:
                continue  # a draft settles nothing until a person lets it out
            for target in targets:
                found.setdefault(target, set()).add(source)
    return found


def _superseded(edges: Edges) -> Iterator[Contradiction]:
    for source, targets in edges.of("supersedes").items():
        newer = edges.notes[source]
        if newer.quarantined:
            continue  # a draft replaces nothing until a person lets it out
        for target in targets:
            older = edges.notes[target]
            if older.status == "active" and not older.quarantined:
                yield Contradiction("superseded-active", (older, newer))


def _cycles(edges: Edges) -> Iterator[Contradiction]:
    import networkx

    for note, kind in edges.loops:
        if kind == "supersedes":
            yield Contradiction("supersedes-cycle", (edges.notes[note],))
    graph = networkx.DiGraph()
    for source, targets in edges.of("supersedes").items():
        graph.add_edges_from((source, target) for target in targets)
    for ring in networkx.strongly_connected_components(graph):
        if len(ring) > 1:
            yield Contradiction("supersedes-cycle", _by_path(*(edges.notes[n] for n in ring)))
