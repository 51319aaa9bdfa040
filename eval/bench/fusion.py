"""How much meaning should count beside words: weights, on half of the queries and the other.

    python -m eval.bench.fusion WORK COLLECTION... [--model e5] [--most 4000] [--seconds 150]

Each COLLECTION is a folder ``{corpus.jsonl, queries.jsonl, qrels.tsv}``. It becomes a
vault below WORK, once; its notes are embedded there, and a run that is broken off (or has
used up its seconds: it exits 3) goes on where it stood. Prints nDCG@10 of words alone,
meaning alone, standardised scores by weight, and reciprocal ranks; the weight to take is
the best on half A, and what it is worth is read off half B.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from manent.access import View
from manent.evaluate.collection import load, write
from manent.evaluate.metrics import ndcg
from manent.facts.store import Store
from manent.golden import Golden, read
from manent.search import fusion
from manent.search.embed.choose import embedder
from manent.search.index import SearchIndex
from manent.search.making import Opening
from manent.search.meaning import Meaning
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

WEIGHTS = (0.15, 0.3, 0.45, 0.6, 0.75, 0.85, 1.0, 1.25, 1.5)
PLAIN_WEIGHTS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
CACHE = Path(tempfile.gettempdir()) / "manent-bench-models"


class OutOfTimeError(Exception):
    """The seconds are used up; what was embedded is kept."""


class Bench:
    """One collection as a vault, its words and its vectors."""

    def __init__(self, work: Path, collection: Path, model: str) -> None:
        self.name = collection.resolve().name
        vault = work / self.name
        if not vault.exists():
            write(load(collection), vault)
        self.golden: Golden = read((vault / "golden.json").read_bytes())
        state = work / f"{self.name}.state"
        self.vault = Vault(Store(state / "vault.sqlite"))
        sync(self.vault, WorkTree(vault, (), self.vault.known(), time.time_ns()))
        self.index = SearchIndex(self.vault, state / "search")
        self.index.update()
        self.meaning = Meaning(self.index, embedder(model, CACHE), state, Opening(model, CACHE))

    def embed(self, until: float) -> None:
        """Give every note a vector, or raise OutOfTimeError."""

        def watch(done: int, whole: int) -> None:
            if time.monotonic() > until:
                raise OutOfTimeError(f"{self.name}: {done} of {whole} notes embedded")

        self.meaning.bring_up(progress=watch)

    def rows(self, most: int) -> dict[str, NDArray[np.float64]]:
        """Return nDCG@10 of every query by each way of ranking."""
        view, names = View(self.vault), {n.doc: n.name for n in self.vault.notes()}
        found: dict[str, list[float]] = {}
        for query in self.golden.queries[:most]:
            ids, words, trust = self.index.by_words(view, query.query)
            cosines = self.meaning.cosines(ids, query.query)
            for way, scores in _ways(words, cosines, ids, trust).items():
                best = ids[fusion.leading(scores, ids, 10)]
                gains = dict(zip(query.expected, query.gains, strict=True))
                found.setdefault(way, []).append(ndcg([names[int(d)] for d in best], gains, 10))
        return {way: np.array(values) for way, values in found.items()}


def _ways(
    words: NDArray[np.float64], cosines: NDArray[np.float32], ids: NDArray[np.int64], trust: float
) -> dict[str, NDArray[np.float64]]:
    wide = cosines.astype(np.float64)
    ways = {"words": words, "meaning": wide}
    for weight in WEIGHTS:
        ways[f"trust, w = {weight:g}"] = fusion.fused(words, wide, weight, trust)
    for weight in PLAIN_WEIGHTS:
        ways[f"w = {weight:g}"] = fusion.fused(words, wide, weight)
    lists = [fusion.leading(scores, ids, 30) for scores in (words, wide)]
    ways["ranks 1 : 1"] = fusion.reciprocal(lists, len(ids), (1.0, 1.0))
    ways["ranks 1 : 2"] = fusion.reciprocal(lists, len(ids))
    return ways


def main(arguments: list[str]) -> int:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("collections", type=Path, nargs="+")
    parser.add_argument("--model", default="e5")
    parser.add_argument("--most", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=1e9)
    said = parser.parse_args(arguments)
    until = time.monotonic() + said.seconds
    try:
        for collection in said.collections:
            bench = Bench(said.work, collection, said.model)
            bench.embed(until)
            _print(bench, bench.rows(said.most))
    except OutOfTimeError as stop:
        print(stop)
        return 3
    return 0


def _print(bench: Bench, rows: dict[str, NDArray[np.float64]]) -> None:
    count = len(rows["words"])
    order = np.random.default_rng(0).permutation(count)
    print(f"{bench.name}, {bench.meaning.model.id}: {count} queries, nDCG@10 on half A and half B")
    for way, values in rows.items():
        halves = [values[order[half::2]].mean() for half in (0, 1)]
        print(f"  {way:16} {halves[0]:.4f}  {halves[1]:.4f}  all {values.mean():.4f}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
