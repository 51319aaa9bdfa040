"""Whose a task is: somebody, together with what it may do and the token it comes in by.

A name alone says too little. The agents file may give it other rights meanwhile, or give
it to somebody else; what was made for the one is not for the other. Nor is a result that
names a note which is not for its owner's eyes any more.
"""

from __future__ import annotations

import contextlib
import hmac
import json
from typing import Any

from manent.access import Identity
from manent.server.task import Task


def owner_of(identity: Identity, key: bytes) -> str:
    """Return the name that tasks of an identity are kept under.

    key: the server's own, which goes with the vault's token: where that is another one
    now, whoever came in by the old one has no task here.
    """
    read = None if identity.read is None else sorted(identity.read)
    whole = [
        identity.name,
        read,
        identity.write,
        identity.git,
        identity.history,
        identity.journal,
        identity.token_sha256,
    ]
    bound = hmac.digest(key, json.dumps(whole).encode(), "sha256").hex()
    return f"{identity.name}.{bound}"


def paths_in(task: Task) -> set[str]:
    """Return the paths of notes that a task's result names."""
    found: set[str] = set()
    for part in task.outcome.get("content") or ():
        with contextlib.suppress(ValueError, TypeError, KeyError):
            _gather(json.loads(part["text"]), found)
    return found


def _gather(value: Any, found: set[str]) -> None:
    if isinstance(value, dict):
        path = value.get("path")
        found.update([path] if isinstance(path, str) else ())
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            _gather(inner, found)
