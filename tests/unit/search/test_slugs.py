"""Names of notes are taken apart by a way of their own: it says what the general one does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manent.search import tokenizer
from manent.search.tokenizer import Form, _of_identifier, _of_slug, analyse, folded

SLUGS = st.text("ab-0é", max_size=12).map(lambda text: text.strip("-"))
LONG = st.lists(st.sampled_from(["a", "b1", "x" * 70, "7" * 200, "word"]), max_size=40)


def in_general(text: str) -> tuple[Form, ...]:
    """What an identifier is found by, as any other is."""
    pieces = [piece for piece in text.split("-") if piece]
    forms = [form for piece in pieces for form in tokenizer._of_piece(piece)]
    if len(pieces) > 1 and len(text) <= 128:
        forms.append(Form(folded(text), False, counted=not forms))
    return tuple(forms)


@given(SLUGS | LONG.map("-".join))
def test_a_slug_is_found_by_its_parts_and_the_whole(text: str) -> None:
    assert _of_identifier(text) == in_general(text)


@given(SLUGS)
def test_dots_and_hyphens_around_a_slug_add_nothing(text: str) -> None:
    if text.isascii() and text:
        assert analyse(f"-{text}.".encode()) == _of_identifier(text)


def test_a_slug_by_example() -> None:
    assert _of_slug("pay-bands-2") == (
        Form("pay", True),
        Form("bands", True),
        Form("2", False),
        Form("pay-bands-2", False, False),
    )
