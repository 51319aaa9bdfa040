"""How much meaning should count beside words: weights, on half of the queries and the other.

    python -m eval.bench.fusion WORK COLLECTION... [--model e5] [--most 1000] [--seconds 150]

Each COLLECTION is a folder ``{corpus.jsonl, queries.jsonl, qrels.tsv}``. It becomes a
vault below WORK, once; its notes and queries are embedded there, and a run that is broken
off (or has used up its seconds: it exits 3) goes on where it stood. Prints nDCG@10 of words
alone, meaning alone, standardised scores by weight, and reciprocal ranks; the weight to take
is the best on half A, every other query, and what it is worth is read off half B. Of each
collection 1,000 queries are taken, evenly (``--most 0``: all).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from manent.access import View
from manent.evaluate.collection import load, write
from manent.evaluate.metrics import ndcg
from manent.facts.store import Store
from manent.golden import Golden, Query, read
from manent.search import fusion
from manent.search.embed.choose import embedder
from manent.search.index import SearchIndex
from manent.search.making import AT_ONCE, Opening
from manent.search.meaning import Meaning
from manent.search.vectors import key_of, open_store
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
        kept_as = f"queries of {self.meaning.model.id}"
        self.asked = open_store(state / "asked", kept_as, self.meaning.model.dimensions)

    def queries(self, most: int) -> Sequence[Query]:
        """Return so many of the queries, evenly taken; 0: all."""
        step = max(1, len(self.golden.queries) // most) if most else 1
        return self.golden.queries[::step]

    def embed(self, queries: Sequence[Query], until: float) -> None:
        """Give every note and query a vector, or raise OutOfTimeError."""

        def watch(done: int, whole: int) -> None:
            if time.monotonic() > until:
                raise OutOfTimeError(f"{self.name}: {done} of {whole} notes embedded")

        self.meaning.bring_up(progress=watch)
        for start in range(0, len(queries), AT_ONCE):
            texts = [query.query for query in queries[start : start + AT_ONCE]]
            lacking = [text for text in texts if self.asked.find([key_of(text)])[0] < 0]
            if lacking:
                self.asked.add(list(map(key_of, lacking)), self.meaning.model.queries(lacking))
            if time.monotonic() > until:
                raise OutOfTimeError(f"{self.name}: {start} of {len(queries)} queries embedded")

    def rows(self, queries: Sequence[Query]) -> dict[str, NDArray[np.float64]]:
        """Return nDCG@10 of every query by each way of ranking."""
        view, names = View(self.vault), {n.doc: n.name for n in self.vault.notes()}
        found: dict[str, list[float]] = {}
        for query in queries:
            ids, words, trust = self.index.by_words(view, query.query)
            asked = self.asked.rows[self.asked.find([key_of(query.query)])[0]]
            cosines = self.meaning.near(ids, asked)
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
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1e9)
    said = parser.parse_args(arguments)
    until = time.monotonic() + said.seconds
    try:
        for collection in said.collections:
            bench = Bench(said.work, collection, said.model)
            queries = bench.queries(said.most)
            bench.embed(queries, until)
            _print(bench, bench.rows(queries))
    except OutOfTimeError as stop:
        print(stop)
        return 3
    return 0


def _print(bench: Bench, rows: dict[str, NDArray[np.float64]]) -> None:
    count = len(rows["words"])
    print(f"{bench.name}, {bench.meaning.model.id}: {count} queries, nDCG@10 on half A and half B")
    for way, values in rows.items():
        halves = [values[half::2].mean() for half in (0, 1)]
        print(f"  {way:16} {halves[0]:.4f}  {halves[1]:.4f}  all {values.mean():.4f}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
