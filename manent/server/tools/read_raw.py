"""``brain_read_raw``: a note's file as it is."""

from __future__ import annotations

from manent.server.answer import Answer, offset_of, part
from manent.server.tool import Call, Tool


def call(call: Call) -> Answer:
    """Return the file's text between the lines of a fence; a long one in parts."""
    note = call.view.find(call.text("name"))
    text = call.view.content(note).decode("utf-8", "replace")
    offset = offset_of(call.text("cursor"))
    shown, more = part(text, offset)
    said = call.fence.around(shown, "file")
    if more:
        said += f"\n{len(text)} characters in all; cursor {more}"
    if not offset and call.register:
        call.register.read(call, note.path)
    return Answer({"name": note.name, "path": note.path}, said, names=(note.name,))


TOOL = Tool(
    name="brain_read_raw",
    description="Read a note's file verbatim.",
    properties={
        "name": {"type": "string"},
        "rev": {"type": "string"},
        "cursor": {"type": "string"},
    },
    required=("name",),
    call=call,
)
