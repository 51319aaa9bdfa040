"""The form that shows a note to a person before it is written, and what they answered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

from manent.finding import inert
from manent.server.answer import LONGEST, Fence
from manent.server.draft import APPEND
from manent.server.drafting import Planned
from manent.server.tool import Asked

KEY = "confirm"
"""Of the one question that a write asks."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"write": {"type": "boolean", "title": "Write it"}},
    "required": ["write"],
}

_ROOM = 2_000
"""Characters kept free around the body."""


def message_of(planned: Planned, fence: Fence) -> str:
    """Return what the form says: where the note goes, who may read it, and its text.

    Everything in it is inert: nothing can hide, or look like the server's own words.
    """
    body = _inert(planned.body)
    shown, more = body[: LONGEST - _ROOM], ""
    if len(shown) < len(body):
        digest = hashlib.sha256(planned.body.encode("utf-8", "surrogatepass")).hexdigest()
        left = len(body) - len(shown)
        more = f"\n{left} more characters are not shown; SHA-256 of the whole: {digest}"
    return "\n".join([*_head(planned), fence.around(shown, "body")]) + more


def _head(planned: Planned) -> list[str]:
    draft, proposal = planned.draft, planned.proposal
    asked = {
        "created": "Write this note?",
        "overwritten": "Replace the note that stands there by this one?",
        "appended": "Add this text to the end of the note?",
    }[planned.status]
    rows = [asked, f"name: {inert(draft.name)}", f"path: {inert(proposal.path)}"]
    if draft.mode != APPEND:
        rows += [f"description: {inert(draft.description)}", f"type: {inert(draft.type)}"]
    readers = planned.readers.replace(" ", ", ") or "private"
    rows += [f"readers: {inert(readers)}", f"author: {inert(proposal.identity.name)}"]
    if not proposal.identity.is_owner:
        rows.append("It goes to quarantine and awaits promotion.")
    return rows


def fingerprint_of(planned: Planned) -> str:
    """Return a digest of exactly what the form shows, and of what it does to the vault."""
    proposal = planned.proposal
    # What is appended is added to whatever stands there by then; what replaces a note
    # was approved for that note.
    appends = planned.draft.mode == APPEND
    standing = b"" if appends or proposal.standing is None else proposal.standing
    written = planned.body.encode() if appends else proposal.content
    row = [
        astuple(planned.draft),
        planned.status,
        planned.readers,
        proposal.path,
        proposal.identity.name,
        hashlib.sha256(written).hexdigest(),
        hashlib.sha256(standing).hexdigest(),
    ]
    return hashlib.sha256(json.dumps(row).encode("ascii")).hexdigest()


def answered(asked: Asked) -> bool | None:
    """Return whether the person said yes, None where there is no answer to be read."""
    answer = asked.answers.get(KEY)
    if not isinstance(answer, Mapping):
        return None
    action, content = answer.get("action"), answer.get("content")
    if action in ("decline", "cancel"):
        return False
    if action != "accept" or not isinstance(content, Mapping):
        return None
    said = content.get("write")
    return said if isinstance(said, bool) else None


def _inert(text: str) -> str:
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return "\n".join(inert(line.replace("\t", "    ")) for line in lines)
