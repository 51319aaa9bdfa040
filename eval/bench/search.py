"""Rankers on public collections beside bm25s and SQLite FTS5, in one run; and their speed.

    python -m eval.bench.search --collection DIR [--collection DIR] [--most 500] [--check]
    python -m eval.bench.search --notes 100000 [--retriever bm25 --retriever fused]

A collection is a folder with corpus.jsonl, queries.jsonl and qrels.tsv (BEIR's
form). Every ranker of Manent is asked through the same door as ``manent search``.
The peers get the title and text of each document as one text; bm25s its
reference settings, best of three on each collection, which flatters it. Text written
without spaces between words is given to them a character at a time, and in pairs too.
``--check`` exits 1 where `bm25` is behind the best peer or `fused` behind one of its parts
by more than ``SLACK``, or finds less of what answers a conversation than ``LEAST``.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from eval.bench import vaults
from manent.access import View
from manent.errors import ManentError
from manent.evaluate import collection as collections
from manent.evaluate.chance import difference, interval
from manent.evaluate.metrics import METRICS, judged
from manent.facts.store import STORE, Store
from manent.search.index import SearchIndex
from manent.search.ranker import NAMES, Setting, make
from manent.search.tokenizer import UNSPACED
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

Ask = Callable[[str], list[str]]
"""From a query to the names of documents, best first."""

DEPTH = 100
_NDCG, _RECALL = METRICS.index("ndcg@10"), METRICS.index("recall@10")
SLACK = 0.005
"""nDCG@10 that is noise."""
LEAST = {"talks": 0.72}
"""recall@10 of `fused` at least, by collection."""
_LANGUAGES = {"it": ("la", "il", "che", "di"), "en": ("the", "of", "and", "is")}


def main() -> int:
    """Print the tables asked for; return 1 where a check of them fails."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=_AS_IT_IS)
    options.add_argument("--collection", action="append", default=[], type=Path)
    options.add_argument("--most", type=int, default=0, help="queries of each, taken evenly [all]")
    options.add_argument("--retriever", action="append", choices=NAMES)
    options.add_argument("--notes", type=int, default=0, help="measure speed on so many notes")
    options.add_argument("--folder", type=Path, help="keep vaults, indexes and vectors here")
    options.add_argument("--check", action="store_true", help="exit 1 where a ranker is behind")
    chosen = options.parse_args()
    behind: list[str] = []
    names = chosen.retriever or list(NAMES)
    with _folder(chosen.folder) as folder:
        for source in chosen.collection:
            behind += _quality(source, folder, names, chosen.most)
        if chosen.notes:
            _speed(chosen.notes, folder, names)
    for line in behind if chosen.check else ():
        print(line, file=sys.stderr)
    return int(chosen.check and bool(behind))


_AS_IT_IS = argparse.RawDescriptionHelpFormatter


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


# -- quality ---------------------------------------------------------------


def _quality(source: Path, folder: Path, names: Sequence[str], most: int) -> list[str]:
    """Print the table of a collection; return what is behind in it."""
    held = collections.load(source)
    golden = held.golden()
    step = max(1, len(golden.queries) // most) if most else 1
    queries = golden.queries[::step]
    vault = folder / source.name
    if not vault.exists():
        collections.write(held, vault)
    print(f"\n{source.name}: {len(held.documents)} documents, {len(queries)} queries")
    print("| ranker | nDCG@10 | 95% | recall@10 | ms a query |\n|---|---|---|---|---|", flush=True)
    judge = _Table([(q.query, dict(zip(q.expected, q.gains, strict=True))) for q in queries])
    papers = list(held.documents.values())
    for label, ask in _peers(papers):
        judge.row(label, ask)
    with _opened(vault, folder / f"{source.name}.state") as (index, view, setting):
        for name in names:
            try:
                ranker = make(name, index, setting)
            except ManentError as fault:
                print(f"| {name} | left out: {fault} |")
                continue
            judge.row(name, _asking(ranker, view))
    judge.compare()
    return [f"{source.name}: {line}" for line in judge.behind(LEAST.get(source.name, 0.0))]


class _Table:
    """Judges rankers by the same queries, and prints a row for each."""

    def __init__(self, queries: list[tuple[str, dict[str, int]]]) -> None:
        self._queries = queries
        self._figures: dict[str, Any] = {}
        self._recall: dict[str, float] = {}

    def row(self, label: str, ask: Ask) -> None:
        ask(self._queries[0][0])  # what is loaded or made by the first question
        began = time.process_time()
        answers = [ask(query) for query, _ in self._queries]
        spent = (time.process_time() - began) / len(answers) * 1000
        pairs = zip(answers, self._queries, strict=True)
        values = np.array([judged(found, gains) for found, (_, gains) in pairs])
        self._figures[label] = values[:, _NDCG]
        low, high = interval(values[:, _NDCG])
        means = values.mean(axis=0)
        self._recall[label] = float(means[_RECALL])
        cells = f"{means[_NDCG]:.4f} | {low:.3f} to {high:.3f} | {means[_RECALL]:.4f} | {spent:.2f}"
        print(f"| {label} | {cells} |", flush=True)

    def compare(self) -> None:
        """Print how each of Manent's rankers stands to the best peer, and whether it is noise."""
        peers = [label for label in self._figures if label not in NAMES]
        best = max(peers, key=lambda label: float(self._figures[label].mean()))
        for name in (n for n in NAMES if n in self._figures):
            mine, theirs = self._figures[name], self._figures[best]
            chance = difference(mine, theirs)
            print(f"{name} - {best}: {float((mine - theirs).mean()):+.4f} (p = {chance:.3f})")

    def behind(self, least: float) -> Iterator[str]:
        """Yield what is not as good as it is to be."""
        held = {label: float(values.mean()) for label, values in self._figures.items()}
        peer = max(value for label, value in held.items() if label not in NAMES)
        wanted = {"bm25": peer, "fused": max(held.get("bm25", 0.0), held.get("dense", 0.0))}
        for name, value in wanted.items():
            if name in held and held[name] < value - SLACK:
                yield f"{name} {held[name]:.4f}, behind {value:.4f}"
        if self._recall.get("fused", 1.0) < least:
            yield f"recall@10 of fused {self._recall['fused']:.4f}, under {least}"


def _peers(papers: Sequence[collections.Paper]) -> Iterator[tuple[str, Ask]]:
    texts = [f"{paper.title} {paper.text}".strip() for paper in papers]
    names = [paper.name for paper in papers]
    if _is_unspaced(texts):
        for label, cut in (("characters", _characters), ("characters, pairs", _pairs)):
            apart = [cut(text) for text in texts]
            yield f"bm25s {label}", _cutting(cut, _bm25s(apart, names, "", 1.2, 0.75, False))
            yield f"SQLite FTS5 {label}", _cutting(cut, _fts5(apart, names))
        return
    language = _language(texts)
    for k1, b, stemmed in ((0.9, 0.4, True), (1.2, 0.75, True), (1.2, 0.75, False)):
        label = f"bm25s k1={k1} b={b}{' stem+stop' if stemmed else ''}"
        yield label, _bm25s(texts, names, language, k1, b, stemmed)
    yield "SQLite FTS5", _fts5(texts, names)


def _language(texts: Sequence[str]) -> str:
    words = " ".join(texts[:200]).lower().split()
    return max(_LANGUAGES, key=lambda code: sum(words.count(w) for w in _LANGUAGES[code]))


def _is_unspaced(texts: Sequence[str]) -> bool:
    some = "".join(texts[:200])
    return len(_RUNS.sub("", some)) < len(some) / 2


_RUNS = re.compile(f"{UNSPACED}+")


def _characters(text: str) -> str:
    return _RUNS.sub(lambda run: f" {' '.join(run.group())} ", text)


def _pairs(text: str) -> str:
    found = [run.group() for run in _RUNS.finditer(text)]
    pairs = (run[at : at + 2] for run in found for at in range(len(run) - 1))
    return f"{_characters(text)} {' '.join(pairs)}"


def _cutting(cut: Callable[[str], str], ask: Ask) -> Ask:
    return lambda query: ask(cut(query))


def _bm25s(
    texts: Sequence[str], names: Sequence[str], language: str, k1: float, b: float, stemmed: bool
) -> Ask:
    import bm25s  # type: ignore[import-untyped]
    import Stemmer

    stemmer = Stemmer.Stemmer({"it": "italian", "en": "english"}[language]) if stemmed else None
    how = {"stopwords": language if stemmed else [], "stemmer": stemmer, "show_progress": False}
    if not language:
        how["token_pattern"] = r"(?u)\b\w+\b"
    engine = bm25s.BM25(k1=k1, b=b)
    engine.index(bm25s.tokenize(list(texts), **how), show_progress=False)
    depth = min(DEPTH, len(names))

    def ask(query: str) -> list[str]:
        found, scores = engine.retrieve(
            bm25s.tokenize([query], **how), k=depth, show_progress=False
        )
        pairs = zip(found[0].tolist(), scores[0].tolist(), strict=True)
        return [names[place] for place, score in pairs if score > 0]

    return ask


def _fts5(texts: Sequence[str], names: Sequence[str]) -> Ask:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE note USING fts5(text, tokenize='porter unicode61')")
    database.executemany("INSERT INTO note VALUES (?)", ((text,) for text in texts))

    def ask(query: str) -> list[str]:
        words = re.findall(r"\w+", query)
        if not words:
            return []
        wanted = " OR ".join(f'"{word}"' for word in words)
        sql = f"SELECT rowid FROM note WHERE note MATCH ? ORDER BY rank LIMIT {DEPTH}"
        return [names[row[0] - 1] for row in database.execute(sql, (wanted,))]

    return ask


def _asking(ranker: Any, view: View, k: int = DEPTH) -> Ask:
    return lambda query: [ranked.hit.name for ranked in ranker.rank(view, query, k)]


@contextmanager
def _opened(vault: Path, state: Path) -> Iterator[tuple[SearchIndex, View, Setting]]:
    """Open a vault with its derived data in a folder that may be kept."""
    state.mkdir(exist_ok=True)
    store = Store(state / STORE)
    held = Vault(store)
    processes = len(os.sched_getaffinity(0))
    sync(held, WorkTree(vault), processes=processes)
    index = SearchIndex(held, state / "search")
    index.update(processes)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manent"
    try:
        yield index, View(held), Setting("", state, cache, processes)
    finally:
        store.close()


# -- speed -----------------------------------------------------------------


def _speed(notes: int, folder: Path, names: Sequence[str]) -> None:
    vault = folder / f"vault-{notes}"
    if not vault.exists():
        vaults.write(vault, notes)
    queries = _queries(vault)
    with _opened(vault, folder / f"vault-{notes}.state") as (index, view, setting):
        print(f"\n{notes} notes, {len(queries)} queries, k = 8")
        print("| ranker | p50 ms | p95 ms | processor p50 | processor p95 | peak MB |")
        print("|---|---|---|---|---|---|")
        for name in names:
            try:
                ranker = make(name, index, setting)
            except ManentError as fault:
                print(f"| {name} | left out: {fault} |")
                continue
            _timed(name, _asking(ranker, view, 8), queries)


def _timed(name: str, ask: Callable[[str], Any], queries: Sequence[str]) -> None:
    for query in queries[:20]:
        ask(query)
    walls, spent = [], []
    for query in queries:
        began, worked = time.perf_counter(), time.process_time()
        ask(query)
        spent.append((time.process_time() - worked) * 1000)
        walls.append((time.perf_counter() - began) * 1000)
    cells = " | ".join(f"{ms:.2f}" for times in (walls, spent) for ms in _middle_and_late(times))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {name} | {cells} | {peak:.0f} |", flush=True)


def _middle_and_late(times: Sequence[float]) -> list[float]:
    middle, late = np.percentile(times, (50, 95))
    return [float(middle), float(late)]


def _queries(vault: Path, many: int = 300) -> list[str]:
    """Return queries of two to six words that stand together somewhere in the vault."""
    draw = np.random.default_rng(11)
    files = sorted(vault.rglob("*.md"))
    chosen = [files[n] for n in draw.integers(0, len(files), many)]
    queries = []
    for file in chosen:
        words = re.findall(r"[a-z]{3,}", file.read_text(encoding="utf-8").split("---", 2)[-1])
        start = int(draw.integers(0, max(1, len(words) - 6)))
        queries.append(" ".join(words[start : start + int(draw.integers(2, 7))]) or "release")
    return queries


if __name__ == "__main__":
    sys.exit(main())
