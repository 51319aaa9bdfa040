"""``brain_gaps``: the questions that were asked in vain. For owners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manent.server.answer import DATA, Answer, offset_of, page
from manent.server.tool import Call, Tool

USUAL = 50


def call(call: Call) -> Answer:
    """List the open gaps, the one asked most in vain first."""
    if call.register is None:
        return Answer(text="this server records no searches: start it with a register", failed=True)
    rows, offset = call.register.gaps(), offset_of(call.text("cursor"))
    limit = call.number("limit", USUAL)
    shown, more = page(rows, offset, limit, made=lambda gap: _row(call, gap))
    document: dict[str, Any] = {"count": len(rows)}
    document |= call.fence.block("gaps", {"gaps": shown})
    if more:
        document["cursor"] = more
    document["notice"] = DATA
    return Answer(document, structured=True)


def _row(call: Call, gap: Mapping[str, Any]) -> dict[str, Any]:
    """Return a gap as a row: the question is an agent's words, whoever reads them."""
    return {
        "id": gap["id"],
        "query": call.fence.around(str(gap["query"]), "query"),
        "asked": gap["asked"],
        "read": gap["read"],
        "first": gap["first"],
        "last": gap["last"],
        "askers": gap["askers"],
        "best": gap["best"],
        **({"alike": gap["alike"]} if gap["alike"] else {}),
        **({"feedback": _feedback(call, gap["feedback"])} if gap.get("feedback") else {}),
        "command": gap["command"],
    }


def _feedback(call: Call, said: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "asker": one["asker"],
            "helpful": one["helpful"],
            "said": call.fence.around(str(one["comment"]), "feedback"),
        }
        for one in said
    ]


TOOL = Tool(
    name="brain_gaps",
    description="Questions the notes could not answer.",
    properties={
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        "cursor": {"type": "string"},
    },
    call=call,
    owner_only=True,
    page="ui://manent/gaps",
)
