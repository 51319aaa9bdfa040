"""``brain_quarantine``: what waits for a person: all of it, or an agent's own drafts."""

from __future__ import annotations

import datetime
import re
import shlex
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from manent.access import Identity
from manent.server.answer import DATA, Answer, offset_of, page
from manent.server.tool import Call, Tool

if TYPE_CHECKING:
    from manent.promote.queue import Waiting

USUAL = 50
_PLAIN = re.compile(r"[a-z0-9_-]{1,64}", re.ASCII)


_Key = tuple[str, str, Identity, datetime.date]
_held: OrderedDict[_Key, list[Any]] = OrderedDict()
_lock = threading.Lock()
_MOST_HELD = 4


def call(call: Call) -> Answer:
    """List the queue, oldest first."""
    offset, limit = offset_of(call.text("cursor")), call.number("limit", USUAL)
    queue = _queue(call, first=not offset)
    shown, more = page(queue, offset, limit, made=lambda one: _row(call, one))
    document: dict[str, Any] = {"count": len(queue)}
    document |= call.fence.block("queue", {"queue": shown})
    if more:
        document["cursor"] = more
    document["notice"] = DATA
    return Answer(document, structured=True, names=tuple(str(row["name"]) for row in shown))


def _queue(call: Call, first: bool) -> list[Waiting]:
    """Return all that waits. first: anew; further pages go on in the queue of the first one.

    To order it every draft is read: of 10,000 each of 200 pages took 0.7 s, as the first
    (``pytest tests/unit/server/test_reports.py -k every_draft`` looks at 2,000).
    """
    view = call.view
    generation = view.vault.store.stamp("vault:generation")
    key = (view.vault.id, generation, view.identity, call.now.date())
    with _lock:
        held = None if first else _held.get(key)
    if held is None:
        held = _waiting(call)
        with _lock:
            _held[key] = held
            _held.move_to_end(key)
            while len(_held) > _MOST_HELD:
                _held.popitem(last=False)
    return held


def _waiting(call: Call) -> list[Waiting]:
    from manent.promote.queue import drafts, waiting_in

    notes = drafts(call.view)
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
