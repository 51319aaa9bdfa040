"""Where a text holds numbers, cut into tokens, and how each row of tokens looks.

A region is a stretch of one line with six digits or more, each at most three
letters after the one before. Its tokens (letters and digits in a row) are put
together from each token on, as long as some picture starts so: the work is
linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from manent import late
from manent.scan.engine import Offsets, Search

_CLUSTER = Search(r"[0-9](?:[^0-9\n]{0,3}[0-9]){5,}", case=True)
_TOKEN = late.pattern(r"([0-9A-Za-z]+)")
_SPELLED = late.pattern(
    r"(?<![0-9A-Za-z])(?<![^0-9A-Za-z][0-9A-Za-z][ .-])"
    r"[0-9A-Za-z](?:[ .-][0-9A-Za-z](?![0-9A-Za-z])){8,}+"
)
"""Letter by letter. It starts only where such a row starts, so that a long one is read once."""
_REST = late.pattern(r"[^\W_]*")
_STUCK = r"(?:is|nr|no|id|num|number|cf|pan|ssn|tel|sin|bsn|dni|nie|at|on)"
_GLUED = late.pattern(_STUCK + r"(?=[0-9+(])", re.IGNORECASE)
_GLUE_BEFORE = late.pattern(rf"(?<![^\W_]){_STUCK}\Z", re.IGNORECASE)
_MOMENT = late.pattern(
    r"(?:19|20)\d\d([-./_])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])"
    r"(?:[-T_ .]{1,2}[0-2]?\d[-:.h][0-5]\d(?:[-:.][0-5]\d(?:[.,]\d{1,9})?)?)?\Z"
    r"|0x"
)
"""Dates and times, by far the most frequent regions in notes; nothing else looks so."""

_FILE = late.pattern(
    r"(?:jpe?g|png|gif|webp|svg|bmp|ico|avif|heic|mp[34]|m4a|mov|webm|wav|pdf|md|html?|json|ya?ml|"
    r"csv|txt|log|zip|gz|docx?|xlsx?|pptx?|js|css|py)(?![a-z0-9])",
    re.IGNORECASE,
)
"""File names out of numbers: pasted images are named by the clock."""

_CLOCK = late.pattern(
    r"(?:created|updated|modified|timestamp|time|date|expires|(?<=[a-z])At|_at|_ms|ts|epoch)"
    r"[\"'`]?\s?[:=]\s?[\"'`]?\Z"
)
"""A key whose value of ten or thirteen digits is a clock's: frontmatter is full of them."""

LONGEST_TOKEN = 34
"""No number that is looked for is longer; a longer token is a hash or a key."""

_REACH_BACK = 24
_REACH_AHEAD = 20

_CLASS = str.maketrans(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "0" * 10 + "A" * 52
)
_SEPARATOR = str.maketrans("‐‑‒–—−﹣－·•∙⋅．／：（）", "--------....." + "/:()")  # fmt: skip

BROKEN = "#"
"""What stands for a gap that joins nothing."""


class Region(NamedTuple):
    """A stretch of a line, ``text[start:end]``, whose digits are ``text[low:high]``."""

    start: int
    end: int
    low: int
    high: int


class Row:
    """The tokens of a stretch, rows of letters and digits, by column.

    Where each starts and ends, as it stands, its picture, and the gap: how it hangs on
    the token before it, by a separator or ``BROKEN``.
    """

    __slots__ = ("bodies", "ends", "gaps", "pictures", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.bodies: list[str] = []
        self.pictures: list[str] = []
        self.gaps: list[str] = []

    def __len__(self) -> int:
        return len(self.starts)

    def add(self, start: int, end: int, body: str) -> None:
        """Add a token that hangs on nothing."""
        self.starts.append(start)
        self.ends.append(end)
        self.bodies.append(body)
        self.pictures.append(body.translate(_CLASS))
        self.gaps.append(BROKEN)

    def tear(self, index: int) -> None:
        """Take a token for no part of any number: it is too long, or cut in two."""
        self.pictures[index] = self.gaps[index] = BROKEN

    def after(self, index: int, count: int) -> Row:
        """Return a row of the token at ``index``, less the word stuck to it, and some more."""
        stuck = _GLUED.match(self.bodies[index])
        row = Row()
        if stuck is None:
            return row
        row.add(self.starts[index] + stuck.end(), self.ends[index], stuck.string[stuck.end() :])
        for name in self.__slots__:
            getattr(row, name).extend(getattr(self, name)[index + 1 : index + 1 + count])
        return row


def regions(text: str) -> Iterator[Region]:
    """Yield the stretches of ``text`` that may hold a number, in order.

    They reach a little around their digits, so neighbours may overlap. Dates
    and rows of digits too long for any number are left out.
    """
    raw = text.encode("utf-8", "replace")
    place = Offsets(raw, text)
    for first, last in _CLUSTER.all(raw, 0, len(raw)):
        low, high = place.of(first), place.of(last)
        core = text[low:high]
        if _MOMENT.match(core) or (high - low > LONGEST_TOKEN and core.isdigit()):
            continue
        if (
            high - low in (10, 13)
            and core[0] == "1"
            and _CLOCK.search(text[max(0, low - 16) : low])
        ):
            continue
        start = max(0, low - _REACH_BACK)
        line = text.rfind("\n", start, low)
        start = line + 1 if line >= 0 else _at_token(text, start, low)
        stop = text.find("\n", high, high + _REACH_AHEAD)
        stop = stop if stop >= 0 else min(len(text), high + _REACH_AHEAD)
        yield Region(start, stop, low, high)


def _at_token(text: str, start: int, low: int) -> int:
    """Return the first place from ``start`` on that does not cut a token in two."""
    if start == 0 or not text[start - 1].isalnum():
        return start
    rest = _REST.match(text, start, low)
    return rest.end() if rest else start


def tokens(text: str, region: Region) -> Row:
    """Return the tokens of a region; what is spelled letter by letter is one token.

    A token that the region's start or end cuts in two has no picture.
    """
    found = Row()
    at = region.start
    for match in _SPELLED.finditer(text, region.start, region.end):
        begin, end = match.span()
        if end - begin <= 2 * LONGEST_TOKEN:
            _cut(text, at, begin, found)
            found.add(begin, end, text[begin:end:2])
            at = end
    _cut(text, at, region.end, found)
    return found


def _cut(text: str, begin: int, end: int, found: Row) -> None:
    """Add the tokens of ``text[begin:end]``: gaps and tokens in turn, from one split."""
    parts = _TOKEN.split(text[begin:end])
    bodies = parts[1::2]
    if not bodies:
        return
    first, at = len(found), begin
    for gap, body in zip(parts[::2], bodies, strict=False):
        at += len(gap)
        found.starts.append(at)
        at += len(body)
        found.ends.append(at)
    found.bodies += bodies
    found.pictures += "\n".join(bodies).translate(_CLASS).split("\n")
    found.gaps += map(separator, parts[:-1:2])
    if not first:
        found.gaps[0] = BROKEN
    if found.starts[first] == begin > 0 and _TOKEN.match(text[begin - 1]):
        found.tear(first)
    if at == end and _TOKEN.match(text, end):
        found.tear(len(found) - 1)
    for index, body in enumerate(bodies, first) if end - begin > LONGEST_TOKEN else ():
        if len(body) > LONGEST_TOKEN:
            found.tear(index)


@lru_cache(maxsize=4096)
def separator(gap: str) -> str:
    """Return how two tokens hang together: one mark, a space, or ``BROKEN``."""
    if len(gap) == 1:
        return " " if gap.isspace() else gap.translate(_SEPARATOR)
    if not gap or len(gap) > 3:
        return BROKEN
    bare = gap.strip()
    if not bare:
        return " "
    return bare.translate(_SEPARATOR) if len(bare) == 1 and bare not in "|,;:()" else BROKEN


def canonical(body: str) -> str:
    """Return letters and digits only, upper case."""
    return "".join(_ALPHANUMERIC.findall(body)).upper()


_ALPHANUMERIC = late.pattern("[0-9A-Za-z]+")


def joined(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what hangs on ``text[start:end]`` without a space, before and after.

    Each is the joining mark, or "" where the number stands free. A letter of an
    alphabet with spaces joins too; Chinese, Japanese and Korean write on.
    """
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    return (
        before if _joins_before(text, start, before) else "",
        after if _joins_after(text, end, after) else "",
    )


def _joins_before(text: str, start: int, mark: str) -> bool:
    if not mark or mark.isspace():
        return False
    if mark.isalnum() or mark == "_":
        return mark < "\u2e80" and not _GLUE_BEFORE.search(text[max(0, start - 8) : start])
    if mark in "$€£¥+%^":
        return True
    if mark in "-./\\,~@#&‐‑–":
        return start >= 2 and text[start - 2].isalnum()
    return False


def _joins_after(text: str, end: int, mark: str) -> bool:
    if not mark or mark.isspace():
        return False
    if mark.isalnum() or mark == "_":
        return mark < "\u2e80"
    if mark in "@%°":
        return True
    beyond = text[end + 1 : end + 2]
    if mark in "-‐‑–\\":
        return beyond.isalnum()
    if mark == "." and _FILE.match(text, end + 1):
        return True
    return mark in "./,:" and beyond.isdigit()
