"""Obsidian's ``%%`` comments, which no Markdown parser knows.

Whichever opens first wins: a comment, code (fenced or inline) or an HTML
comment. A comment closes at the next ``%%``. One that never closes hides the
rest of the note when it opens a line, and is plain text elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from manent import late
from manent.links.structure import blank

_TOKEN = late.pattern(r"%%|`+|~{3,}|<!--|\\[\\`%~<]")
_OPENS_LINE = late.pattern(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_PARAGRAPH_END = late.pattern(r"\n[ \t>]*\r?\n")


def without_comments(body: str) -> str:
    """Return ``body`` with its comments blanked, length and lines unchanged."""
    if "%%" not in body:
        return body
    return blank(body, _Scanner(body).comments())


class _Scanner:
    def __init__(self, body: str) -> None:
        self.body = body
        self.breaks = [found.start() for found in _PARAGRAPH_END.finditer(body)]
        self.next_run = _next_runs(body)
        self.html_closes = True

    def comments(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        at = 0
        while (token := _TOKEN.search(self.body, at)) is not None:
            sign = token[0]
            if sign == "%%":
                end = self._comment_end(token.start())
                if end:
                    found.append((token.start(), end))
                at = end or token.end()
            elif sign == "<!--":
                at = self._html_end(token.end())
            elif sign[0] == "\\":
                at = token.end()
            else:
                at = self._code_end(token)
        return found

    def _comment_end(self, start: int) -> int:
        close = self.body.find("%%", start + 2)
        if close >= 0:
            return close + 2
        return len(self.body) if self._opens_line(start) else 0

    def _html_end(self, start: int) -> int:
        close = self.body.find("-->", start) if self.html_closes else -1
        self.html_closes = close >= 0
        return close + 3 if close >= 0 else start

    def _code_end(self, token: re.Match[str]) -> int:
        sign = token[0]
        if len(sign) >= 3 and self._opens_line(token.start()):
            line_end = self.body.find("\n", token.end())
            line_end = len(self.body) if line_end < 0 else line_end
            if sign[0] == "~" or "`" not in self.body[token.end() : line_end]:
                return self._fence_end(sign, line_end)
        close = self.next_run.get(token.start()) if sign[0] == "`" else None
        if close is None or self._paragraph_ends(token.end(), close):
            return token.end()
        return close + len(sign)

    def _fence_end(self, sign: str, start: int) -> int:
        closing = re.compile(rf"^[ \t>]*{sign}{sign[0]}*[ \t]*\r?$", re.MULTILINE)
        found = closing.search(self.body, start)
        return found.end() if found else len(self.body)

    def _opens_line(self, start: int) -> bool:
        line = self.body.rfind("\n", 0, start) + 1
        found = _OPENS_LINE.match(self.body, line, start)
        return found is not None and found.end() == start

    def _paragraph_ends(self, start: int, end: int) -> bool:
        index = bisect_left(self.breaks, start)
        return index < len(self.breaks) and self.breaks[index] < end


def _next_runs(body: str) -> dict[int, int]:
    """Return, for each run of backticks, where the next run of the same length begins."""
    latest: dict[int, int] = {}
    following: dict[int, int] = {}
    for run in reversed([found.span() for found in re.finditer("`+", body)]):
        length = run[1] - run[0]
        if length in latest:
            following[run[0]] = latest[length]
        latest[length] = run[0]
    return following
