"""``--fix`` mends once, changes what it names, and keeps every other byte."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st
from random_vaults import found, lay, slowly, vaults

from manent.facts.store import Store
from manent.finding import Severity
from manent.lint.fix import diff, fixed, fixes, write
from manent.note import date, read, tags
from manent.tree import WorkTree
from manent.vault.record import Conventions
from manent.vault.sync import sync
from manent.vault.vault import Vault

VALUES = (
    "2026/3/9",
    "2026-03-09",
    "2026-03-09T08:30:00",
    "2026/3/9 08:30",
    "'2026.03.09'",
    "20260309",
    '"2026/03/09" # when',
    "soon",
    "2026-02-31",
    "a, b",
    "'#a'",
    '["#a", b]',
    "[a, '#b c']",
    "#none",
    "alpha beta",
    "Port map",
    "'it''s'",
    "| \n  text \n  more",
    "[x] # boxes",
    "",
)
KEYS = ("name", "created", "updated", "tags", "tag", "title", "odd key", "audience")
LINES = (
    "text",
    "text ",
    "text  ",
    "text   ",
    "text\t",
    "text \t ",
    "",
    " ",
    "   ",
    "    code ",
    "\tcode ",
    "```",
    "```py ",
    "~~~",
    "````",
    "``` a`b",
    "> ```",
    "> text ",
    "- [ ] ",
    "- ",
    "1. ",
    "# ",
    "|a| ",
    "- item ",
    "  ```",
    "%% ",
    "\u00e9t\u00e9 ",
    "a\rb ",
    "\u2028 ",
    "* * * ",
    "---",
    "- [ ] do ",
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A note with whatever --fix looks at, in one line ending or in several."""
    endings = draw(st.sampled_from((("\n",), ("\r\n",), ("\n", "\r\n"))))
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=4))
    head = [f"{key}: {draw(st.sampled_from(VALUES))}" for key in keys]
    if draw(st.booleans()):
        head.insert(0, "# a comment ")
    lines = ["---", *head, "---"] if draw(st.booleans()) else []
    lines += draw(st.lists(st.sampled_from(LINES), max_size=9))
    text = "".join(
        line.replace("\n", endings[0]) + draw(st.sampled_from(endings)) for line in lines
    )
    return (draw(st.sampled_from(("", "\ufeff"))) + text + draw(st.sampled_from(LINES))).encode()


@given(files())
@example(b"---\ncreated: 2026/3/9 08:30\n---\n")
@example(b"``` a`b\n```\ncode \n```\n")
def test_mending_is_done_once(content: bytes) -> None:
    once = fixed(content, "port-map")
    assert fixed(once, "port-map") == once
    assert fixed(content) == fixed(fixed(content))


@given(files())
def test_nothing_but_what_it_names_is_changed(content: bytes) -> None:
    before, mended = read(content), fixed(content, "port-map")
    after = read(mended)
    if before.problems:
        assert mended == content
        return
    assert [p.rule for p in after.problems] == []
    assert after.state is before.state
    assert [k for k in after.frontmatter if k in before.frontmatter] == list(before.frontmatter)
    assert set(after.frontmatter) - set(before.frontmatter) <= {"name"}
    for key, value in before.frontmatter.items():
        if key in ("created", "updated"):
            assert date(after.frontmatter[key]) == date(value)
            assert after.frontmatter[key] == value or ":" not in str(value)
        elif key == "tags":
            assert set(tags({key: after.frontmatter[key]})) == set(tags({key: value}))
        elif key != "name":
            assert after.frontmatter[key] == value
    assert _bare(after.body) == _bare(before.body)


def _bare(text: str) -> list[str]:
    """The lines without what is loose at their ends."""
    return [re.sub(r"[ \t\r]+\Z", "", line) for line in text.split("\n")]


@given(files())
def test_line_breaks_and_code_are_kept(content: bytes) -> None:
    """Two blanks are a line break; what is fenced or indented is code."""
    before, mended = read(content), fixed(content)
    if before.problems:
        return
    for was, now in zip(
        before.body.replace("\r\n", "\n").split("\n"),
        read(mended).body.replace("\r\n", "\n").split("\n"),
        strict=True,
    ):
        if was.strip() and re.search(r"[^ \t] {2,}\Z", was):
            assert now == was
        if was.startswith(("    ", "\t")) and was.strip():
            assert now == was


@given(files())
def test_one_kind_of_line_ending_is_left(content: bytes) -> None:
    windows, unix = content.count(b"\r\n"), content.count(b"\n") - content.count(b"\r\n")
    mended = fixed(content)
    if read(content).problems or not windows or not unix:
        assert (mended.count(b"\r\n") > 0) == (windows > 0)
    else:
        assert mended.count(b"\r\n") in (0, mended.count(b"\n"))


@slowly
@given(vaults(12), st.booleans())
def test_a_mended_vault_has_no_new_error_and_nothing_left_to_mend(
    content: dict[str, bytes], optional: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lay(root, content)
        vault = Vault(Store(None), Conventions(optional))
        sync(vault, WorkTree(root))
        before = {(f.rule, f.path) for f in found(vault) if f.severity is Severity.ERROR}
        seen = {note.path: note.readers for note in vault.notes()}
        for path, (old, new) in fixes(vault).items():
            write(root, path, old, new)
        sync(vault, WorkTree(root))
        after = {(f.rule, f.path) for f in found(vault) if f.severity is Severity.ERROR}
        assert after <= before
        assert fixes(vault) == {}
        assert {note.path: note.readers for note in vault.notes()} == seen


@given(files())
def test_a_diff_names_every_line_it_changes(content: bytes) -> None:
    mended = fixed(content, "port-map")
    shown = diff("a.md", content, mended)
    assert bool(shown) == (mended != content)
    if shown:
        assert shown.startswith(b"--- a/a.md\n+++ b/a.md\n@@ ")
        assert shown.endswith(b"\n")
