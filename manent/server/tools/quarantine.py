"""``brain_quarantine``: what waits for a person: all of it, or an agent's own drafts."""

from __future__ import annotations

import datetime
import re
import shlex
from typing import TYPE_CHECKING, Any

from manent.server.answer import DATA, Answer, offset_of, page
from manent.server.tool import Call, Tool
from manent.vault.record import NoteRecord

if TYPE_CHECKING:
    from manent.promote.queue import Waiting

USUAL = 50
_PLAIN = re.compile(r"[a-z0-9_-]{1,64}", re.ASCII)


def call(call: Call) -> Answer:
    """List the queue, oldest first."""
    from manent.promote.queue import drafts

    waiting = _waiting(call, drafts(call.view))
    rows = [_row(call, one) for one in waiting]
    shown, more = page(rows, offset_of(call.text("cursor")), call.number("limit", USUAL))
    document: dict[str, Any] = {"count": len(rows)}
    document |= call.fence.block("queue", {"queue": shown})
    if more:
        document["cursor"] = more
    document["notice"] = DATA
    return Answer(document, structured=True, names=tuple(str(row["name"]) for row in shown))


def _waiting(call: Call, notes: list[NoteRecord]) -> list[Waiting]:
    from manent.promote.queue import waiting_in

    touched = call.touched(notes)

    def since(path: str) -> datetime.date | None:
        touch = touched.get(path)
        return None if touch is None else datetime.date.fromisoformat(touch.date)

    return waiting_in(call.view, notes, call.now.date(), since)


def _row(call: Call, waiting: Waiting) -> dict[str, Any]:
    note, author = waiting.note, waiting.author
    row = {
        "name": note.name,
        "path": note.path,
        "author": author if _PLAIN.fullmatch(author) else call.fence.around(author, "draft"),
        "audience": list(waiting.audience),
        "description": call.fence.around(note.description, "draft"),
        "since": waiting.since.isoformat() if waiting.since else None,
        "age_days": waiting.age_days,
    }
    if call.is_owner:
        row["command"] = f"manent promote --note {shlex.quote(note.path)} --commit"
        row["reject"] = f"manent promote --reject {shlex.quote(note.path)} --reason WHY --commit"
    return row


TOOL = Tool(
    name="brain_quarantine",
    description="Drafts that await a person.",
    properties={
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        "cursor": {"type": "string"},
    },
    call=call,
    page="ui://manent/quarantine",
)
