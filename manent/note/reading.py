"""Bytes to a Note: never an exception, whatever the bytes."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any

from manent import late
from manent.note import fence, strict
from manent.values import dataclass


class Header(enum.StrEnum):
    """What became of a note's frontmatter block."""

    ABSENT = "absent"
    VALID = "valid"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the reader could not take as it stands.

    rule: ``frontmatter-invalid`` or ``encoding``. line, column: in the file, from 1.
    The message never repeats values of the note.
    """

    rule: str
    line: int
    column: int
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Note:
    """A note as read. An unreadable header gives ``{}`` and a problem, the body intact.

    data: the bytes of the file. text: all of it, decoded; a byte-order mark is
    kept in it, bytes that are no UTF-8 stand as U+FFFD.
    frontmatter: plain JSON-able data; dates are the text that was written.
    body: what follows the header, its line endings kept; body_line: the line of
    the file it begins on. key_lines: the line of each top-level key.
    """

    data: bytes
    text: str
    frontmatter: dict[str, Any]
    state: Header
    body: str
    body_line: int
    problems: tuple[Problem, ...]
    key_lines: Mapping[str, int]


def read(data: bytes) -> Note:
    """Return the note these bytes are. Never raises; time is linear in their number."""
    problems: list[Problem] = []
    whole = True
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        whole = False
        text = data.decode("utf-8", "replace")
        problems.append(_undecodable(data, error.start))
    if "\0" in text:
        problems.append(_at(text, text.index("\0"), "a NUL character", "remove it: notes are text"))
    if "<<<<<<<" in text:
        problems.extend(_conflict(text))
    fences = fence.split(text)
    state, loaded, fault = _header(text, fences, whole)
    if fault:
        problems.append(fault)
    body_line = text.count("\n", 0, fences.body) + 1
    lines = {key: line + 2 for key, line in loaded.lines.items()}
    body = text[fences.body :]
    return Note(data, text, loaded.data, state, body, body_line, tuple(problems), lines)


_NOTHING = strict.Loaded({}, {})


def _header(
    text: str, fences: fence.Fences, whole: bool
) -> tuple[Header, strict.Loaded, Problem | None]:
    """whole: every byte could be decoded."""
    if not fences.found:
        if not fences.open:
            return Header.ABSENT, _NOTHING, None
        hint = "add a line --- after the last key, or remove the first line"
        message = "the header has no closing ---"
        return Header.INVALID, _NOTHING, Problem("frontmatter-invalid", 1, 1, message, hint)
    header = text[fences.header : fences.closing]
    if not whole and "\ufffd" in header:
        line = header.count("\n", 0, header.index("\ufffd")) + 2
        message = "the header holds characters that could not be decoded"
        return Header.INVALID, _NOTHING, _invalid(line, 1, message, "save the file as UTF-8")
    try:
        return Header.VALID, strict.load(header), None
    except strict.Fault as fault:
        problem = _invalid(fault.line + 2, fault.column + 1, fault.message, fault.hint)
        return Header.INVALID, _NOTHING, problem


def _invalid(line: int, column: int, message: str, hint: str) -> Problem:
    return Problem("frontmatter-invalid", line, column, message, hint)


def _undecodable(data: bytes, at: int) -> Problem:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Problem("encoding", 1, 1, "UTF-16, not UTF-8", "save the file as UTF-8")
    line = data.count(b"\n", 0, at) + 1
    before = data[data.rfind(b"\n", 0, at) + 1 : at]
    column = len(before.decode("utf-8", "replace")) + 1
    return Problem("encoding", line, column, "a byte that is not UTF-8", "save the file as UTF-8")


def _at(text: str, offset: int, message: str, hint: str) -> Problem:
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return Problem("encoding", line, column, message, hint)


_CONFLICT = late.pattern(r"^\ufeff?(?:<{7}|={7}(?=\r?$)|>{7})(?= |\r?$)", re.MULTILINE)


def _conflict(text: str) -> list[Problem]:
    """Report the first git conflict: its three marks at the beginning of lines, in order.

    Where they stand does not matter: a merge knows nothing of Markdown, and what looks
    like the fence of an example may be one of the lines in dispute.
    """
    begun: int | None = None
    halved = False
    for found in _CONFLICT.finditer(text):
        sign = found[0][-1]
        if sign == "<":
            begun, halved = found.end() - 7, False
        elif sign == "=":
            halved = begun is not None
        elif halved and begun is not None:
            hint = "finish the merge, then commit; in an example, indent the marks"
            return [_at(text, begun, "a git conflict marker", hint)]
    return []
