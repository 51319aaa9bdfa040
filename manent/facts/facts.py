"""What one note says of itself, whatever path it stands at."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from manent import late
from manent.links.link import Outline
from manent.links.markdown import outline, visible_text
from manent.links.storing import headings_from_json, outline_from_json, outline_to_json
from manent.note import Note, Problem, read
from manent.values import dataclass, field

PARSER = "6"
"""Part of the key of every cached fact: raise it whenever parsing changes."""

# Begins with a literal, which is searched for ten times as fast as ``^`` is tried.
_BOLD_LABEL = late.pattern(r"\n[ \t>*+-]{0,8}\*\*([^*\n]{1,40}?):?\*\*:?")


@dataclass(frozen=True, slots=True)
class Facts:
    """Parsed once per blob, kept as JSON.

    header: ``absent``, ``valid`` or ``invalid``, as the reader found it.
    frontmatter: JSON-able; {} unless header is valid.
    key_lines: line in the file of each top-level key.
    problems: what the reader could not read.
    body_line: the file's line on which the body starts.
    bold_labels: the texts of ``**Label:**`` at line starts, without the colon; those of
    feedback not in code or comments.
    """

    header: str = "absent"
    frontmatter: dict[str, Any] = field(default_factory=dict)
    key_lines: dict[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    outline: Outline = field(default_factory=Outline)
    body_line: int = 1
    bold_labels: tuple[str, ...] = ()


def parse(data: bytes, dendron: bool = False) -> Facts:
    """Read one note's bytes into facts. Never raises, whatever the bytes."""
    return parse_all([data], dendron)[0]


def parse_all(contents: Iterable[bytes], dendron: bool = False) -> list[Facts]:
    """Return the facts of each of some notes, whose texts are held together.

    All are read before any is outlined: what either needs then stays in the
    processor's caches, which saves a fifth of the time.
    """
    notes = [read(data) for data in contents]
    outlines = [outline(note, dendron) for note in notes]
    return [_of(note, found) for note, found in zip(notes, outlines, strict=True)]


def _of(note: Note, found: Outline) -> Facts:
    return Facts(
        header=str(note.state),
        frontmatter=note.frontmatter,
        key_lines=dict(note.key_lines),
        problems=note.problems,
        outline=found,
        body_line=note.body_line,
        bold_labels=_bold_labels(note),
    )


def _bold_labels(note: Note) -> tuple[str, ...]:
    body = note.body
    if "**" not in body:
        return ()
    if note.frontmatter.get("type") == "feedback":
        body = visible_text(body)  # of these alone a rule asks
    return tuple(m.strip() for m in _BOLD_LABEL.findall("\n" + body)[:200])


def to_json(facts: Facts) -> str:
    """Return the facts as one JSON text; ``from_json`` gives them back equal."""
    return _spelled(
        [
            facts.header,
            facts.frontmatter,
            facts.key_lines,
            [[p.rule, p.line, p.column, p.message, p.hint] for p in facts.problems],
            outline_to_json(facts.outline),
            facts.body_line,
            facts.bold_labels,
        ]
    )


# Lone surrogates (a byte that was no UTF-8) must survive the store.
# They are read from text, so nothing in them can hold itself.
_spelled = json.JSONEncoder(ensure_ascii=True, check_circular=False, separators=(",", ":")).encode


class Headline(NamedTuple):
    """What a search index needs of facts: reading this much alone is four times as fast."""

    frontmatter: dict[str, Any]
    headings: tuple[str, ...]
    body_line: int


def headline_from_json(text: str) -> Headline:
    """Return a part of what ``from_json`` would."""
    _, frontmatter, _, _, body, body_line, _ = json.loads(text)
    return Headline(frontmatter, headings_from_json(body), body_line)


def from_json(text: str) -> Facts:
    """Return the facts that ``to_json`` wrote."""
    header, frontmatter, key_lines, problems, body, body_line, labels = json.loads(text)
    return Facts(
        header,
        frontmatter,
        key_lines,
        tuple(Problem(*p) for p in problems),
        outline_from_json(body),
        body_line,
        tuple(labels),
    )
