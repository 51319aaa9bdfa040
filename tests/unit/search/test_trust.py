"""Trust in words: whole where a note holds the question, small where it holds a stray word."""

from __future__ import annotations

from pathlib import Path

import pytest
import vaults

from manent.access import View
from manent.search.index import SearchIndex

FILES = {
    f"n{n}.md": vaults.note(f"n{n}", body)
    for n, body in enumerate(
        [
            "The ferry crosses the strait twice.",
            "Bread rises overnight.",
            "The train is late.",
            "Tea.",
        ]
    )
}


def trust(root: Path, query: str) -> float:
    vault = vaults.vault_of(root, FILES)
    return SearchIndex(vault, None).by_words(View(vault), query).trust


def test_more_of_the_question_in_one_note_is_more_trust(tmp_path: Path) -> None:
    told = [
        trust(tmp_path, q) for q in ("ferry zzz qqq", "ferry strait qqq", "ferry strait crosses")
    ]
    assert told == sorted(told) and told[0] < told[2]
    assert all(0 < value <= 1 for value in told)


@pytest.mark.parametrize("query", ["zzz qqq", "xylophone"])
def test_words_that_nobody_holds_are_not_trusted(tmp_path: Path, query: str) -> None:
    assert trust(tmp_path, query) == 0.0


@pytest.mark.parametrize("query", ["", "🎉", "..."])
def test_a_question_without_words_asks_nothing_of_them(tmp_path: Path, query: str) -> None:
    assert trust(tmp_path, query) in (0.0, 1.0)


def test_trust_by_hand(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, FILES)
    index = SearchIndex(vault, None)
    _, values, told = index.by_words(View(vault), "bread")
    scope = index.scope(index.open(), View(vault))
    assert told == pytest.approx(
        float(scope.scores(scope.words(_asked("bread"))).max()) / scope.idf(1)
    )
    assert values.max() > 0


def _asked(query: str):  # type: ignore[no-untyped-def]
    from manent.search.query import Question

    return Question(query)
