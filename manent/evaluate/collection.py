"""A public test collection as a vault: one note a document, and a golden set beside them.

The form is that of BEIR: ``corpus.jsonl`` (``_id``, ``title``, ``text``),
``queries.jsonl`` (``_id``, ``text``) and ``qrels.tsv`` (query, document, grade;
a grade of 0 or less says nothing). A query's ``kind`` or ``category``, where
it has one, becomes the kind its figures are told apart by.

A turn of a conversation answers the turn before it, and alone often says
nothing ("Yes, last Tuesday!"). So where documents without titles are numbered on
within numbered parts (``D3:1``, ``D3:2``, …) and are short, the note of each
quotes what came before, as a person who keeps such a line would.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault, UsageError
from manent.golden import Golden, Query, spelled

FOLDER = "notes"
GOLDEN = "golden.json"
_KINDS = ("kind", "category", "type")
_NAME_LIMIT = 80
_DESCRIPTION_LIMIT = 300
_TURN = re.compile(r"(.*\d\D*?[^\w\s]|.*\d[^\d]*[_-])(\d+)", re.S)
"""An id of a turn: a part with a number in it, something between, and its own number."""
_TURNS_AT_LEAST = 0.9
"""The share of documents that must have such ids, one before them, and no title."""
_TURN_LIMIT = 600
"""Characters of the median turn at most: longer ones are paragraphs, which stand alone."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What was written. unknown: judged documents that the corpus does not have."""

    notes: int
    queries: int
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """One document of a collection under the name its note has. before: the turn before it."""

    name: str
    title: str
    text: str
    before: str = ""


@dataclass(slots=True)
class Collection:
    """A collection, read. documents: by id, in the order of the file."""

    name: str
    documents: dict[str, Paper] = field(default_factory=dict)
    queries: dict[str, tuple[str, str]] = field(default_factory=dict)
    judged: dict[str, dict[str, int]] = field(default_factory=dict)

    def golden(self) -> Golden:
        """Return the queries somebody judged, in the order of the file."""
        names = _Names()
        known = {key: paper.name for key, paper in self.documents.items()}
        names.take(known.values())
        made = []
        for key, (text, kind) in self.queries.items():
            wanted = self.judged.get(key)
            if wanted:
                expected = tuple(known.get(doc) or names.of(doc) for doc in wanted)
                grades = tuple(wanted.values())
                told = grades if any(grade != 1 for grade in grades) else ()
                made.append(Query(text, expected, "curated", kind=kind, grades=told))
        return Golden(self.name, tuple(made))

    def unknown(self) -> tuple[str, ...]:
        """Return the judged documents that the corpus does not have."""
        wanted = (doc for found in self.judged.values() for doc in found)
        return tuple(dict.fromkeys(doc for doc in wanted if doc not in self.documents))


def load(folder: Path) -> Collection:
    """Read a collection. Raises EnvironmentFault naming the file and line at fault."""
    collection = Collection(folder.resolve().name)
    names = _Names()
    for row, where in _rows(folder / "corpus.jsonl"):
        key = _text(row, "_id", where)
        if key in collection.documents:
            raise EnvironmentFault(f"{where}: the id {key} stands twice")
        paper = Paper(names.of(key), _said(row, "title", where), _text(row, "text", where))
        collection.documents[key] = paper
    if _is_conversation(collection.documents):
        collection.documents = _in_turn(collection.documents)
    for row, where in _rows(folder / "queries.jsonl"):
        kind = next((str(row[k]) for k in _KINDS if isinstance(row.get(k), str | int)), "")
        collection.queries[_text(row, "_id", where)] = (_text(row, "text", where), kind)
    for query, document, grade in _judgements(folder / "qrels.tsv"):
        if grade > 0:
            collection.judged.setdefault(query, {})[document] = grade
    return collection


def _is_conversation(documents: dict[str, Paper]) -> bool:
    """Tell whether documents are turns of conversations, in order."""
    papers = documents.values()
    if len(papers) < 2 or any(paper.title for paper in papers):
        return False
    keys = list(documents)
    following = sum(_follows(one, two) for one, two in pairwise(keys))
    parts = {found[1] for key in keys if (found := _turn(key))}
    middle = sorted(len(paper.text) for paper in papers)[len(papers) // 2]
    enough = following >= _TURNS_AT_LEAST * (len(keys) - max(1, len(parts)))
    return bool(parts) and following >= len(parts) and enough and middle <= _TURN_LIMIT


def _turn(key: str) -> re.Match[str] | None:
    """Return the part and the number of a turn's id; what is long is no such id."""
    return _TURN.fullmatch(key) if len(key) <= _NAME_LIMIT else None


def _follows(one: str, two: str) -> bool:
    """Tell whether an id is the next after another, within one part."""
    first, second = _turn(one), _turn(two)
    if first is None or second is None or first[1] != second[1]:
        return False
    return len(second[2]) < 10 and int(second[2]) == int(first[2][:9]) + 1


def _in_turn(documents: dict[str, Paper]) -> dict[str, Paper]:
    found = dict(documents)
    for one, two in pairwise(documents):
        if _follows(one, two):
            found[two] = replace(documents[two], before=documents[one].text)
    return found


def write(collection: Collection, vault: Path) -> Imported:
    """Write the vault and its golden set. Raises UsageError where something stands already."""
    if vault.exists() and (not vault.is_dir() or any(vault.iterdir())):
        raise UsageError(f"{vault} is there and not empty", "name a folder that is not")
    folder = vault / FOLDER
    folder.mkdir(parents=True)
    for paper in collection.documents.values():
        (folder / f"{paper.name}.md").write_bytes(_note(paper).encode("utf-8", "replace"))
    golden = collection.golden()
    (vault / GOLDEN).write_bytes(spelled(golden).encode("utf-8", "replace"))
    return Imported(len(collection.documents), len(golden.queries), collection.unknown())


def _note(paper: Paper) -> str:
    head = {"name": paper.name, "description": described(paper), "type": "reference"}
    rows = (f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in head.items())
    return f"---\n{''.join(rows)}---\n{body_of(paper)}\n"


def body_of(paper: Paper) -> str:
    """Return the body of a document's note: its text, after what it answers to."""
    quoted = "".join(f"> {line}\n" for line in paper.before.splitlines())
    return f"{quoted}\n{paper.text}" if quoted else paper.text


def described(paper: Paper) -> str:
    """Return the description of a document's note: its title, else how it begins."""
    said = _line(paper.title) or _line(paper.text) or paper.name
    if len(said) > _DESCRIPTION_LIMIT:
        said = said[:_DESCRIPTION_LIMIT].rsplit(" ", 1)[0]
    return said


def _line(text: str) -> str:
    """Return text as one line of printable characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


class _Names:
    """Gives every id a name that is a slug and nobody else's."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, names: Any) -> None:
        self._taken.update(names)

    def of(self, key: str) -> str:
        plain = unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_NAME_LIMIT].strip("-") or "doc"
        name, count = slug, 1
        while name in self._taken:
            count += 1
            name = f"{slug}-{count}"
        self._taken.add(name)
        return name


def _rows(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield (object, where it stands) of each line of a file."""
    for number, line in _lines(path):
        where = f"{path.name}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise EnvironmentFault(f"{where}: no JSON") from error
        if not isinstance(row, dict):
            raise EnvironmentFault(f"{where}: no JSON object")
        yield row, where


def _judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    for number, line in _lines(path):
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) == 4:  # as trec_eval has it: query, round, document, grade
            del fields[1]
        if len(fields) != 3:
            raise EnvironmentFault(
                f"{path.name}, line {number}: three fields between tabs, no more"
            )
        try:
            yield fields[0], fields[1], int(float(fields[2]))
        except (ValueError, OverflowError) as error:
            if number > 1:  # else it is the header
                raise EnvironmentFault(f"{path.name}, line {number}: no grade") from error


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise EnvironmentFault(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise EnvironmentFault(f"{path.name}: no UTF-8") from error


def _text(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise EnvironmentFault(f"{where}: {key} must be text")
    return value


def _said(row: dict[str, Any], key: str, where: str) -> str:
    return _text(row, key, where) if row.get(key) is not None else ""
