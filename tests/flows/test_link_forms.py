"""However a link to a narrower note, or an unfinished merge, is written, the push is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from repositories import Clone, note

IN_HEADER = {
    "wikilink": '"[[c]]"',
    "markdown": '"[c](c.md)"',
    "markdown in a list": '["a", \'[c](<c.md> "t")\']',
    "markdown in a mapping": '{deep: {er: "see [c](../memory/c.md#part)"}}',
    "escapes": r'"\u005b\u005bc]]"',
    "two lines": '"[\\\n  [c]]"',
    "escaped parenthesis": r'"[c]\x28c.md)"',
    "folded": ">-\n  see [the\n  plan](c.md)",
}
IN_HTML = [
    "<div>[[c]]</div>",
    "<details><summary>x</summary>[the plan](c.md)</details>",
    "<br>\n[[c]]",
    "<!-- a --> [[c]] <!-- b -->",
    "<table>\n  <tr>\n    <td>![[c]]</td>\n  </tr>\n</table>",
]
PLAN = note("c", audience="[board]")


def leaks(clone: Clone, content: bytes) -> None:
    """Assert that the note is refused for its link, and that no other rule says so."""
    clone.commit({"memory/c.md": PLAN, "memory/b.md": content})
    before = (clone.refs(), clone.objects())
    pushed = clone.push()
    assert pushed.refused, pushed.said
    assert "memory/b.md" in pushed.said
    assert "[audience-leak]" in pushed.said
    assert "1 finding" in pushed.said or pushed.said.count("error:") == 1, pushed.said
    assert (clone.refs(), clone.objects()) == before


@pytest.mark.parametrize("form", IN_HEADER)
def test_a_link_in_the_frontmatter_leaks(clone: Clone, form: str) -> None:
    leaks(clone, note("b", audience="[team]", up=IN_HEADER[form]))


@pytest.mark.parametrize("form", IN_HTML)
def test_a_link_in_html_leaks(clone: Clone, form: str) -> None:
    leaks(clone, note("b", form, audience="[team]"))


@pytest.mark.parametrize("field", ["provenance", "supersedes", "contradicts"])
def test_a_markdown_link_is_an_edge(clone: Clone, field: str) -> None:
    fields = {field: '["[s](c.md)"]'}
    leaks(clone, note("b", audience="[team]", **fields))


def test_neighbors_see_what_a_property_links_to(clone: Clone) -> None:
    up = '["[c](c.md)", "[d](d.md)"]'
    clone.commit({"memory/c.md": note("c"), "memory/b.md": note("b", up=up)})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    asked = [sys.executable, "-m", "manent", "neighbors", str(clone.brain), "c", "--json"]
    done = subprocess.run(asked, capture_output=True, check=False, encoding="utf-8")
    assert "memory/b.md" in done.stdout, done.stderr
    asked = [sys.executable, "-m", "manent", "lint", str(clone.brain), "--format", "json"]
    done = subprocess.run(asked, capture_output=True, check=False, encoding="utf-8")
    found = [f for f in json.loads(done.stdout)["findings"] if f["rule"] == "link-unresolved"]
    assert [(f["path"], f["line"]) for f in found] == [("memory/b.md", 5)]
    assert "d.md" in found[0]["message"]


CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"


@pytest.mark.parametrize("before", ["", "> ```\n> x\n\n", "``` no fence `x`\n\n", "```\n"])
def test_an_unfinished_merge_is_refused(clone: Clone, before: str) -> None:
    clone.commit({"memory/b.md": note("b", before + CONFLICT)})
    pushed = clone.push()
    assert pushed.refused, pushed.said
    assert f"memory/b.md:{6 + before.count(chr(10))}:1: error:" in pushed.said
    assert "[encoding]" in pushed.said


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])
def test_no_audience_hides_behind_a_separator(clone: Clone, mark: str) -> None:
    clone.commit({"memory/b.md": note("b", description=f"A note{mark}audience: [public]")})
    pushed = clone.push()
    assert pushed.refused, pushed.said
    assert "memory/b.md:3:" in pushed.said and "[frontmatter-invalid]" in pushed.said
