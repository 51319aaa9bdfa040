"""``brain_grep``: lines of bodies that match a pattern, in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from manent.errors import UsageError
from manent.note import read as parse
from manent.pattern import compiled
from manent.server.answer import DATA, Answer, cursor_of, offset_of, page
from manent.server.tool import Call, Tool

USUAL = 100
LONGEST = 1_000
"""Characters of a pattern: one of half a million takes a second a line, though no more."""
WIDTH = 300
"""Characters of a line that are shown at most, around the match."""


def call(call: Call) -> Answer:
    """Match every body of the View, line by line, in the order of paths."""
    pattern = call.text("pattern")
    if len(pattern) > LONGEST:
        raise UsageError("the pattern is too long", f"{LONGEST} characters at most")
    wanted = compiled(pattern)
    limit, offset = call.number("limit", USUAL), offset_of(call.text("cursor"))
    rows = list(islice(_matches(call, wanted), offset, offset + limit + 1))
    shown, _ = page(rows[:limit], 0, limit)
    found = call.fence.block("matches", {"matches": shown})
    document: dict[str, Any] = {"pattern": pattern, **found}
    if len(shown) < len(rows):
        document |= {"more": True, "cursor": cursor_of(offset + len(shown))}
    document["notice"] = DATA
    return Answer(document, names=tuple(dict.fromkeys(str(row["name"]) for row in shown)))


def _matches(call: Call, compiled: Any) -> Iterator[dict[str, Any]]:
    for note in call.view.notes():
        if call.cancelled():
            return
        parsed = parse(call.view.content(note))
        for number, line in enumerate(parsed.body.split("\n"), start=parsed.body_line):
            hit = compiled.search(line)
            if hit:
                start = max(0, hit.start() - WIDTH // 3)
                text = line[start : start + WIDTH].removesuffix("\r")
                said = call.said_by(call.status_of(note), text)
                yield {"name": note.name, "path": note.path, "line": number, "text": said}


TOOL = Tool(
    name="brain_grep",
    description="Lines of bodies that match an RE2 pattern.",
    properties={
        "pattern": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
        "rev": {"type": "string"},
        "cursor": {"type": "string"},
    },
    required=("pattern",),
    call=call,
    slow=True,
)
