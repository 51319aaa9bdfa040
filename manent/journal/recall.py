"""Recalling: every memory that matches a pattern, in linear time and constant memory.

The log is read in runs of records. A stretch of lines is first searched as one
text, where `^` and `$` stand at every line's ends and nothing matches a
newline: no match there means none in any of its lines, at memory speed. Only
where there is one are the lines asked one by one, and always for a pattern
that asks where the whole text begins or ends.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import Any, NamedTuple

import re2

from manent import record
from manent.errors import EnvironmentFault, UsageError
from manent.journal.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from manent.journal.held import Held

_RUN = 4096
"""Records in a run, read at once: 1.3 MB."""

_STRETCH = 64
"""Lines searched as one text. Of 16 to 1,024, best for a match in every thousandth
line, and within a tenth for none and for all (python -m eval.bench.journal)."""

# The wrapper's own `search` builds an object in Python for every match: where
# most lines match, that alone is slower than the 150 MB/s `recall` is held to.
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

    def matching(self, lines: list[bytes]) -> list[int]:
        """Return the index of each line that matches, in order."""
        match, found = self._alone.Match, []
        for start in range(0, len(lines), _STRETCH):
            stretch = lines[start : start + _STRETCH]
            if self._may_match(stretch):
                found += [
                    i
                    for i, line in enumerate(stretch, start)
                    if match(_ANYWHERE, line, 0, len(line))[0][0] >= 0
                ]
        return found

    def _may_match(self, stretch: list[bytes]) -> bool:
        if self._together is None:
            return True
        text = b"\n".join(stretch)
        return bool(self._together.Match(_ANYWHERE, text, 0, len(text))[0][0] >= 0)


def _compiled(text: str) -> Any:
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


Hit = tuple[int, bytes]
"""Number and line of a memory that matches."""


def matches(store: Store | Held, pattern: Pattern) -> Iterator[tuple[int, Iterator[Hit]]]:
    """Yield, a run of the log at a time, how many memories match, and them, newest first."""
    width, base = record.LOG_BYTES, 0
    for raw in store.memories(_RUN):
        whole = len(raw) // width
        run = [raw[i : i + width].rstrip() for i in range(0, whole * width, width)]
        found = pattern.matching(run)
        # Where every line matches, most are counted and never looked at.
        yield len(found), _hits(run, found, base)
        base += whole


def _hits(run: list[bytes], found: list[int], base: int) -> Iterator[Hit]:
    return ((base + i, run[i]) for i in reversed(found))


def newest_fitting(store: Store, pattern: Pattern) -> tuple[list[str], int]:
    """Return the newest matches that fit PART_CHARS bytes, oldest first, and the count of all."""
    most, count = store.size("PART_CHARS"), 0
    kept: list[Hit] = []
    for matched, hits in matches(store, pattern):
        count += matched
        kept = _fitting(kept, hits, most)
    return [_line(store, *hit) for hit in kept], count


def _fitting(older: list[Hit], newer: Iterator[Hit], most: int) -> list[Hit]:
    """Return the newest of both, oldest first, whose lines fit ``most`` bytes."""
    room, kept = most, []
    for one in chain(newer, reversed(older)):
        room -= len(one[1]) + 1
        if room < 0:
            break
        kept.append(one)
    return kept[::-1]


def _line(store: Store | Held, number: int, line: bytes) -> str:
    return store.line(line.ljust(record.LOG_BYTES), number)


def newest(store: Store | Held, words: str, limit: int, *, regex: bool = False) -> list[Found]:
    """Return the newest ``limit`` memories, newest first; see ``manent.journal.find``."""
    wanted = [words] if regex else [re2.escape(word) for word in words.split()]
    if not wanted or limit < 1:
        return []
    first, *others = (Pattern(one) for one in sorted(wanted, key=len, reverse=True))
    kept: list[Hit] = []
    for _, hits in matches(store, first):
        fresh = (hit for hit in hits if all(other.matching([hit[1]]) for other in others))
        kept = list(islice(chain(fresh, kept), limit))
    return [found for hit in kept if (found := _found(store, *hit))]


def _found(store: Store | Held, number: int, line: bytes) -> Found | None:
    """A damaged record is no memory to find; `journal verify` names it."""
    try:
        return Found(*record.split_line(_line(store, number, line)))
    except (EnvironmentFault, ValueError):
        return None
