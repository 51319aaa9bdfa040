"""Vectors of a vault's notes: made once a text, for those who may see them, by any model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import embeddings
import numpy as np
import pytest
import vaults

from manent.access import OWNER, Identity, View
from manent.errors import EnvironmentFault, UsageError
from manent.facts.store import Store
from manent.search.dense import Dense, Fused, Waiting
from manent.search.embed.embedder import Vectors
from manent.search.embed.hashed import Hashed
from manent.search.index import SearchIndex
from manent.search.making import Opening
from manent.search.meaning import BODY_LETTERS, FOLDER, Meaning, text_of
from manent.search.opening import by_default, named_model
from manent.search.ranker import Setting, make
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

FILES = {
    "boats.md": vaults.note(
        "boats", "The ferry crosses the strait twice a day.", audience="[harbour]"
    ),
    "trains.md": vaults.note("trains", "The night train leaves platform four."),
    "bread.md": vaults.note("bread", "Sourdough rises overnight in a warm kitchen."),
    "old-ferry.md": vaults.note("old-ferry", "The ferry crosses no more.", status="archived"),
    "plain.md": vaults.note("plain", "Nothing that matters."),
}


class Counting(Hashed):
    """The hash embedder, with the texts it was given."""

    def __init__(self, dimensions: int = 256) -> None:
        super().__init__(dimensions)
        self.seen: list[str] = []

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed, and note what was embedded."""
        self.seen += texts
        return super().passages(texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed without noting."""
        return super().passages(texts)


def opened(root: Path, model: Hashed, state: Path | None) -> tuple[Vault, Meaning]:
    vault = Vault(Store(None if state is None else state / "store.db"))
    sync(vault, WorkTree(root))
    index = SearchIndex(vault, None if state is None else state / "search")
    return vault, Meaning(index, model, state)


def moved(vault: Vault, root: Path) -> None:
    sync(vault, WorkTree(root))


def names(hits: Sequence[object]) -> list[str]:
    return [ranked.hit.name for ranked in hits]  # type: ignore[attr-defined]


def test_each_note_is_embedded_once_and_kept(tmp_path: Path) -> None:
    root = vaults.write(tmp_path / "v", FILES)
    first = Counting()
    _, meaning = opened(root, first, tmp_path / "s")
    assert meaning.bring_up() == 0 and len(first.seen) == len(FILES)
    assert meaning.bring_up() == 0 and len(first.seen) == len(FILES)
    second = Counting()
    _, again = opened(root, second, tmp_path / "s")
    assert again.bring_up() == 0 and second.seen == []


def test_an_edited_note_is_embedded_alone(tmp_path: Path) -> None:
    root = vaults.write(tmp_path / "v", FILES)
    model = Counting()
    vault, meaning = opened(root, model, tmp_path / "s")
    meaning.bring_up()
    del model.seen[:]
    vaults.write(root, {"bread.md": vaults.note("bread", "Rye needs a sour starter.")})
    moved(vault, root)
    assert meaning.bring_up() == 0
    assert len(model.seen) == 1 and "Rye needs" in model.seen[0]
    del model.seen[:]
    vaults.write(root, {"bread.md": FILES["bread.md"]})  # what was there before is there still
    moved(vault, root)
    assert meaning.bring_up() == 0 and model.seen == []


def test_another_model_invalidates_only_its_own(tmp_path: Path) -> None:
    root = vaults.write(tmp_path / "v", FILES)
    one, other, back = Counting(64), Counting(128), Counting(64)
    for model in (one, other, back):
        _, meaning = opened(root, model, tmp_path / "s")
        meaning.bring_up()
    assert (len(one.seen), len(other.seen), len(back.seen)) == (5, 5, 0)
    assert len(list((tmp_path / "s" / FOLDER).iterdir())) == 2


def test_work_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    files = {f"n{n}.md": vaults.note(f"n{n}", f"Text number {n}.") for n in range(60)}
    root = vaults.write(tmp_path / "v", files)

    class Failing(Counting):
        def passages(self, texts: Sequence[str]) -> Vectors:
            if len(self.seen) >= 32:
                raise KeyboardInterrupt
            return super().passages(texts)

    _, meaning = opened(root, Failing(), tmp_path / "s")
    with pytest.raises(KeyboardInterrupt):
        meaning.bring_up()
    rest = Counting()
    told: list[tuple[int, int]] = []
    _, again = opened(root, rest, tmp_path / "s")
    assert again.bring_up(progress=lambda done, whole: told.append((done, whole))) == 0
    assert len(rest.seen) == 28
    assert told[0][0] > 32 and told[-1] == (60, 60)


def test_more_than_patience_allows_is_not_begun(tmp_path: Path) -> None:
    root = vaults.write(tmp_path / "v", FILES)
    model = Counting()
    vault, meaning = opened(root, model, tmp_path / "s")
    ranker = Fused(meaning.index, meaning, Waiting(patience=4))
    found = ranker.rank(View(vault), "ferry", 3)
    assert model.seen == [] and ranker.answered == "bm25"
    assert names(found) == ["boats", "old-ferry"]
    assert "index --embed" in ranker.remarks[0]
    ranker.waiting.patience = 5
    ranker.rank(View(vault), "ferry", 3)
    assert ranker.answered == "fused" and ranker.remarks == []


def test_a_disk_that_takes_nothing_is_no_hindrance(tmp_path: Path) -> None:
    root = vaults.write(tmp_path / "v", FILES)
    state = tmp_path / "s"
    vault, _ = opened(root, Counting(), state)
    (state / FOLDER).write_text("a file where a folder should be")
    meaning = Meaning(SearchIndex(vault, None), Counting(), state)
    assert meaning.bring_up() == 0
    assert names(Dense(meaning.index, meaning, Waiting()).rank(View(vault), "ferry", 1)) == [
        "boats"
    ]


def test_workers_make_the_same_vectors(tmp_path: Path) -> None:
    files = {f"n{n}.md": vaults.note(f"n{n}", f"Text number {n}.") for n in range(160)}
    root = vaults.write(tmp_path / "v", files)
    vault = vaults.vault_of(root)
    index = SearchIndex(vault, None)
    alone = Meaning(index, Hashed())
    apart = Meaning(index, Hashed(), tmp_path / "s", Opening("hash", None))
    assert alone.bring_up() == apart.bring_up(processes=2) == 0
    ids = index.open().ids()
    assert np.array_equal(alone.cosines(ids, "number 7"), apart.cosines(ids, "number 7"))
    assert apart.store.size == 160


def test_what_is_embedded_is_name_description_and_start(tmp_path: Path) -> None:
    files = {
        "roll-back.md": vaults.note("roll-back", "x" * 5000, created="2026-01-01"),
        "same.md": vaults.note(
            "same", "The  kettle boils\nat noon.", description="The kettle boils…"
        ),
    }
    vault = vaults.vault_of(tmp_path, files)
    texts = {note.name: text_of(vault, note) for note in vault.notes()}
    assert texts["roll-back"] == "roll back\nAbout roll-back\n" + "x" * BODY_LETTERS
    assert texts["same"] == "same\nThe  kettle boils\nat noon.\n"
    assert "2026" not in texts["roll-back"]


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("roll-back", "roll back"),
        ("adr-0031", "adr 0031"),
        ("2024-05-team-meeting", "2024 05 team meeting"),
        ("4983", ""),
        ("conv-26-d1-3", ""),
        ("会议-2", "会议 2"),
    ],
)
def test_a_name_of_numbers_is_not_embedded(tmp_path: Path, name: str, called: str) -> None:
    vault = vaults.vault_of(tmp_path, {f"{name}.md": vaults.note(name, "It rains.")})
    [note] = vault.notes()
    assert text_of(vault, note).splitlines() == [
        *filter(None, [called]),
        f"About {name}",
        "It rains.",
    ]


def test_what_has_nothing_else_is_embedded_by_its_name(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, {"41-2.md": "---\nname: 41-2\n---\n"})
    assert [text_of(vault, note) for note in vault.notes()] == ["41-2"]


def test_many_edits_leave_no_heap_behind(tmp_path: Path) -> None:
    root = vaults.write(tmp_path / "v", FILES)
    vault, meaning = opened(root, Hashed(16), tmp_path / "s")
    meaning.bring_up()
    spare = [str(n).encode().ljust(16, b"\0") for n in range(2000)]
    meaning.store.add(spare, np.ones((2000, 16), np.float32))
    vaults.write(root, {"bread.md": vaults.note("bread", "Rye.")})
    moved(vault, root)
    assert meaning.bring_up() == 0
    assert meaning.store.size == 5
    answer = Dense(meaning.index, meaning, Waiting()).rank(View(vault), "rye", 1)
    assert names(answer) == ["bread"]


def harbour() -> Identity:
    return Identity("sailor", frozenset({"harbour"}))


@pytest.mark.parametrize("patience", [None, 0, 30])
@pytest.mark.parametrize("kind", [Dense, Fused])
def test_answers_are_those_of_a_vault_without_the_hidden(
    tmp_path: Path, kind: type[Dense], patience: int | None
) -> None:
    """Also of which vectors are waited for: 26 notes are shown, 14 are hidden."""
    mixed = {
        f"n{n}.md": vaults.note(
            f"n{n}",
            f"Text {n % 7} of the {n % 5} ferry.",
            audience="[harbour]" if n % 3 else "[kitchen]",
        )
        for n in range(40)
    }
    visible = {path: text for path, text in mixed.items() if "harbour" in text}
    answers = []
    for files, name in ((mixed, "a"), (visible, "b")):
        vault = vaults.vault_of(tmp_path / name, files)
        index = SearchIndex(vault, None)
        view = View(vault, harbour())
        ranker = kind(index, Meaning(index, Hashed()), Waiting(patience))
        for query in ("ferry 3", "text", "of the 2 ferry"):
            found = ranker.rank(view, query, 10, True)
            rows = [(r.hit.name, r.hit.score, r.hit.via, r.arithmetic) for r in found]
            answers.append((rows, ranker.answered, ranker.remarks))
    half = len(answers) // 2
    assert answers[:half] == answers[half:]


def test_which_model_answers_is_decided_by_the_notes_that_are_seen(tmp_path: Path) -> None:
    """Three notes are shown; thirty that are hidden came after the better vectors were made."""
    embeddings.needs_dense()
    shown = {path: FILES[path] for path in ("boats.md",)}
    shown |= {
        f"pier-{n}.md": vaults.note(f"pier-{n}", "A pier.", audience="[harbour]") for n in "ab"
    }
    hidden = {f"n{n}.md": vaults.note(f"n{n}", f"The wages of {n}.") for n in range(30)}
    answers = []
    for later, name in ((hidden, "a"), ({}, "b")):
        root, state = vaults.write(tmp_path / name, shown), tmp_path / f"{name}.state"
        vault = Vault(Store(state / "store.db"))
        sync(vault, WorkTree(root))
        index = SearchIndex(vault, state / "search")
        for model in ("e5", "e5-512"):
            make("dense", index, Setting(model, state, embeddings.models())).rank(
                View(vault), "pier", 1
            )
        vaults.write(root, later)
        sync(vault, WorkTree(root))
        ranker = by_default(index, Setting("", state, embeddings.models(), patience=16))
        found = ranker.rank(View(vault, harbour()), "where ships lie", 5, True)
        rows = [(r.hit.name, r.hit.score, r.hit.via, r.arithmetic) for r in found]
        assert isinstance(ranker, Fused) and ranker.meaning.model.id.endswith("-512")
        answers.append((rows, ranker.answered, ranker.remarks))
        ranker.rank(View(vault, OWNER), "pier", 1)
        assert (ranker.answered, ranker.meaning.model.id[-4:]) == (
            ("bm25", "-128") if later else ("fused", "-512")
        )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("notes", [0, 20])
def test_a_vault_of_hidden_notes_alone_answers_as_an_empty_one(tmp_path: Path, notes: int) -> None:
    embeddings.needs_dense()
    files = {f"n{n}.md": vaults.note(f"n{n}", "Wages.") for n in range(notes)}
    root, state = vaults.write(tmp_path / "v", files), tmp_path / "s"
    root.mkdir(exist_ok=True)
    vault = Vault(Store(state / "store.db"))
    sync(vault, WorkTree(root))
    index = SearchIndex(vault, state / "search")
    setting = Setting("", state, embeddings.models())
    named_model("", index, setting).bring_up()
    ranker = by_default(index, setting)
    assert ranker.rank(View(vault, harbour()), "wages", 5) == []
    assert (ranker.answered, ranker.remarks) == ("fused", [])


def test_vectors_of_hidden_notes_are_not_compared(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, FILES)
    index = SearchIndex(vault, None)
    meaning = Meaning(index, Hashed())
    meaning.bring_up()
    hidden = [n.doc for n in vault.notes() if n.name != "boats"]
    meaning.store.rows[meaning.rows_of(np.array(hidden))] = np.nan
    for kind in (Dense, Fused):
        found = kind(index, meaning, Waiting()).rank(View(vault, harbour()), "night train", 5)
        assert names(found) == ["boats"] and np.isfinite(found[0].hit.score)


def test_status_demotes_here_too(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, FILES)
    index = SearchIndex(vault, None)
    for name in ("dense", "fused"):
        found = make(name, index, Setting("hash")).rank(View(vault, OWNER), "the ferry", 5)
        old = next(ranked for ranked in found if ranked.hit.name == "old-ferry")
        assert old.hit.score == pytest.approx(old.relevance * 0.25)


def test_a_hit_says_by_which_lists_it_came(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, FILES)
    ranker = make("fused", SearchIndex(vault, None), Setting("hash"))
    found = {r.hit.name: r for r in ranker.rank(View(vault), "ferry crosses the strait", 5, True)}
    assert found["boats"].hit.via == {"bm25": 1, "dense": 1}
    assert set(found["bread"].hit.via) == {"dense"}
    lines = found["boats"].arithmetic
    summed = [float(line.split(" ", 1)[0]) for line in lines if not line.startswith(" ")]
    assert sum(summed) == pytest.approx(found["boats"].relevance, abs=0.002)


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_an_empty_query_finds_nothing(tmp_path: Path, query: str) -> None:
    vault = vaults.vault_of(tmp_path, FILES)
    for name in ("dense", "fused"):
        assert (
            make(name, SearchIndex(vault, None), Setting("hash")).rank(View(vault), query, 5) == []
        )


@pytest.mark.parametrize(
    "query", ["x" * 1_000_000, "the of and", "🎉🎉", '"(AND OR" NEAR/2 *', "\u202eשלום", "\ud800"]
)
def test_any_query_has_an_answer(tmp_path: Path, query: str) -> None:
    embeddings.needs_dense()
    vault = vaults.vault_of(tmp_path, FILES)
    index = SearchIndex(vault, None)
    for model in ("hash", "e5"):
        setting = Setting(model, cache=embeddings.models())
        for name in ("dense", "fused"):
            found = make(name, index, setting).rank(View(vault), query, 3)
            assert all(np.isfinite(ranked.hit.score) for ranked in found)


def test_a_vault_without_notes_has_no_hits(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path, {})
    for name in ("dense", "fused"):
        assert make(name, SearchIndex(vault, None), Setting("hash")).rank(View(vault), "x", 3) == []


def test_a_model_that_is_none_names_the_retriever(tmp_path: Path) -> None:
    index = SearchIndex(vaults.vault_of(tmp_path, {}), None)
    with pytest.raises(UsageError, match="no model nowhere"):
        make("dense", index, Setting("nowhere"))
    with pytest.raises(EnvironmentFault, match="--retriever fused"):
        make("fused", index, Setting(str(tmp_path)))


def test_the_model_that_reads_further_takes_over_once_it_is_there(tmp_path: Path) -> None:
    embeddings.needs_dense()
    root = vaults.write(tmp_path / "v", FILES)
    state, cache = tmp_path / "s", embeddings.models()
    vault = Vault(Store(state / "store.db"))
    sync(vault, WorkTree(root))
    index = SearchIndex(vault, state / "search")
    first = make("dense", index, Setting("", state, cache))
    assert isinstance(first, Dense) and first.meaning.model.id.endswith("-128")
    make("dense", index, Setting("e5-512", state, cache)).rank(View(vault), "ferry", 1)
    after = make("dense", index, Setting("", state, cache))
    assert isinstance(after, Dense)
    after.rank(View(vault), "ferry", 1)
    assert after.meaning.model.id.endswith("-512")
