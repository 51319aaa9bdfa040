"""Groups of notes that link to each other, and which of them no map covers.

Modularity communities of the link graph (Louvain, from a fixed order),
each split into its connected parts. Index and moc notes are held out, since
they link to everything, and brought back to say what is covered: a moc belongs
to the community that holds most of its links, if that is a quarter of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from manent.curate import modularity
from manent.curate.edges import Edges
from manent.vault.record import NoteRecord

MIN_NOTES = 3
"""Fewer notes need no map."""
SHARE = 0.25
"""What of a moc's links must lie in a community for it to be its map."""
_MAPS = frozenset({"moc", "index"})


class Community(NamedTuple):
    """A group of notes.

    number: from 1, in the order of the report. notes: those with most links
    inside first. maps: the mocs that cover it. gaps: open questions whose best
    answers lie inside.
    """

    number: int
    notes: tuple[NoteRecord, ...]
    maps: tuple[NoteRecord, ...]
    gaps: int = 0

    @property
    def hub(self) -> NoteRecord:
        """The note with most links inside."""
        return self.notes[0]


def communities(edges: Edges, gaps: Iterable[Iterable[str]] = ()) -> list[Community]:
    """Return the communities: first those no map covers, larger ones first.

    gaps: for each open question the paths of its best answers; where given,
    communities with more such questions come first.
    """
    ids = list(edges.notes)
    graph = _graph(edges, ids)
    parts = [part for part in _groups(graph) if len(part) >= MIN_NOTES]
    parts.sort(key=min)
    groups = [{ids[place] for place in part} for part in parts]
    home = {note: place for place, group in enumerate(groups) for note in group}
    maps = _maps(edges, home)
    asked = _asked(edges, home, gaps)
    found = [
        Community(0, _ordered(edges, graph, ids, part), tuple(maps.get(n, ())), asked[n])
        for n, part in enumerate(parts)
    ]
    found.sort(key=lambda c: (-c.gaps, bool(c.maps), -len(c.notes), c.hub.path))
    return [one._replace(number=number) for number, one in enumerate(found, start=1)]


def _graph(edges: Edges, ids: Sequence[int]) -> Any:
    """Return the undirected graph of links between places in ``ids``.

    Places follow the paths of the notes that are seen. Ids would not do: they count
    what is hidden, too, and a store made anew has others.
    """
    import networkx

    place = {note: at for at, note in enumerate(ids)}
    weights: Counter[tuple[int, int]] = Counter()
    for (source, target), count in edges.links.items():
        if edges.notes[source].type not in _MAPS and edges.notes[target].type not in _MAPS:
            a, b = sorted((place[source], place[target]))
            weights[a, b] += count
    graph = networkx.Graph()
    graph.add_nodes_from(sorted({at for pair in weights for at in pair}))
    graph.add_weighted_edges_from((a, b, weights[a, b]) for a, b in sorted(weights))
    return graph


def _groups(graph: Any) -> Iterator[set[int]]:
    import networkx

    if graph.number_of_edges() == 0:
        return
    weights = {
        node: {other: int(edge["weight"]) for other, edge in near.items()}
        for node, near in graph.adjacency()
    }
    for group in modularity.groups(weights):
        yield from networkx.connected_components(graph.subgraph(group))


def _ordered(
    edges: Edges, graph: Any, ids: Sequence[int], part: set[int]
) -> tuple[NoteRecord, ...]:
    inside = {place: sum(other in part for other in graph[place]) for place in part}
    notes = ((inside[place], edges.notes[ids[place]]) for place in part)
    return tuple(note for _, note in sorted(notes, key=lambda pair: (-pair[0], pair[1].path)))


def _maps(edges: Edges, home: Mapping[int, int]) -> dict[int, list[NoteRecord]]:
    """Return the mocs by the community each belongs to, in the order of paths."""
    links: dict[int, Counter[int | None]] = {}
    for source, target in edges.links:
        if edges.notes[source].quarantined:
            continue  # a draft of a map covers nothing yet
        if edges.notes[source].type == "moc" and edges.notes[target].type not in _MAPS:
            links.setdefault(source, Counter())[home.get(target)] += 1
    found: dict[int, list[NoteRecord]] = {}
    for moc in edges.notes.values():
        counted = links.get(moc.id)
        if not counted:
            continue
        total = counted.total()
        best = max(
            ((n, -place) for place, n in counted.items() if place is not None), default=(0, 0)
        )
        if best[0] >= SHARE * total and best[0]:
            found.setdefault(-best[1], []).append(moc)
    return found


def _asked(
    edges: Edges, home: Mapping[int, int], gaps: Iterable[Iterable[str]]
) -> Counter[int | None]:
    """Count each open question once in the community most of its best answers lie in."""
    by_path = {note.path: note.id for note in edges.notes.values()}
    found: Counter[int | None] = Counter()
    for answers in gaps:
        places = Counter(home.get(by_path[path]) for path in answers if path in by_path)
        places.pop(None, None)
        if places:
            found[min(places, key=lambda place: (-places[place], place or 0))] += 1
    return found
