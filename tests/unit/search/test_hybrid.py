"""Words and links: the walk, hubs, age, and what a View hides."""

from __future__ import annotations

from pathlib import Path

import pytest
from vaults import note, vault_of

from manent.access import Identity, View
from manent.errors import UsageError
from manent.search.index import SearchIndex
from manent.search.ranker import NAMES, Ranked, make

FILES = {
    "storm.md": note("storm", "A storm. See [[harbour-rules]]."),
    "harbour-rules.md": note("harbour-rules", "Who moors where.", updated="2026-01-01"),
    "lonely.md": note("lonely", "Who sings where.", updated="2026-01-01"),
    "map.md": note("map", "Storm [[storm]] [[lonely]] [[harbour-rules]]", type="moc"),
}


def asked(root: Path, files: dict[str, str], query: str, name: str = "hybrid") -> list[Ranked]:
    vault = vault_of(root, files)
    return make(name, SearchIndex(vault, None)).rank(View(vault), query, 10, explain=True)


def test_a_note_without_the_words_is_found_along_a_link(tmp_path: Path) -> None:
    found = {r.hit.name: r for r in asked(tmp_path, FILES, "storm")}
    assert next(iter(found)) == "storm"
    assert found["harbour-rules"].hit.via == {"graph": found["harbour-rules"].hit.via["graph"]}
    assert found["storm"].hit.via["bm25"] >= 1 and "graph" in found["storm"].hit.via
    assert "lonely" not in found  # the map alone links it with the storm: a hub leads nowhere
    assert not {"harbour-rules", "lonely"} & {
        r.hit.name for r in asked(tmp_path, {}, "storm", "bm25")
    }


def test_a_hub_is_halved_and_the_arithmetic_says_so(tmp_path: Path) -> None:
    found = {r.hit.name: r for r in asked(tmp_path, FILES, "storm")}
    assert any(line == "x 0.5 for being a note of type moc" for line in found["map"].arithmetic)
    as_note = FILES | {"map.md": FILES["map.md"].replace("type: moc", "type: reference")}
    plain = {r.hit.name: r for r in asked(tmp_path / "other", as_note, "storm")}
    assert plain["map"].hit.score > found["map"].hit.score


def test_the_newer_of_two_alike_goes_first_whatever_the_day(tmp_path: Path) -> None:
    files = {
        f"{name}.md": note(name, "Tide tables.", description="tide", updated=day)
        for name, day in (("a", "2020-05-01"), ("b", "2025-05-01"), ("c", "2023-05-01"))
    }
    assert [r.hit.name for r in asked(tmp_path, files, "tide tables")] == ["b", "c", "a"]


def test_an_odd_date_is_no_fault(tmp_path: Path) -> None:
    files = {"a.md": note("a", "Tide.", updated="soon"), "b.md": note("b", "Tide.")}
    assert {r.hit.name for r in asked(tmp_path, files, "tide")} == {"a", "b"}


def test_demotion_comes_last(tmp_path: Path) -> None:
    files = FILES | {"storm.md": note("storm", "A storm.", status="archived")}
    found = {r.hit.name: r for r in asked(tmp_path, files, "storm")}
    assert found["storm"].hit.score == pytest.approx(found["storm"].relevance * 0.25)


def test_no_word_is_no_answer(tmp_path: Path) -> None:
    assert asked(tmp_path, FILES, "xyzzy") == [] == asked(tmp_path, FILES, "")


def test_what_is_hidden_lends_no_path_and_changes_no_score(tmp_path: Path) -> None:
    shown = {name: text.replace("type:", "audience: [team]\ntype:") for name, text in FILES.items()}
    hidden = {
        "secret.md": note("secret", "storm [[lonely]] [[storm]] [[harbour-rules]]"),
        "later.md": note("later", "storm storm", updated="2030-01-01"),
    }
    team = Identity("tide", read=frozenset({"team"}))
    answers = []
    for root, files in ((tmp_path / "one", shown), (tmp_path / "two", shown | hidden)):
        vault = vault_of(root, files)
        ranker = make("hybrid", SearchIndex(vault, None))
        answers.append(ranker.rank(View(vault, team), "storm moors", 10, explain=True))
    assert answers[0] == answers[1] and len(answers[0]) == 3


def test_a_change_of_the_vault_is_followed(tmp_path: Path) -> None:
    from manent.tree import WorkTree
    from manent.vault.sync import sync

    vault = vault_of(tmp_path, FILES)
    ranker = make("hybrid", SearchIndex(vault, None))
    first = {r.hit.name for r in ranker.rank(View(vault), "storm", 10)}
    (tmp_path / "storm.md").write_text(note("storm", "A storm."))
    (tmp_path / "map.md").unlink()
    sync(vault, WorkTree(tmp_path))
    assert first == {"storm", "map", "harbour-rules"}
    assert {r.hit.name for r in ranker.rank(View(vault), "storm", 10)} == {"storm"}


def test_names_are_known(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)
    assert {"bm25", "hybrid"} <= set(NAMES)
    with pytest.raises(UsageError):
        make("best", SearchIndex(vault, None))
