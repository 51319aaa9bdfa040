"""Work on many blobs at once, and the text and marks of one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from manent.scan.span import Context, Span
from manent.values import dataclass

CHUNK = 250
"""Pieces a task: enough to hide the cost of a task, few enough to share evenly."""
FEW = 25
"""Pieces a task where one process does all: their contents are held together."""
ALONE = 1_500
"""Fewer pieces than this are not worth starting processes for (0.3 s each)."""

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


def derive_many(
    work: Iterable[P], task: Callable[[list[P]], list[R]], processes: int = 1
) -> Iterator[R]:
    """Do as ``derive`` with a task that takes many pieces and answers each in its place."""
    source = iter(work)
    head = list(islice(source, ALONE))
    everything = chain(head, source)
    if processes <= 1 or len(head) < ALONE:
        while chunk := list(islice(everything, FEW)):
            yield from task(chunk)
        return
    yield from _in_pool(everything, task, processes)


def _in_pool(
    everything: Iterator[P], task: Callable[[list[P]], list[R]], processes: int
) -> Iterator[R]:
    # Imported here: they cost 30 ms that a hook with a few notes need not pay.
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    # spawn: a forked copy of a process that holds a database open is not safe.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        waiting: list[Future[list[R]]] = []
        while chunk := list(islice(everything, CHUNK)):
            waiting.append(pool.submit(task, chunk))
            if len(waiting) > 3 * processes:
                yield from waiting.pop(0).result()
        for future in waiting:
            yield from future.result()


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
