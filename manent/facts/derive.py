"""Work on many blobs at once, and the text and marks of one."""

from __future__ import annotations

import gc
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeVar

from manent.orphans import end_with_parent
from manent.scan.span import Context, Span
from manent.values import dataclass

CHUNK = 250
"""Pieces a task: enough to hide the cost of a task, few enough to share evenly."""
HEAVY = 4 << 20
"""What the pieces of a task may weigh together: their contents are held at once."""
ALONE = 1_500
"""Fewer pieces than this are not worth starting processes for (0.3 s each)."""
ALONE_BYTES = 16 << 20
"""Unless they weigh more than so much."""

P = TypeVar("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file as the scanners read it. text is None for what is no text."""

    text: str | None
    encoding: str


def decode(content: bytes) -> Decoded:
    """Read bytes as text: UTF-8, or UTF-16 and UTF-32 that say so by their mark.

    A file with NUL bytes and no such mark is no text. A byte that is no UTF-8
    does not hide the rest: it is replaced and the encoding says ``broken``.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return Decoded(content.decode(name, errors="replace"), name)
    if b"\0" in content:
        return Decoded(None, "binary")
    try:
        return Decoded(content.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return Decoded(content.decode("utf-8", errors="replace"), "broken")


_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def derive(work: Iterable[P], task: Callable[[P], R], processes: int = 1) -> Iterator[R]:
    """Yield ``task`` of each piece of work, in the order given.

    task: a function of a module, so that other processes can find it. Memory
    stays bounded: only a few chunks are under way at once.
    """
    yield from derive_many(work, partial(_each, task), processes)


def _weightless(piece: object) -> int:
    return 0


def derive_many(
    work: Iterable[P],
    task: Callable[[list[P]], list[R]],
    processes: int = 1,
    weight: Callable[[P], int] = _weightless,
    behind: Iterable[P] = (),
) -> Iterator[R]:
    """Do as ``derive`` with a task that takes many pieces and answers each in its place.

    weight: the bytes of a piece, so that no task holds much more than ``HEAVY``.
    behind: pieces that come after all others, looked at once those have been handed
    out. Other processes are given all of them at once: whoever asks for the answers
    has time, before the first of these, for work of its own.
    """
    source = iter(work)
    if processes > 1:
        head = _taken(source, weight, ALONE, ALONE_BYTES)
        if len(head) >= ALONE or sum(map(weight, head)) >= ALONE_BYTES:
            chunks = _chunks(chain(head, source), weight)
            yield from _in_pool(chunks, task, processes, _chunks(behind, weight))
            return
        source = iter(head)
    for chunk in _chunks(chain(source, behind), weight):
        yield from task(chunk)


def _chunks(pieces: Iterable[P], weight: Callable[[P], int]) -> Iterator[list[P]]:
    source = iter(pieces)
    while chunk := _taken(source, weight, CHUNK, HEAVY):
        yield chunk


def _taken(pieces: Iterator[P], weight: Callable[[P], int], most: int, heaviest: int) -> list[P]:
    """Return the next pieces: at most so many, of which all but the last weigh less."""
    taken: list[P] = []
    left = heaviest
    for piece in pieces:
        taken.append(piece)
        left -= weight(piece)
        if left <= 0 or len(taken) >= most:
            break
    return taken


def _in_pool(
    chunks: Iterator[list[P]],
    task: Callable[[list[P]], list[R]],
    processes: int,
    behind: Iterator[list[P]],
) -> Iterator[R]:
    # Imported here: they cost 30 ms that a hook with a few notes need not pay.
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    # spawn: a forked copy of a process that holds a database open is not safe.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _begin) as pool:
        waiting: deque[Future[list[R]]] = deque()
        try:
            for chunk in chunks:
                waiting.append(pool.submit(_swept, task, chunk))
                if len(waiting) > 3 * processes:
                    yield from waiting.popleft().result()
            waiting.extend(pool.submit(_swept, task, chunk) for chunk in behind)
            while waiting:
                yield from waiting.popleft().result()
        finally:
            # Whoever asked may have failed: nobody waits for what is not begun then.
            for future in waiting:
                future.cancel()


def _begin() -> None:
    gc.disable()
    end_with_parent()


def _swept(task: Callable[[list[P]], list[R]], chunk: list[P]) -> list[R]:
    """Do a task in a process of its own, and look for cycles once, after it.

    Left to itself the collector goes over the rows of a chunk again and again,
    which are no cycles: a tenth of the work. What is there after the first task
    is mostly modules and tables, and stays.
    """
    done = task(chunk)
    gc.collect()
    gc.freeze()
    return done


def _each(task: Callable[[P], R], chunk: list[P]) -> list[R]:
    return [task(piece) for piece in chunk]


_SCANNERS: dict[Context, Callable[[str], list[Span]]] = {}


def scanner(context: Context) -> Callable[[str], list[Span]]:
    """Return the scanners' function for a context, made once a process."""
    found = _SCANNERS.get(context)
    if found is None:
        from manent.scan.scanner import Scanner

        found = _SCANNERS[context] = Scanner(context).scan
    return found


class Mark(NamedTuple):
    """A span by its place in the file, as it is kept: line and column from 1."""

    line: int
    column: int
    family: str
    kind: str
    layer: str
    masked: str
    digest: str
    mention: bool
    weak: bool


def marks(text: str, spans: Iterable[Span]) -> list[Mark]:
    """Return the spans by line and column, in order of place."""
    out: list[Mark] = []
    line, passed = 1, 0
    for span in sorted(spans, key=lambda s: (s.start, s.end, s.family, s.kind)):
        line += text.count("\n", passed, span.start)
        passed = span.start
        column = span.start - text.rfind("\n", 0, span.start)
        rest = (span.kind, span.layer, span.masked, span.digest, span.mention, span.weak)
        out.append(Mark(line, column, str(span.family), *rest))
    return out


def marks_from_json(text: str) -> list[Mark]:
    """Return the marks that a Derived carries as JSON."""
    return [] if text == "[]" else [Mark(*row) for row in json.loads(text)]
