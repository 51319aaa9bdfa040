"""Lines of journals for a search through the server, by the same rule as the terminal's."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manent.access import View
from manent.journal.visible import Journals

if TYPE_CHECKING:
    from manent.server.lane import Lane

log = logging.getLogger("manent.server")


def lines(lane: Lane, view: View, query: str, k: int, commit: str) -> Sequence[dict[str, Any]]:
    """Return the newest lines of the caller's own journal, of every one for an owner.

    commit: of the past, "" for now, or for a time before the first. What an agent sees of
    the past is there today.
    """
    if view.of_the_past and not commit:
        return []
    now = _now(lane, commit)
    then = now if not commit else _at(lane, commit)
    found, remarks = then.lines(view.identity, query, k, now if view.of_the_past else None)
    if remarks:
        log.warning("a journal was not searched", extra={"event": "journal-unread"})
    return [line._asdict() for line in found]


def _now(lane: Lane, commit: str) -> Journals:
    served = lane.served
    if not served.is_brain:
        return Journals(root=served.root)
    if not commit:
        return Journals(repository=lane.repository, tree=lane.vault.stamp, prefix=served.prefix)
    assert lane.repository is not None, "a brain is a repository"
    return _at(lane, lane.repository.ref(served.ref))


def _at(lane: Lane, commit: str) -> Journals:
    if not commit or lane.repository is None:
        return Journals()
    tree = lane.repository.peel(commit)[1]
    return Journals(repository=lane.repository, tree=tree, prefix=lane.served.prefix)
