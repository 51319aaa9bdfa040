"""``brain_read``: one note, taken apart."""

from __future__ import annotations

from typing import Any

from manent.note import read as parse
from manent.server.answer import DATA, LONGEST, ROOM, Answer, compact, offset_of, part_of_document
from manent.server.tool import Call, Tool


def call(call: Call) -> Answer:
    """Return frontmatter and body of a note of the View; a long body in parts."""
    note = call.view.find(call.text("name"))
    parsed = parse(call.view.content(note))
    touch = call.touched([note]).get(note.path)
    head: dict[str, Any] = {
        "name": note.name,
        "path": note.path,
        "type": note.type,
        "status": call.status_of(note),
        "date": touch.date if touch else None,
    }
    if call.is_owner and touch and touch.commit:
        head["commit"] = touch.commit
    offset = offset_of(call.text("cursor"))
    if not offset:
        head["frontmatter"] = parsed.frontmatter
        if len(compact(head)) > LONGEST // 2:
            head["frontmatter"] = {"left out": "too long: read it raw"}
    head = call.fence.block("header", head)
    room = max(LONGEST - ROOM - len(compact(head)), ROOM)
    body, more = part_of_document(parsed.body, offset, room)
    head["body"] = call.fence.around(body)
    if more:
        head |= {"more": f"{len(parsed.body)} characters in all", "cursor": more}
    head["notice"] = DATA
    if not offset and call.register:
        call.register.read(call, note.path)
    return Answer(head, names=(note.name,))


TOOL = Tool(
    name="brain_read",
    description="Read a note: frontmatter and body.",
    properties={
        "name": {"type": "string"},
        "rev": {"type": "string"},
        "cursor": {"type": "string"},
    },
    required=("name",),
    call=call,
)
