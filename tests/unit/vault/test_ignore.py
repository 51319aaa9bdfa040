"""Which files are notes, and what the ignore file covers."""

from __future__ import annotations

import pytest

from manent.links.resolve import stem_of
from manent.vault.ignore import (
    UNREADABLE,
    Ignore,
    idle_lines,
    is_exempt,
    is_note_path,
    parse,
    quarantine_of,
    text_of,
)

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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_an_ignore_file_hides_what_it_names_in_any_marked_encoding(encoding: str) -> None:
    read = parse(text_of("attic\r\ncittà\r\n".encode(encoding)))
    assert read.prefixes == ("attic", "città") and not read.everything
    big = parse(text_of(b"\xfe\xff" + "attic\n".encode("utf-16-be")))
    assert big.prefixes == ("attic",)


@pytest.mark.parametrize(
    "content",
    [
        "attic\n".encode("utf-16-le"),
        "città\n".encode("latin-1"),
        b"attic\0\n",
        b"\xff\xfea",
        b"\xff\xfe\x00\x00a",
        b"\0",
    ],
)
def test_an_ignore_file_that_nobody_can_read_hides_everything(content: bytes) -> None:
    assert text_of(content) == UNREADABLE
    read = parse(text_of(content))
    assert read.everything and read.covers("a.md") and not is_note_path("a.md", read)


def test_lines_that_hide_nothing_are_numbered() -> None:
    assert idle_lines("# c\n/\nattic\n\n../x\ntemplates:\ntemplates: t\n") == [2, 5, 6]
    assert idle_lines("") == idle_lines(UNREADABLE) == []
