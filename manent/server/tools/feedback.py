"""``brain_feedback``: what a caller says of an answer."""

from __future__ import annotations

from manent.errors import NotFound
from manent.server.answer import Answer
from manent.server.tool import Call, Tool

VERDICTS = ("wrong", "outdated", "incomplete", "helpful")
LONGEST = 1_000
"""Characters of a text that are looked at: the register keeps no more."""


def call(call: Call) -> Answer:
    """File a verdict with the search it is about."""
    note = _note(call, call.text("note")[:LONGEST])
    if call.register is None:
        return Answer({"kept": "nowhere: this server keeps no register"})
    search, outcome = call.text("searchId")[:LONGEST], call.text("outcome")[:LONGEST]
    return Answer(
        {"kept": call.register.feedback(call, call.text("verdict"), note, search, outcome)}
    )


def _note(call: Call, said: str) -> str:
    """Return the path of the note that was named; else what was said, as it is.

    Both are kept alike, so nothing tells whether there is such a note.
    """
    try:
        return call.view.find(said).path if said else ""
    except NotFound:
        return said


TOOL = Tool(
    name="brain_feedback",
    description="Say how an answer was.",
    properties={
        "verdict": {"type": "string", "enum": list(VERDICTS)},
        "note": {"type": "string"},
        "searchId": {"type": "string"},
        "outcome": {"type": "string"},
    },
    required=("verdict",),
    call=call,
)
