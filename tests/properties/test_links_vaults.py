"""Two parsers over the public vaults: they agree, or the difference is explained."""

from __future__ import annotations

import io
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from manent.errors import Refused
from manent.links import commonmark, parsing, pulldown, quick
from manent.links.comments import without_comments
from manent.links.heading import headings_of
from manent.links.link import Outline
from manent.links.markdown import outline
from manent.links.place import Places
from manent.links.structure import Structure, blank
from manent.note import Note, edit, read

pytestmark = pytest.mark.slow

EXPLAINED = {
    "column in a table": 2,
    # markdown-it undoes `\\|` in a table's cells, so a link behind one cannot be found
    # again in its line and stands at the cell's beginning. Same link, same line.
}
"""Notes whose outlines differ between the parsers, by reason, of 6,051."""


@pytest.fixture(scope="module")
def notes(data: Path) -> list[tuple[str, Note]]:
    return list(_notes(data / "vaults"))


def _notes(folder: Path) -> Iterator[tuple[str, Note]]:
    for archive in sorted(folder.glob("*.tar.xz")):
        with tarfile.open(archive) as files:
            for member in files:
                if member.isfile() and member.name.lower().endswith(".md"):
                    content = files.extractfile(member) or io.BytesIO()
                    yield f"{archive.name}:{member.name}", read(content.read())


def _by(structure: Callable[[str], Structure], note: Note, patch: pytest.MonkeyPatch) -> Outline:
    patch.setattr(quick, "structure", lambda body: None)
    patch.setattr(parsing, "_parser", lambda: structure)
    return outline(note)


def _reason(one: Outline, other: Outline) -> str:
    def bare(found: Outline) -> list[tuple[object, ...]]:
        return [(k.kind, k.target, k.heading, k.block, k.alias, k.line) for k in found.links]

    rest = (one.headings, one.blocks, one.tags, one.tasks_open, one.tasks_done)
    same = rest == (other.headings, other.blocks, other.tags, other.tasks_open, other.tasks_done)
    return "column in a table" if same and bare(one) == bare(other) else "unexplained"


def test_both_parsers_see_the_same_links_and_headings(
    notes: list[tuple[str, Note]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons: Counter[str] = Counter()
    unexplained = []
    for path, note in notes:
        one = _by(pulldown.structure, note, monkeypatch)
        other = _by(commonmark.structure, note, monkeypatch)
        if one != other:
            reason = _reason(one, other)
            reasons[reason] += 1
            if reason not in EXPLAINED:
                unexplained.append(path)
    assert len(notes) == 6051
    assert unexplained == []
    assert dict(reasons) == EXPLAINED


def test_the_quick_way_sees_what_the_parser_sees(notes: list[tuple[str, Note]]) -> None:
    answered = 0
    for path, note in notes:
        body = without_comments(note.body)
        found = quick.structure(body)
        if found is not None:
            answered += 1
            assert _seen(body, found) == _seen(body, pulldown.structure(body)), path
    assert answered > 4000


def _seen(body: str, found: Structure) -> tuple[object, ...]:
    headings = headings_of(body, found, Places(body, 1))
    return blank(body, found.hidden), headings, sorted(found.links)


def test_what_the_vaults_hold(notes: list[tuple[str, Note]]) -> None:
    """Counts of 2026-11, so that a change of any pattern shows."""
    counts: Counter[str] = Counter()
    for _, note in notes:
        found = outline(note)
        counts["links"] += len(found.links)
        counts["headings"] += len(found.headings)
        counts["blocks"] += len(found.blocks)
        counts["tags"] += len(found.tags)
        counts["tasks"] += found.tasks_open + found.tasks_done
        counts[note.state] += 1
        counts["problems"] += len(note.problems)
    assert counts == COUNTS


COUNTS = {
    "links": 15165,
    "headings": 22477,
    "blocks": 65,
    "tags": 539,
    "tasks": 1193,
    "valid": 5175,
    "absent": 874,
    "invalid": 2,
    "problems": 2,
}


def test_an_edit_keeps_every_other_byte_of_the_vaults(notes: list[tuple[str, Note]]) -> None:
    refused = 0
    for path, note in notes:
        try:
            edited = edit(note.data, {"manent-test": "x"})
        except Refused:
            refused += 1
            continue
        assert edited != note.data, path
        line = b"manent-test: x\r\n" if b"manent-test: x\r\n" in edited else b"manent-test: x\n"
        without = edited.replace(line, b"", 1)
        if note.state == "absent":
            without = without.replace(b"---" + line[14:] + b"---" + line[14:], b"", 1)
        assert without == note.data, path
    assert refused == REFUSED


REFUSED = 4
"""Two headers that are no YAML, one in braces, one indented as a whole."""


def test_speed(notes: list[tuple[str, Note]]) -> None:
    """No less than a tenth of what is measured on a quiet machine, in CPU time."""
    began = time.process_time()
    again = [read(note.data) for _, note in notes]
    reading = time.process_time() - began
    for note in again:
        outline(note)
    outlining = time.process_time() - began - reading
    assert len(notes) / reading > 2000
    assert len(notes) / outlining > 400
