"""A link as written, and the outline of a body that links can point into."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Protocol

from manent.values import dataclass


class LinkKind(enum.StrEnum):
    """How a link was written. The three list fields of the frontmatter are typed edges."""

    WIKILINK = "wikilink"
    EMBED = "embed"
    MARKDOWN = "markdown"
    PROPERTY = "property"
    PROVENANCE = "provenance"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class Link:
    """One link, unresolved.

    target: what stands before ``#`` and ``|``, decoded (``%20``), a trailing
    ``.md`` kept as written; "" for a link into the same note.
    heading, block: the part after ``#`` or ``#^``, "" where none.
    line, column: in the file, from 1, columns in code points.
    """

    kind: LinkKind
    target: str
    heading: str = ""
    block: str = ""
    alias: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the body: level 1 to 6, its text without marks, its line in the file.

    source: the text as written, where it holds links and so may be quoted in
    more than one way by a link that points here; else "".
    """

    level: int
    text: str
    line: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """All that other notes, and the vault, can know of a body. In order of place."""

    links: tuple[Link, ...] = ()
    headings: tuple[Heading, ...] = ()
    blocks: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tasks_open: int = 0
    tasks_done: int = 0


class Written(Protocol):
    """What is read of a note: a `Note` has this shape (``note`` is a neighbour of this room)."""

    @property
    def text(self) -> str:
        """All of the file, decoded."""

    @property
    def frontmatter(self) -> dict[str, Any]:
        """The data of the header."""

    @property
    def key_lines(self) -> Mapping[str, int]:
        """The line of each top-level key."""

    @property
    def body(self) -> str:
        """What follows the header: the end of ``text``."""

    @property
    def body_line(self) -> int:
        """The line of the file the body begins on, from 1."""
