"""Golden sets: questions, and the notes that answer them, in a JSON file people edit.

::

    {"name": "fixture", "queries": [
      {"query": "who may moor where", "expected": ["berth-rules"], "source": "curated"}]}

``source`` says how the question was come by: ``curated`` (worded close to the
note), ``oblique`` (asks for the thing without the note's words), ``auto`` (made
from descriptions). Optional: ``note`` (a remark), ``kind`` (a label to tell
questions apart by) and ``grades`` (whole numbers, one for each expected note).

A note is named as it names itself, or as ``note:<16 hex>``: its name under the
salt of its vault, so that a set can be published without its names. A plain
digest of a slug could be guessed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from manent.errors import EnvironmentFault, UsageError

SOURCES = ("curated", "oblique", "auto")
"""What ``source`` may say, in the order of reports."""

_HASHED = re.compile(r"note:[0-9a-f]{16}")
_SPACE = re.compile(r"[ \t\r\n]*")
_SPACE_AFTER = re.compile(r"[ \t]*\r?\n([ \t]*)")
_SPACE_BEFORE = re.compile(r"\n([ \t]*)\Z")
_FIELDS = {"query", "expected", "source", "note", "kind", "grades"}
_SET_FIELDS = {"name", "queries", "note"}
_MOST_BYTES = 64 << 20


class Malformed(EnvironmentFault):
    """A golden set cannot be read: the message names the file and the line at fault."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question. expected: names or ``note:`` digests. grades: () where all count 1."""

    query: str
    expected: tuple[str, ...]
    source: str = "curated"
    note: str = ""
    kind: str = ""
    grades: tuple[int, ...] = ()
    line: int = 0

    @property
    def gains(self) -> tuple[int, ...]:
        """What each expected note is worth."""
        return self.grades or (1,) * len(self.expected)


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden set. queries: in the order of the file."""

    name: str
    queries: tuple[Query, ...]
    note: str = ""


def read(content: bytes | str, source: str = "golden set") -> Golden:
    """Read a golden set. Raises Malformed naming the line at fault.

    source: what to call the file in messages.
    """
    text = _decoded(content, source)
    return _Reader(text, source).golden()


def spelled(golden: Golden) -> str:
    """Return a golden set as a file: one query a line, so that a change is a line of a diff."""
    rows = [f"    {_json(_row(query))}" for query in golden.queries]
    head = [f'  "name": {_json(golden.name)},']
    if golden.note:
        head.append(f'  "note": {_json(golden.note)},')
    body = ",\n".join(rows)
    return "\n".join(["{", *head, '  "queries": [', *([body] if rows else []), "  ]", "}", ""])


def appended(content: bytes | str, query: Query, source: str = "golden set") -> str:
    """Return the file with one more query. A query that stands there already gains its notes.

    Every byte that stood there stands there still: what comes in is written the way
    its neighbours are.
    """
    whole = content if isinstance(content, str) else _decoded(content, source, bom=True)
    text = _decoded(whole, source)
    reader = _Reader(text, source)
    for held, (start, _) in zip(reader.golden().queries, reader.spans, strict=True):
        if held.query == query.query and held.source == query.source:
            text = _gained(text, start, [n for n in query.expected if n not in held.expected])
            break
    else:
        text = _one_more(text, reader, query)
    return whole[: len(whole) - len(_decoded(whole, source))] + text


def _gained(text: str, at: int, names: list[str]) -> str:
    """Return the text with more names in the object at ``at``, each worth 1 where it has grades."""
    fields = {key: span for key, *span in _members(text, at)}
    rows = [("expected", [_json(name) for name in names]), ("grades", ["1"] * len(names))]
    # From the back, so that what was found in front stays where it is.
    for key, items in sorted(rows, key=lambda row: fields.get(row[0], [0]), reverse=True):
        if key in fields and items:
            for item in items:
                text = _inserted(text, fields[key][0], item)
    return text


def _one_more(text: str, reader: _Reader, query: Query) -> str:
    opened, closed = reader.listed
    newline = "\r\n" if "\r\n" in text else "\n"
    if reader.spans:
        start, end = reader.spans[-1]
        return _inserted(text, opened, _written_like(text[start:end], query, newline))
    row = _json(_row(query))
    if "\n" in text[opened:closed]:
        indent = text[text.rindex("\n", opened, closed) + 1 : closed - 1]
        return f"{text[: opened + 1]}{newline}{indent}  {row}{text[opened + 1 :]}"
    if text[opened - 1] == ":":  # nothing in this file is set apart
        return text[: opened + 1] + row + text[opened + 1 :]
    return f"{text[: opened + 1]}{newline}    {row}{newline}  {text[closed - 1 :]}"


def _written_like(model: str, query: Query, newline: str) -> str:
    """Return a query in JSON, laid out as ``model``, another one, is."""
    row = _row(query)
    if "\n" not in model:
        apart = (", ", ": ") if '": ' in model else (",", ":")
        return json.dumps(row, ensure_ascii=False, separators=apart)
    inner, outer = _SPACE_AFTER.match(model, 1), _SPACE_BEFORE.search(model, 0, len(model) - 1)
    deep, shallow = (inner[1] if inner else "  "), (outer[1] if outer else "")
    unit = deep.removeprefix(shallow) or "  "
    fields = {key: model[start:end] for key, start, end in _members(model, 0)}
    lists_too = "\n" in fields.get("expected", "")
    rows = []
    for key, value in row.items():
        written = _json(value)
        if lists_too and isinstance(value, list):
            items = f",{newline}{deep}{unit}".join(_json(item) for item in value)
            written = f"[{newline}{deep}{unit}{items}{newline}{deep}]"
        rows.append(f"{deep}{_json(key)}: {written}")
    return f"{{{newline}" + f",{newline}".join(rows) + f"{newline}{shallow}}}"


def _inserted(text: str, opened: int, item: str) -> str:
    """Return the text with an item at the end of the array that begins at ``opened``.

    The array has items; the new one stands apart from its neighbour as those do.
    """
    spans, at = [], opened + 1
    while text[at - 1] != "]":
        start = _blanks(text, at)
        _, end = json.JSONDecoder().raw_decode(text, start)
        spans.append((start, end))
        at = _blanks(text, end) + 1
    gap = text[opened + 1 : spans[0][0]]
    apart = f",{gap}" if "\n" in gap else ", "
    if len(spans) > 1:
        apart = text[spans[-2][1] : spans[-1][0]]
    return text[: spans[-1][1]] + apart + item + text[spans[-1][1] :]


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield (key, start, end of its value) of the object that begins at ``at``."""
    decoder = json.JSONDecoder()
    at = _blanks(text, at + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        start = _blanks(text, _blanks(text, at) + 1)
        _, at = decoder.raw_decode(text, start)
        yield key, start, at
        at = _blanks(text, at)
        if text[at] == ",":
            at = _blanks(text, at + 1)


def _blanks(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def hashed(name: str, salt: bytes) -> str:
    """Return the name a note has in a published set: nobody without the salt can guess it."""
    digest = hmac.new(salt, b"golden\0" + name.encode("utf-8", "surrogatepass"), hashlib.sha256)
    return f"note:{digest.hexdigest()[:16]}"


def is_hashed(name: str) -> bool:
    """Whether an expected note is named by its digest."""
    return _HASHED.fullmatch(name) is not None


def published(golden: Golden, salt: bytes) -> Golden:
    """Return the set with every note named by its digest, and without remarks.

    Raises UsageError for an empty salt: what it would make could be guessed.
    """
    if not salt:
        raise UsageError("names need the salt of their vault", "give the vault")
    queries = [
        replace(
            query,
            expected=tuple(n if is_hashed(n) else hashed(n, salt) for n in query.expected),
            note="",
        )
        for query in golden.queries
    ]
    return Golden(golden.name, tuple(queries))


def derived(notes: Iterable[tuple[str, str]], name: str = "auto") -> Golden:
    """Return a set made of descriptions: each asks for its own note, without the note's name.

    notes: (name, description) pairs. One whose description says nothing but its name is left out.
    """
    queries = []
    for note, description in notes:
        known = set(_words(note))
        asked = " ".join(w for w in description.split() if not known.issuperset(_words(w)))
        if asked:
            queries.append(Query(asked, (note,), "auto"))
    return Golden(name, tuple(queries))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold().replace("_", " ").replace("-", " "))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _row(query: Query) -> dict[str, Any]:
    row: dict[str, Any] = {"query": query.query, "expected": list(query.expected)}
    row["source"] = query.source
    if query.kind:
        row["kind"] = query.kind
    if query.grades:
        row["grades"] = list(query.grades)
    if query.note:
        row["note"] = query.note
    return row


def _decoded(content: bytes | str, source: str, *, bom: bool = False) -> str:
    if len(content) > _MOST_BYTES:
        raise Malformed(f"{source} is larger than {_MOST_BYTES >> 20} MB")
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8" if bom else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Malformed(f"{source}, line {line}: no UTF-8") from error


class _Reader:
    """Walks the outer object itself, so that every fault has a line; json reads what is within.

    spans: where each query stands, once read. listed: where their array does.
    """

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._decoder = json.JSONDecoder(object_pairs_hook=_without_duplicates)
        self.spans: list[tuple[int, int]] = []
        self.listed = (0, 0)
        self._counted = (0, 1)  # a place, and the line it is on: places only grow

    def golden(self) -> Golden:
        at = self._expect(0, "{", "must be an object with name and queries")
        found: dict[str, tuple[Any, int]] = {}
        first = True
        while not self._is(at, "}"):
            if not first:
                at = self._expect(at, ",", "lacks a comma")
            first = False
            key_at = self._skip(at)
            key, at = self._value(at)
            if not isinstance(key, str) or key not in _SET_FIELDS or key in found:
                raise self._fault(key_at, f"unexpected field {_short(key)}")
            at = self._expect(at, ":", "lacks a colon")
            value_at = self._skip(at)
            value, at = self._queries(at) if key == "queries" else self._value(at)
            if key != "queries" and not isinstance(value, str):
                raise self._fault(value_at, f"{key} must be text")
            found[key] = (value, value_at)
        self._end(self._skip(at) + 1)
        for key in ("name", "queries"):
            if key not in found:
                raise self._fault(0, f"lacks {key}")
        return Golden(found["name"][0], found["queries"][0], found.get("note", ("", 0))[0])

    def _queries(self, at: int) -> tuple[tuple[Query, ...], int]:
        at = self._expect(at, "[", "queries must be a list")
        opened = at - 1
        queries: list[Query] = []
        while not self._is(at, "]"):
            if queries:
                at = self._expect(at, ",", "lacks a comma")
            start = self._skip(at)
            value, at = self._value(start)
            queries.append(self._query(value, start, at))
            self.spans.append((start, at))
        closed = self._skip(at) + 1
        self.listed = (opened, closed)
        return tuple(queries), closed

    def _query(self, value: Any, start: int, end: int) -> Query:
        if not isinstance(value, dict):
            raise self._fault(start, "a query must be an object")
        for key, wrong in _faults(value):
            raise self._fault(self._key_at(key, start, end), wrong)
        return Query(
            query=value["query"],
            expected=tuple(value["expected"]),
            source=value.get("source", "curated"),
            note=value.get("note", ""),
            kind=value.get("kind", ""),
            grades=tuple(value.get("grades", ())),
            line=self._line(start),
        )

    def _key_at(self, key: str, start: int, end: int) -> int:
        """Return where a key stands in an object, or the object's start."""
        at = self._text.find(json.dumps(key, ensure_ascii=False), start, end) if key else -1
        return start if at < 0 else at

    def _value(self, at: int) -> tuple[Any, int]:
        start = self._skip(at)
        try:
            return self._decoder.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            raise self._fault(error.pos, f"no JSON: {error.msg}") from error
        except (ValueError, RecursionError) as error:
            why = str(error) if isinstance(error, _Twice) else "no JSON that can be read"
            raise self._fault(start, why) from error

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

    def _is(self, at: int, sign: str) -> bool:
        return self._text.startswith(sign, self._skip(at))

    def _expect(self, at: int, sign: str, otherwise: str) -> int:
        at = self._skip(at)
        if not self._text.startswith(sign, at):
            raise self._fault(at, otherwise)
        return at + 1

    def _end(self, at: int) -> None:
        at = self._skip(at)
        if at < len(self._text):
            raise self._fault(at, "goes on after its end")

    def _line(self, at: int) -> int:
        place, line = self._counted
        if at < place:
            place, line = 0, 1
        line += self._text.count("\n", place, at)
        self._counted = (at, line)
        return line

    def _fault(self, at: int, wrong: str) -> Malformed:
        return Malformed(f"{self._source}, line {self._line(at)}: {wrong}")


class _Twice(ValueError):
    """A key that stands twice in one object."""


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Twice("a key stands twice in one object")
    return found


def _faults(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (key, what is wrong with it) for one query."""
    for key in row:
        if key not in _FIELDS:
            yield key, f"unexpected field {_short(key)}"
    query = row.get("query")
    if not isinstance(query, str) or not query.strip():
        yield "query", "query must be text that is not empty"
    expected = row.get("expected")
    if not _is_names(expected):
        yield "expected", "expected must be a list of note names, each once, and not empty"
    if row.get("source", "curated") not in SOURCES:
        yield "source", f"source must be one of {', '.join(SOURCES)}"
    for key in ("note", "kind"):
        if not isinstance(row.get(key, ""), str):
            yield key, f"{key} must be text"
    if "grades" in row and not _is_grades(row["grades"], expected):
        yield "grades", "grades must be whole numbers above 0, one for each expected note"


def _is_names(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(name, str) and name.strip() for name in value):
        return False
    known = all(is_hashed(n) for n in value if n.startswith("note:"))
    return known and len(set(value)) == len(value)


def _is_grades(value: Any, expected: Any) -> bool:
    if not isinstance(value, list) or not isinstance(expected, list) or len(value) != len(expected):
        return False
    return all(type(grade) is int and 0 < grade < 1000 for grade in value)


def _short(key: object) -> str:
    text = str(key)
    return text if len(text) <= 40 else text[:40] + "…"
