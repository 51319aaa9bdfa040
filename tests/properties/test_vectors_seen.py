"""Laws of search by meaning: what an asker may not see changes no bit of an answer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import vaults
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.access import Identity, View
from manent.search.dense import Dense, Fused, Waiting
from manent.search.embed.hashed import Hashed
from manent.search.index import SearchIndex
from manent.search.meaning import Meaning
from manent.vault.vault import Vault

WORDS = ("ferry", "strait", "wages", "kiln", "rye", "platform")


class Sketch(NamedTuple):
    """One note: what it says, who sees it, and by which models it was embedded before."""

    text: str
    shown: bool
    quick: bool
    further: bool


sketches = st.lists(
    st.builds(
        Sketch,
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    max_size=12,
)


def files_of(notes: list[Sketch], shown_alone: bool) -> dict[str, str]:
    return {
        f"n{n}.md": vaults.note(f"n{n}", note.text, audience="[crew]" if note.shown else "[board]")
        for n, note in enumerate(notes)
        if note.shown or not shown_alone
    }


def embedded(vault: Vault, index: SearchIndex, model: Hashed, names: set[str]) -> Meaning:
    """Return vectors of the notes of these names alone."""
    meaning = Meaning(index, model)
    index.open()
    docs = np.array([n.doc for n in vault.notes() if n.name in names], np.int64)
    meaning.bring_up(wanted=lambda: docs)
    return meaning


@pytest.mark.parametrize("kind", [Dense, Fused])
@settings(max_examples=60, deadline=None)
@given(sketches, st.sampled_from([0, 2, 5, None]), st.lists(st.sampled_from(WORDS), max_size=2))
def test_which_vectors_answer_does_not_depend_on_what_is_hidden(
    kind: type[Dense], notes: list[Sketch], patience: int | None, words: list[str]
) -> None:
    answers = []
    for shown_alone in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            vault = vaults.vault_of(Path(folder), files_of(notes, shown_alone))
            index = SearchIndex(vault, None)
            quick, further = (
                embedded(vault, index, Hashed(width), names)
                for width, names in (
                    (64, {f"n{n}" for n, note in enumerate(notes) if note.quick}),
                    (128, {f"n{n}" for n, note in enumerate(notes) if note.further}),
                )
            )
            ranker = kind(index, quick, Waiting(patience), further)
            view = View(vault, Identity("crew", frozenset({"crew"})))
            found = ranker.rank(view, " ".join(words), 8, True)
            rows = [(r.hit.name, r.hit.score, r.hit.via, r.arithmetic) for r in found]
            chosen = ranker.meaning.model.dimensions
            answers.append((rows, ranker.answered, ranker.remarks, chosen))
    assert answers[0] == answers[1]
