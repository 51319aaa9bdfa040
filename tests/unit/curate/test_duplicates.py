"""Copies: the counting against a count by hand, and what is kept out of it."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manent.curate import candidates
from manent.curate import duplicates as module
from manent.curate.candidates import FACTOR
from manent.curate.duplicates import MIN_TRIPLES, alike, duplicates
from manent.curate.triples import Words


def by_hand(sets: list[frozenset[int]], threshold: float) -> set[tuple[int, int]]:
    found = set()
    for b in range(len(sets)):
        for a in range(b):
            small, large = sorted((len(sets[a]), len(sets[b])))
            if small < MIN_TRIPLES:
                continue
            common = len(sets[a] & sets[b])
            score = Fraction(common, small + large - common)
            if large <= FACTOR * small:
                score = max(score, Fraction(common, small))
            if score >= Fraction(str(threshold)):
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
    st.sampled_from([0.07, 0.1, 0.14, 0.25, 0.28, 0.5, 0.55, 0.56, 0.57, 1.0]),
    st.sampled_from([1, 2, 4, 200]),
    st.sampled_from([1, 7, 1 << 21]),
)
def test_every_pair_is_found_whatever_counts_as_common(
    sets: list[frozenset[int]], threshold: float, rare: int, chunk: int
) -> None:
    before = candidates._CHUNK_PAIRS
    candidates._CHUNK_PAIRS = chunk
    try:
        found = alike(arrays(sets), threshold, rare)
    finally:
        candidates._CHUNK_PAIRS = before
    assert {(p.a, p.b) for p in found} == by_hand(sets, threshold)
    assert found == sorted(found, key=lambda p: (-p.score, p.a, p.b))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.frozensets(st.integers(0, 200), max_size=140), max_size=14),
    st.sampled_from([0.1, 0.25, 0.28, 0.5, 0.8, 1.0]),
    st.sampled_from([None, 1, 2, 4]),
)
@example([frozenset(range(17)), frozenset([0, 1, *range(20, 35)])], 0.25, None)
def test_sketches_invent_no_pair_and_of_small_notes_lose_none(
    sets: list[frozenset[int]], threshold: float, rare: int | None
) -> None:
    found = {(p.a, p.b) for p in alike(arrays(sets), threshold, rare, sketched=True)}
    wanted = by_hand(sets, threshold)
    assert found <= wanted
    small = {n for n, one in enumerate(sets) if len(one) * threshold <= candidates.SKETCH}
    assert {pair for pair in wanted if small.intersection(pair)} <= found


@pytest.mark.parametrize("larger", [1, 2, 4])
@pytest.mark.parametrize("score", [0.25, 0.3, 0.4, 0.9])
def test_sketches_find_99_of_100_pairs_at_the_very_threshold(score: float, larger: int) -> None:
    draw = np.random.default_rng(int(score * 100) + larger)
    sets, pairs = [], 800
    for _ in range(pairs):
        small = draw.integers(2**64, size=240, dtype=np.uint64)
        own = draw.integers(2**64, size=round(240 * (larger - score)), dtype=np.uint64)
        sets += [np.unique(small), np.unique(np.r_[small[: round(240 * score)], own])]
    found = {(p.a, p.b) for p in alike(sets, sketched=True)}
    assert found <= {(n, n + 1) for n in range(0, 2 * pairs, 2)}
    assert len(found) >= 0.99 * pairs


@pytest.mark.parametrize("of", [3_000, 200_000])
def test_what_a_sketch_meets_is_bounded_and_what_is_left_out_counted(
    of: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MET", 50)
    monkeypatch.setattr(candidates, "TALLIED", 50)
    draw = random.Random(of)
    pool = [f"p{draw.randrange(10**6)}" for _ in range(of)]
    texts = []
    for _ in range(600):
        starts = [draw.randrange(of - 20) for _ in range(12)]
        texts.append(" ".join(word for at in starts for word in pool[at : at + 20]))
    numbers = Words()
    sets = [numbers.triples(text) for text in texts]
    work = candidates.Candidates(sorted(sets, key=len), 0.25, None, True)
    met = sum(len(pairs) for *_, pairs in work._rare_pairs())
    assert met <= max(candidates.MET, 60 * candidates.RARE_OF_MANY) * len(sets)
    found = alike(sets, sketched=True)
    assert bool(found.unasked) == (of == 3_000)


def words(draw: random.Random, many: int, of: int = 10**6) -> str:
    return " ".join(f"w{draw.randrange(of)}" for _ in range(many))


@pytest.mark.parametrize("copies", [2, 19, 20, 21, 22, 60, 199, 200])
@pytest.mark.parametrize("own", [0, 1, 40, 100])
@pytest.mark.parametrize("rare", [candidates.RARE, candidates.RARE_OF_MANY])
@pytest.mark.parametrize("sketched", [False, True])
def test_a_cluster_of_copies_is_told_whole_however_many_there_are(
    copies: int, own: int, rare: int, sketched: bool
) -> None:
    draw = random.Random(copies * 1_000 + own)
    form = words(draw, 120)
    texts = [f"{form} {words(draw, own)}" for _ in range(copies)]
    texts += [words(draw, 60) for _ in range(50)]
    found = duplicates(texts, rare=rare, sketched=sketched)
    assert [(p.a, p.b) for p in sorted(found, key=lambda p: p[:2])] == list(
        itertools.combinations(range(copies), 2)
    )
    assert found.untold == 0


def test_of_very_many_same_notes_each_is_told_with_the_first_and_the_rest_counted() -> None:
    draw = random.Random(5)
    form, many = words(draw, 50), module.WHOLE + 50
    texts = [form] * many + [f"{form} {words(draw, 10)}"]
    found = duplicates(texts)
    assert {(p.a, p.b) for p in found} == {(0, other) for other in range(1, many + 1)}
    assert len(found) + found.untold == (many + 1) * many // 2


def test_a_form_of_very_many_notes_is_bounded_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST", 1_000)
    draw = random.Random(8)
    form, many = words(draw, 50), 250
    texts = [f"{form} {words(draw, 20)}" for _ in range(many)]
    found = duplicates(texts)
    assert len(found) <= many * candidates.FEWEST and found.untold
    assert {n for pair in found for n in pair[:2]} == set(range(many))
    monkeypatch.undo()
    assert len(duplicates(texts)) == many * (many - 1) // 2


def test_more_notes_than_many_lose_no_cluster() -> None:
    draw = random.Random(6)
    form = words(draw, 60)
    texts = [f"{form} {words(draw, 50)}" for _ in range(25)] + [form] * 22
    texts += [words(draw, 12) for _ in range(candidates.MANY_NOTES)]
    assert len(duplicates(texts)) == 47 * 46 // 2


@pytest.mark.parametrize("threshold", [0.25, 0.27, 0.28])
def test_a_pair_at_the_very_threshold_is_a_pair(threshold: float) -> None:
    form = " ".join(f"f{n}" for n in range(9))
    texts = [f"{form} {' '.join(f'n{k}w{n}' for n in range(18))}" for k in range(210)]
    assert len(duplicates(texts, threshold)) == 210 * 209 // 2  # 7 of 25


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
