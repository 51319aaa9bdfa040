"""Speed and memory of the lexical index on a seeded corpus.

    python -m eval.bench.lexical --notes 100000 [--processes 2] [--folder DIR]

Notes of about 2 KB: words drawn by Zipf's law from 120,000 invented ones after
the words of grammar, a fifth of the notes Italian, identifiers and slugs among
them. Prints build time, the update of one note (cold and in a row), queries
(p50, p95) by kind, with and without a View, a fresh process, peak memory.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from manent.search.languages import STOPWORDS
from manent.search.lexical import LexicalStore
from manent.search.postings import Document

VOCABULARY = 120_000
WORDS_A_NOTE = 330
_SOUNDS = "b br c ch d dr f fl g gr h j k l m n p pl pr qu r s sh st t tr v w z"
_ONSETS = _SOUNDS.split()
_NUCLEI = ["a", "e", "i", "o", "u", "ai", "ea", "ie", "ou"]
_CODAS = ["", "", "n", "r", "s", "l", "nd", "rt", "ck", "m"]
_ENDINGS = ["", "", "", "s", "ed", "ing", "ation", "er", "ly", "ment"]


class Corpus:
    """Notes made from a seed, each the same whichever are asked for."""

    def __init__(self, notes: int, seed: int = 7) -> None:
        self.notes, self.seed = notes, seed
        chance = random.Random(seed)
        made: dict[str, None] = {}
        while len(made) < VOCABULARY:
            made[self._word(chance)] = None
        # Frequent words are short ones, and new words come ever more slowly (Heaps).
        invented = sorted(made, key=lambda word: len(word) * (0.2 + chance.random()))
        self.vocabularies = [
            np.array(sorted(STOPWORDS[place]) + invented, object) for place in (0, 1)
        ]
        weights = 1.0 / (np.arange(len(invented) + 200) + 2.7) ** 1.2
        self._cumulated = np.cumsum(weights)

    @staticmethod
    def _word(chance: random.Random) -> str:
        syllables = chance.choice((1, 2, 2, 2, 3))
        stem = "".join(
            chance.choice(_ONSETS) + chance.choice(_NUCLEI) + chance.choice(_CODAS)
            for _ in range(syllables)
        )
        kind = chance.random()
        if kind < 0.02:
            return stem + "_" + chance.choice(_ONSETS) + "ix"
        if kind < 0.04:
            return stem + "-" + chance.choice(_ONSETS) + "on"
        if kind < 0.05:
            return f"v{chance.randrange(20)}.{chance.randrange(99)}.{chance.randrange(999)}"
        return stem + chance.choice(_ENDINGS)

    def words(self, number: int, many: int, salt: int = 0) -> list[str]:
        chance = np.random.default_rng((self.seed, number, salt))
        vocabulary = self.vocabularies[number % 5 == 4]
        top = min(len(vocabulary), len(self._cumulated)) - 1
        places = np.searchsorted(self._cumulated, chance.random(many) * self._cumulated[top])
        drawn: list[str] = vocabulary[np.minimum(places, top)].tolist()
        return drawn

    def document(self, number: int, salt: int = 0) -> Document:
        words = self.words(number, WORDS_A_NOTE + 24, salt)
        body = ". ".join(" ".join(words[i : i + 12]) for i in range(24, len(words), 12))
        return Document(
            number + salt * self.notes,
            "-".join(words[:4]),
            " ".join(words[4:16]),
            " ".join(words[16:24]),
            body,
        )

    def __iter__(self) -> Iterator[Document]:
        return map(self.document, range(self.notes))


def queries(corpus: Corpus, many: int) -> dict[str, list[str]]:
    """Return queries by kind: as people ask, as long sentences, and as they mistype."""
    chance = random.Random(11)
    kinds: dict[str, list[str]] = {"words": [], "sentence": [], "begun": [], "slipped": []}
    for _ in range(many):
        words = corpus.words(chance.randrange(corpus.notes), 60)
        long = [w for w in words if len(w) >= 8 and w.isalpha()] or ["kubernetes"]
        kinds["words"].append(" ".join(chance.sample(words, 3)))
        kinds["sentence"].append(" ".join(words[:16]))
        kinds["begun"].append(words[0] + " " + chance.choice(long)[:6])
        word = chance.choice(long)
        kinds["slipped"].append(words[1] + " " + word[:3] + word[4:])
    return kinds


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _percentiles(times: list[tuple[float, float]]) -> str:
    wall = [1000 * float(np.percentile([w for w, _ in times], p)) for p in (50, 95, 100)]
    cpu = [1000 * float(np.percentile([c for _, c in times], p)) for p in (50, 95)]
    shown = f"p50 {wall[0]:6.2f} ms   p95 {wall[1]:6.2f} ms   max {wall[2]:6.2f} ms"
    return f"{shown}   (CPU p50 {cpu[0]:.2f}, p95 {cpu[1]:.2f})"


def _memory() -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    status = Path("/proc/self/status")
    if not status.exists():
        return f"peak {peak:.0f} MB"
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    heap = int(fields["RssAnon"].split()[0]) / 1024
    return f"peak {peak:.0f} MB   heap now {heap:.0f} MB"


class _Metered:
    """A corpus that counts the CPU spent on making it, to take it off."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus, self.spent = corpus, 0.0

    def __iter__(self) -> Iterator[Document]:
        for number in range(self.corpus.notes):
            start = time.process_time()
            document = self.corpus.document(number)
            self.spent += time.process_time() - start
            yield document


def build(corpus: Corpus, store: LexicalStore, processes: int) -> None:
    notes = _Metered(corpus)
    wall, cpu = _timed(lambda: store.rebuild(notes, "bench", processes))
    size = sum(path.stat().st_size for path in store.folder.iterdir()) / 1e6
    print(f"build        {cpu - notes.spent:6.1f} s of this process's CPU, {wall:.1f} s wall")
    print(f"             ({notes.spent:.1f} s of CPU to make the notes taken off; {size:.0f} MB)")


def search(corpus: Corpus, store: LexicalStore, many: int) -> None:
    snapshot = store.snapshot
    mask = np.random.default_rng(3).random(corpus.notes * 40) < 0.7
    views: dict[str, Any] = {
        "all": snapshot.scope(),
        "a View, kept": snapshot.scope(mask),
        "a View, fresh": mask,
    }
    for name, visible in views.items():
        everything = []
        for kind, asked in queries(corpus, many).items():
            times = [_timed(partial(snapshot.search, q, 10, visible)) for q in asked]
            everything += times
            if name == "all":
                print(f"  {kind:10} {_percentiles(times)}")
        print(f"{name:13}{_percentiles(everything)}")


def update(corpus: Corpus, store: LexicalStore, many: int) -> None:
    chance = random.Random(13)
    times = []
    for salt in range(1, many + 1):
        number = chance.randrange(corpus.notes)
        old, new = number, corpus.document(number, salt)
        times.append(_timed(partial(store.update, [old], [new], "step")))
    print(f"update       {_percentiles(times)}   ({many} in a row)")


_FRESH = """
import sys, time; start = time.perf_counter()
import numpy; numpy_s = time.perf_counter() - start
from pathlib import Path; from manent.search.lexical import LexicalStore
hits = LexicalStore(Path(sys.argv[1])).search(sys.argv[2], 10)
import resource
print(f"{1000 * (time.perf_counter() - start):.0f} ms ({1000 * numpy_s:.0f} of them numpy), "
      f"{len(hits)} hits, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
"""


def fresh(corpus: Corpus, store: LexicalStore) -> None:
    query = " ".join(corpus.words(17, 6))
    for _ in range(2):
        command = [sys.executable, "-c", _FRESH, str(store.folder), query]
        print(
            "fresh process", subprocess.run(command, capture_output=True, text=True).stdout.strip()
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--folder", type=Path, help="keep the index here")
    chosen = parser.parse_args()
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="manent-lexical-"))
    try:
        corpus, store = Corpus(chosen.notes), LexicalStore(folder)
        build(corpus, store, chosen.processes)
        print(f"memory       {_memory()}")
        fresh(corpus, store)
        search(corpus, store, chosen.queries)
        update(corpus, store, chosen.updates)
        print(f"after updates, {len(list(folder.glob('*.segment')))} segments:")
        search(corpus, store, max(20, chosen.queries // 4))
        print(f"compact      {_timed(store.compact)[0]:6.1f} s")
        print(f"memory       {_memory()}")
    finally:
        if not chosen.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
