"""Questions that were filed together, told apart where a higher threshold is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from manent.gaps.grouping import Meaning
from manent.gaps.words import key_of, name_of

Held = tuple[Any, list[Any]]
"""A row of the gaps, and the searches behind it."""


class Part(NamedTuple):
    """A gap that stands in no table yet: what some searches of another asked for."""

    key: str
    name: str
    query: str
    made_ms: int
    id: int | None = None
    status: str = "open"
    note: str = ""
    reason: str = ""
    settled_ms: int | None = None


def parted(held: Sequence[Held], meaning: Meaning) -> list[Held]:
    """Return the gaps with their searches, those of an open gap that are too far from its
    own question apart, by their words.

    Where the register has a gap of those words that is open, they go there; where it
    is settled they stay, for an id means one thing.
    """
    found = {row.name: (row, list(searches)) for row, searches in held}
    for row, searches in held:
        if row.status != "open":
            continue
        by_key: dict[str, list[Any]] = {}
        for search in searches:
            by_key.setdefault(key_of(search.query), []).append(search)
        by_key.pop(row.key, None)
        far = meaning.far(row.query, [asked[0].query for asked in by_key.values()])
        for (key, asked), is_far in zip(by_key.items(), far, strict=True):
            if is_far:
                _move(found, row.name, key, asked)
    for _, searches in found.values():
        searches.sort(key=lambda search: (search.asked_ms, search.id))
    return list(found.values())


def _move(found: dict[str, Held], source: str, key: str, asked: list[Any]) -> None:
    name = name_of(key)
    if name not in found:
        found[name] = (Part(key, name, asked[0].query, asked[0].asked_ms), [])
    row, searches = found[name]
    if row.status == "open":
        searches += asked
        gone = {search.id for search in asked}
        found[source][1][:] = [one for one in found[source][1] if one.id not in gone]
