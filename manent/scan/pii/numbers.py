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


class Token(NamedTuple):
    """A row of letters and digits: where, as it stands, and its picture.

    gap: how it hangs on the token before it: a separator, or ``BROKEN``.
    """

    start: int
    end: int
    body: str
    picture: str
    gap: str


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
    while start < low and text[start].isalnum():
        start += 1
    return start


def tokens(text: str, region: Region) -> list[Token]:
    """Return the tokens of a region; what is spelled letter by letter is one token.

    A token that the region's start or end cuts in two has no picture.
    """
    found: list[Token] = []
    at = region.start
    for match in _SPELLED.finditer(text, region.start, region.end):
        begin, end = match.span()
        if end - begin <= 2 * LONGEST_TOKEN:
            _cut(text, at, begin, found)
            body = text[begin:end:2]
            found.append(Token(begin, end, body, body.translate(_CLASS), BROKEN))
            at = end
    _cut(text, at, region.end, found)
    return found


def _cut(text: str, begin: int, end: int, found: list[Token]) -> None:
    """Add the tokens of ``text[begin:end]``: gaps and tokens in turn, from one split."""
    whole = text[begin:end]
    parts = _TOKEN.split(whole)
    if len(parts) == 1:
        return
    shape = whole.translate(_CLASS)
    gap = BROKEN if not found else separator(parts[0])
    last = len(parts) - 2
    at = 0
    for index in range(1, len(parts), 2):
        body = parts[index]
        start = at + len(parts[index - 1])
        at = start + len(body)
        torn = len(body) > LONGEST_TOKEN
        if index == 1:
            torn = torn or (start == 0 < begin and _TOKEN.match(text[begin - 1]) is not None)
        else:
            gap = separator(parts[index - 1])
        if index == last:
            torn = torn or (begin + at == end and _TOKEN.match(text, end) is not None)
        if torn:
            found.append(Token(begin + start, begin + at, body, BROKEN, BROKEN))
        else:
            found.append(Token(begin + start, begin + at, body, shape[start:at], gap))


def unglued(token: Token) -> Token | None:
    """Return a token without the word that a missing space stuck to it (``is030594``)."""
    stuck = _GLUED.match(token.body)
    if stuck is None:
        return None
    body = token.body[stuck.end() :]
    return Token(token.start + stuck.end(), token.end, body, body.translate(_CLASS), BROKEN)


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
