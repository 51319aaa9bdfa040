"""Editing keys: only their lines change, and what cannot be exact is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

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
        ({"tags": ["two", "three"]}, "  - one   # first\n", "  # first\n"),
        ({"tags": ["one", "2", "three"]}, '  - "two"\n', '  - "2"\n'),
        ({"tags": []}, 'tags:\n  - one   # first\n  - "two"\n  - three\n', "tags: []\n  # first\n"),
        ({"tags": None}, 'tags:\n  - one   # first\n  - "two"\n  - three\n', ""),
        ({"tags": "one"}, 'tags:\n  - one   # first\n  - "two"\n  - three\n',
         "tags: one\n  # first\n"),
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


LISTS = [
    ("a:\n  # why\n  - one  # first\n\n  - 'two'\n",
     "a:\n  # why\n  - one  # first\n\n  - 'two'\n  - 'new'\n"),
    ("a:\n- one\n# between\n- two\n  # after\n", "a:\n- one\n# between\n- two\n- new\n  # after\n"),
    ("a:\n  -   one\n  -   two", "a:\n  -   one\n  -   two\n  -   new"),
    ('a: ["one", "two"]  # both\n', 'a: ["one", "two", "new"]  # both\n'),
    ("a: [ 'one','two' ]\n", "a: [ 'one','two','new' ]\n"),
    ("a: [one, two,]\n", "a: [one, two, new,]\n"),
    ("a: [one,\n    two]\n", "a: [one,\n    two,\n    new]\n"),
    ("a: [\n  one,  # first\n  two  # second\n]\n",
     "a: [\n  one,  # first\n  two,  # second\n  new\n]\n"),
    ("a: [\n  one,\n  # then\n  two,  # second\n]  # end\n",
     "a: [\n  one,\n  # then\n  two,  # second\n  new,\n]  # end\n"),
    ("a:\n  - >\n    one\n  - two  # it\n", "a:\n  - >\n    one\n  - two  # it\n  - new\n"),
    ("a:\n  - {k: v, w: [x]}\n  - - nested\n    # deep\n    - list\n",
     "a:\n  - {k: v, w: [x]}\n  - - nested\n    # deep\n    - list\n  - new\n"),
    ("a: one  # alone\n", "a: [one, new]  # alone\n"),
    ("a: 'one'\n  # below\n", "a: ['one', 'new']\n  # below\n"),
    ("a: []  # none\n", "a: [new]  # none\n"),
    ("a: [  # none\n  ]\n", "a: [new  # none\n  ]\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), LISTS)
def test_an_item_is_added_the_way_its_list_is_written(before: str, after: str) -> None:
    for lead, rest in (("", ""), ("z: 1\n# lead\n", "# rest\nb: 2\n")):
        for newline in ("\n", "\r\n"):
            end = "" if before.endswith("\n") else "\n"
            note = f"---\n{lead}{before}{end}{rest}---\nBody.\n".replace("\n", newline)
            wanted = f"---\n{lead}{after}{end}{rest}---\nBody.\n".replace("\n", newline)
            held = read(note.encode()).frontmatter["a"]
            items = held if isinstance(held, list) else [held]
            assert edit(note.encode(), {"a": [*items, "new"]}).decode() == wanted


@pytest.mark.parametrize(
    ("before", "items", "after"),
    [
        ('a: "[[one]]"\n', ["[[one]]", "[[new]]"], 'a: ["[[one]]", "[[new]]"]\n'),
        ("a: [[one]]  # bare\n", ["[[one]]", "[[new]]"], "a: [[[one]], [[new]]]  # bare\n"),
        ("a:\n  - [[one]]\n", ["[[one]]", "[[new]]"], "a:\n  - [[one]]\n  - [[new]]\n"),
        ("a: ['[[one|1]]']\n", ["[[one|1]]", "[[new]]"], "a: ['[[one|1]]', '[[new]]']\n"),
        ("a:  # who\n  # all\n", ["new"], "a: [new]  # who\n  # all\n"),
        ("a:\n  - one # 1\n  - two # 2\n", ["two"], "a:\n  # 1\n  - two # 2\n"),
        ("a:\n  - one # 1\n  # and\n  - two # 2\n", ["x", "z"],
         "a:\n  - x # 1\n  # and\n  - z # 2\n"),
        ("a:\n  - one # 1\n  - two # 2\n", ["x"], "a:\n  - x # 1\n  # 2\n"),
        ("a:\n  # of it\n  - one\n", ["new", "one"], "a:\n  - new\n  # of it\n  - one\n"),
        ("a: [one, 'two', three]\n", ["one", "three"], "a: [one, three]\n"),
        ("a: [one, 'two', three]\n", ["one"], "a: [one]\n"),
        ("a: [one, 'two', three]\n", ["'", "one", "'x'"], 'a: ["\'", one, \'\'\'x\'\'\']\n'),
        ("a: [one, 'two']\n", ["two"], "a: ['two']\n"),
        ("a: [one]\n", ["new", "one"], "a: [new, one]\n"),
        ("a: [\n  one, # 1\n  two,\n  three # 3\n]\n", ["one", "three"],
         "a: [\n  one, # 1\n  three # 3\n]\n"),
        ("a: [\n  one, # 1\n  two # 2\n]\n", ["one"], "a: [\n  one, # 1\n  # 2\n]\n"),
    ],
)  # fmt: skip
def test_what_a_list_keeps_stays_as_it_is_written(
    before: str, items: list[str], after: str
) -> None:
    assert edit(f"---\n{before}---\n".encode(), {"a": items}).decode() == f"---\n{after}---\n"


written_items = st.sampled_from(
    ["one", "'two'", '"three \\u00e9"', '"[[four]]"', "[[five]]", "[[six|6]]", "7", "'it''s'"]
)
remarks = st.sampled_from(["", "", "  # said", " # a, b] - c", "   "])
between = st.sampled_from(["", "", "  # of its own\n", "\n", "  # - not an item, [nor this\n\n"])


@st.composite
def listed(draw: Any) -> str:
    """One key with a list, written in any way, with remarks at any place."""
    items = draw(st.lists(written_items, min_size=1, max_size=5))
    style = draw(st.sampled_from(["block", "flush", "inline", "lines"]))
    if style == "inline":
        gap = draw(st.sampled_from([", ", ",", " , "]))
        return f"a: [{gap.join(items)}{draw(st.sampled_from(['', ',', ' ']))}]{draw(remarks)}\n"
    if style == "lines":
        rows = [f"  {item},{draw(remarks)}\n{draw(between)}" for item in items[:-1]]
        last = f"  {items[-1]}{draw(st.sampled_from(['', ',']))}{draw(remarks)}\n{draw(between)}"
        return f"a: [{draw(remarks)}\n{draw(between)}{''.join(rows)}{last}]{draw(remarks)}\n"
    dash = draw(st.sampled_from(["- ", "-   "]))
    indent = "" if style == "flush" else draw(st.sampled_from(["  ", "    "]))
    rows = [f"{draw(between)}{indent}{dash}{item}{draw(remarks)}\n" for item in items]
    return f"a:{draw(remarks)}\n{''.join(rows)}"


@settings(max_examples=400, deadline=None)
@given(listed(), st.sampled_from(["new", "[[new]]", "a: b", "é, x"]), st.booleans())
def test_adding_an_item_leaves_every_other_byte(text: str, item: str, crlf: bool) -> None:
    note = f"---\n# lead\n{text}# rest\nb: 'x'  # y\n---\nBody.\n"
    data = (note.replace("\n", "\r\n") if crlf else note).encode()
    before = read(data)
    assume(before.state == "valid")
    held = before.frontmatter["a"]
    edited = edit(data, {"a": [*(held if isinstance(held, list) else [held]), item]})
    inside = iter(edited)
    assert all(byte in inside for byte in data), "a byte that stood there is gone"
    marks = len(edited) - len(data)
    assert marks <= len(item.encode()) + 16, "more than one item was written"


@settings(max_examples=400, deadline=None)
@given(listed(), st.lists(st.sampled_from(["one", "two", "new", "[[four]]"]), max_size=4))
def test_whatever_a_list_becomes_its_remarks_stay(text: str, items: list[str]) -> None:
    data = f"---\n{text}b: 1\n---\nBody.\n".encode()
    assume(read(data).state == "valid")
    try:
        edited = edit(data, {"a": items})
    except Refused as refused:
        assert "exactly" in refused.message
        return
    assert read(edited).frontmatter == {"a": items, "b": 1}
    assert edited.count(b"#") == data.count(b"#")
