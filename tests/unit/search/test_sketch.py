"""A rough look at many vectors: near the truth, the same in any order, of what is seen alone."""

from __future__ import annotations

from pathlib import Path

import embeddings
import numpy as np
import pytest
import vaults
from numpy.typing import NDArray

from manent.access import Identity, View
from manent.facts.store import Store
from manent.search import meaning as meanings
from manent.search import nearest, sketch
from manent.search.dense import Dense, Fused, Waiting
from manent.search.embed.hashed import Hashed
from manent.search.index import SearchIndex
from manent.search.meaning import Meaning
from manent.search.nearest import closer_looked, cosines
from manent.search.sketch import BLOCK, GRAPH, Sketch
from manent.search.vectors import VectorStore, key_of
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

embeddings.needs_dense()

Floats = NDArray[np.float32]


def drawn(count: int, width: int = 64, seed: int = 3) -> Floats:
    """Return rows of unit length that share a direction, as those of models do."""
    chance = np.random.default_rng(seed)
    rows = chance.standard_normal((count, width)).astype(np.float32) + np.float32(1.5)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def test_the_graph_is_what_onnx_spells() -> None:
    from onnx import TensorProto, helper

    node = helper.make_node("MatMulInteger", ["a", "b"], ["y"])
    first = helper.make_tensor_value_info("a", TensorProto.UINT8, [1, "d"])
    second = helper.make_tensor_value_info("b", TensorProto.INT8, ["d", "n"])
    made = helper.make_tensor_value_info("y", TensorProto.INT32, [1, "n"])
    graph = helper.make_graph([node], "scan", [first, second], [made])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    model.producer_name = ""
    assert model.SerializeToString() == GRAPH


def test_the_ten_nearest_are_found() -> None:
    matrix, asked = drawn(30_000), drawn(40, seed=4)
    rows, one = np.arange(len(matrix)), Sketch(64)
    found = wanted = 0
    for query in asked:
        exact = cosines(matrix, rows, query)
        rough = one.cosines(matrix, rows, query)
        looked = closer_looked(rough, matrix, rows, query)
        assert np.abs(looked - exact).max() < 0.2 * exact.std()
        best = np.argsort(-looked)[:10]
        assert np.array_equal(looked[best], exact[best])
        found += len(np.intersect1d(best, np.argsort(-exact)[:10]))
        wanted += 10
    assert found / wanted >= 0.99


def test_sums_are_the_same_in_any_order_and_beside_any_others() -> None:
    matrix, query = drawn(3_000), drawn(1, seed=9)[0]
    rows = np.random.default_rng(1).permutation(2_000)
    together = Sketch(64).cosines(matrix, np.arange(3_000), query)
    grown = Sketch(64)
    for upto in (1, 700, 2_000):
        last = grown.cosines(matrix[:2_000], np.sort(rows[:upto]), query)
    assert len(last) == 2_000
    assert np.array_equal(grown.cosines(matrix, rows, query), together[rows])
    straight = closer_looked(together[:2_000], matrix, np.arange(2_000), query)
    assert np.array_equal(closer_looked(together[rows], matrix, rows, query), straight[rows])


def test_signed_sums_do_not_overflow() -> None:
    """All at the ends of their scales: the sums that sixteen bits would cut."""
    matrix = np.full((4, 384), 384**-0.5, np.float32)
    matrix[1] *= -1
    matrix[2, ::2] *= -1
    rough = Sketch(384).cosines(matrix, np.arange(4), matrix[0])
    assert np.allclose(rough, [1, -1, 0, 1], atol=1e-5)


def test_rows_that_left_make_room() -> None:
    matrix, query = drawn(3 * BLOCK, width=8), drawn(1, width=8)[0]
    one = Sketch(8)
    one.cosines(matrix, np.arange(3 * BLOCK), query)
    held = one.columns
    few = np.arange(5)
    after = one.cosines(matrix, few, query)
    assert one.columns == BLOCK < held
    assert np.array_equal(after, Sketch(8).cosines(matrix, few, query))


def test_no_more_is_held_than_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketch, "_MOST_COLUMNS", 2 * BLOCK)
    monkeypatch.setattr(sketch, "_held", type(sketch._held)())
    matrix, query = drawn(9, width=8), drawn(1, width=8)[0]
    for key in "abcd":
        sketch.sketch_of(key, 8).cosines(matrix, np.arange(9), query)
    assert list(sketch._held) == ["b", "c", "d"]  # the last was empty when it was asked for


def crew() -> Identity:
    return Identity("crew", frozenset({"crew"}))


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanings, "WORTH", 20)
    monkeypatch.setattr(nearest, "LOOKED_AT", 12)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("kind", [Dense, Fused])
def test_answers_are_those_of_a_vault_without_the_hidden(tmp_path: Path, kind: type[Dense]) -> None:
    """Also after an edit, and no hidden row is ever taken in."""
    mixed = {
        f"n{n:02}.md": vaults.note(
            f"n{n:02}", f"Text {n % 7} of {n}.", audience="[crew]" if n % 3 else "[board]"
        )
        for n in range(60)
    }
    shown = {path: text for path, text in mixed.items() if "crew" in text}
    edit = {"n01.md": vaults.note("n01", "Quite another ferry.", audience="[crew]")}
    answers = []
    for name, files in (("a", mixed), ("b", shown)):
        root, state = vaults.write(tmp_path / name, files), tmp_path / f"{name}.state"
        vault = Vault(Store(state / "store.db"))
        sync(vault, WorkTree(root))
        index = SearchIndex(vault, state / "search")
        held = Meaning(index, Hashed(), state)
        ranker = kind(index, held, Waiting())
        for step in ({}, edit):
            vaults.write(root, step)
            sync(vault, WorkTree(root))
            held.bring_up()
            for query in ("text 3", "ferry", "of 5"):
                found = ranker.rank(View(vault, crew()), query, 10, True)
                answers.append([(r.hit.name, r.hit.score, r.hit.via, r.arithmetic) for r in found])
        kept = sketch._held[(held.store.folder, held.store.stands, crew())]
        shown_docs = {n.doc for n in View(vault, crew()).notes()}
        hidden = np.array([n.doc for n in vault.notes() if n.doc not in shown_docs], np.int64)
        assert kept._used >= 40 and (name == "b") == (not hidden.size)
        rows = held.rows_of(hidden)
        known = rows[rows < len(kept._slot_of)]
        assert (kept._slot_of[known] == -1).all()
    half = len(answers) // 2
    assert answers[:half] == answers[half:]


def test_a_store_made_anew_is_not_taken_for_the_old(tmp_path: Path) -> None:
    first = VectorStore(tmp_path / "v", "m", 8)
    first.add([key_of("a")], drawn(1, width=8))
    same = VectorStore(tmp_path / "v", "m", 8)
    assert first.stands and same.stands == first.stands
    first.add([key_of("b")], drawn(1, width=8))
    assert same.refresh() and same.stands == first.stands
    first.compact([key_of("b")])
    assert same.refresh() and same.stands == first.stands != ""
    for path in (tmp_path / "v").iterdir():
        path.unlink()
    again = VectorStore(tmp_path / "v", "m", 8)
    assert again.stands == ""
    again.add([key_of("b")], drawn(1, width=8))
    assert again.stands not in ("", first.stands)
