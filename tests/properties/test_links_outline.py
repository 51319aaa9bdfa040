"""Laws of outlines: total, exact places, and the same by every parser."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from manent.links import commonmark, parsing, pulldown, quick
from manent.links.comments import without_comments
from manent.links.heading import headings_of
from manent.links.link import LinkKind, Outline
from manent.links.markdown import outline
from manent.links.place import Places
from manent.links.storing import outline_from_json, outline_to_json
from manent.links.structure import Structure, blank
from manent.note import read

PIECES = (
    "[[A]]", "![[B c]]", "[[#H]]", "[[A|b]]", "[[A\\|b]]", "[x](y.md)", "![x](y.png)",
    "[x](<y z.md>)", "[x]([[A]])", "[x]", "[^1]", "[^1]: A.md", "[x]: y.md", "`", "``",
    "```", "````", "~~~", "$", "$$", "\\", "<", ">", "<b>", "</b>", "<!--", "-->", "<div>",
    "%%", "*", "**", "_", "==", "~~", "|", "| - |", "a", "b c", "é", "日本", "🙂", "x.", "- ",
    "* ", "1. ", "+ ", "> ", "# ", "## ", "###### ", "#", "#t", "#1", "---", "===", "-",
    "=", "^id", " ^id", "[ ] ", "[x] ", " ", "  ", "    ", "\t", "\n", "\n\n", "\n\n",
    "\n- ", "\n> ", "\n# ", "\n```\n", "\n\n    ", "!", "(", ")", "[", "]", "](", "[[",
    "]]", "&amp;", "http://x.org", ":", "\r\n", "\u00a0", "\0", "\x0c", "\u2028",
)  # fmt: skip
PLAIN = tuple(piece for piece in PIECES if not set(piece) & set("<\\\r\0$\x0c"))
"""Without what makes `quick` give up at once, so that it has to answer often."""

bodies = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
plain_bodies = st.lists(st.sampled_from(PLAIN), max_size=24).map("".join)


def of(text: str) -> Outline:
    return outline(read(text.encode()))


def by(structure: Callable[[str], Structure], body: str) -> tuple[object, ...]:
    """All that an outline takes from a structure."""
    body = without_comments(body)
    found = structure(body)
    return (
        blank(body, found.hidden),
        headings_of(body, found, Places(body, 1)),
        sorted(found.links),
    )


@settings(max_examples=150, deadline=None)
@given(st.one_of(bodies, plain_bodies, st.text()))
@example("`a\n\n`[[A]]")
def test_every_text_has_an_outline_with_exact_places(text: str) -> None:
    found = of(text)
    lines = text.removeprefix("\ufeff").split("\n")
    for link in found.links:
        start = lines[link.line - 1][link.column - 1 :]
        if link.kind is LinkKind.EMBED:
            assert start.startswith("![")
        elif link.kind in (LinkKind.WIKILINK, LinkKind.MARKDOWN):
            assert start.startswith("[")
        assert "\0" not in link.target + link.heading + link.alias
    for heading in found.headings:
        assert 1 <= heading.level <= 6
        assert heading.text == heading.text.strip() != ""
        assert 1 <= heading.line <= len(lines)
    assert all(not tag.isdigit() and "#" + tag in text for tag in found.tags)
    assert [link.line for link in found.links] == sorted(link.line for link in found.links)


@settings(max_examples=500, deadline=None)
@given(plain_bodies)
def test_the_quick_way_agrees_with_the_parser(body: str) -> None:
    if quick.structure(without_comments(body)) is not None:
        assert by(quick.structure, body) == by(pulldown.structure, body)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(bodies)
def test_the_other_parser_never_raises(body: str) -> None:
    found = commonmark.structure(body)
    ends = [at for pair in found.hidden for at in pair]
    assert all(0 <= at <= len(body) for at in ends)


@settings(max_examples=150, deadline=None)
@given(bodies)
def test_line_endings_change_no_place(text: str) -> None:
    text = text.replace("\r", "")
    assert of(text) == of(text.replace("\n", "\r\n"))


@settings(max_examples=150, deadline=None)
@given(bodies, bodies)
def test_a_fence_hides_whatever_stands_in_it(before: str, inside: str) -> None:
    before = "\n".join(line for line in before.split("\n") if not set("`~<$%\\") & set(line))
    fence = "`" * 40
    before = "x\n\n" + before
    text = f"{before}\n\n{fence}\n{inside}\n{fence}\n"
    assert of(text).links == of(f"{before}\n\n").links
    assert of(text).tags == of(f"{before}\n\n").tags


@settings(max_examples=300, deadline=None)
@given(bodies, bodies)
def test_a_comment_of_its_own_hides_its_links_after_any_body(before: str, inside: str) -> None:
    """Wherever a link of its own would be seen, a comment of its own is one too."""
    before, inside = before.replace("%%", ""), inside.replace("%%", "")
    visible = [k.target for k in of(f"{before}\n\n[[probe]]").links][-1:] == ["probe"]
    found = of(f"{before}\n\n%%\n[[n]]\n{inside}\n%%\n\n[[probe]]").links
    if visible:
        assert [k.target for k in found if k.line > before.count("\n") + 2][:2] == ["probe"]


@settings(max_examples=200, deadline=None)
@given(bodies, st.sampled_from(["a: 1\n", "up: '[[X]]'\nk: v\n"]))
def test_a_header_moves_every_line_down(text: str, header: str) -> None:
    bare = of("\n" + text)
    headed = of(f"---\n{header}---\n\n{text}")
    down = header.count("\n") + 2
    body_links = [link for link in headed.links if link.kind is not LinkKind.PROPERTY]
    assert [(k.line - down, k.column, k.target) for k in body_links] == [
        (k.line, k.column, k.target) for k in bare.links
    ]
    assert [(h.line - down, h.text) for h in headed.headings] == [
        (h.line, h.text) for h in bare.headings
    ]


@settings(max_examples=300, deadline=None)
@given(bodies, st.integers(0, 2**24))
def test_a_value_links_to_the_same_however_yaml_spells_it(text: str, which: int) -> None:
    text = "".join(c for c in text if c.isprintable())
    spelled = "".join(
        f"\\U{ord(c):08x}" if which >> n % 24 & 1 or c in '"\\' else c for n, c in enumerate(text)
    )
    folded = spelled.replace("[", "[\\\n  ") if which & 1 else spelled
    plain = [
        link.target for link in of(f"---\nk: {json.dumps(text, ensure_ascii=False)}\n---\n").links
    ]
    for value in (spelled, folded):
        assert [link.target for link in of(f'---\nk: "{value}"\n---\n').links] == plain


@settings(max_examples=200, deadline=None)
@given(bodies)
def test_outlines_come_back_from_json(text: str) -> None:
    found = of(text)
    assert outline_from_json(json.loads(json.dumps(outline_to_json(found)))) == found


def test_the_parsers_are_what_their_names_say() -> None:
    assert parsing._parser() is pulldown.structure
