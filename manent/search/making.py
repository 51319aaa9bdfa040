"""Texts to vectors, many at a time: in this process, or by workers that yield to others."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from manent.orphans import end_with_parent
from manent.search.embed.choose import embedder
from manent.search.embed.embedder import Embedder, Vectors

AT_ONCE = 16
"""Texts between two writes to the disk: what an interruption can cost."""
WORTH_WORKERS = 150
"""Texts past which workers are started: each takes a second to open its model."""
_NICENESS = 10
"""Workers give way to whoever answers questions meanwhile."""


class Keyed(NamedTuple):
    """A text and the key its vector is kept by."""

    key: bytes
    text: str


class Opening(NamedTuple):
    """How a worker opens the model: what ``--model`` said, and the user's cache folder."""

    model: str
    cache: Path | None


Batch = tuple[list[bytes], Vectors]


def made(
    texts: Iterable[Keyed], model: Embedder, opening: Opening | None = None, processes: int = 1
) -> Iterator[Batch]:
    """Yield keys and their rows, batch after batch, in the order of the texts.

    opening, processes: with an opening and more than one process, workers do it.
    """
    batches = _batches(texts)
    if opening is None or processes <= 1:
        for batch in batches:
            yield [one.key for one in batch], model.passages([one.text for one in batch])
        return
    yield from _by_workers(batches, opening, processes)


def _by_workers(
    batches: Iterator[list[Keyed]], opening: Opening, processes: int
) -> Iterator[Batch]:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    spawn = get_context("spawn")
    with ProcessPoolExecutor(processes, spawn, _start_worker, (opening,)) as pool:
        waiting: list[tuple[list[bytes], Future[Vectors]]] = []
        for batch in batches:
            texts = [one.text for one in batch]
            waiting.append(([one.key for one in batch], pool.submit(_work, texts)))
            if len(waiting) > 2 * processes:
                keys, future = waiting.pop(0)
                yield keys, future.result()
        for keys, future in waiting:
            yield keys, future.result()


def _batches(texts: Iterable[Keyed]) -> Iterator[list[Keyed]]:
    left = iter(texts)
    while batch := list(islice(left, AT_ONCE)):
        yield batch


_worker: list[Embedder] = []


def _start_worker(opening: Opening) -> None:
    end_with_parent()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    _worker.append(embedder(opening.model, opening.cache))


def _work(texts: Sequence[str]) -> Vectors:
    return _worker[0].passages(texts)
