"""The sections of a topic file, read off its lines: for a hook that has no time to parse.

What ``document.parse`` calls a section in nearly every file people write (a property
test compares the two over the shared files); where they differ, a passage begins a
few lines earlier or later, and no text is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manent import late
from manent.memfile.manifest import Heading

_ATX = late.pattern(r"[ ]{0,3}(\#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+\#+)?[ \t]*[\r\n]*\Z")
_FENCE = late.pattern(r"[ ]{0,3}(`{3,}|~{3,})(.*)")
_UNDERLINE = late.pattern(r"[ ]{0,3}(=+|-+)[ \t]*[\r\n]*\Z")
_NO_TEXT = late.pattern(r"[ ]{0,3}(?:[-*+>|<]|\d{1,9}[.)][ \t]|\#{1,6}[ \t]|`{3}|~{3})|[ ]{4}|\t")


def outline(lines: Sequence[str]) -> tuple[Heading, ...]:
    """Return the sections of a text, in order: what stands before a heading, then each one."""
    found: list[Heading] = []
    trail: list[tuple[int, str]] = []
    start, level = 1, 0
    for number, depth, title in _headings(lines):
        if number > start:
            found.append(_section(trail, level, start, number - 1))
        trail = [(d, t) for d, t in trail if d < depth]
        trail.append((depth, title))
        start, level = number, depth
    if len(lines) >= start:
        found.append(_section(trail, level, start, len(lines)))
    return tuple(found)


def _section(trail: Sequence[tuple[int, str]], level: int, first: int, last: int) -> Heading:
    return Heading(tuple(title for _, title in trail), level, "", (first, last))


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (line, level, title) of the headings outside of fences and frontmatter."""
    fence = ""
    paragraph = 0  # the first line of the paragraph above, 0 for none
    front = _frontmatter(lines)
    for number, line in enumerate(lines[front:], front + 1):
        text = line.removeprefix("\ufeff") if number == 1 else line
        if mark := _FENCE.match(text):
            fence = _after(fence, mark[1], mark[2])
            paragraph = 0
        elif fence:
            continue
        elif heading := _ATX.match(text):
            yield number, len(heading[1]), (heading[2] or "").strip()
            paragraph = 0
        elif paragraph and (under := _UNDERLINE.match(text)):
            title = " ".join(part.strip() for part in lines[paragraph - 1 : number - 1])
            yield paragraph, 1 if under[1][0] == "=" else 2, title
            paragraph = 0
        elif not text.strip() or (not paragraph and _NO_TEXT.match(text)):
            paragraph = 0
        elif not paragraph:
            paragraph = number


def _after(fence: str, mark: str, rest: str) -> str:
    """Return the fence that is open after a line of marks, "" for none."""
    if not fence:
        return "" if mark[0] == "`" and "`" in rest else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip()
    return "" if closes else fence


def _frontmatter(lines: Sequence[str]) -> int:
    """Return how many lines the YAML block at the top takes."""
    if not lines or lines[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:200], 2):
        if line.rstrip() in ("---", "..."):
            return number
    return 0


def breaks(lines: Sequence[str]) -> list[int]:
    """Return the lines, from 1, before which a long section may be cut, outside of fences:
    after a blank line where nothing is continued, and where an item of a list begins."""
    found, fence, blank = [], "", False
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        begins = blank and bool(line.strip()) and not line.startswith((" ", "\t"))
        if not fence and (begins or line.startswith(("- ", "* ", "+ "))):
            found.append(number)
        if mark:
            fence = _after(fence, mark[1], mark[2])
        blank = not line.strip()
    return found
