"""``brain_neighbors``: the notes that a note is linked with."""

from __future__ import annotations

from manent.graph import Walk
from manent.server.answer import Answer, offset_of, page
from manent.server.tool import Call, Tool


def call(call: Call) -> Answer:
    """Walk the links of the View from a note, nearest first."""
    note = call.view.find(call.text("name"))
    found = Walk(call.view, call.view.notes_of).neighbours(note, call.number("depth", 1))
    rows = [
        {
            "name": n.note.name,
            "path": n.note.path,
            "kind": n.kind,
            "direction": n.direction,
            "depth": n.depth,
        }
        for n in found
    ]
    shown, more = page(rows, offset_of(call.text("cursor")), len(rows))
    around = {"name": note.name, "count": len(rows), "neighbors": shown}
    document = call.fence.block("neighbors", around)
    if more:
        document["cursor"] = more
    return Answer(document, names=(note.name,))


TOOL = Tool(
    name="brain_neighbors",
    description="Notes linked with a note, by edge kind.",
    properties={
        "name": {"type": "string"},
        "depth": {"type": "integer", "minimum": 1, "maximum": 3},
        "rev": {"type": "string"},
        "cursor": {"type": "string"},
    },
    required=("name",),
    call=call,
)
