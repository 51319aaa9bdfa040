"""Where a text holds numbers, cut into tokens, and how each row of tokens looks.

A region is a stretch of one line with six digits or more, each at most three
letters after the one before. Its tokens (letters and digits in a row) are put
together from each token on, as long as some picture starts so: the work is
linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CLUSTER = re.compile(r"[0-9](?:[^0-9\n]{0,3}+[0-9]){5,}+")
_TOKEN = re.compile(r"[0-9A-Za-z]+")
_SPELLED = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Za-z][ .-]){8,}+[0-9A-Za-z](?![0-9A-Za-z])")
_GLUED = re.compile(r"(?:is|nr|no|id|num|number|cf|iban|pan|ssn|tel|sin|bsn|dni|nie)(?=[0-9])", re.I)
_LETTERED = re.compile(r"[A-Za-z]")

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


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a line with digits in it: ``text[start:end]``, and its tokens.

    core: where the digits themselves start and end.
    """

    start: int
    end: int
    core: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Token:
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

    They reach a little around their digits, so neighbours may overlap.
    """
    for match in _CLUSTER.finditer(text):
        begin, end = match.span()
        if end - begin > LONGEST_TOKEN and match[0].isdigit():
            continue
        start = max(0, begin - _REACH_BACK)
        line = text.rfind("\n", start, begin)
        start = line + 1 if line >= 0 else _at_token(text, start)
        stop = text.find("\n", end, end + _REACH_AHEAD)
        yield Region(start, stop if stop >= 0 else min(len(text), end + _REACH_AHEAD), (begin, end))


def _at_token(text: str, start: int) -> int:
    """Return the first place from ``start`` on that does not cut a token in two."""
    if start == 0 or not text[start - 1].isalnum():
        return start
    for place in range(start, start + _REACH_BACK):
        if not text[place].isalnum():
            return place
    return start


def tokens(text: str, region: Region) -> list[Token]:
    """Return the tokens of a region; what is spelled letter by letter is one token."""
    found: list[Token] = []
    spelled = list(_spelled(text, region))
    at = region.start
    for begin, end in spelled:
        _cut(text, at, begin, found)
        body = text[begin:end:2]
        found.append(Token(begin, end, body, body.translate(_CLASS), BROKEN))
        at = end
    _cut(text, at, region.end, found)
    return found


def _spelled(text: str, region: Region) -> Iterator[tuple[int, int]]:
    for match in _SPELLED.finditer(text, region.start, region.end):
        if match.end() - match.start() <= 2 * LONGEST_TOKEN:
            yield match.span()


def _cut(text: str, begin: int, end: int, found: list[Token]) -> None:
    last = found[-1].end if found else -1
    for match in _TOKEN.finditer(text, begin, end):
        start, stop = match.span()
        body = match[0]
        gap = separator(text[last:start]) if last >= 0 else BROKEN
        last = stop
        if len(body) > LONGEST_TOKEN or (stop == end and text[end : end + 1].isalnum()):
            found.append(Token(start, stop, body, BROKEN, BROKEN))
            continue
        glued = _GLUED.match(body)
        if glued:
            found.append(Token(start, stop, body, body.translate(_CLASS), gap))
            start, body, gap = start + glued.end(), body[glued.end() :], BROKEN
        found.append(Token(start, stop, body, body.translate(_CLASS), gap))


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
    return "".join(c for c in body if c.isalnum() and c.isascii()).upper()


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
        return mark < "\u2e80"
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
    return mark in "./,:" and beyond.isdigit()
