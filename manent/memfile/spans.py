"""Code spans, links and mentions in a run of inline text, found in near linear time."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from manent import late
from manent.memfile.document import BOM, Document, split_lines

_TICKS = late.pattern(r"`+")


class Span(NamedTuple):
    """What stands in a place. line: in the file, from 1. before: the text of its line before it."""

    line: int
    text: str
    before: str


def code_spans(text: str) -> list[tuple[int, int, int]]:
    """Return (start, end, ticks) of the code spans of a run: the next run as long closes one."""
    runs = [(m.start(), m.end()) for m in _TICKS.finditer(text)]
    places: dict[int, list[int]] = defaultdict(list)
    for at, (start, end) in enumerate(runs):
        places[end - start].append(at)
    found, at = [], 0
    while at < len(runs):
        start, end = runs[at]
        same = places[end - start]
        closing = bisect_right(same, at)
        if closing < len(same):
            found.append((start, runs[same[closing]][1], end - start))
            at = same[closing] + 1
        else:
            at += 1
    return found


def runs(doc: Document) -> Iterator[tuple[int, str]]:
    """Yield (line of its start, text) of every run of inline text."""
    for first, last in doc.texts:
        yield first, doc.slice(first, last).removeprefix(BOM)


def without_code(text: str) -> str:
    """Return a run with its code spans blanked, line ends kept."""
    parts, at = [], 0
    for start, end, _ in code_spans(text):
        parts.append(text[at:start])
        parts.append("".join(c if c in "\r\n" else " " for c in text[start:end]))
        at = end
    return "".join((*parts, text[at:]))


def codes(doc: Document) -> Iterator[Span]:
    """Yield the content of every code span of a document."""
    for first, text in runs(doc):
        places = _Places(first, text)
        for start, end, ticks in code_spans(text):
            content = text[start + ticks : end - ticks].strip()
            if content.strip("` "):
                yield places.span(start, content)


_LINK = late.pattern(
    r"\[[^\[\]\r\n]{0,300}\]\(\s{0,3}(?:<([^<>\r\n]{1,500})>|([^()\s<>]{1,500}))"
    r"(?:\s[^()\r\n]{0,200})?\)"
)


def links(doc: Document) -> Iterator[Span]:
    """Yield the targets of inline links and images."""
    for first, text in runs(doc):
        if "](" in text:
            places = _Places(first, text)
            for match in _LINK.finditer(without_code(text)):
                yield places.span(match.start(), match[1] or match[2])


_BARE = late.pattern(
    r"(?<![\w/@:.~$<>*{}-])(?:\./)?[A-Za-z0-9_-]+(?:/[A-Za-z0-9_.-]+)+\.[A-Za-z][A-Za-z0-9]{0,9}"
    r"(?![\w/*<>{}-]|\.\w)"
)


def bare_paths(doc: Document) -> Iterator[Span]:
    """Yield what stands in prose, in neither code nor a link, and reads as the path of a file."""
    for first, text in runs(doc):
        if "/" not in text:
            continue
        places, plain = _Places(first, text), without_code(text)
        for match in _BARE.finditer(_LINK.sub(lambda m: " " * len(m[0]), plain)):
            yield places.span(match.start(), match[0])


_MENTION = late.pattern(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")


def mentions(doc: Document) -> Iterator[Span]:
    """Yield what follows an ``@`` at the start of a word: what Claude Code takes for a path."""
    for first, text in runs(doc):
        if "@" in text:
            places = _Places(first, text)
            for match in _MENTION.finditer(without_code(text)):
                yield places.span(match.start(), match[1].replace("\\ ", " "))


class _Places:
    """Turns offsets into a run into lines of the file."""

    def __init__(self, first: int, text: str) -> None:
        self.first = first
        self.text = text
        self.starts = [0, *accumulate(len(line) for line in split_lines(text))]

    def span(self, at: int, found: str) -> Span:
        row = bisect_right(self.starts, at) - 1
        return Span(self.first + row, found, self.text[max(self.starts[row], at - 200) : at])
