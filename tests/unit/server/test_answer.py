"""What answers are made of: parts, pages, cursors, and text that every transport carries."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.errors import UsageError
from manent.server.answer import (
    Answer,
    compact,
    cursor_of,
    offset_of,
    page,
    part,
    part_of_document,
)

odd_text = st.text(st.characters(codec=None), max_size=60)
documents = st.recursive(
    st.one_of(odd_text, st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(odd_text, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.integers(0, 10**11))
def test_a_cursor_leads_back(offset: int) -> None:
    assert offset_of(cursor_of(offset)) == offset


@given(st.text(max_size=14))
def test_no_other_text_is_a_cursor(text: str) -> None:
    try:
        offset = offset_of(text)
    except UsageError:
        return
    assert not text or (int(text[1:]) == offset and text[0] == "c")


@given(odd_text, st.integers(1, 20), st.booleans())
def test_parts_make_a_text_whole(text: str, length: int, counted: bool) -> None:
    take, offset, found = part_of_document if counted else part, 0, []
    while True:
        shown, cursor = take(text, offset, length)
        found.append(shown)
        written = len(json.dumps(shown, ensure_ascii=False)) - 2
        assert len(shown) <= length and (not counted or written <= max(length, 6))
        if not cursor:
            break
        assert shown
        offset = offset_of(cursor)
    assert "".join(found) == text


@given(st.lists(st.integers(0, 10**30)), st.integers(1, 5), st.integers(5, 90))
def test_pages_make_a_list_whole(numbers: list[int], limit: int, length: int) -> None:
    rows = [{"number": number} for number in numbers]
    offset, found = 0, []
    while True:
        shown, cursor = page(rows, offset, limit, length)
        assert len(shown) <= limit
        assert len(shown) <= 1 or sum(len(compact(row)) + 1 for row in shown) <= length
        found += shown
        if not cursor:
            break
        assert shown
        offset = offset_of(cursor)
    assert found == rows


@given(st.dictionaries(odd_text, documents, max_size=5))
def test_whatever_a_document_holds_it_is_carried(document: dict[str, object]) -> None:
    said = Answer(document).said()
    said.encode()
    assert json.loads(said) == json.loads(json.dumps(document))
    assert " " not in said or " " in repr(document)
    shown = Answer(document, structured=True).shown()
    json.dumps(shown, ensure_ascii=False).encode()


def test_half_a_character_spoils_no_other() -> None:
    assert compact({"a": "città\udce9"}) == '{"a":"città\\udce9"}'
    assert Answer(text="no note caf\udce9").said() == "no note caf\\udce9"
    assert Answer({"a": 1}).shown() is None


@pytest.mark.parametrize("cursor", ["c", "C1", "c 1", "c1 ", "1", "c²", "c-0"])
def test_a_cursor_is_sent_back_as_it_came(cursor: str) -> None:
    with pytest.raises(UsageError):
        offset_of(cursor)
