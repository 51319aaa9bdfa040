"""What a note links to, and what in it can be linked to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from manent.links import commonmark, parsing, pulldown, quick
from manent.links.link import Heading, Link, LinkKind, Outline
from manent.links.markdown import outline
from manent.links.structure import Structure
from manent.note import read


@pytest.fixture(params=["quick", "pulldown", "commonmark"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run every test by each way to a structure; what `quick` leaves, pyromark answers."""
    parsers: dict[str, Callable[[str], Structure]] = {
        "quick": pulldown.structure,
        "pulldown": pulldown.structure,
        "commonmark": commonmark.structure,
    }
    if request.param != "quick":
        monkeypatch.setattr(quick, "structure", lambda body: None)
    monkeypatch.setattr(parsing, "_parser", lambda: parsers[request.param])
    return str(request.param)


def of(text: str, dendron: bool = False) -> Outline:
    return outline(read(text.encode()), dendron)


def targets(text: str) -> list[str]:
    return [link.target for link in of(text).links]


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[A]]", Link(LinkKind.WIKILINK, "A", line=1, column=1)),
        ("![[A]]", Link(LinkKind.EMBED, "A", line=1, column=1)),
        (r"\![[A]]", Link(LinkKind.WIKILINK, "A", line=1, column=3)),
        ("è [[ A b .md | c ]]", Link(LinkKind.WIKILINK, "A b .md", alias="c", line=1, column=3)),
        ("[[A#B#C|d]]", Link(LinkKind.WIKILINK, "A", "B#C", alias="d", line=1, column=1)),
        ("[[A#^b-1]]", Link(LinkKind.WIKILINK, "A", block="b-1", line=1, column=1)),
        ("[[A^b-1]]", Link(LinkKind.WIKILINK, "A", block="b-1", line=1, column=1)),
        ("[[A#B#^b-1]]", Link(LinkKind.WIKILINK, "A", "B", "b-1", line=1, column=1)),
        ("[[#B]]", Link(LinkKind.WIKILINK, "", "B", line=1, column=1)),
        ("[[#^b]]", Link(LinkKind.WIKILINK, "", block="b", line=1, column=1)),
        ("[[A|see [1]]]", Link(LinkKind.WIKILINK, "A", alias="see [1]", line=1, column=1)),
        (r"[[A\|b]]", Link(LinkKind.WIKILINK, "A", alias="b", line=1, column=1)),
        ("[[[A]]]", Link(LinkKind.WIKILINK, "A", line=1, column=2)),
        ("😀[[A]]", Link(LinkKind.WIKILINK, "A", line=1, column=2)),
        ("[x](A.md)", Link(LinkKind.MARKDOWN, "A.md", line=1, column=1)),
        ("[x](<A b.md> 'title')", Link(LinkKind.MARKDOWN, "A b.md", line=1, column=1)),
        ("[x](../A%20b.md#C%20d)", Link(LinkKind.MARKDOWN, "../A b.md", "C d", line=1, column=1)),
        ("[x](A.md#^b)", Link(LinkKind.MARKDOWN, "A.md", block="b", line=1, column=1)),
        ("![x](a.png)", Link(LinkKind.EMBED, "a.png", line=1, column=1)),
        ("![[a.png|100]]", Link(LinkKind.EMBED, "a.png", alias="100", line=1, column=1)),
        ("[x][r]\n\n[r]: A.md", Link(LinkKind.MARKDOWN, "A.md", line=1, column=1)),
        ("[a b]([[Atlas]])", Link(LinkKind.WIKILINK, "Atlas", alias="a b", line=1, column=7)),
        ("[a b]([[At las]])", Link(LinkKind.WIKILINK, "At las", alias="a b", line=1, column=7)),
        ("[[A]](http://x.org)", Link(LinkKind.WIKILINK, "A", line=1, column=1)),
        ("# é [[A]]", Link(LinkKind.WIKILINK, "A", line=1, column=5)),
        ("> - [[A]]", Link(LinkKind.WIKILINK, "A", line=1, column=5)),
        ("[^1]\n\n[^1]: see [[A]]", Link(LinkKind.WIKILINK, "A", line=3, column=11)),
        ("[[A]]\n\n[A]: a.md 'made by an editor'", Link(LinkKind.WIKILINK, "A", line=1, column=1)),
    ],
)  # fmt: skip
def test_one_link(text: str, link: Link) -> None:
    assert of(text).links == (link,)


@pytest.mark.parametrize(
    "text",
    [
        "`[[A]]`", "``a ` [[A]]``", "    [[A]]", "\t[[A]]", "```\n[[A]]\n```", "~~~\n[[A]]\n~~~",
        "```\n[[A]]", "> ```\n> [[A]]\n> ```", "- x\n  ```\n  [[A]]\n  ```", "1. x\n\n       [[A]]",
        "> [!tip] x\n> ~~~\n> [[A]]", "````\n```\n[[A]]\n```\n````",
        "%%[[A]]%%", "%%\n[[A]]\n\n[[B]]\n%%", "%%\n[[A]]\n", "- %%\n  [[A]]", "a %%b\n[[A]] c%% d",
        "<!-- [[A]] -->", "x <!-- [[A]] --> y", "<!--\n[[A]]\n\n[[B]]\n-->", "<!-- [[A]]",
        '<a href="[[A]]">x</a>', "<div>\n<!-- [[A]] -->\n</div>", "<div>`[[A]]`</div>",
        '<div title="[[A]]">\n<p data-x=\'[x](y.md)\'>\n</div>', "<div>\n$[[A]]$\n</div>",
        "<pre>\n[[A]]\n</pre>", "<div><pre>[x](y.md)</pre></div>", "<script>\n[[A]]\n\n[[B]]",
        "<STYLE>[[A]]</STYLE>", "<div>\n%% [[A]] %%\n</div>", "<div>\n\\[[A]]\n</div>",
        "<!-- a -->`[[A]]`", "<div>[x](https://a.org)</div>", "<?php [[A]] ?>",
        "$[[A]]$", "$$\n[[A]]\n$$",
        r"\[[A]]", r"\[\[A\]\]", r"[\[A]]", r"\\\[[A]]",
        "[[]]", "[[ ]]", "[[#]]", "[[|x]]", "[[A\nB]]", "[A]", "[ ] A", "[[A]", "[[A`]]`",
        "[x](http://a.org/b.md)", "[x](mailto:a@example.org)", "[x](//a.org/b)", "[x](obsidian://a)",
        "[x](folder/)", "[x]()", "[x](<>)", "<http://a.org/b.md>", "http://a.org/[[A",
        "[[https://a.org]]",
        "![x](https://a.org/x.png)", "[x](data:text/plain,a)", "`[x](A.md)`", "[^1]: A.md",
        "[r]: A.md",
    ],
)  # fmt: skip
def test_no_link(text: str) -> None:
    assert of(text).links == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\n[[A]]\n```\n[[B]]", ["B"]),
        ("`[[A]]` [[B]] `", ["B"]),
        ("a ` b\n\n[[A]] ` c", ["A"]),
        ("> ```\n> [[A]]\n\n[[B]]", ["B"]),
        ("%%[[A]]%% [[B]] %%[[C]]%%", ["B"]),
        ("100%% sure of [[A]]", ["A"]),
        ("`%%` [[A]] `%%`", ["A"]),
        ("```\n%%\n```\n[[A]]\n```\n%%\n```", ["A"]),
        ("%%\n```\n%%\n[[A]]", ["A"]),
        ("%%`%% [[A]] `", ["A"]),
        ("<!-- %% --> [[x]]\n\n[[A]] %%", ["x", "A"]),
        ("> ```\n> x\n\n%%\n[[n1]]\n%%\n[[A]]", ["A"]),
        ("- ```\n  x\n\nout\n\n%%\n[[n6]]\n%%\n[[A]]", ["A"]),
        ("1. ~~~\n   x %%\n\nout [[A]]\n\n%%\n[[n]]\n%%", ["A"]),
        ("    code %%\n\nout [[A]] %% [[B]]", ["A", "B"]),
        ("    %%\n\n%%\n[[n39]]\n%%\n[[A]]", ["A"]),
        ("- a\n\n      %%\n\n  %% [[n]] %% [[A]]", ["A"]),
        ("- a\n\n    %%\n    [[n]]\n    %%\n\n[[A]]", ["A"]),
        ("%%\n```\n%%\n[[A]]\n%%\n[[n]]\n%%\n```\n[[c]] %%\n```\n[[B]] %% [[n]] %%", ["A", "B"]),
        ("\\%% [[A]] %%[[n]]%%", ["A"]),
        ("<div>\n%% [[n]] %% [[A]]\n</div>", ["A"]),
        ("a %% `b %% [[A]] ` %% [[n]] %%", ["A"]),
        ("<div>[[A]]</div>", ["A"]),
        ("<div>\n[[A]]\n</div>", ["A"]),
        ("<details><summary>x</summary>[[A]]</details>", ["A"]),
        ("<br>\n[[A]]", ["A"]),
        ("<b>\n[x](A.md)\n</b>", ["A.md"]),
        ("<!-- a --> [[A]] <!-- b [[B]] -->", ["A"]),
        ("<!-- a\n\nb --> [[A]]", ["A"]),
        (
            "<table>\n  <tr>\n    <td>[[A]]</td>\n    <td>![[B]] [c](<C d.md>)</td>\n",
            ["A", "B", "C d.md"],
        ),
        ("> <div>\n> é [[A]]\n> </div>\n\n- <p>\n  [[B]]\n  </p>", ["A", "B"]),
        ("<div>`[[A]]` [[B]]\n\n<p>` [[C]]</p>", ["B", "C"]),
        ("a ` b\n<div>[[A]] ` </div>", ["A"]),
        ("<div>\n```\n</div>\n\n<div>[[A]]</div>", ["A"]),
        ('<a title="<!--">\n[[A]]</a>', ["A"]),
        ("<div>[x][r] [[A]]</div>\n\n[r]: sec.md", ["sec.md", "A"]),
        ("<div>\r\n🙂 [[A]] [x](B.md)\r\n</div>\r\n", ["A", "B.md"]),
        ("<pre>[[A]]</pre> [[B]]\n\n[[C]]", ["B", "C"]),
        ("costs $5 [[A]] or $10", ["A"]),
        (r"\$a [[A]] b$", ["A"]),
        (r"\\[[A]]", ["A"]),
        (r"\`[[A]]`", ["A"]),
        ("[[A]] [x](B.md) ![[C]] [y](D)", ["A", "B.md", "C", "D"]),
        ("[[A]][[B]]", ["A", "B"]),
        ("| [[A\\|b]] | [[C]] |\n| - | - |\n| `[[D]]` | [x](E.md) |", ["A", "C", "E.md"]),
        ("<details>\n\n[[A]]\n\n</details>", ["A"]),
        ("<b>[[A]]</b>", ["A"]),
        ("- a\n\n  [[A]]\n\n      [[B]]", ["A"]),
        ("[a [[B]] c](D.md)", ["B"]),
        ("* [[A]]\n\t* [[B]]\n\t\t* [[C]]", ["A", "B", "C"]),
        ("\r\n[[A]]\r\n```\r\n[[B]]\r\n```\r\n[[C]]\r\n", ["A", "C"]),
        ("<<<[[A]]>>>", ["A"]),
    ],
)
def test_what_is_visible_is_found(text: str, found: list[str]) -> None:
    assert targets(text) == found


def test_lines_count_from_the_top_of_the_file() -> None:
    lines = of("---\na: 1\nb: 2\n---\n\nè\r\n x [[A]]\n[b](c.md)\n# H\n").links
    assert [(link.line, link.column) for link in lines] == [(7, 4), (8, 1)]


def test_links_of_the_frontmatter() -> None:
    text = (
        "---\nup: '[[Atlas#Part|map]]'\nproject: [[Plain]]\nprovenance: [one, \"[[two|2]]\"]\n"
        "supersedes: old-note\ncontradicts:\n  - other\n  - '[[A]] and [[B]]'\n"
        "related: {deep: ['see [[C]] or [[C]]']}\nnumber: 1\n---\n[[D]]\n"
    )
    assert of(text).links == (
        Link(LinkKind.PROPERTY, "Atlas", "Part", alias="map", line=2, column=6),
        Link(LinkKind.PROPERTY, "Plain", line=3, column=10),
        Link(LinkKind.PROVENANCE, "one", line=4, column=14),
        Link(LinkKind.PROVENANCE, "two", alias="2", line=4, column=20),
        Link(LinkKind.SUPERSEDES, "old-note", line=5, column=13),
        Link(LinkKind.CONTRADICTS, "other", line=7, column=5),
        Link(LinkKind.CONTRADICTS, "A", line=8, column=6),
        Link(LinkKind.CONTRADICTS, "B", line=8, column=16),
        Link(LinkKind.PROPERTY, "C", line=9, column=23),
        Link(LinkKind.PROPERTY, "C", line=9, column=32),
        Link(LinkKind.WIKILINK, "D", line=12, column=1),
    )


def test_markdown_links_of_the_frontmatter() -> None:
    text = (
        "---\nup: '[c](c%20d.md#Part)'\nsee: 'a [x](<y z.md> \"t\") `[n](n.md)` [w](https://a.org)'\n"
        "provenance: ['[s](sec.md)', '[[two]] [three](three.md)', plain]\n"
        "deep: {er: ['  [i]([[I]]) [![p](p.png)](q.md)']}\nmore: |\n  [r][1]\n\n  [1]: r.md\n---\n"
    )
    assert of(text).links == (
        Link(LinkKind.MARKDOWN, "c d.md", "Part", line=2, column=6),
        Link(LinkKind.MARKDOWN, "y z.md", line=3, column=9),
        Link(LinkKind.PROVENANCE, "sec.md", line=4, column=15),
        Link(LinkKind.PROVENANCE, "two", line=4, column=30),
        Link(LinkKind.PROVENANCE, "three.md", line=4, column=38),
        Link(LinkKind.PROVENANCE, "plain", line=4, column=58),
        Link(LinkKind.PROPERTY, "I", line=5, column=20),
        Link(LinkKind.MARKDOWN, "q.md", line=5, column=27),
        Link(LinkKind.MARKDOWN, "p.png", line=5, column=28),
        Link(LinkKind.MARKDOWN, "r.md", line=7, column=3),
    )


@pytest.mark.parametrize(
    ("value", "target"),
    [
        (r'"\u005b\u005bsec]]"', "sec"),
        (r'"[\x5bsec\x5d]"', "sec"),
        ('"[\\\n  [sec]]"', "sec"),
        ('"[[a\n  b]]"', "a b"),
        (r'"[c]\u0028c.md)"', "c.md"),
        ('"[c]\\\n  (c.md)"', "c.md"),
        (r'"\U0000005b[sec]]"', "sec"),
        (">-\n  [c\n  d](c.md)", "c.md"),
    ],
)
def test_values_are_judged_as_yaml_reads_them(value: str, target: str) -> None:
    (link,) = of(f"---\nx: {value}\ny: 1\n---\n").links
    assert link.target == target
    assert (link.line, link.kind is LinkKind.MARKDOWN) == (2, ".md" in target)


def test_html_gives_links_their_places_and_nothing_else() -> None:
    text = "<div>\n#t ^b\n- [ ] [[A]] é [b](b.md)\n# H\n</div>\n\n#u [[C]]\n"
    found = of(text)
    assert [(k.kind, k.target, k.line, k.column) for k in found.links] == [
        (LinkKind.WIKILINK, "A", 3, 7),
        (LinkKind.MARKDOWN, "b.md", 3, 15),
        (LinkKind.WIKILINK, "C", 7, 4),
    ]
    assert (found.tags, found.blocks, found.headings, found.tasks_open) == (("u",), (), (), 0)


def test_an_unreadable_header_has_no_links_and_hides_none() -> None:
    assert targets("---\na: [\nup: '[[A]]'\n---\n[[B]]\n") == ["B"]


def test_dendron_writes_the_label_first() -> None:
    (swapped, plain) = of("[[The label|dev.ideas#part]] [[dev.ideas]]", dendron=True).links
    assert (swapped.target, swapped.heading, swapped.alias) == ("dev.ideas", "part", "The label")
    assert (plain.target, plain.alias) == ("dev.ideas", "")


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A\n## B ##\n### C #", [(1, "A"), (2, "B"), (3, "C")]),
        ("A\n===\n\nB\nc\n---\n", [(1, "A"), (2, "B c")]),
        ("#A\n####### B\n#\n", []),
        ("# **Bold** and `code *x*` and _it_", [(1, "Bold and code *x* and it")]),
        ("# [[A|b]] [[C]] [d](e.md) snake_case 2 * 3", [(1, "b C d snake_case 2 * 3")]),
        ("# A %%hidden%%\n\n## `x`\n\n%%\n# No\n%%\n", [(1, "A"), (2, "x")]),
        ("```\n# No\n```\n    # No\n> # Quoted\n- # Listed", [(1, "Quoted"), (1, "Listed")]),
        ("# A ^block-1", [(1, "A")]),
        (r"# 1\. A \# b", [(1, "1. A # b")]),
        ("# ?\n## C#\n", [(1, "?"), (2, "C#")]),
        ("# A\r\n\r\nB\r\n---\r\n", [(1, "A"), (2, "B")]),
        ("  ## A\n### <b>B</b>", [(2, "A"), (3, "B")]),
    ],
)
def test_headings(text: str, headings: list[tuple[int, str]]) -> None:
    assert [(h.level, h.text) for h in of(text).headings] == headings


def test_heading_keeps_its_source_where_it_holds_links() -> None:
    assert of("x\n# See [[A|b]]\n").headings == (Heading(1, "See b", 2, "See [[A|b]]"),)


def test_blocks() -> None:
    text = (
        "A ^a-1\n- b ^b2\n\n| t |\n| - |\n| 1 |\n\n^c\n\n> q\n> ^d\n\nx^e\n`f ^f`\ng ^g h\n^a-1\r\n"
    )
    assert of(text).blocks == ("a-1", "b2", "c", "d")


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a #b-c #d_e #f/g #1a #1-2 #42", ["a", "b-c", "d_e", "f/g", "1a", "1-2"]),
        ("#спам #हिन्दी #日本語、 #tag, #x. #🙂", ["спам", "हिन्दी", "日本語", "tag", "x", "🙂"]),
        ("(#a) a#b `#c` http://x.org/#d [[#e]] [[f #g]] \\#h &#35; ##i", []),
        ("# h #a\n#b first\n- #c\n\n```\n#d\n```\n%% #e %%\n<!-- #f -->", ["a", "b", "c"]),
        ("#a #a #A", ["a", "A"]),
        ("`x`#a", []),
    ],
)
def test_tags(text: str, tags: list[str]) -> None:
    assert list(of(text).tags) == tags


def test_tasks() -> None:
    text = (
        "- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n  - [ ] e\n> - [x] f\n- [-] g\n- [x]\n"
        "x [ ] y\n[ ] z\n```\n- [ ] code\n```\n%%\n- [ ] hidden\n%%\n- [12:30] standup\n"
    )
    assert (of(text).tasks_open, of(text).tasks_done) == (3, 3)


def test_empty_outline_of_nothing() -> None:
    assert of("") == of("---\na: 1\n---\n") == Outline()


def test_markdown_it_answers_where_pyromark_is_missing() -> None:
    code = (
        "import sys; sys.modules['pyromark'] = None\n"
        "from manent.note import read; from manent.links.markdown import outline\n"
        "links = outline(read(b'<b> `[[A]]` [[B]] [c](d.md)')).links\n"
        "assert [l.target for l in links] == ['B', 'd.md'], links\n"
        "assert 'markdown_it' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_plain_notes_import_no_parser() -> None:
    code = (
        "import sys; from manent.note import read; from manent.links.markdown import outline\n"
        "assert outline(read(b'# A\\n\\n[[B]] `c`')).links\n"
        "assert not {'pyromark', 'markdown_it', 'yaml'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
