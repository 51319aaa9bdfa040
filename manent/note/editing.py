"""Changing keys of a header by changing their lines, and no other byte.

An edit is computed on the text, then read back: unless exactly the named keys
changed and every other key, the order and the body stayed as they were, it is
refused. So an edit never needs to understand all of YAML, only to notice when
it did not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manent.errors import Refused
from manent.note import fence, items, writing
from manent.note.reading import Header, Note, read


def edit(data: bytes, changes: Mapping[str, Any | None]) -> bytes:
    """Return the note with these top-level keys set, or removed where None.

    Every other byte is kept: comments, order, quoting, line endings, byte-order
    mark. A note without a header gets one; without changes the bytes come back.
    Raises Refused when the header is invalid, the file is not UTF-8, a value has
    no YAML, or the edit cannot be made exactly.
    """
    note = read(data)
    changes = {
        key: value
        for key, value in changes.items()
        if (key in note.frontmatter if value is None else not _same(note, key, value))
    }
    if not changes:
        return data
    _check(note)
    try:
        text = _edited(note, changes)
        edited = text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("the value cannot be written as YAML", "use text, numbers, lists") from error
    _verify(note, read(edited), changes)
    return edited


def _same(note: Note, key: str, value: Any) -> bool:
    return key in note.frontmatter and _equal(note.frontmatter[key], value)


def _equal(one: Any, other: Any) -> bool:
    """Equality that tells True from 1 and 1 from 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(_equal(one[key], other[key]) for key in one)
    return bool(one == other)


def _check(note: Note) -> None:
    if note.state is Header.INVALID:
        found = next(p for p in note.problems if p.rule == "frontmatter-invalid")
        raise Refused(f"line {found.line}: {found.message}", f"repair it first: {found.hint}")
    if note.text.encode("utf-8") != note.data:
        raise Refused("the note is not UTF-8", "save the file as UTF-8 first")


def _verify(before: Note, after: Note, changes: Mapping[str, Any | None]) -> None:
    expected = {
        key: changes.get(key, value)
        for key, value in before.frontmatter.items()
        if not (key in changes and changes[key] is None)
    }
    expected.update((key, value) for key, value in changes.items() if value is not None)
    exact = (
        after.state is Header.VALID
        and _equal(after.frontmatter, expected)
        and after.body == before.body
        and [p.message for p in after.problems] == [p.message for p in before.problems]
    )
    if not exact:
        raise Refused("the header cannot be changed exactly", "edit the file by hand")


def _edited(note: Note, changes: Mapping[str, Any | None]) -> str:
    text = note.text
    fences = fence.split(text)
    newline = _newline(text)
    if not fences.found:
        lines = [
            line
            for key, value in changes.items()
            if value is not None
            for line in writing.lines(key, value)
        ]
        header = newline.join(["---", *lines, "---", ""])
        return text[: fences.body] + header + text[fences.body :]
    lines = _split_lines(text[fences.header : fences.closing])
    for key in sorted(note.key_lines, key=lambda k: -note.key_lines[k]):
        if key in changes:
            first = note.key_lines[key] - 2
            last = _end_of(lines, first, note, key)
            lines[first:last] = _replaced(
                lines[first:last], key, note.frontmatter[key], changes[key], newline
            )
    for key, value in changes.items():
        if key not in note.frontmatter and value is not None:
            lines += [line + newline for line in writing.lines(key, value)]
    return text[: fences.header] + "".join(lines) + text[fences.closing :]


def _newline(text: str) -> str:
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _split_lines(header: str) -> list[str]:
    """Return the lines, endings kept; only LF ends a line, as YAML's line numbers count."""
    lines = header.split("\n")
    whole = [line + "\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _end_of(lines: list[str], first: int, note: Note, key: str) -> int:
    """Return the line after the last one that belongs to the key on line ``first``.

    Blank lines and comments before the next key belong to that key.
    """
    following = [line - 2 for line in note.key_lines.values() if line - 2 > first]
    last = min(following, default=len(lines))
    while last > first + 1 and (not lines[last - 1].strip() or lines[last - 1][0] == "#"):
        last -= 1
    return last


def _replaced(lines: list[str], key: str, old: Any, new: Any, newline: str) -> list[str]:
    """Return the new lines of a key, written the way the old ones were. Raises Refused."""
    if new is None:
        return []
    text = "".join(lines)
    for changed in items.rewritten(text, key, old, new, newline):
        if items.says(changed, key, new):
            return [changed]
    if "#" in text:
        # Written anew it would lose a comment, or what looks like one.
        raise Refused(f"{key} cannot be changed exactly", "edit the file by hand")
    ending = newline if text.endswith("\n") else ""
    return [newline.join(writing.lines(key, new)) + ending]
