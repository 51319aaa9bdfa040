"""Which files are notes, and what the ignore file covers."""

from __future__ import annotations

import pytest

from manent.links.resolve import stem_of
from manent.vault.ignore import Ignore, is_exempt, is_note_path, parse, quarantine_of

TEXT = """\ufeff# a comment
attic
   ./projects/old/
/rooted
deep//er/./x
templates: templates
templates:odd place
with blank

/
..
a/../b
templates:
  # another
"""


def test_an_ignore_file_is_read_line_by_line() -> None:
    read = parse(TEXT)
    assert read.prefixes == ("attic", "projects/old", "rooted", "deep/er/x", "with blank")
    assert read.templates == ("templates", "odd place")
    assert parse(TEXT.replace("\n", "\r\n")) == read == parse(TEXT.replace("\n", "\r"))
    assert parse("") == Ignore()


def test_only_line_ends_end_a_line() -> None:
    assert parse("a\u2028b\nc\x0cd\n").prefixes == ("a\u2028b", "c\x0cd")


@pytest.mark.parametrize(
    ("path", "covered"),
    [
        ("attic", True),
        ("attic/x.md", True),
        ("attics/x.md", False),
        ("attic.md", False),
        ("Attic/x.md", False),
        ("a/attic/x.md", False),
        ("templates/x.md", True),
        ("projects/old", True),
        ("projects/older.md", False),
    ],
)
def test_whole_components_are_compared_to_the_letter(path: str, covered: bool) -> None:
    assert parse(TEXT).covers(path) == covered


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("a.md", True),
        ("a.MD", True),
        ("a/b/c.Md", True),
        (".md", False),
        ("a/.md", False),
        ("a.markdown", False),
        ("a.md/b.txt", False),
        (".hidden.md", True),
        ("a/.hidden.md", True),
        (".obsidian/a.md", False),
        ("a/.trash/b.md", False),
        ("a/..b/c.md", False),
        ("a/b..c/d.md", True),
        ("a/SeCrEtS/b.md", False),
        ("secrets.md", True),
        ("mysecrets/b.md", True),
        ("attic/a.md", False),
        ("templates/a.md", False),
        ("caf\udce9.md", True),
        ("", False),
    ],
)
def test_what_is_a_note(path: str, note: bool) -> None:
    assert is_note_path(path, parse("attic\ntemplates: templates")) == note


def test_root_files_need_no_frontmatter() -> None:
    for name in (
        "README.md",
        "readme.md",
        "Contributing.MD",
        "CLAUDE.md",
        "AGENTS.md",
        "GEMINI.md",
    ):
        assert is_exempt(name)
        assert not is_exempt(f"docs/{name}")
    assert not is_exempt("MEMORY.md") and not is_exempt("README2.md")


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("a.md", None),
        ("quarantine.md", None),
        ("quarantine/a.md", ""),
        ("quarantine/tide/a.md", "quarantine/tide"),
        ("quarantine/tide/deep/a.md", "quarantine/tide"),
        ("x/quarantine/tide/a.md", None),
    ],
)
def test_each_agent_has_a_room_in_quarantine(path: str, room: str | None) -> None:
    assert quarantine_of(path) == room


def test_a_stem_is_the_file_name_without_its_ending() -> None:
    assert [stem_of(p) for p in ("a/b.md", "b.MD", "v1.2.md", "x.txt")] == [
        "b",
        "b",
        "v1.2",
        "x.txt",
    ]
