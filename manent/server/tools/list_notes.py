"""``brain_list``: which notes there are."""

from __future__ import annotations

from itertools import islice

from manent.server.answer import DATA, Answer, cursor_of, offset_of, page
from manent.server.tool import Call, Tool

USUAL = 100


def call(call: Call) -> Answer:
    """List the notes of the View by path, all of them or those of a type."""
    kind, limit = call.text("type"), call.number("limit", USUAL)
    offset = offset_of(call.text("cursor"))
    wanted = (note for note in call.view.notes() if not kind or note.type == kind)
    notes = list(islice(wanted, offset, offset + limit + 1))
    rows = [
        {
            "name": note.name,
            "path": note.path,
            "type": note.type,
            "status": call.status_of(note),
            "description": call.said_by(call.status_of(note), note.description),
        }
        for note in notes[:limit]
    ]
    shown, _ = page(rows, 0, limit)
    document = call.fence.block("notes", {"notes": shown})
    if len(shown) < len(notes):
        document |= {"more": True, "cursor": cursor_of(offset + len(shown))}
    document["notice"] = DATA
    return Answer(document, names=tuple(str(row["name"]) for row in shown))


TOOL = Tool(
    name="brain_list",
    description="List notes by path.",
    properties={
        "type": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        "rev": {"type": "string"},
        "cursor": {"type": "string"},
    },
    call=call,
    slow=True,
)
