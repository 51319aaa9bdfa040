"""Editing keys: only their lines change, and what cannot be exact is refused."""

from __future__ import annotations

from typing import Any

import pytest

from manent.errors import Refused
from manent.note import edit, read

NOTE = """---
# who may read
audience: [tech]   # widen with care
name: 'warm-cache'
title: "A \\"note\\" # not a remark" # a remark

tags:
  - one   # first
  - "two"
  - three
# about the text
description: >
  folded
  text
created: 2026-03-09
empty:
---
Body.
---
after a rule
"""


def changed(changes: dict[str, Any], note: str = NOTE) -> list[tuple[str, str]]:
    """Return the lines that differ, as (before, after), runs of lines joined."""
    import difflib

    before, after = note.splitlines(True), edit(note.encode(), changes).decode().splitlines(True)
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        ("".join(before[a:b]), "".join(after[c:d])) for kind, a, b, c, d in codes if kind != "equal"
    ]


@pytest.mark.parametrize(
    ("changes", "before", "after"),
    [
        ({"audience": ["tech", "ops"]}, "audience: [tech]   # widen with care\n",
         "audience: [tech, ops]   # widen with care\n"),
        ({"name": "hot-cache"}, "name: 'warm-cache'\n", "name: 'hot-cache'\n"),
        ({"name": "it's"}, "name: 'warm-cache'\n", "name: 'it''s'\n"),
        ({"name": None}, "name: 'warm-cache'\n", ""),
        ({"title": "B"}, 'title: "A \\"note\\" # not a remark" # a remark\n',
         'title: "B" # a remark\n'),
        ({"tags": ["one", "two", "three", "four"]}, "", "  - four\n"),
        ({"tags": ["two", "three"]}, "  - one   # first\n", ""),
        ({"tags": ["one", "2", "three"]}, '  - "two"\n', '  - "2"\n'),
        ({"tags": []}, 'tags:\n  - one   # first\n  - "two"\n  - three\n', "tags: []\n"),
        ({"tags": None}, 'tags:\n  - one   # first\n  - "two"\n  - three\n', ""),
        ({"tags": "one"}, 'tags:\n  - one   # first\n  - "two"\n  - three\n', "tags: one\n"),
        ({"description": "plain: text"}, "description: >\n  folded\n  text\n",
         'description: "plain: text"\n'),
        ({"created": "2026-03-10"}, "created: 2026-03-09\n", "created: 2026-03-10\n"),
        ({"empty": "full"}, "empty:\n", "empty: full\n"),
        ({"status": "archived"}, "", "status: archived\n"),
        ({"odd key": "no"}, "", '"odd key": "no"\n'),
        ({"confidence": 3, "nested": {"a": [1, True, None]}}, "",
         'confidence: 3\nnested: {"a": [1, true, null]}\n'),
    ],
)  # fmt: skip
def test_one_key(changes: dict[str, Any], before: str, after: str) -> None:
    assert changed(changes) == [(before, after)]


def test_crlf_and_mark_are_kept() -> None:
    data = b"\xef\xbb\xbf" + NOTE.replace("\n", "\r\n").encode()
    edited = edit(data, {"name": "x", "status": "active", "tags": ["one", "four"]})
    assert edited.startswith(b"\xef\xbb\xbf---\r\n")
    assert edited.count(b"\n") == edited.count(b"\r\n")
    assert read(edited).body == read(data).body


@pytest.mark.parametrize(
    ("data", "after"),
    [
        (b"Body.\n", b"---\nname: x\n---\nBody.\n"),
        (b"", b"---\nname: x\n---\n"),
        (b"A\r\nB\r\n", b"---\r\nname: x\r\n---\r\nA\r\nB\r\n"),
        (b"\xef\xbb\xbfBody.", b"\xef\xbb\xbf---\nname: x\n---\nBody."),
        (b"---\n\nA rule first.\n", b"---\nname: x\n---\n---\n\nA rule first.\n"),
        (b"---\n---\nBody.\n", b"---\nname: x\n---\nBody.\n"),
    ],
)
def test_header_is_made_where_there_is_none(data: bytes, after: bytes) -> None:
    assert edit(data, {"name": "x", "gone": None}) == after


@pytest.mark.parametrize("changes", [{}, {"name": "warm-cache"}, {"absent": None}, {"empty": None}])
def test_nothing_to_change_changes_nothing(changes: dict[str, Any]) -> None:
    data = NOTE.encode()
    if changes == {"empty": None}:
        assert b"empty" not in edit(data, changes)  # present with no value: None removes it
    else:
        assert edit(data, changes) == data


@pytest.mark.parametrize(
    "data",
    [
        b"---\na: [1\n---\nBody.\n",
        b"---\na: 1\na: 2\n---\nBody.\n",
        b"---\na: 1\nnever closed\n",
        b"---\na: 1\n---\nCaf\xe9\n",
        b"---\n{a: 1, b: 2}\n---\n",
        "---\na: 1\n---\n".encode("utf-16"),
    ],
)
def test_what_cannot_be_exact_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as refused:
        edit(data, {"a": 3, "c": "x"})
    assert refused.value.hint


@pytest.mark.parametrize(
    "value", [object(), b"x", float("nan"), float("inf"), {1: 2}, (1,), "\ud800"]
)
def test_values_without_yaml_are_refused(value: Any) -> None:
    with pytest.raises(Refused):
        edit(NOTE.encode(), {"a": value})


def test_edit_of_a_list_inside_a_list_is_exact() -> None:
    note = "---\na:\n- [x, y]\n- z\nb: 1\n---\n"
    edited = edit(note.encode(), {"a": [["x", "y"], "w"]}).decode()
    assert edited == "---\na:\n- [x, y]\n- w\nb: 1\n---\n"


@pytest.mark.parametrize("word", ["yes", "No", "null", "1", "1.5", "012", "- x", "a: b", "a #b", "",
    " x", "#x", "@x", "é", "日本", "a\nb", "a\tb", "\u2028", "~", "[[Note]]", "{x}", "'", '"', "\\",
    "2026-03-09", "1:30", "0x1f", "=", "<<", "...", "---", "true",
    "\x07", "\u00a0", "\ufeff", "\U0001f600"])  # fmt: skip
def test_text_comes_back_as_it_was_set(word: str) -> None:
    for value in (word, [word, "x"], {"k": word}):
        for note in (NOTE, "Body.\n"):
            for key in ("name", "title", "fresh", "tags"):
                edited = read(edit(note.encode(), {key: value}))
                assert edited.frontmatter[key] == value
