"""Chinese words of grammar: left out of a question that has others, never out of notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.search.asked import words_of
from manent.search.lexical import LexicalStore
from manent.search.particles import is_particle
from manent.search.postings import Document


def said(query: str) -> set[str]:
    return {asked.text for asked in words_of(query)}


@pytest.mark.parametrize(
    ("query", "kept", "left_out"),
    [
        ("发烧怎么办", {"发烧"}, {"怎么", "么办", "么"}),
        ("腳踝扭傷了應該冰敷嗎", {"扭傷", "冰敷"}, {"了應", "應該", "敷嗎", "嗎", "了"}),
        ("学习的目的", {"学习", "目的"}, {"习的", "的目", "的"}),
        ("可以 sudo 吗", {"sudo"}, {"可以", "吗"}),
        ("会议室在哪里", {"会议", "议室"}, {"哪里", "在", "会"}),
        ("目的は何ですか", {"目的", "的は", "的"}, set()),  # Japanese is left alone
    ],
)
def test_what_asks_is_not_looked_for(query: str, kept: set[str], left_out: set[str]) -> None:
    assert kept <= said(query) and not left_out & said(query)


@pytest.mark.parametrize("query", ["怎么", "可以吗", "什么", "的"])
def test_a_question_of_nothing_else_keeps_it(query: str) -> None:
    assert said(query)


def test_notes_are_indexed_whole(tmp_path) -> None:  # type: ignore[no-untyped-def]
    store = LexicalStore(tmp_path / "index")
    store.rebuild([Document(1, "a", "", "", "他说什么"), Document(2, "b", "", "", "茶")], "x")
    assert [hit.id for hit in store.search("什么", 3)] == [1]


@given(st.text("什么怎吗的了目水电费abc 。は", max_size=12))
def test_some_words_are_left_unless_there_were_none(query: str) -> None:
    words = words_of(query)
    if any(character.isalpha() for character in query):
        assert words
    if any(not is_particle(asked.text) for asked in words) and "は" not in query:
        assert all(asked.word or not is_particle(asked.text) for asked in words)
