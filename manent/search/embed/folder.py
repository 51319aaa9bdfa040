"""Any local model in the layout of sentence-transformers, with an ONNX file in it.

What a model expects is read from its folder: where it cuts
(``sentence_bert_config.json``, the tokenizer's), how tokens become one vector
(``1_Pooling/config.json``), what is said before a question or a passage
(``config_sentence_transformers.json``). Vectors are brought to unit length always,
for they are compared by their angle.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.errors import EnvironmentFault
from manent.search.embed.embedder import Vectors, unit
from manent.search.embed.session import EXTRA, open_session
from manent.values import dataclass

GRAPHS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
"""Where the graph may lie, the first found is taken."""
CONFIGURATION = (
    "tokenizer.json",
    "tokenizer_config.json",
    "config.json",
    "modules.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
)
"""What is read beside the graph; all but the first may be absent."""
_POOLINGS = ("mean_tokens", "cls_token", "max_tokens", "lasttoken")
_TOKENS = 512
_EDGE = 1 << 20
_SENTENCE_OUTPUTS = ("sentence_embedding", "pooler_output_normalized")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a folder wants its model used.

    pooling: one of mean_tokens, cls_token, max_tokens, lasttoken. query, passage: prefixes.
    """

    tokens: int
    pooling: str
    query: str
    passage: str


def recipe_of(folder: Path) -> Recipe:
    """Read a folder's configuration; what it does not say is as most models have it."""
    prompts = _read(folder, "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    passage = next((prompts[n] for n in ("passage", "document", "corpus") if n in prompts), "")
    pooling = _read(folder, "1_Pooling/config.json")
    chosen = [name for name in _POOLINGS if pooling.get(f"pooling_mode_{name}") is True]
    if len(chosen) > 1:
        raise EnvironmentFault(f"{folder} pools in several ways at once", "choose another model")
    unknown = [key for key, value in pooling.items() if value is True and _is_mode(key)]
    if unknown and not chosen:
        raise EnvironmentFault(f"{folder} pools by {unknown[0]}", "choose another model")
    return Recipe(_tokens(folder), chosen[0] if chosen else _POOLINGS[0], _query(prompts), passage)


def _is_mode(key: str) -> bool:
    return key.startswith("pooling_mode_")


def _query(prompts: dict[str, Any]) -> str:
    return str(prompts.get("query", ""))


def _tokens(folder: Path) -> int:
    said = [
        _read(folder, "sentence_bert_config.json").get("max_seq_length"),
        _read(folder, "tokenizer_config.json").get("model_max_length"),
        _read(folder, "config.json").get("max_position_embeddings"),
    ]
    bounds = [int(n) for n in said if isinstance(n, int | float) and 2 < n < 1_000_000]
    return min([*bounds, _TOKENS])


def _read(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise EnvironmentFault(
            f"{path} cannot be read: {fault}", "fetch the model again"
        ) from fault
    return found if isinstance(found, dict) else {}


class ModelFolder:
    """A model in a folder, opened. Raises EnvironmentFault saying what the folder lacks."""

    weight = 0.65

    def __init__(self, folder: Path) -> None:
        self._graph = _graph_of(folder)
        self.recipe = recipe_of(folder)
        self._tokenizer = _tokenizer(folder, self.recipe.tokens)
        self._session = open_session(self._graph)
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._output = self._chosen_output()
        self.id = f"folder-{_digest(folder, self._graph)}"
        self.dimensions = self._embedded("a").shape[0]

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, with the prefix this model wants."""
        return self._rows([self.recipe.query + text for text in texts])

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed notes, with the prefix this model wants."""
        return self._rows([self.recipe.passage + text for text in texts])

    def _rows(self, texts: list[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for at, text in enumerate(texts):
            rows[at] = self._embedded(text)
        return unit(rows)

    def _chosen_output(self) -> str:
        names: list[str] = [made.name for made in self._session.get_outputs()]
        whole = [name for name in names if name in _SENTENCE_OUTPUTS]
        return (whole or names)[0]

    def _embedded(self, text: str) -> NDArray[np.float32]:
        # Twenty letters a token is more than any text has; the rest would be cut anyway.
        cut = text[: 20 * self.recipe.tokens].encode("utf-8", "replace").decode("utf-8")
        encoding = self._tokenizer.encode(cut)
        numbers = np.array([encoding.ids], np.int64)
        if not numbers.size:
            return np.zeros(getattr(self, "dimensions", 1), np.float32)
        every = {
            "input_ids": numbers,
            "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
            "position_ids": np.arange(numbers.shape[1], dtype=np.int64)[None],
        }
        given = {name: values for name, values in every.items() if name in self._inputs}
        made = np.asarray(self._session.run([self._output], given)[0][0])
        return made if made.ndim == 1 else _pooled(made, self.recipe.pooling)


def _pooled(states: NDArray[Any], pooling: str) -> NDArray[np.float32]:
    """Return one vector for the states of all tokens, (tokens, width)."""
    if pooling == "cls_token":
        chosen = states[0]
    elif pooling == "lasttoken":
        chosen = states[-1]
    else:
        chosen = states.max(axis=0) if pooling == "max_tokens" else states.mean(axis=0)
    return np.asarray(chosen, np.float32)


def _graph_of(folder: Path) -> Path:
    for name in GRAPHS:
        if (folder / name).is_file():
            return folder / name
    raise EnvironmentFault(
        f"{folder} holds no ONNX model", f"one of {', '.join(GRAPHS)} is looked for"
    )


def _tokenizer(folder: Path, tokens: int) -> Any:
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise EnvironmentFault(f"{folder} holds no tokenizer.json", "fetch the model again")
    try:
        from tokenizers import Tokenizer
    except ImportError as fault:
        raise EnvironmentFault("tokenizers is not installed", EXTRA) from fault
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as fault:  # the library raises Exception itself
        raise EnvironmentFault(
            f"{path} cannot be read: {fault}", "fetch the model again"
        ) from fault
    tokenizer.enable_truncation(tokens)
    tokenizer.no_padding()
    return tokenizer


def _digest(folder: Path, graph: Path) -> str:
    """Name the model by its configuration, and its graph's size, start and end."""
    digest = hashlib.blake2b(digest_size=8)
    for path in (folder / name for name in CONFIGURATION):
        digest.update(path.read_bytes() if path.is_file() else b"-")
        digest.update(b"\0")
    size = graph.stat().st_size
    digest.update(str(size).encode())
    with graph.open("rb") as file:
        digest.update(file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return digest.hexdigest()
