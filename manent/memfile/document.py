"""The Markdown structure of a memory file: sections and blocks with exact line ranges.

A Document keeps every byte. Its lines, joined, are the file; the own texts of its
sections, joined in order, are the file too. Parsing takes linear time on any
input: only the block half of markdown-it runs, and that nests twenty deep at most.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING

from manent import late

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINE = late.pattern(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""The line ends of CommonMark and no others: a form feed is a character like any."""

BOM = "\ufeff"

KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
}
"""markdown-it's names of what stands in a block, and ours."""

_LAST = itemgetter(1)

CODE = frozenset({"fence", "code"})
"""Kinds of blocks whose text is not prose."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block at the top of a document, or an item of a list.

    kind: heading, paragraph, list, item, quote, table, fence, code, html, rule
    or frontmatter.
    start, end: line numbers from 1, both inclusive; a heading's underline and a
    fence's marks are inside, blank lines after it are not.
    items: of a list, its own items in order; a nested list is inside its item.
    info: the language of a fence.
    level, title: of a heading.
    """

    kind: str
    start: int
    end: int
    items: tuple[Block, ...] = ()
    info: str = ""
    level: int = 0
    title: str = ""


@dataclass(slots=True)
class Section:
    """A heading and what stands under it; the root stands for what comes before any.

    title: the heading's text, Markdown marks included; "" for the root.
    level: 1 to 6, 0 for the root.
    start: the heading's line, from 1.
    own_end: the last line before the next heading of any level.
    end: the last line of the section with all its children. Both inclusive; a
    root without text ends at line 0.
    blocks: what stands between ``start`` and ``own_end``, the heading left out.
    """

    title: str
    level: int
    start: int
    own_end: int
    end: int
    path: tuple[str, ...] = ()
    blocks: list[Block] = field(default_factory=list)
    children: list[Section] = field(default_factory=list)

    def walk(self) -> Iterator[Section]:
        """Yield this section and everything under it in the order of the file."""
        stack = [self]
        while stack:
            section = stack.pop()
            yield section
            stack.extend(reversed(section.children))


@dataclass(frozen=True, slots=True)
class Document:
    """A memory file, taken apart.

    lines: with their line ends; ``"".join(lines)`` is the file.
    blocks: the blocks at the top, in order.
    texts: (first, last) lines of every run of inline text (paragraphs, headings,
    table rows) at any depth: the unit in which a code span opens and closes.
    root: the section before the first heading; its ``walk`` gives all.
    """

    lines: tuple[str, ...]
    blocks: tuple[Block, ...]
    texts: tuple[tuple[int, int], ...]
    root: Section

    @property
    def text(self) -> str:
        """The whole file."""
        return "".join(self.lines)

    def slice(self, start: int, end: int) -> str:
        """Return lines ``start`` to ``end``, from 1, both inclusive, ends as they are."""
        return "".join(self.lines[start - 1 : end])

    def sections(self) -> list[Section]:
        """Return all sections in order; the root only where it has text.

        ``"".join(doc.own(s) for s in doc.sections())`` is the file.
        """
        return [s for s in self.root.walk() if s.own_end >= s.start]

    def own(self, section: Section) -> str:
        """Return the heading and what follows up to the next heading of any level."""
        return self.slice(section.start, section.own_end)

    def whole(self, section: Section) -> str:
        """Return the section with everything under it."""
        return self.slice(section.start, section.end)

    def texts_between(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the runs of inline text that have a line between two lines, in order."""
        at = bisect_left(self.texts, start, key=_LAST)
        while at < len(self.texts) and self.texts[at][0] <= end:
            yield self.texts[at]
            at += 1

    @property
    def frontmatter(self) -> Block | None:
        """The YAML block at the top, where there is one."""
        return self.blocks[0] if self.blocks and self.blocks[0].kind == "frontmatter" else None

    def cuts(self) -> list[int]:
        """Return the lines at which the file may be cut in two.

        The starts of blocks and of the items of top-level lists: never inside an
        item, a fence, a table or a block of HTML.
        """
        starts = {block.start for block in self.blocks}
        starts.update(item.start for block in self.blocks for item in block.items)
        return sorted(starts)


def decoded(data: bytes) -> str:
    """Return a file as text from which ``encoded`` gives the very bytes back."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of a text that ``decoded`` made."""
    return text.encode("utf-8", "surrogateescape")


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text with their ends: LF, CRLF or CR, as CommonMark has it."""
    return tuple(_LINE.findall(text))


def parse(source: str | bytes) -> Document:
    """Take a memory file apart. Never fails; anything is some Markdown."""
    text = decoded(source) if isinstance(source, bytes) else source
    lines = split_lines(text)
    skipped = _frontmatter_lines(lines)
    blocks = [Block("frontmatter", 1, skipped)] if skipped else []
    texts: list[tuple[int, int]] = []
    if len(lines) > skipped:
        rest = "".join(lines[skipped:]).removeprefix(BOM)
        _collect(_parser().parse(rest), skipped, lines, blocks, texts)
    return Document(lines, tuple(blocks), tuple(texts), _tree(blocks, len(lines)))


def _frontmatter_lines(lines: Sequence[str]) -> int:
    """Return how many lines a YAML block at the top takes, 0 where there is none."""
    if not lines or lines[0].removeprefix(BOM).rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in ("---", "..."):
            return number if number > 2 and _is_yaml(lines[1]) else 0
    return 0


_KEY = late.pattern(r"[A-Za-z_][\w .-]*:(?:\s|$)|#|- ")


def _is_yaml(line: str) -> bool:
    """Tell a first key from a text that merely follows a dash rule."""
    return _KEY.match(line) is not None


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    # Inline text is read where it is wanted; definitions of links cut nothing. A table
    # is a paragraph with a row of dashes: markdown-it takes 36 us to read a row of one.
    return parser.disable(["inline", "reference", "text_join"], ignoreInvalid=True)


def _collect(
    tokens: list[Token],
    offset: int,
    lines: Sequence[str],
    blocks: list[Block],
    texts: list[tuple[int, int]],
) -> None:
    """Turn markdown-it's tokens into top-level blocks and ranges of inline text."""
    items: list[Block] = []
    opened: Token | None = None
    for token in tokens:
        if token.map is None:
            if token.nesting == -1 and token.level == 0 and opened is not None:
                blocks.append(_block(opened, offset, lines, tuple(items)))
                opened, items = None, []
            continue
        if token.type in ("paragraph_open", "heading_open"):
            texts.extend(_runs(token.map[0] + 1 + offset, token.map[1] + offset, lines))
        if token.level == 0 and token.nesting == 1:
            opened = token
        elif token.level == 0 and token.type in KINDS:
            blocks.append(_block(token, offset, lines))
        elif token.level == 1 and token.type == "list_item_open":
            items.append(_block(token, offset, lines))
        elif token.type == "inline" and opened is not None and opened.type == "heading_open":
            opened.content = token.content


def _block(token: Token, offset: int, lines: Sequence[str], items: tuple[Block, ...] = ()) -> Block:
    assert token.map is not None
    start, end = token.map[0] + 1 + offset, token.map[1] + offset
    while end > start and not lines[end - 1].strip() and token.type not in _BLANK_ENDS:
        end -= 1
    kind = KINDS[token.type]
    if kind == "paragraph" and _is_table(start, end, lines):
        kind = "table"
    level = int(token.tag[1]) if kind == "heading" else 0
    info = token.info.strip() if kind == "fence" else ""
    title = re.sub(r"\s+", " ", token.content.strip()) if kind == "heading" else ""
    return Block(kind, start, end, items, info, level, title)


_RULED = frozenset("|:- \t>\r\n")


def _is_table(start: int, end: int, lines: Sequence[str]) -> bool:
    """Tell a table from a paragraph: some second line is a row of dashes between bars."""
    return end > start and any(
        "|" in lines[at] and "|" in lines[at - 1] and "-" in lines[at] and set(lines[at]) <= _RULED
        for at in range(start, end)
    )


def _runs(start: int, end: int, lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return a paragraph as one run of inline text, a table as one a row."""
    if _is_table(start, end, lines):
        return [(number, number) for number in range(start, end + 1)]
    return [(start, end)]


_BLANK_ENDS = frozenset({"fence"})
"""An unclosed fence ends in its own blank lines."""


def _tree(blocks: Sequence[Block], last: int) -> Section:
    """Hang the sections below each other by the levels of their headings."""
    root = Section("", 0, 1, 0, last)
    trail = [root]
    for block in blocks:
        if block.kind != "heading":
            trail[-1].blocks.append(block)
            continue
        trail[-1].own_end = block.start - 1
        while trail[-1].level >= block.level:
            trail.pop().end = block.start - 1
        path = (*trail[-1].path, block.title)
        section = Section(block.title, block.level, block.start, block.start, last, path)
        trail[-1].children.append(section)
        trail.append(section)
    trail[-1].own_end = last
    return root
