"""Recalling: every memory that matches a pattern, in linear time and constant memory.

The log is read in runs of records, and the lines of a run are searched as one
text: `^` and `$` stand at every line's ends and nothing matches a newline, so
what is found there is what would be found line by line, at memory speed. A
pattern that asks where the whole text begins or ends is asked line by line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from itertools import accumulate
from typing import NamedTuple

import re2

from manent import record
from manent.errors import EnvironmentFault, UsageError
from manent.journal.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_RUN = 4096
"""Records in a run: 1.3 MB. 1,024 to 16,384 differ by under 5% (eval/bench/journal.py)."""

# The wrapper's own `search` builds an object in Python for every match, which
# alone is slower than 150 MB/s of log where most lines match.
_RE2 = re2._re2.RE2
_ANYWHERE = _RE2.Anchor.UNANCHORED


class Found(NamedTuple):
    """One memory: its number, its day ``YYYY-MM-DD``, its line of text."""

    number: int
    date: str
    text: str

    @property
    def line(self) -> str:
        """``#<i> <date> <text>``, as the journal prints it."""
        return f"#{self.number} {self.date} {self.text}"


class Pattern:
    """An RE2 pattern, letter case aside. Raises UsageError when it is none."""

    def __init__(self, text: str) -> None:
        self._alone = _compiled(text)
        self._together = None if _asks_for_edges(text) else _compiled("(?m)" + text)

    def matching(self, run: list[bytes]) -> Iterator[int]:
        """Yield the index of each line of ``run`` that matches, in order."""
        if self._together is not None:
            return _in_one_text(self._together, run)
        return (i for i, line in enumerate(run) if _hit(self._alone, line, 0) >= 0)


def _in_one_text(compiled: object, run: list[bytes]) -> Iterator[int]:
    text = b"\n".join(run)
    at = _hit(compiled, text, 0)
    if at < 0:
        return
    ends = [end + i for i, end in enumerate(accumulate(map(len, run)))]
    while at >= 0:
        line = bisect_right(ends, at - 1)
        yield line
        start = ends[line] + 1
        at = _hit(compiled, text, start) if start <= len(text) else -1


def _hit(compiled: object, text: bytes, start: int) -> int:
    spans: list[tuple[int, int]] = compiled.Match(_ANYWHERE, text, start, len(text))  # type: ignore[attr-defined]
    return spans[0][0]


def _compiled(text: str) -> object:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    options.never_nl = True
    options.never_capture = True
    try:
        compiled = _RE2(text.encode(), options)
    except UnicodeEncodeError:
        raise UsageError("the pattern is not UTF-8 text") from None
    if not compiled.ok():
        said = compiled.error().decode("utf-8", "replace")
        raise UsageError(
            f"bad pattern: {said}; recall takes RE2 syntax, without look-around or back-references"
        )
    return compiled


def _asks_for_edges(text: str) -> bool:
    """Tell whether `\\A`, `\\z` or a switched-off flag may be in the pattern; never misses one."""
    return "\\A" in text or "\\z" in text or ("(?" in text and "-" in text)


def matches(store: Store, pattern: Pattern) -> Iterator[tuple[int, bytes]]:
    """Yield number and line of each memory that matches, oldest first."""
    width, base = record.LOG_BYTES, 0
    for raw in store.chunks(_RUN):
        whole = len(raw) // width
        run = [raw[i : i + width].rstrip() for i in range(0, whole * width, width)]
        for i in pattern.matching(run):
            yield base + i, run[i]
        base += whole


def newest_fitting(store: Store, pattern: Pattern) -> tuple[list[str], int]:
    """Return the newest matches that fit PART_CHARS bytes, oldest first, and the count of all."""
    kept: deque[tuple[int, bytes]] = deque()
    room, count = store.size("PART_CHARS"), 0
    for number, line in matches(store, pattern):
        count += 1
        kept.append((number, line))
        room -= len(line) + 1
        while room < 0 and kept:
            room += len(kept.popleft()[1]) + 1
    return [_line(store, number, line) for number, line in kept], count


def _line(store: Store, number: int, line: bytes) -> str:
    return store.line(line.ljust(record.LOG_BYTES), number)


def newest(directory: str, words: str, limit: int, *, regex: bool = False) -> list[Found]:
    """Return the newest ``limit`` memories, newest first; see ``manent.journal.find``."""
    store = Store(directory)
    wanted = [words] if regex else [re2.escape(word) for word in words.split()]
    if not wanted or limit < 1:
        return []
    first, *others = (Pattern(one) for one in sorted(wanted, key=len, reverse=True))
    kept: deque[tuple[int, bytes]] = deque(maxlen=limit)
    for number, line in matches(store, first):
        if all(any(True for _ in other.matching([line])) for other in others):
            kept.append((number, line))
    return [found for one in reversed(kept) if (found := _found(store, *one))]


def _found(store: Store, number: int, line: bytes) -> Found | None:
    """A damaged record is no memory to find; `journal verify` names it."""
    try:
        return Found(*record.split_line(_line(store, number, line)))
    except (EnvironmentFault, ValueError):
        return None
