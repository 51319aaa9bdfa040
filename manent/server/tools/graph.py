"""``brain_graph``: the neighbourhood of a note as nodes and edges."""

from __future__ import annotations

import contextlib
from typing import Any

from manent.access import View
from manent.errors import NotFound
from manent.graph import Neighbour, Walk, edge_kind
from manent.server.answer import LONGEST, ROOM, Answer, compact
from manent.server.tool import Call, Tool
from manent.vault.ignore import HOME, MEMORY
from manent.vault.record import NoteRecord

USUAL = 60
MOST = 200
MOST_EDGES = 1_000


def call(call: Call) -> Answer:
    """Return the notes around a note, the nearest first, and every link between them."""
    start = call.view.find(call.text("name")) if "name" in call.arguments else _entrance(call.view)
    found = Walk(call.view, call.view.notes_of).neighbours(start, call.number("depth", 1))
    around = _distinct(found)
    kept = around[: call.number("limit", USUAL)]
    while True:
        document = _document(call, start, kept, len(around))
        if not kept or len(compact(document)) <= LONGEST - ROOM:
            document = call.fence.block("graph", document)
            return Answer(document, structured=True, names=(start.name,))
        # The furthest are left out until the answer fits.
        kept = kept[: len(kept) * 3 // 4]


def _entrance(view: View) -> NoteRecord:
    """Return where a reader would begin: the home note, else the index, else the first one."""
    for name in (HOME, MEMORY):
        with contextlib.suppress(NotFound):
            return view.find(name)
    first = next(view.notes(), None)
    if first is None:
        raise NotFound("there is no note")
    return first


def _distinct(found: list[Neighbour]) -> list[Neighbour]:
    """Return each note once, at its least depth."""
    first: dict[int, Neighbour] = {}
    for one in found:
        first.setdefault(one.note.id, one)
    return list(first.values())


def _document(call: Call, start: NoteRecord, kept: list[Neighbour], around: int) -> dict[str, Any]:
    notes = [start, *(one.note for one in kept)]
    depths = [0, *(one.depth for one in kept)]
    document: dict[str, Any] = {
        "name": start.name,
        "path": start.path,
        "nodes": [_node(call, note, depth) for note, depth in zip(notes, depths, strict=True)],
        "edges": _edges(call, notes),
    }
    if around > len(kept):
        document["left_out"] = around - len(kept)
    return document


def _node(call: Call, note: NoteRecord, depth: int) -> dict[str, Any]:
    return {
        "name": note.name,
        "path": note.path,
        "type": note.type,
        "status": call.status_of(note),
        "depth": depth,
    }


def _edges(call: Call, notes: list[NoteRecord]) -> list[dict[str, Any]]:
    """Return the links between these notes; nodes by their place in the list."""
    place = {note.id: at for at, note in enumerate(notes)}
    edges: dict[tuple[int, int, str], None] = {}
    for note in notes:
        for edge in call.view.edges_from(note):
            if edge.target in place and edge.target != note.id:
                edges[place[note.id], place[edge.target], edge_kind(edge.kind)] = None
    rows = list(edges)[:MOST_EDGES]
    return [{"from": source, "to": target, "kind": kind} for source, target, kind in rows]


TOOL = Tool(
    name="brain_graph",
    description="The links around a note, to draw.",
    properties={
        "name": {"type": "string"},
        "depth": {"type": "integer", "minimum": 1, "maximum": 3},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST},
        "rev": {"type": "string"},
    },
    call=call,
    slow=True,
    page="ui://manent/graph",
)
