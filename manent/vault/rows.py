"""The vault's tables in the derived store, and text that SQLite would not take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

VERSION = "3"

TABLES = ("file", "blob", "scanned", "note", "note_key", "link", "moved")

SCRIPT = """
CREATE TABLE file (
    path PRIMARY KEY, oid TEXT NOT NULL, kind TEXT NOT NULL, signature TEXT NOT NULL,
    folded NOT NULL
) WITHOUT ROWID;
CREATE TABLE blob (key TEXT PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE scanned (
    oid TEXT NOT NULL, context TEXT NOT NULL, marks TEXT NOT NULL, PRIMARY KEY (oid, context)
) WITHOUT ROWID;
CREATE TABLE note (
    id INTEGER PRIMARY KEY AUTOINCREMENT, doc INTEGER NOT NULL UNIQUE, path NOT NULL UNIQUE,
    oid TEXT NOT NULL, name NOT NULL, stem NOT NULL, type NOT NULL, status TEXT NOT NULL,
    readers NOT NULL, quarantined INTEGER NOT NULL, title NOT NULL, description NOT NULL,
    created NOT NULL, updated NOT NULL, outward TEXT NOT NULL, plain INTEGER NOT NULL
);
CREATE TABLE note_key (key NOT NULL, note INTEGER NOT NULL, PRIMARY KEY (key, note)) WITHOUT ROWID;
CREATE TABLE link (
    note INTEGER NOT NULL, n INTEGER NOT NULL, key NOT NULL, kind TEXT NOT NULL,
    target NOT NULL, anchored INTEGER NOT NULL, dst INTEGER, PRIMARY KEY (note, n)
) WITHOUT ROWID;
CREATE TABLE moved (generation INTEGER NOT NULL, what TEXT NOT NULL, value NOT NULL);
CREATE INDEX moved_generation ON moved (generation)
"""

INDEXES = {
    "file_folded": "file (folded)",
    "note_key_note": "note_key (note)",
    "link_key": "link (key)",
    "link_dst": "link (dst)",
}
"""Made after a first filling: an index grown row by row costs twice the time."""

T = TypeVar("T")


def put(text: str) -> str | bytes:
    """Return ``text`` as SQLite takes it: lone surrogates cannot stand in its TEXT."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def got(value: str | bytes) -> str:
    """Return the text that ``put`` stored."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def batches(items: Iterable[T], size: int = 500) -> Iterator[list[T]]:
    """Yield the items in lists of at most ``size``: few enough for one SQL statement."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def holes(count: int) -> str:
    """Return ``?,?,?`` for that many values of an SQL ``IN``."""
    return ",".join("?" * count)
