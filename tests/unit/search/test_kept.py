"""What a search keeps for the next one changes no answer and stays within its bounds."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from manent.search import kept
from manent.search.kept import Latest, Posting, Terms
from manent.search.lexical import LexicalStore, Scored
from manent.search.postings import Document

WORDS = [f"{a}{b}{c}" for a in "bdk" for b in "aeo" for c in ("lar", "mon", "ten", "vis")]


def documents(count: int, seed: int) -> list[Document]:
    draw = random.Random(seed)
    made = []
    for number in range(count):
        words = draw.choices(WORDS, k=draw.randint(3, 40))
        made.append(Document(number, words[0], " ".join(words[:3]), "", " ".join(words)))
    return made


def posting(size: int) -> Posting:
    numbers = np.arange(size, dtype=np.uint32)
    return Posting(0, numbers, numbers)


def answers(store: LexicalStore, queries: list[str], visible: object) -> list[list[Scored]]:
    return [store.search(query, 8, visible, explain=True) for query in queries]  # type: ignore[arg-type]


def test_a_search_says_the_same_first_again_and_in_company(tmp_path: Path) -> None:
    made = documents(400, 1)
    store = LexicalStore(tmp_path / "one")
    store.rebuild(made[:300], "a")
    store.update([3, 5, 8], made[300:], "b")
    draw = random.Random(2)
    queries = [" ".join(draw.choices([*WORDS, "bala", "komon"], k=3)) for _ in range(40)]
    half = np.arange(400) % 2 == 0
    for visible in (None, half):
        warm = LexicalStore(tmp_path / "one")
        first = answers(warm, queries, visible)
        assert answers(warm, queries, visible) == first
        assert answers(warm, queries[::-1], visible) == first[::-1]
        assert [answers(LexicalStore(tmp_path / "one"), [q], visible)[0] for q in queries] == first


def test_scopes_share_the_room_and_not_the_terms() -> None:
    terms = Terms()
    one, other = terms.scope(), terms.scope()
    assert len(terms.get(one, b"a", lambda term: [posting(3)])[0].documents) == 3
    assert terms.get(other, b"a", lambda term: []) == ()
    again = terms.get(one, b"a", lambda term: pytest.fail("it is kept"))
    assert again[0].again


def test_what_was_asked_for_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_POSTINGS", 10)
    terms = Terms()
    scope = terms.scope()
    for name in (b"a", b"b"):
        terms.get(scope, name, lambda term: [posting(4)])
    terms.get(scope, b"a", lambda term: pytest.fail("it is kept"))
    terms.get(scope, b"c", lambda term: [posting(4)])
    terms.get(scope, b"a", lambda term: pytest.fail("it is kept"))
    assert len(terms.get(scope, b"b", lambda term: [posting(5)])[0].documents) == 5
    # What alone is more than all the room is answered, and not kept.
    assert len(terms.get(scope, b"all", lambda term: [posting(11)])[0].documents) == 11


def test_no_query_fills_the_room_with_one_long_word() -> None:
    terms = Terms()
    scope = terms.scope()
    looked: list[bytes] = []

    def look(term: bytes) -> list[Posting]:
        looked.append(term)
        return []

    for _ in range(2):
        terms.get(scope, b"a" * 60_000, look)
    assert len(looked) == 2


def test_the_latest_are_kept() -> None:
    latest: Latest[int, int] = Latest(2)
    assert [latest.get(n, partial(pow, n, 2)) for n in (1, 2, 1, 3)] == [1, 4, 1, 9]
    assert latest.get(1, lambda: 0) == 1
    assert latest.get(2, lambda: 0) == 0
