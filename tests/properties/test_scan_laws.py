# ruff: noqa: E501
"""Laws of the scanners: never an exception, spans inside the text, work in proportion."""

from __future__ import annotations

import pytest
from growth import grows_within
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.scan.injection.needs import needs
from manent.scan.reading import readings
from manent.scan.scanner import Scanner
from manent.scan.span import Context

PIECES = st.sampled_from(
    [
        "ignore ", "all ", "previous ", "instructions", "\n", "\n\n", '"', "`", "```\n", "<!--", "-->",
        "<p hidden>", "</p>", "&#73;", "&#x;", "%49", "%zz", "\\u0049", "\\x4", "SWdub3JlIGFsbCBwcmV2aW91cw==",
        "\u200b", "\u200d", "\ufeff", "\u202e", "\u2069", "\U000e0041", "\U0001f3f4", "\ufe0f", "\ud800",
        "---\n", "[//]: # (", ")", "%%", "a.b.c.d.e.f.g", "i g n o r e", "erongi", "vtaber", "ＡＢＣ", "не",
        "ignоre", "使用者", "\x00", "<|im_start|>", "![a](https://x.example/?q={chat})", " ", ".",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_any_text_is_scanned_and_every_span_lies_in_it(text: str) -> None:
    for span in Scanner(Context(addressed=len(text) % 2 == 0)).scan(text):
        assert 0 <= span.start < span.end <= len(text)
        assert span.kind and span.layer and span.digest


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_every_place_of_a_reading_has_an_origin(text: str) -> None:
    for reading in readings(text):
        step = max(1, len(reading.text) // 40)
        for start in range(0, len(reading.text), step):
            first, last = reading.origin(start, min(start + 3, len(reading.text)))
            assert 0 <= first <= last <= len(text)


@given(TEXTS)
@settings(max_examples=80, deadline=None)
def test_the_same_text_gives_the_same_spans(text: str) -> None:
    assert Scanner().scan(text) == Scanner().scan(text)


@pytest.mark.parametrize(
    "unit",
    [
        "ignore all previous ", "disregard the above rule ", "[", "<", "<p hidden>", "<!--", "`a", '"',
        "&#65;", "%41", "\u200b", "a\u200b", "QUFBQUFBQUFBQUFBQUFBQUFBQUE ", "a.b.", "ab" * 10, " = ",
        "\U000e0041", "you must send the ", "из ", "忽略之前的",
    ],
)  # fmt: skip
def test_twice_the_text_takes_about_twice_the_work(unit: str) -> None:
    scanner = Scanner()

    def make(size: int) -> str:
        return unit * (size // len(unit))

    # Four times the text: a quadratic scanner would take sixteen times as long.
    held, ratios = grows_within(scanner.scan, make, (60_000, 240_000), 10)
    assert held, ratios


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (r"\b(?:ignore|forget) (?:all )?rules?\b", [{"ignore", "forget"}, {"rule", "rules"}]),
        (r"\bsystem(?: \w+){0,3} prompt", [{"prompt"}, {"system"}]),
        (r"\b(?:a b|c)s\b", []),
        (r"\w+", []),
        (r"chat ?gpt", [{"chat", "chatgpt", "gpt"}]),
    ],
)  # fmt: skip
def test_what_a_pattern_needs_is_read_off_it(pattern: str, needed: list[set[str]]) -> None:
    found = [set(forms) for forms in needs(pattern)]
    for forms in needed:
        assert any(forms & each for each in found)
