"""Pairs a person has looked at and leaves as they are, until either side changes.

A file of the vault, one JSON object a line: ``a`` and ``b`` (paths, in order),
``blobs`` (what both held then), ``reason``, ``who``, ``on`` (a day). Older lines
say the names of the notes, which a note and a draft may share: they still hold.
"""

from __future__ import annotations

import datetime
import json
from typing import Any

from manent.errors import NotFound
from manent.tree import Tree
from manent.values import dataclass
from manent.vault.record import NoteRecord

FILE = ".manent-acknowledged"


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The pairs that were looked at, as what both sides held."""

    pairs: frozenset[tuple[tuple[str, str], tuple[str, str]]] = frozenset()

    def covers(self, one: NoteRecord, other: NoteRecord) -> bool:
        """Tell whether this pair was looked at as it stands now."""
        return _key(one, other) in self.pairs or _named(one, other) in self.pairs


def read(tree: Tree) -> Acknowledged:
    """Return what the file in ``tree`` says. A line nobody can read acknowledges nothing."""
    try:
        text = tree.read(FILE).decode("utf-8", "replace")
    except NotFound:
        return Acknowledged()
    pairs = set()
    for line in text.splitlines():
        try:
            row = json.loads(line)
            (a, b), (first, second) = (row["a"], row["b"]), row["blobs"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if all(isinstance(part, str) for part in (a, b, first, second)):
            pairs.add(((a, first), (b, second)))
    return Acknowledged(frozenset(pairs))


def added(
    tree: Tree, one: NoteRecord, other: NoteRecord, reason: str, who: str, day: datetime.date
) -> bytes:
    """Return the file's bytes with one more pair; an older line on it goes."""
    try:
        before = tree.read(FILE).decode("utf-8", "surrogateescape")
    except NotFound:
        before = ""
    (a, first), (b, second) = _key(one, other)
    row: dict[str, Any] = {
        "a": a,
        "b": b,
        "blobs": [first, second],
        "reason": reason,
        "who": who,
        "on": day.isoformat(),
    }
    kept = [line for line in before.splitlines() if line.strip() and not _is_of(line, a, b)]
    lines = [*kept, json.dumps(row, ensure_ascii=False)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _is_of(line: str, a: str, b: str) -> bool:
    try:
        row = json.loads(line)
        return bool((row["a"], row["b"]) == (a, b))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


_Key = tuple[tuple[str, str], tuple[str, str]]


def _key(one: NoteRecord, other: NoteRecord) -> _Key:
    first, second = sorted(((one.path, one.oid), (other.path, other.oid)))
    return first, second


def _named(one: NoteRecord, other: NoteRecord) -> _Key:
    first, second = sorted(((one.name, one.oid), (other.name, other.oid)))
    return first, second
