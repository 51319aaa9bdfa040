"""``brain_search``: the notes that answer a query, best first."""

from __future__ import annotations

from typing import Any

from manent.server.answer import DATA, Answer, cursor_of, offset_of, page
from manent.server.tool import Call, Tool

MOST = 50


def call(call: Call) -> Answer:
    """Search the caller's View; every search has an id of its own, for feedback."""
    query, k = call.text("query"), call.number("k", 8)
    offset = offset_of(call.text("cursor"))
    found = call.search(query, min(offset + k, 1000))
    search_id = call.register.searched(call, query, found) if call.register else ""
    notes = call.notes_of([ranked.hit.path for ranked in found.hits])
    touched = call.touched(notes)
    rows = [_row(call, ranked, touched.get(ranked.hit.path)) for ranked in found.hits]
    shown, more = page(rows, offset, k)
    document: dict[str, Any] = {
        "searchId": search_id or call.new_id(),
        "query": query,
        "retriever": found.retriever,
        **call.fence.block("hits", {"hits": shown}),
    }
    if found.journal and not offset:
        document["journal"] = [_line(call, row) for row in found.journal]
    if found.remarks:
        document["remarks"] = list(found.remarks)
    if more or (len(found.hits) == offset + k and offset + k < 1000):
        document["cursor"] = more or cursor_of(offset + k)
    document["notice"] = DATA
    return Answer(document, names=tuple(str(row["name"]) for row in shown))


def _row(call: Call, ranked: Any, touch: Any) -> dict[str, Any]:
    hit = ranked.hit
    row = {
        "name": hit.name,
        "path": hit.path,
        "type": hit.type,
        "status": hit.status,
        "description": call.said_by(hit.status, hit.description),
        "score": round(hit.score, 4),
        "via": hit.via,
        "date": touch.date if touch else None,
    }
    if call.is_owner and touch and touch.commit:
        row["commit"] = touch.commit
    return row


def _line(call: Call, row: Any) -> dict[str, Any]:
    return {**row, "text": call.fence.around(str(row["text"]), "journal")}


TOOL = Tool(
    name="brain_search",
    description="Search the notes. Plain words, no syntax.",
    properties={
        "query": {"type": "string"},
        "k": {"type": "integer", "minimum": 1, "maximum": MOST},
        "rev": {"type": "string", "description": "commit or YYYY-MM-DD"},
        "cursor": {"type": "string"},
    },
    required=("query",),
    call=call,
)
