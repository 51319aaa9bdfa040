"""Whether a place in a text says something or quotes it.

Quoted means between quotation marks within one paragraph, in inline code, or in
a fenced code block. Everything is bounded: quotation marks are looked for at
most ``REACH`` letters away, code regions are laid out once per text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from manent import late

REACH = 400
"""How far from a match its quotation marks may stand, in letters."""

PAIRS = {"“": "”", "«": "»", "„": "“”", "「": "」", "『": "』", "»": "«", "‘": "’", "‹": "›"}
"""Opening quotation marks and what closes them."""

_FENCE = late.pattern(r"^[ >]{0,12}(?:[-*+] |\d{1,3}[.)] )?[ ]{0,3}(`{3,}|~{3,})([^\n]*)$", re.M)
_TICKS = late.pattern(r"`+")
_BREAK = late.pattern(r"\n[ \t>]*\n")


class Quoting:
    """The code regions of one text, laid out when first asked for."""

    __slots__ = ("_ends", "_starts", "text")

    def __init__(self, text: str = "") -> None:
        self.text = text
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def in_code(self, start: int, end: int) -> bool:
        """Whether the text from ``start`` to ``end`` lies in one code block or code span."""
        if self._starts is None:
            marked = "`" in self.text or "~~~" in self.text
            self._starts, self._ends = _code(self.text) if marked else ([], [])
        index = bisect_right(self._starts, start) - 1
        return index >= 0 and end <= self._ends[index]

    @staticmethod
    def in_marks(text: str, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` stands between quotation marks of its paragraph."""
        before = text[max(0, start - REACH) : start]
        after = text[end : end + REACH]
        before = before[_last_break(before) :]
        cut = _BREAK.search(after)
        after = after[: cut.start()] if cut else after
        return _straight(before, after) or _paired(before, after)


def _last_break(before: str) -> int:
    at = 0
    for match in _BREAK.finditer(before):
        at = match.end()
    return at


def _straight(before: str, after: str) -> bool:
    """An odd number of straight marks before, and one after: one is open here."""
    if before.count('"') % 2 == 1 and '"' in after:
        return True
    opened = re.search(r"(?:^|[\s(\[:,])'(?!\s)[^'\n]{0,80}$", before)
    return bool(opened) and re.search(r"'(?:[\s.,;:!?)\]]|$)", after) is not None


def _paired(before: str, after: str) -> bool:
    for opening, closing in PAIRS.items():
        at = before.rfind(opening)
        if at < 0 or any(mark in before[at + 1 :] for mark in closing):
            continue
        if any(mark in after for mark in closing):
            return True
    return False


def _code(text: str) -> tuple[list[int], list[int]]:
    """Return the starts and ends of fenced blocks and code spans, in order."""
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for begin, finish in _fences(text):
        _spans(text, at, begin, starts, ends)
        starts.append(begin)
        ends.append(finish)
        at = finish
    _spans(text, at, len(text), starts, ends)
    return starts, ends


def _fences(text: str) -> list[tuple[int, int]]:
    """Return the fenced blocks; one that never closes runs to the end."""
    found = []
    opened: tuple[int, str] | None = None
    for match in _fence_lines(text):
        fence = match[1]
        if opened is None:
            if "`" not in match[2] or fence[0] == "~":
                opened = (match.end(), fence)
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]) and not match[2].strip():
            found.append((opened[0], match.start()))
            opened = None
    if opened is not None:
        found.append((opened[0], len(text)))
    return found


def _fence_lines(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that open or close a block. Most lines hold no sign of one."""
    at = 0
    signs = {sign: text.find(sign) for sign in ("```", "~~~")}
    while places := [place for place in signs.values() if place >= 0]:
        match = _FENCE.match(text, text.rfind("\n", at, min(places)) + 1 or at)
        if match:
            yield match
        at = text.find("\n", min(places)) + 1
        if not at:
            return
        for sign, place in signs.items():
            if 0 <= place < at:
                signs[sign] = text.find(sign, at)


def _spans(text: str, begin: int, finish: int, starts: list[int], ends: list[int]) -> None:
    """Add the code spans between ``begin`` and ``finish``: equal runs of backticks.

    A run closes with the next run of its length in the same paragraph. Runs of
    one length are tried once each, so that thousands of lone backticks of many
    lengths stay linear.
    """
    opened: dict[int, int] = {}
    last = begin
    for match in _TICKS.finditer(text, begin, finish):
        if opened and _BREAK.search(text, last, match.start()):
            opened.clear()
        last = match.end()
        length = len(match[0])
        start = opened.get(length)
        if start is None:
            opened[length] = match.end()
        else:
            starts.append(start)
            ends.append(match.start())
            opened.clear()
