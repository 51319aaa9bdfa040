"""Passages: a note is as near as its nearest one; the same laws hold as for whole notes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import vaults
from asked import ask
from hypothesis import given
from hypothesis import strategies as st

from manent.access import View
from manent.search.dense import Dense, Waiting
from manent.search.embed.hashed import Hashed
from manent.search.index import SearchIndex
from manent.search.meaning import Meaning
from manent.search.passages import LETTERS, MOST, Passages, passages

FILLER = "Nothing of note happened on the quay that morning. " * 40


def test_what_a_long_note_says_late_is_found(tmp_path: Path) -> None:
    files = {
        "log.md": vaults.note("log", FILLER + "The sextant was recalibrated by the chandler."),
        "other.md": vaults.note("other", FILLER),
    }
    index = SearchIndex(vaults.vault_of(tmp_path, files), None)
    ids = index.open().ids()
    query = "sextant recalibrated chandler"
    whole, parts = Meaning(index, Hashed()), Passages(index, Hashed())
    assert whole.bring_up() == parts.bring_up() == 0
    assert parts.store.size > whole.store.size == 2
    near = parts.cosines(ids, query)
    assert near.max() > 2 * whole.cosines(ids, query).max()
    found = Dense(index, parts, Waiting()).rank(View(index.vault), query, 2)
    assert found[0].hit.name == "log"


def test_one_passage_is_the_whole_note(tmp_path: Path) -> None:
    files = {f"n{n}.md": vaults.note(f"n{n}", f"Text {n}.") for n in range(5)}
    index = SearchIndex(vaults.vault_of(tmp_path, files), None)
    ids = index.open().ids()
    whole, parts = Meaning(index, Hashed()), Passages(index, Hashed())
    whole.bring_up()
    parts.bring_up()
    assert np.array_equal(whole.cosines(ids, "text 3"), parts.cosines(ids, "text 3"))


@given(st.text(alphabet="ab .\n!", max_size=4000))
def test_passages_hold_every_word_in_order(body: str) -> None:
    made = passages(body)
    assert made and all(len(passage) <= 2 * LETTERS for passage in made)
    assert "".join("".join(made).split()) == "".join(body.split())


def test_a_note_without_end_has_so_many_passages() -> None:
    assert len(passages("word " * 100_000)) <= MOST
    assert passages("") == [""]


def test_an_edit_embeds_the_passages_of_one_note(tmp_path: Path) -> None:
    vault = vaults.write(
        tmp_path / "v", {"a.md": vaults.note("a", FILLER), "b.md": vaults.note("b")}
    )
    command = ("index", str(vault), "--embed", "--model", "hash", "--passages", "--json")
    first = ask(*command).json
    assert first["embedded"] > 4 and first["model"].endswith("-passages")
    vaults.write(vault, {"b.md": vaults.note("b", "Another text.")})
    assert ask(*command).json["embedded"] == 1
    options = ("--model", "hash", "--passages", "--retriever", "dense", "--json")
    said = ask("search", str(vault), "another text", *options).json
    assert said["retriever"] == "dense" and said["hits"][0]["name"] == "b"
    assert ask("index", str(vault), "--embed", "--model", "hash", "--json").json["embedded"] == 2


def test_compacting_keeps_whole_notes(tmp_path: Path) -> None:
    vault = vaults.vault_of(tmp_path / "v", {"a.md": vaults.note("a", FILLER)})
    index = SearchIndex(vault, None)
    held = Passages(index, Hashed(16), tmp_path / "s")
    held.bring_up()
    rows = held.store.size
    held.store.add(
        [bytes([n % 256]) * 15 + bytes([n // 256]) for n in range(2000)],
        np.ones((2000, 16), np.float32),
    )
    again = Passages(index, Hashed(16), tmp_path / "s")
    assert again.bring_up() == 0 and again.store.size == rows
    ids = index.open().ids()
    assert np.array_equal(again.cosines(ids, "quay"), held.cosines(ids, "quay"))
