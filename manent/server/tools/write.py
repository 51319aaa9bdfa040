"""``brain_write``: a note, through the gate."""

from __future__ import annotations

from typing import Any

from manent.server.answer import LONGEST, ROOM, Answer, Question, compact, page
from manent.server.draft import Drafted, WriteRefused, Written
from manent.server.tool import Call, Tool

_LINE = 2_000
"""Characters of a line that is worth sending back alone."""


def call(call: Call) -> Answer | Question:
    """Write a note: judged, shown to a person where the client can, kept."""
    draft = Drafted(
        call.text("name"), call.text("description"), call.text("type"), call.text("body"),
        call.text("dir"), call.text("mode") or "create",
    )  # fmt: skip
    return written(call, draft)


def written(call: Call, draft: Drafted) -> Answer | Question:
    """Hand a draft to the writer and say what became of it."""
    assert call.writer is not None
    try:
        done = call.writer.write(call, draft)
    except WriteRefused as refused:
        return _refused(refused, draft.name, draft.body)
    return done if isinstance(done, Question) else _answer(call, done)


def _answer(call: Call, done: Written) -> Answer:
    document: dict[str, Any] = {
        "written": done.status not in ("unchanged", "declined"),
        "status": done.status,
        "name": done.name,
        "path": done.path,
        "message": done.message,
    }
    if call.is_owner and done.commit:
        document["commit"] = done.commit
    if done.remarks:
        document["remarks"] = list(done.remarks)
    return Answer(document, names=(done.name,))


def _refused(refused: WriteRefused, name: str, body: str) -> Answer:
    """Say what is at fault, and what to send instead: the masked text as it passes."""
    document: dict[str, Any] = {"written": False, "refused": refused.faults}
    if refused.more:
        document["more"] = refused.more
    if refused.again:
        whole = {"again": "send the call again with these", "with": refused.again}
        if len(compact(document | whole)) <= LONGEST - ROOM:
            document |= whole
        else:
            document |= _by_line(refused.again.get("body", ""), body)
    return Answer(document, failed=True, names=(name,))


def _by_line(masked: str, body: str) -> dict[str, Any]:
    """Return the lines of a long body that change, as many as fit."""
    new, old = masked.split("\n"), body.split("\n")
    if len(new) != len(old):
        return {}
    changed = [
        {"line": n, "text": line}
        for n, (line, before) in enumerate(zip(new, old, strict=True), start=1)
        if line != before and len(line) <= _LINE
    ]
    shown, _ = page(changed, 0, len(changed), LONGEST // 2)
    return {"again": "send the call again with these lines of the body", "lines": shown}


TOOL = Tool(
    name="brain_write",
    description="Write a note. name: a slug; create never replaces.",
    properties={
        "name": {"type": "string"},
        "description": {"type": "string"},
        "type": {"type": "string"},
        "body": {"type": "string"},
        "dir": {"type": "string"},
        "mode": {"type": "string", "enum": ["create", "overwrite"]},
    },
    required=("name", "description", "type", "body"),
    call=call,
    writes=True,
    slow=True,
)
