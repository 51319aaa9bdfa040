"""The places of a note that its reader does not see.

Regions of a text: HTML comments, attributes, elements that are styled away, link
titles and alternative texts, Markdown comments, and the frontmatter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from manent import late

_COMMENT = late.pattern(r"<!--(.*?)(?:-->|\Z)", re.S)
_ATTRIBUTE = late.pattern(
    r"<[A-Za-z][^<>]{0,300}?\s(?:alt|title|aria-[a-z]+|placeholder|content|summary|data-[\w-]+|label|value"
    r"|longdesc|name|cite)\s*=\s*(?:\"([^\"<>]{0,2000})\"|'([^'<>]{0,2000})')"
)
_HIDDEN = late.pattern(
    r"<([A-Za-z][\w-]{0,20})\b[^<>]{0,400}?(?:\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden"
    r"|font-size\s*:\s*0*(?:\.0+)?[01]?(?:px|pt|em|rem|%)?\s*[;\"']|opacity\s*:\s*0*(?:\.0\d*)?\s*[;\"']"
    r"|color\s*:\s*(?:#f{3,8}\b|white\b|transparent\b|rgba\([^)]{0,30},\s*0\))|aria-hidden\s*=\s*[\"']true"
    r"|(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}|(?:width|height|max-height)\s*:\s*0"
    r"|clip(?:-path)?\s*:)[^<>]{0,400}>",
    re.I,
)
_UNSHOWN = late.pattern(
    r"<(template|noscript|script|style|object|details|meta|title)\b[^<>]{0,300}>", re.I
)
_TITLE = late.pattern(
    r"!\[([^\]\n]{1,1000})\]\(|\]\([^()\s]{0,500}\s+(?:\"([^\"\n]{1,2000})\"|'([^'\n]{1,2000})'|\(([^()\n]{1,2000})\))\s*\)"
    r"|^ {0,3}\[[^\]\n]{1,200}\]:\s*\S{1,500}\s+[\"'(]([^\n]{1,2000})[\"')]\s*$",
    re.M,
)
_MARKDOWN = late.pattern(
    r"^ {0,3}\[(?://|comment|_)[^\]\n]{0,40}\]:\s*#?\s*[(\"']?([^\n]{1,2000})|%%(.{1,4000}?)%%",
    re.M | re.S,
)
_FRONTMATTER = late.pattern(
    r"\A\ufeff?---[ \t]*\r?\n(.{0,20000}?)^(?:---|\.\.\.)[ \t]*$", re.M | re.S
)

SOFT_ENOUGH = frozenset(
    {"html-comment", "html-hidden", "markdown-comment", "html-attribute", "link-title"}
)
"""Where even a soft sign is said: nobody writes to a model there by accident."""


class Carriers:
    """The hidden regions of one text, laid out when made."""

    __slots__ = ("_ends", "_names", "_starts")

    def __init__(self, text: str) -> None:
        regions = sorted(_regions(text))
        self._starts = [start for start, _, _ in regions]
        self._ends = [end for _, end, _ in regions]
        self._names = [name for _, _, name in regions]

    def holding(self, start: int, end: int) -> str:
        """Return the name of the region that ``start`` to ``end`` begins in, or ""."""
        index = bisect_right(self._starts, start) - 1
        # Regions nest a little (an attribute in a hidden element): look back a few.
        for at in range(index, max(-1, index - 8), -1):
            if start < self._ends[at]:
                return self._names[at]
        return ""


def _regions(text: str) -> Iterator[tuple[int, int, str]]:
    if "<" in text:
        yield from _groups(_COMMENT, text, "html-comment")
        yield from _groups(_ATTRIBUTE, text, "html-attribute")
        yield from _elements(text)
    if "](" in text or "]:" in text:
        yield from _groups(_TITLE, text, "link-title")
    if "%%" in text or "]:" in text:
        yield from _groups(_MARKDOWN, text, "markdown-comment")
    if text.startswith(("---", "\ufeff---")):
        yield from _groups(_FRONTMATTER, text, "frontmatter")


def _groups(pattern: re.Pattern[str], text: str, name: str) -> Iterator[tuple[int, int, str]]:
    for match in pattern.finditer(text):
        group = match.lastindex or 0
        yield match.start(group), match.end(group), name


def _elements(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the content of elements that are not shown, up to their closing tag."""
    closing: dict[str, int] = {}
    lower = text.lower()
    for pattern in (_HIDDEN, _UNSHOWN):
        for match in pattern.finditer(text):
            tag = match[1].lower()
            # One search a tag from each place on: none is repeated when none is left.
            at = closing.get(tag, -1)
            if at < match.end():
                found = lower.find(f"</{tag}", match.end())
                at = closing[tag] = found if found >= 0 else len(text)
            yield match.end(), min(at, match.end() + 20_000), "html-hidden"
