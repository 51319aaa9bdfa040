"""Snippets: the place that shows why, marked."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from manent.search.snippet import Snippet, snippet


def marked(found: Snippet) -> list[str]:
    return [found.text[start:end] for start, end in found.marks]


def test_the_window_with_most_different_words_wins() -> None:
    body = "deploy " * 20 + "filler " * 60 + "a deployment rolled back on Friday. " + "end " * 60
    found = snippet(body, "friday deployments", 60)
    assert marked(found) == ["deployment", "Friday."]
    assert found.text.startswith("…") and found.text.endswith("…")
    assert len(found.text) <= 62


def test_white_space_and_lines_become_one_line() -> None:
    assert snippet("# One\n\n\ttwo  three", ["two"]) == Snippet("# One two three", ((6, 9),))


def test_without_a_match_the_beginning_is_shown() -> None:
    found = snippet("one two three four", "zanzibar", 8)
    assert found == Snippet("one two…", ())


def test_words_of_grammar_are_not_marked() -> None:
    assert marked(snippet("the gate of the house", "the house")) == ["house"]


def test_scripts_without_spaces_are_marked_where_they_match() -> None:
    found = snippet("私は東京都で会議をします", "東京")
    assert marked(found) == ["東京"]


def test_beginnings_and_accents_match() -> None:
    assert marked(snippet("Perché la città configurata?", "citta configu")) == [
        "città",
        "configurata?",
    ]


def test_a_long_body_takes_linear_time() -> None:
    start = time.process_time()
    snippet("word other thing " * 100_000, "thing " * 5_000 + "word")
    assert time.process_time() - start < 5


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=40), st.integers(0, 80))
def test_any_text_gives_one_bounded_line(body: str, query: str, width: int) -> None:
    found = snippet(body, query, width)
    assert "\n" not in found.text
    assert len(found.text) <= max(1, width) + 3
    assert all(0 <= start < end <= len(found.text) for start, end in found.marks)
    assert list(found.marks) == sorted(found.marks)
