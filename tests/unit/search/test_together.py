"""Notes whose words stand together go first, among the best."""

from __future__ import annotations

from pathlib import Path

import pytest
import vaults
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.access import View
from manent.search import together
from manent.search.index import SearchIndex
from manent.search.postings import term_of
from manent.search.ranker import Setting, make

APART = "The ferry is old. " + "It was painted white and red last year. " * 6 + "A strait is deep."
FILES = {
    "apart.md": vaults.note("apart", APART),
    "together.md": vaults.note("together", "It was. " * 40 + "The ferry crosses the strait."),
    "bread.md": vaults.note("bread", "Sourdough rises overnight."),
    "neve.md": vaults.note("neve", "La neve che cade nella valle. I traghetti e gli stretti."),
    "ships.md": vaults.note("ships", "船は海峡を渡る。毎日二回。"),
}


def closeness(tmp_path: Path, query: str, files: dict[str, str] | None = None) -> dict[str, float]:
    vault = vaults.vault_of(tmp_path, FILES if files is None else files)
    index, view = SearchIndex(vault, None), View(vault)
    notes = list(vault.notes())
    asked = together.wanted(index.scope(index.open(), view), query)
    found = dict(together.closeness(vault, notes, asked))
    return {note.name: found.get(note.doc, 0.0) for note in notes}


def test_words_in_a_row_hold_more_of_a_question_than_words_apart(tmp_path: Path) -> None:
    found = closeness(tmp_path, "ferry strait")
    assert found["together"] == 1.0 and 0.3 < found["apart"] < 0.7
    assert found["bread"] == found["neve"] == 0.0


def test_words_of_grammar_do_not_count(tmp_path: Path) -> None:
    assert closeness(tmp_path, "which ferry is on the strait")["together"] == 1.0


def test_words_nobody_holds_count_in_the_whole(tmp_path: Path) -> None:
    found = closeness(tmp_path, "ferry strait zeppelin")
    assert 0.3 < found["together"] < 0.8


@pytest.mark.parametrize(
    ("query", "name"), [("lo stretto e il traghetto", "neve"), ("海峡を渡る船", "ships")]
)
def test_stems_and_scripts_without_spaces_count(tmp_path: Path, query: str, name: str) -> None:
    found = closeness(tmp_path, query)
    assert found[name] > 0.5 and max(found, key=lambda one: found[one]) == name


def test_frontmatter_is_not_read(tmp_path: Path) -> None:
    files = {"a.md": vaults.note("a", "Nothing.", created="2026-03-09", tags="[zeppelin]")}
    files["b.md"] = vaults.note("b", "A zeppelin.")
    assert closeness(tmp_path, "zeppelin", files) == {"a": 0.0, "b": 1.0}


@pytest.mark.parametrize("query", ["", "🎉", "zeppelin"])
def test_what_asks_for_nothing_that_is_held_gains_nothing(tmp_path: Path, query: str) -> None:
    assert set(closeness(tmp_path, query).values()) == {0.0}


def test_the_gain_is_told_and_adds_up(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, FILES)
    ranker = make("fused", SearchIndex(vault, None), Setting("hash"))
    found = {r.hit.name: r for r in ranker.rank(View(vault), "ferry strait", 5, True)}
    assert next(iter(found)) == "together"
    lines = found["together"].arithmetic
    assert any("words that stand together: closeness 1.000" in line for line in lines)
    for ranked in found.values():
        told = [float(x.split(" ", 1)[0]) for x in ranked.arithmetic if not x.startswith(" ")]
        assert sum(told) == pytest.approx(ranked.relevance, abs=0.003)


def test_a_note_that_went_away_meanwhile_gains_nothing(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, FILES)
    index = SearchIndex(vault, None)
    asked = together.wanted(index.scope(index.open(), View(vault)), "ferry strait")
    (tmp_path / "together.md").unlink()
    found = dict(together.closeness(vault, vault.notes(), asked))
    assert len(found) == len(FILES) - 1


def test_the_order_of_a_question_counts(tmp_path: Path) -> None:
    files = {
        "there.md": vaults.note("there", "It was. " * 20 + "The ferry crosses the strait."),
        "back.md": vaults.note("back", "It was. " * 20 + "The strait has a ferry."),
    }
    found = closeness(tmp_path, "ferry strait", files)
    assert found["there"] == 1.0 and found["back"] == pytest.approx(1 - 1 / 6)


def test_who_is_not_looked_into_stays_behind(tmp_path: Path) -> None:
    count = together.FIRST + 5
    files = {f"n{n}.md": vaults.note(f"n{n}", f"A ferry, {n}. " + "x" * n) for n in range(count)}
    vault = vaults.vault_of(tmp_path, files)
    index = SearchIndex(vault, None)
    ranker = make("fused", index, Setting("hash"))
    ranked = ranker.rank(View(vault), "ferry strait", count, True)
    told = [any("words that stand together" in x for x in one.arithmetic) for one in ranked]
    assert told == [True] * together.FIRST + [False] * 5


WORDS = ("ferry", "strait", "the", "wages", "x-ray")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), max_size=90),
    st.sets(st.sampled_from(range(3))),
    st.sampled_from(together.WIDTHS),
)
def test_the_best_window_is_the_best_of_all_windows(
    words: list[str], asked: set[int], width: int
) -> None:
    wanted = {term_of(WORDS[n], 0): (n, 1.0 + n) for n in asked}
    question = together.Wanted(wanted, (), 1.0, (0,))
    held = {n: 1.0 + n for n in asked}
    found = together._most(together._found(" ".join(words), question, {}, set()), held, width)
    tokens = [WORDS.index(word) for word in words]
    windows = [tokens[at : at + width] for at in range(max(1, len(tokens)))]
    best = max(sum(1.0 + n for n in set(window) & asked) for window in windows)
    assert found == pytest.approx(best)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=90), st.permutations(range(3)))
def test_closeness_is_a_share(words: list[str], order: list[int]) -> None:
    wanted = {term_of(WORDS[n], 0): (n, 1.0 + n) for n in order}
    weights = [1.0 + n for n in range(3)]
    question = together.Wanted(wanted, together._pairs(weights), sum(weights), (0,))
    found = together._found(" ".join(words), question, {}, set())
    close = together._close(found, question)
    assert 0.0 <= close <= 1.0 + 1e-9
    assert (close == 0.0) == (not found)
    if all(WORDS[n] in words for n in range(3)):
        assert close >= 1 / 6 - 1e-9
