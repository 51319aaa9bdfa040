"""A public test collection as a vault: one note a document, and a golden set beside them.

The form is that of BEIR: ``corpus.jsonl`` (``_id``, ``title``, ``text``),
``queries.jsonl`` (``_id``, ``text``) and ``qrels.tsv`` (query, document, grade;
a grade of 0 or less says nothing). A query's ``kind`` or ``category``, where
it has one, becomes the kind its figures are told apart by.

A turn of a conversation answers the turns before it, and alone often says
nothing ("Yes, last Tuesday!"). So where documents are turns, the note of each
quotes the two before it, as a person who keeps such a line would. Documents are
turns where they are numbered on within numbered parts (``D3:1``, ``D3:2``, …) and
either say who speaks, in a field (``speaker``, ``role``) or before a colon, or have
no titles and are short. Who speaks in a field stands before the text of the note.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
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
_SPEAKERS = ("speaker", "role", "author")
_TURN = re.compile(r"(.*\d\D+)(\d+)", re.S)
"""An id of a turn: a part with a number in it, something between, and its own number."""
_TURNS_AT_LEAST = 0.9
"""The share of documents that must have such ids and one before them."""
_TURN_LIMIT = 600
"""Characters of the median turn at most, where nobody is said to speak: longer documents
are paragraphs, which stand alone."""
_TURNS_QUOTED = 2
"""How many turns before its own a note quotes: by one, by words alone and by meaning it is
found less often, by three no more often (``eval/talks``, both halves)."""
_QUOTE_LIMIT = 400
"""Characters of a quoted turn: what it begins with is what is answered."""
_SPOKEN = re.compile(
    r"^[ \t]*(?:[\[(][^\])\n]{0,60}[\])][ \t]*)?[*_<]{0,3}([^\W\d_][^:：\n]{0,30})(?::\s|：)", re.M
)
"""A line that somebody speaks, perhaps after when: ``[May 8] Ann: Hi``, ``**User**: Hi``."""
_VOICES = 0.1
"""Who speaks does so often: names before colons, as a share of the documents, at most."""
_LINES = 3
"""Spoken lines of a turn at most: a document of more is a conversation by itself."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What was written. unknown: judged documents that the corpus does not have."""

    notes: int
    queries: int
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """One document of a collection under the name its note has.

    turn: whether it is one of a conversation. before: the turns before it, the last one last.
    """

    name: str
    title: str
    text: str
    turn: bool = False
    before: tuple[str, ...] = ()


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
        speaker, text = _speaker(row), _text(row, "text", where)
        if speaker and not text.lstrip().startswith(f"{speaker}:"):
            text = f"{speaker}: {text}"
        collection.documents[key] = Paper(names.of(key), _said(row, "title", where), text)
    if _is_conversation(collection.documents):
        collection.documents = _in_turn(collection.documents)
    for row, where in _rows(folder / "queries.jsonl"):
        kind = next((str(row[k]) for k in _KINDS if isinstance(row.get(k), str | int)), "")
        collection.queries[_text(row, "_id", where)] = (_text(row, "text", where), kind)
    for query, document, grade in _judgements(folder / "qrels.tsv"):
        if grade > 0:
            collection.judged.setdefault(query, {})[document] = grade
    return collection


def _speaker(row: dict[str, Any]) -> str:
    """Return who a row says is speaking, there or in its metadata; "" for nobody."""
    inner = row.get("metadata")
    places = (row, inner if isinstance(inner, dict) else {})
    found = (place.get(key) for place in places for key in _SPEAKERS)
    return next((_line(name) for name in found if isinstance(name, str) and _line(name)), "")


def _is_conversation(documents: dict[str, Paper]) -> bool:
    """Tell whether documents are turns of conversations, in order."""
    papers, keys = list(documents.values()), list(documents)
    if len(papers) < 2:
        return False
    following = sum(_follows(one, two) for one, two in pairwise(keys))
    parts = {found[1] for key in keys if (found := _turn(key))}
    enough = following >= _TURNS_AT_LEAST * (len(keys) - max(1, len(parts)))
    if not parts or following < len(parts) or not enough:
        return False
    middle = sorted(len(paper.text) for paper in papers)[len(papers) // 2]
    untitled = not any(paper.title for paper in papers)
    return _is_spoken(papers) or (untitled and middle <= _TURN_LIMIT and len(parts) > 1)


def _is_spoken(papers: Sequence[Paper]) -> bool:
    """Tell whether nearly each text is one turn, or two, after one of a few names."""
    first = [found[1] if (found := _SPOKEN.match(paper.text)) else "" for paper in papers]
    voices = set(first) - {""}
    if len(voices) > max(2, _VOICES * len(papers)):
        return False
    said = [sum(name in voices for name in _SPOKEN.findall(paper.text)) for paper in papers]
    turns = sum(bool(one) and lines <= _LINES for one, lines in zip(first, said, strict=True))
    return turns >= _TURNS_AT_LEAST * len(papers)


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
    found: dict[str, Paper] = {}
    recent: tuple[str, ...] = ()
    last = ""
    for key, paper in documents.items():
        recent = (*recent, documents[last].text)[-_TURNS_QUOTED:] if _follows(last, key) else ()
        found[key] = replace(paper, turn=True, before=recent)
        last = key
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
    lines = [line for turn in paper.before for line in _begun(turn).splitlines()]
    quoted = "".join(f"> {line}\n" for line in lines)
    body = f"{quoted}\n{paper.text}" if quoted else paper.text
    return f"{body}\n\n{paper.title}" if paper.turn and paper.title else body


def _begun(turn: str) -> str:
    """Return how a turn begins."""
    if len(turn) <= _QUOTE_LIMIT:
        return turn
    return turn[:_QUOTE_LIMIT].rsplit(" ", 1)[0] + " …"


def described(paper: Paper) -> str:
    """Return the description of a document's note: its title, else how it begins.

    The title of a turn is that of its whole conversation, or a day.
    """
    title = "" if paper.turn else _line(paper.title)
    said = title or _line(paper.text) or _line(paper.title) or paper.name
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
