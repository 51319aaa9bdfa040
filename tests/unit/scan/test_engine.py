"""The engine: which patterns occur, where, and byte offsets as code points."""

from __future__ import annotations

import pytest
import re2

from manent.scan.engine import Offsets, Patterns, Search, options, runs


def test_which_says_all_patterns_that_occur() -> None:
    patterns = Patterns(["alpha", "beta", r"gam+a"])
    assert patterns.which(b"GAMMMA and Alpha") == [0, 2]
    assert patterns.which(b"nothing") == []


def test_case_counts_when_asked() -> None:
    assert Patterns(["alpha"], case=True).which(b"Alpha") == []


def test_locate_gives_byte_offsets() -> None:
    raw = "è alpha, è alpha".encode()
    spans = list(Patterns(["alpha"]).locate(0, raw))
    assert [raw[start:end] for start, end in spans] == [b"alpha", b"alpha"]


def test_a_pattern_that_does_not_compile_is_an_error() -> None:
    with pytest.raises(re2.error):
        Patterns(["("])


@pytest.mark.parametrize("text", ["plain", "è dopo é", "日本語 and more", "\U0001f600x"])
def test_offsets_count_code_points_in_any_order(text: str) -> None:
    raw = text.encode()
    offsets = Offsets(raw, text)
    places = [len(text[:n].encode()) for n in range(len(text) + 1)]
    assert [offsets.of(place) for place in places] == list(range(len(text) + 1))
    assert offsets.of(places[0]) == 0


def test_runs_are_case_sensitive_and_ascii() -> None:
    assert [run for run, _, _ in runs("[A-Z]{3}", "abc ABC è DEF".encode())] == ["ABC", "DEF"]


@pytest.mark.parametrize("pattern", ["a", "b*", r"\bab", "é", "(?:a|(b))+$"])
def test_a_search_answers_as_the_module_does(pattern: str) -> None:
    raw = "abba é ab\u00a0Ab b".encode()
    known, search = re2.compile(pattern, options()), Search(pattern)
    for begin in range(len(raw) + 1):
        for finish in range(begin, len(raw) + 1):
            spans = [match.span() for match in known.finditer(raw, begin, finish)]
            assert search.all(raw, begin, finish) == spans
            assert search.all(raw, begin, finish, 1) == spans[:1]
            assert search.occurs(raw, begin, finish) == bool(spans)
        first = known.search(raw, begin)
        assert search.first(raw, begin) == (first.span() if first else None)
