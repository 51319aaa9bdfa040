"""Copies: the counting against a count by hand, and what is kept out of it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.curate import duplicates as module
from manent.curate.duplicates import FACTOR, MIN_TRIPLES, Words, alike, duplicates


def by_hand(sets: list[frozenset[int]], threshold: float) -> set[tuple[int, int]]:
    found = set()
    for b in range(len(sets)):
        for a in range(b):
            small, large = sorted((len(sets[a]), len(sets[b])))
            if small < MIN_TRIPLES:
                continue
            common = len(sets[a] & sets[b])
            score = common / (small + large - common)
            if large <= FACTOR * small:
                score = max(score, common / small)
            if score >= threshold:
                found.add((a, b))
    return found


def arrays(sets: list[frozenset[int]]) -> list[np.ndarray]:
    # Spread over all hashes, as those of words are.
    return [
        np.array(sorted(n * 0x9E3779B97F4A7C15 % 2**64 for n in one), np.uint64) for one in sets
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.frozensets(st.integers(0, 60), max_size=40), max_size=14),
    st.sampled_from([0.1, 0.25, 0.5, 1.0]),
    st.sampled_from([1, 2, 4, 200]),
    st.sampled_from([1, 7, 1 << 21]),
)
def test_every_pair_is_found_whatever_counts_as_common(
    sets: list[frozenset[int]], threshold: float, rare: int, chunk: int
) -> None:
    before = module.RARE, module._CHUNK_PAIRS
    module.RARE, module._CHUNK_PAIRS = rare, chunk
    try:
        found = alike(arrays(sets), threshold)
    finally:
        module.RARE, module._CHUNK_PAIRS = before
    assert {(p.a, p.b) for p in found} == by_hand(sets, threshold)
    assert found == sorted(found, key=lambda p: (-p.score, p.a, p.b))


def test_triples_are_of_words_in_their_order() -> None:
    words = Words()
    one = words.triples("The tide, at *Punta Scura*: turns!")
    assert len(one) == 4
    assert (one == words.triples("the TIDE at punta\nscura turns")).all()
    assert len(np.intersect1d(one, words.triples("turns Scura Punta at tide the"))) == 0
    assert len(words.triples("two words")) == 0
    assert len(words.triples("潮汐在这里转向")) == 5


def test_a_line_in_a_book_is_no_copy_of_it() -> None:
    draw = random.Random(3)
    book = [f"w{draw.randrange(5_000)}" for _ in range(400)]
    line = " ".join(book[50:70])
    chapter = " ".join(book[50:200])
    found = duplicates([" ".join(book), line, chapter])
    assert [(p.a, p.b) for p in found] == [(0, 2)]
    assert found[0].containment == 1.0 and found[0].jaccard < 0.5


def test_boilerplate_alone_makes_no_copy_of_a_note_with_words_of_its_own() -> None:
    draw = random.Random(7)
    form = " ".join(f"form{n}" for n in range(20))
    texts = [f"{form} {' '.join(f'x{draw.random()}' for _ in range(90))}" for _ in range(250)]
    texts += [form + " one last word", form + " another last word"]
    found = duplicates(texts)
    assert [(p.a, p.b) for p in found] == [(250, 251)]


@pytest.mark.parametrize("text", ["", "a", "a b", "\ud800 \u202e x y", "-- -- --"])
def test_texts_of_no_words_are_like_nothing(text: str) -> None:
    assert duplicates([text, text]) == []
