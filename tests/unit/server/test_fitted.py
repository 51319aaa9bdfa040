"""Answers are short enough, whatever a caller or a note repeats in them."""

from __future__ import annotations

import pytest

from manent.server.answer import LONGEST, LONGEST_FAULT, ROOM, Answer, fitted


@pytest.mark.parametrize("length", [0, 300, 30_000, 4_000_000])
def test_what_is_repeated_is_cut(length: int) -> None:
    text = "y" * length
    rows = [{"name": "n", "type": text, "description": text} for _ in range(3)]
    answer = fitted(Answer({"query": text, "hits": rows, "notice": "data"}))
    assert len(answer.said()) <= LONGEST + ROOM
    assert answer.document["hits"][2]["name"] == "n"
    assert (answer.document["query"] == text) is (length <= 300)


def test_a_failure_is_cut_too() -> None:
    answer = fitted(Answer(text="no note " + "n" * 60_000, failed=True))
    assert answer.failed and len(answer.said()) < LONGEST_FAULT + 100
    assert "60008 characters in all" in answer.said()


def test_a_body_is_left_alone() -> None:
    body = "b" * (LONGEST - ROOM)
    answer = fitted(Answer({"name": "n", "type": "t" * 50_000, "body": body}))
    assert answer.document["body"] == body and len(answer.said()) <= LONGEST + ROOM
