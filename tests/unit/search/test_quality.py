"""Ranking on public collections: at least the best reference BM25 on each."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from manent.search.lexical import LexicalStore
from manent.search.postings import Document


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _ndcg(found: list[str], wanted: dict[str, int]) -> float:
    gained = sum(wanted.get(key, 0) / math.log2(place + 2) for place, key in enumerate(found))
    ideal = sorted(wanted.values(), reverse=True)[:10]
    return gained / sum(gain / math.log2(place + 2) for place, gain in enumerate(ideal))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scifact-train", "squadit-dev"])
def test_ranks_at_least_as_well_as_the_best_reference(
    name: str, data: Path, tmp_path: Path
) -> None:
    folder = data / "ir" / name
    corpus = _lines(folder / "corpus.jsonl")
    queries = {line["_id"]: line["text"] for line in _lines(folder / "queries.jsonl")}
    wanted: dict[str, dict[str, int]] = {}
    for row in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, key, gain = row.split("\t")
        wanted.setdefault(query, {})[key] = int(gain)
    store = LexicalStore(tmp_path / "index")
    store.rebuild(
        (Document(i, d["title"], "", "", d["text"]) for i, d in enumerate(corpus)), "corpus"
    )
    reference = max(
        run["ndcg10"] for run in json.loads((folder / "baseline.json").read_text())["runs"]
    )
    scores = [
        _ndcg([corpus[hit.id]["_id"] for hit in store.search(queries[query], 10)], relevant)
        for query, relevant in wanted.items()
    ]
    assert sum(scores) / len(scores) >= reference
