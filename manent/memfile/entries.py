"""Episodic memory as entries: an on-demand file kept as JSON, one object an entry.

An entry is a dated bullet with the lines that continue it, verbatim, so that the
Markdown the file stands for is the joined text of heading, preamble and entries.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from manent import late
from manent.errors import EnvironmentFault
from manent.memfile.document import split_lines

_VERSION = 1
_DATED = late.pattern(
    r"[ ]{0,3}[-*+][ \t]+(?:\[[ xX]\][ \t]+)?[*_`\[(]{0,3}([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])"
)
_HEADING = late.pattern(r"[ ]{0,3}\#{1,6}(?:\s|$)")


class Entry(NamedTuple):
    """What happened once. lines: in the Markdown it stands in, from 1, inclusive."""

    date: str
    text: str
    lines: tuple[int, int]


class Log(NamedTuple):
    """An episodic text, taken apart; joined in order it is the text."""

    heading: str
    preamble: str
    entries: tuple[Entry, ...]


def is_json(path: str) -> bool:
    """Whether an on-demand file is kept as entries."""
    return path.endswith(".json")


def parts(text: str) -> Log:
    """Take an episodic text apart; without dated bullets it is all preamble."""
    lines = split_lines(text)
    head = 1 if lines and _HEADING.match(lines[0].removeprefix("\ufeff")) else 0
    starts = [n for n, line in enumerate(lines) if _DATED.match(line)]
    first = starts[0] if starts else len(lines)
    entries = tuple(
        _entry(lines, start, end)
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=False)
    )
    return Log("".join(lines[:head]), "".join(lines[head:first]), entries)


def _entry(lines: Sequence[str], start: int, end: int) -> Entry:
    found = _DATED.match(lines[start])
    assert found is not None
    return Entry(found[1], "".join(lines[start:end]), (start + 1, end))


def to_json(text: str) -> bytes:
    """Return the file that stands for an episodic text."""
    log = parts(text)
    document = {
        "version": _VERSION,
        "heading": log.heading,
        "preamble": log.preamble,
        "entries": [{"date": entry.date, "text": entry.text} for entry in log.entries],
    }
    written = json.dumps(document, ensure_ascii=False, indent=1)
    return (_SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", written) + "\n").encode()


_SURROGATE = late.pattern("[\ud800-\udfff]")


def from_json(data: bytes, where: str) -> str:
    """Return the Markdown a file of entries stands for.

    An entry somebody added without a line end gets one, unless it is the last.
    Raises EnvironmentFault when it is no such file.
    """
    try:
        document = json.loads(data)
        texts = [entry["text"] for entry in document["entries"]]
        pieces: list[Any] = [document["heading"], document["preamble"], *texts]
        if not all(isinstance(piece, str) for piece in pieces):
            raise TypeError
        text = "".join(_ended(piece) for piece in pieces[:-1]) + pieces[-1]
        text.encode("utf-8", "surrogateescape")
    except (ValueError, KeyError, TypeError, RecursionError):
        hint = "bring it back from history, or from `original/`"
        raise EnvironmentFault(f"{where} is no file of entries", hint) from None
    return str(text)


def _ended(piece: str) -> str:
    return piece if not piece or piece.endswith(("\n", "\r")) else piece + "\n"
