"""Cutting into pieces: the same as the tokenizers library does with the same vocabulary."""

from __future__ import annotations

from functools import cache
from typing import Any

import embeddings
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manent.search.embed.e5 import shipped
from manent.search.embed.packed import PackedWeights
from manent.search.embed.pieces import Pieces

embeddings.needs_dense()

WORDS = ["Ciao", "perché", "naïve", "日本語", "ﬁne", "x\u0301", "1.000,5", "🎉", "𐍈", "ﷺ", "\u2028"]


@cache
def weights() -> PackedWeights:
    return PackedWeights(shipped())


@cache
def ours() -> Pieces:
    held = weights()
    special = [held.bos, held.pad, held.eos, held.unknown, len(held.scores) - 1]
    return Pieces(held.pieces(), held.scores, held.unknown, special, held.normal)


@cache
def theirs() -> Any:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    held = weights()
    vocabulary = list(zip(held.pieces(), map(float, held.scores), strict=True))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=held.unknown))
    blanks = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence(  # type: ignore[assignment]
        [normalizers.Nmt(), normalizers.NFKC(), blanks, normalizers.Strip()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()  # type: ignore[assignment]
    return tokenizer


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(WORDS),
            st.text(st.characters(max_codepoint=0x24F, exclude_categories=["C"]), max_size=12),
        )
    ).map(" ".join)
)
@example("the cache  of  the build")
@example("a\tb\nc\u00a0d")
def test_pieces_are_those_of_the_library(text: str) -> None:
    expected = theirs().encode(f"q {text}", add_special_tokens=False).ids
    assert ours().numbers(f"q {text}", 10_000) == expected


@given(st.text(max_size=300), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_fewer_pieces_are_the_first_of_more(text: str, most: int) -> None:
    assert ours().numbers(text, most) == ours().numbers(text, 10_000)[:most]


def test_a_text_cannot_spell_a_special_piece() -> None:
    held = weights()
    found = ours().numbers("<s> </s> <pad> <mask> <unk>", 100)
    assert not {held.bos, held.eos, held.pad, len(held.scores) - 1} & set(found)


def test_the_likeliest_split_wins() -> None:
    vocabulary = ["<unk>", "\u2581a", "b", "ab", "\u2581ab", "\u2581", "a"]
    scores = np.array([0, -1, -1, -9, -3, -1, -1], np.float32)
    pieces = Pieces(vocabulary, scores, 0, [0], {})
    assert pieces.numbers("ab", 9) == [1, 2]
    assert pieces.numbers("aZZb ab", 9) == [1, 0, 2, 1, 2]
