"""``brain_append``: text at the end of a note, every other byte of which stays."""

from __future__ import annotations

from manent.server.answer import Answer, Question
from manent.server.draft import APPEND, Drafted
from manent.server.tool import Call, Tool
from manent.server.tools.write import written


def call(call: Call) -> Answer | Question:
    """Append to a note of the caller's own; an owner's are all of them."""
    return written(call, Drafted(call.text("name"), body=call.text("body"), mode=APPEND))


TOOL = Tool(
    name="brain_append",
    description="Add text to the end of a note of yours.",
    properties={"name": {"type": "string"}, "body": {"type": "string"}},
    required=("name", "body"),
    call=call,
    writes=True,
    slow=True,
)
