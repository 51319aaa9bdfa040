"""What a worker makes of one file: facts, marks, and the rows they become."""

from __future__ import annotations

import json
import marshal
from functools import lru_cache
from typing import Any, NamedTuple

from manent import schema
from manent.facts.derive import decode, marks, scanner
from manent.facts.facts import Facts, parse_all, to_json
from manent.links.link import Link, LinkKind
from manent.links.resolve import fold, is_attachment, last_component
from manent.scan.span import Context
from manent.vault.ignore import HOME, MEMORY
from manent.vault.record import Conventions, NoteRecord, record_of
from manent.vault.rows import put


class Piece(NamedTuple):
    """One file to read into rows.

    context: how it is scanned, None: not at all. conventions: the same in all
    pieces of a list.
    """

    path: str
    oid: str
    content: bytes
    note: bool
    context: Context | None
    conventions: Conventions


class NoteRows(NamedTuple):
    """The rows of a note. links: (n, key, kind, target, anchored)."""

    record: NoteRecord
    keys: tuple[str | bytes, ...]
    links: list[tuple[int, str | bytes, str, str | bytes, int]]


class Digest(NamedTuple):
    """What became of a piece. facts, marks: JSON, None where not asked for."""

    oid: str
    facts: str | None
    marks: str | None
    rows: NoteRows | None


class Digests(list[Digest]):
    """The answers to a list of pieces, which go between processes as plain tuples.

    Pickled, each named tuple asks Python what it is made of: twice the time.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (marshal.dumps([_plain(one) for one in self]),)


def _plain(one: Digest) -> tuple[Any, ...]:
    rows = one.rows
    plain = rows and (tuple(rows.record), rows.keys, rows.links)
    return one.oid, one.facts, one.marks, plain


def _unpacked(packed: bytes) -> Digests:
    return Digests(
        Digest(oid, facts, marks, rows and NoteRows(NoteRecord._make(rows[0]), *rows[1:]))
        for oid, facts, marks, rows in marshal.loads(packed)
    )


def weight_of(piece: Piece) -> int:
    """Return the bytes of a piece."""
    return len(piece.content)


def digests(pieces: list[Piece]) -> Digests:
    """Read files. Runs in a worker process; never raises for what they hold.

    Step by step, each for all of them: what one step needs stays in the
    processor's caches, where by turns they drive one another out.
    """
    facts = iter(_facts([piece for piece in pieces if piece.note]))
    read = [next(facts) if piece.note else (None, None) for piece in pieces]
    marked = map(_marks, pieces)
    return Digests(
        Digest(piece.oid, known, marks, rows)
        for piece, (known, rows), marks in zip(pieces, read, marked, strict=True)
    )


def _facts(pieces: list[Piece]) -> list[tuple[str, NoteRows]]:
    """Return facts and rows of notes, all read by the same conventions."""
    if not pieces:
        return []
    conventions = pieces[0].conventions
    parsed = parse_all((piece.content for piece in pieces), conventions.dendron)
    spelled = [to_json(facts) for facts in parsed]
    rows = (rows_of(p.path, p.oid, f, conventions) for p, f in zip(pieces, parsed, strict=True))
    return list(zip(spelled, rows, strict=True))


def _marks(piece: Piece) -> str | None:
    if piece.context is None:
        return None
    text = decode(piece.content).text
    found = [] if text is None else marks(text, scanner(piece.context)(text))
    return json.dumps(found, separators=(",", ":")) if found else "[]"


def rows_of(path: str, oid: str, facts: Facts, conventions: Conventions) -> NoteRows:
    """Return the rows of the note at ``path`` with these facts."""
    record = record_of(path, oid, facts, conventions)
    if is_plain(record, facts):
        record = NoteRecord(*record[:-1], True)  # half the time of ``_replace``
    return NoteRows(
        record,
        tuple(put(key) for key in sorted(keys_of(record.name, record.stem))),
        [
            (n, _key(link.target), _KINDS[link.kind], put(link.target), _anchored(link))
            for n, link in enumerate(facts.outline.links)
            if link.target and not ("." in link.target and is_attachment(link.target, link.kind))
        ],
    )


def is_plain(record: NoteRecord, facts: Facts) -> bool:
    """Tell whether no rule that looks at a note alone could object to it.

    A filter, on the safe side: a note that is not plain may be faultless.
    """
    return (
        facts.header == "valid"
        and not facts.problems
        and record.name == record.stem
        and record.type != "raw-source"
        and (record.type != "feedback" or _heads(facts).issuperset(schema.body_marks("feedback")))
        and record.path not in (MEMORY, HOME)
        and not any(not link.target for link in facts.outline.links)
        and schema.verdict(facts.frontmatter)
    )


def _heads(facts: Facts) -> set[str]:
    return {f"**{label}:**" for label in facts.bold_labels}


def keys_of(name: str, stem: str) -> set[str]:
    """Return the folded keys by which a note of that name and stem is found."""
    return {fold(name), fold(stem)}


_KINDS = {kind: kind.value for kind in LinkKind}


@lru_cache(maxsize=4096)
def _key(target: str) -> str | bytes:
    return put(fold(last_component(target)))


def _anchored(link: Link) -> int:
    return int(bool(link.heading or link.block))
