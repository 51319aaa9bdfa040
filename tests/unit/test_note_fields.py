"""What loosely written values of frontmatter mean; audiences are read strictly."""

from __future__ import annotations

from typing import Any

import pytest

from manent.note import aliases, date, labels, names, tags, title


@pytest.mark.parametrize(
    ("audience", "read"),
    [
        (["tech", "product"], ("tech", "product")),
        (["public", "public"], ("public",)),
        (["private", "tech"], ("private", "tech")),
        (["private"], ("private",)),
        ([], ()),
        (None, ()),
        ("public", ()),
        ("tech, product", ()),
        (["tech", 1], ()),
        (["tech", None], ()),
        (["tech", ["public"]], ()),
        (["Tech"], ()),
        (["tech "], ()),
        (["*"], ()),
        (["té"], ()),
        (["tech\n"], ()),
        ({"tech": True}, ()),
        (True, ()),
        (1, ()),
    ],
)
def test_labels(audience: Any, read: tuple[str, ...]) -> None:
    assert labels({"audience": audience}) == read


def test_an_absent_audience_is_private() -> None:
    assert labels({}) == labels({"Audience": ["public"]}) == ()


@pytest.mark.parametrize(
    ("frontmatter", "found"),
    [
        ({"tags": ["a", "#b", "c d", 2024, "a"]}, ("a", "b", "c", "d", "2024")),
        ({"tags": "a, b c,,d"}, ("a", "b", "c", "d")),
        ({"tag": "a", "tags": ["b"]}, ("b", "a")),
        ({"tags": None}, ()),
        ({"tags": []}, ()),
        ({"tags": {"a": 1}}, ()),
        ({"tags": [None, True, ["x"], ""]}, ()),
        ({}, ()),
    ],
)
def test_tags(frontmatter: dict[str, Any], found: tuple[str, ...]) -> None:
    assert tags(frontmatter) == found


@pytest.mark.parametrize(
    ("frontmatter", "found"),
    [
        ({"alias": "Runbook"}, ("Runbook",)),
        ({"aliases": "Run book , Other"}, ("Run book", "Other")),
        ({"aliases": ["Smith, Ada", " b ", 3]}, ("Smith, Ada", "b", "3")),
        ({"aliases": None}, ()),
    ],
)
def test_aliases(frontmatter: dict[str, Any], found: tuple[str, ...]) -> None:
    assert aliases(frontmatter) == found


@pytest.mark.parametrize(
    ("written", "shown"),
    [("A  b\nc", "A b c"), (None, "stem"), ("", "stem"), ("  ", "stem"), (2024, "2024"),
     (True, "stem"), ([], "stem")],
)  # fmt: skip
def test_title(written: Any, shown: str) -> None:
    assert title({"title": written}, "stem") == shown
    assert title({}, "stem") == "stem"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (["one", "[[two]]", 5, "one"], ("one", "two", "5")),
        (["[[three#h|t]] [[four]]"], ("three", "four")),
        ("one", ("one",)),
        ("[[one]]", ("one",)),
        (None, ()),
        ([None, "", {"a": 1}], ()),
        ({"a": "b"}, ()),
    ],
)  # fmt: skip
def test_names(value: Any, found: tuple[str, ...]) -> None:
    assert names({"provenance": value}, "provenance") == found


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-03-09", "2026-03-09"),
        (" 2026-3-9 ", "2026-03-09"),
        ("2026/03/09", "2026-03-09"),
        ("2026.3.9", "2026-03-09"),
        ("20260309", "2026-03-09"),
        (20260309, "2026-03-09"),
        ("2026-03-09T08:30:00Z", "2026-03-09"),
        ("2026-03-09 23:59:59.123+02:00", "2026-03-09"),
        ("2026-03-09T08:30", "2026-03-09"),
        ("2024-02-29", "2024-02-29"),
        ("2025-02-29", None),
        ("2024-13-45", None),
        ("0000-01-01", None),
        ("09.03.2026", None),
        ("March 9, 2026", None),
        ("2026-03", None),
        ("2026", None),
        ("\u0662\u0660\u0662\u0666-03-09", None),
        (2026, None),
        (True, None),
        (None, None),
        (["2026-03-09"], None),
        (9**99, None),
    ],
)
def test_date(value: Any, day: str | None) -> None:
    assert date(value) == day
