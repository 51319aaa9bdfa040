"""Mend what is safe to mend, and not one byte more.

Dates in another order of separators, a name that should be the file's, mixed
line endings, blanks at line ends that mean nothing, and tags written as text.
Whatever a reader could take as meant is left: two blanks at a line's end are a
line break, code is code, a time of day is more than a date.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manent import late, schema
from manent.errors import EnvironmentFault, ManentError
from manent.links.resolve import fold
from manent.note import edit, read, tags
from manent.vault.ignore import HOME, MEMORY, is_exempt
from manent.vault.record import NoteRecord
from manent.vault.vault import Vault

# A day and no more: a time of day beside it would be lost.
_DAY = late.pattern(r"(?!\d{4}-\d{2}-\d{2}\Z)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{8}", re.ASCII)
_SLUG = late.pattern(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")
# A fence of backticks has none in what follows it: that would be code in a line.
_FENCE = late.bytes_pattern(
    rb"^[ \t>]{0,12}(?:[-*+] |\d{1,9}[.)] )?[ \t>]{0,12}(?:(`{3,})(?![^\n]*`)|(~{3,}))"
)
# Only a marker, and perhaps a box to tick: the blank after it is what makes it one.
_MARKER = late.bytes_pattern(rb"^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?: \[.\])?[ \t]*\r?\n?\Z")
# A single blank or any tab at a line's end; two blanks and more are a line break.
_LOOSE = late.bytes_pattern(rb"(?<![ \t])(?: |[ \t]*\t[ \t]*)(?=\r?\n|\Z)")
_BLANK = late.bytes_pattern(rb"[ \t]+(?=\r?\n|\Z)")

Fixed = dict[str, tuple[bytes, bytes]]
"""Path to (content before, content after)."""


def fixes(vault: Vault) -> Fixed:
    """Return what ``--fix`` would write, by path, for the notes that it would change."""
    assert vault.tree is not None
    found: Fixed = {}
    names = _wanted_names(vault)
    for note in vault.notes():
        before = vault.tree.read(note.path)
        after = fixed(before, names.get(note.id))
        if after != before:
            found[note.path] = (before, after)
    return found


def fixed(content: bytes, name: str | None = None) -> bytes:
    """Return one note's bytes, mended. name: what its name should be, None: leave it.

    Bytes that are no UTF-8, and a header nobody can read, are left as they are.
    """
    if read(content).problems:
        return content
    mended = _without_loose_blanks(_one_line_ending(content))
    for key, value in _header_changes(mended, name).items():
        # One by one: a key that cannot be changed exactly keeps no other from it.
        with contextlib.suppress(ManentError):
            mended = edit(mended, {key: value})
    return mended


def _header_changes(content: bytes, name: str | None) -> dict[str, Any]:
    note = read(content)
    front = note.frontmatter
    changes: dict[str, Any] = {}
    if name is not None and note.state == "valid" and front.get("name") != name:
        changes["name"] = name
    for field in schema.DAYS:
        written = front.get(field)
        day = schema.day_of(written)
        if day is not None and _DAY.fullmatch(_spelled(written)):
            changes[field] = day
    written = front.get("tags")
    if isinstance(written, str):
        wanted: list[Any] = list(tags({"tags": written}))
        if all(tag and "#" not in tag for tag in wanted):
            changes["tags"] = wanted
    elif isinstance(written, list):
        changes["tags"] = _without_marks(written)
    return changes


def _spelled(written: object) -> str:
    """Return a date as the header spells it: eight digits are a number to YAML."""
    is_text = isinstance(written, str | int) and not isinstance(written, bool)
    return str(written).strip() if is_text else ""


def _without_marks(written: list[Any]) -> list[Any]:
    """Return the tags with ``#`` taken off those that bear one; the others as they are."""
    wanted: list[Any] = []
    for tag in written:
        bare = tags({"tags": [tag]}) if isinstance(tag, str) and "#" in tag else ()
        # A sign inside a tag, and a tag of signs alone: nobody can tell what was meant.
        fit = bare and not any("#" in part for part in bare)
        wanted += [part for part in bare if part not in [*written, *wanted]] if fit else [tag]
    return wanted


def _wanted_names(vault: Vault) -> dict[int, str]:
    """Return the names that notes should get, by id.

    A note that gets its own name frees the one it had, perhaps for another note.
    """
    given: dict[int, str] = {}
    waiting = [n for n in vault.notes() if n.name != n.stem or _is_nameless(n, vault)]
    while waiting:
        found = {n.id: w for n in waiting if (w := _wanted_name(n, vault, given)) is not None}
        given |= found
        waiting = [n for n in waiting if found and n.id not in given]
    return given


def _is_nameless(note: NoteRecord, vault: Vault) -> bool:
    return vault.facts(note).frontmatter.get("name") is None


def _wanted_name(note: NoteRecord, vault: Vault, given: dict[int, str]) -> str | None:
    """Return the file's name where the note should bear it and no link would break.

    Where frontmatter is optional a note without a name is in order, and giving
    it one could open it to readers: nothing is added there.
    """
    nameless = _is_nameless(note, vault)
    if is_exempt(note.path) or (nameless and vault.conventions.frontmatter_optional):
        return None
    if note.path in (MEMORY, HOME):
        return note.stem if nameless else None
    if not _SLUG.fullmatch(note.stem) or not _is_free(note, vault, given):
        return None
    if note.name == note.stem:
        return note.stem if nameless else None
    by_name = fold(note.name)
    if any(key_of(vault, edge.source, edge.n) == by_name for edge in vault.edges_to(note.id)):
        return None
    return note.stem


def _is_free(note: NoteRecord, vault: Vault, given: dict[int, str]) -> bool:
    """Tell whether no other note bears this one's file name, as its name or its file's."""
    key = fold(note.stem)
    others = [row for row in vault.lookup(key) if row.id != note.id]
    return all(row.id in given and fold(row.stem) != key for row in others)


def key_of(vault: Vault, source: int, n: int) -> str:
    """Return the folded last component of a link: what it looks its target up by."""
    from manent.links.resolve import last_component

    note = vault.note_by_id(source)
    return "" if note is None else fold(last_component(vault.link(note, n).target))


def _one_line_ending(content: bytes) -> bytes:
    """Make mixed line endings the more frequent kind; one kind alone is left."""
    windows = content.count(b"\r\n")
    unix = content.count(b"\n") - windows
    if not windows or not unix:
        return content
    plain = content.replace(b"\r\n", b"\n")
    return plain.replace(b"\n", b"\r\n") if windows > unix else plain


def _without_loose_blanks(content: bytes) -> bytes:
    head = _header_end(content)
    # A byte-order mark is no part of the first line: it may be code, or a fence.
    body = content.find(b"\n", head) + 1 if head else 3 * content.startswith(b"\xef\xbb\xbf")
    return content[:body] + b"".join(_body_lines(content[body:]))


def _header_end(content: bytes) -> int:
    """Return where the body begins: blanks in a header may belong to a value."""
    note = read(content)
    if note.state == "absent":
        return 0
    at = -1
    for _ in range(note.body_line - 1):
        at = content.find(b"\n", at + 1)
        if at < 0:
            return len(content)
    return at


def _body_lines(body: bytes) -> Iterator[bytes]:
    fence = b""
    for line in body.splitlines(keepends=True) if b"\r" not in body else _lines(body):
        mark = _FENCE.match(line)
        if fence:
            if mark and _closes(fence, mark, line):
                fence = b""
            yield line
        elif mark:
            fence = mark[1] or mark[2]
            yield line
        elif line.startswith((b"    ", b"\t")) or _MARKER.match(line):
            yield line  # it may be code, or a box to tick
        elif not line.strip():
            yield _BLANK.sub(b"", line)
        else:
            yield _LOOSE.sub(b"", line)


def _closes(fence: bytes, mark: re.Match[bytes], line: bytes) -> bool:
    """Tell whether a line of code that looks like a fence ends the block."""
    found = mark[1] or mark[2]
    alone = not line[mark.end() :].strip()
    return alone and found[:1] == fence[:1] and len(found) >= len(fence)


def _lines(body: bytes) -> Iterator[bytes]:
    """Split after each newline alone: a lone carriage return is text."""
    start = 0
    while (at := body.find(b"\n", start)) >= 0:
        yield body[start : at + 1]
        start = at + 1
    if start < len(body):
        yield body[start:]


def diff(path: str, before: bytes, after: bytes) -> bytes:
    """Return the change as a unified diff that ``git apply`` takes."""
    name = path.encode("utf-8", "surrogateescape")
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        list(_lines(before)),
        list(_lines(after)),
        b"a/" + name,
        b"b/" + name,
    )
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        for line in lines
    )


def write(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Replace a file by its mended content, at once or not at all.

    Raises EnvironmentFault when the file is no longer what was read.
    """
    place = root / path
    try:
        if place.is_symlink() or place.read_bytes() != before:
            raise EnvironmentFault(f"{path} was changed meanwhile", "run the command again")
        descriptor, name = tempfile.mkstemp(prefix=".manent-", dir=place.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(after)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(place.stat().st_mode & 0o7777)
            Path(name).replace(place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise EnvironmentFault(f"cannot write {path}: {error.strerror}") from error
