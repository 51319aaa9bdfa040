"""Code spans, links and mentions, and the characters nobody sees."""

from __future__ import annotations

import pytest

from manent.memfile.document import parse
from manent.memfile.scanned import unseen_lines
from manent.memfile.spans import codes, links, mentions


def test_code_spans_close_with_as_many_ticks() -> None:
    doc = parse("a `b` c ``d ` e`` f ` g\n\nnext `h\ni` end\n")
    assert [(s.line, s.text) for s in codes(doc)] == [(1, "b"), (1, "d ` e"), (3, "h\ni")]


def test_links_and_mentions_in_code_are_none() -> None:
    doc = parse("[a](b.md) `[c](d.md)` @e.md `@f.md`\r\n- @g\\ h.md\r\n")
    assert [s.text for s in links(doc)] == ["b.md"]
    assert [(s.line, s.text) for s in mentions(doc)] == [(1, "e.md"), (2, "g h.md")]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffplain",
        "❤️ 👩‍💻 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 1️⃣",
        "می‌خواهم",
        "क्‍ष",
        "co\u00adop",
    ],
)
def test_what_is_written_with_such_characters_is_left_alone(text: str) -> None:
    assert list(unseen_lines(parse(text))) == []


@pytest.mark.parametrize("mark", ["\u200b", "\u202e", "\U000e0041", "\u2066", "\u2060"])
def test_what_nobody_sees_is_named(mark: str) -> None:
    ((line, names),) = unseen_lines(parse(f"one\ntwo{mark} words\n"))
    assert line == 2
    assert names[0].startswith(f"U+{ord(mark):04X}")
