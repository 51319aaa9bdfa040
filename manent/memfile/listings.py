"""Directory trees and file lists in a memory file, and what of them the repository has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from manent import late
from manent.memfile.document import Block, Document
from manent.memfile.hosts import PRUNED, Listing

FEWEST = 4
"""Entries from which on a listing is one."""

TERSE = 3
"""Words after an entry of a bulleted list up to which it says no more than its name."""

_DRAWN = late.pattern(
    r"^(?P<before>[ \t>│|┃\xa0]*)(?:[├└┣┗][─━-]+|[|+`\\]--+)[ \t\xa0]*(?P<name>.*)$"
)
_NAME = late.pattern(r"[`\"*]{0,3}(?P<name>(?:\.{0,2}/)?[^\s`\"*#:←→│]+)")
_ENTRY = late.pattern(
    r"^[ \t>]*(?:[-*+][ \t]+)?[`\"]?(?P<name>(?:\.{0,2}/)?[\w@.()\[\]-]+(?:/[\w@.*()\[\]-]+)*"
    r"(?:/|\.[A-Za-z]\w{0,9}))[`\"]?(?P<said>\s*$|\s+(?:#|//|[-–—:←]|\().*$)"
)
_ROOT = late.pattern(
    r"[ \t>]*[`\"]?(?P<name>(?:\.{0,2}/)?[\w@.-]+(?:/[\w@.-]+)*/?)[`\"]?\s*(?:#.*)?$"
)
_ABSOLUTE = late.pattern(r"[ \t>`\"]*(?:/\w|~|\$|[A-Za-z]:[\\/])")
_WORDS = late.pattern(r"\w+")
_OPEN = late.pattern(r"[*<>{}$…]|\.\.\.|^\.{1,2}$")
"""What stands for many names, or for none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a listing. path: as far as it can be told, ``/`` at its end left off."""

    line: int
    path: str
    folder: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing. kind: directory tree or file list. entries: those that name one thing.

    elsewhere: it begins at the root of a machine, or at a home.
    """

    kind: str
    block: Block
    entries: tuple[Entry, ...]
    elsewhere: bool = False


def listings(doc: Document) -> Iterator[Listed]:
    """Yield the trees and lists of a document, in order."""
    for block in doc.blocks:
        if block.kind not in ("fence", "code", "list", "paragraph"):
            continue
        last = min(block.end, len(doc.lines))
        lines = [(n, doc.lines[n - 1].rstrip("\r\n")) for n in range(block.start, last + 1)]
        drawn = [(n, m) for n, line in lines if (m := _DRAWN.match(line)) is not None]
        if len(drawn) >= FEWEST:
            elsewhere = any(_ABSOLUTE.match(line) for _, line in lines)
            yield Listed("directory tree", block, tuple(_tree(lines)), elsewhere)
            continue
        found = [(n, m) for n, line in lines if (m := _ENTRY.match(line)) is not None]
        full = sum(bool(line.strip()) for _, line in lines)
        many = len(found) >= FEWEST + 2 and len(found) * 5 >= full * 4
        if many and _is_bare(block, [m["said"] for _, m in found]):
            named = [_entry(n, m["name"], "") for n, m in found]
            yield Listed("file list", block, tuple(e for e in named if e is not None))


def _is_bare(block: Block, said: Sequence[str]) -> bool:
    """A fence is a listing whatever its comments say; a list only where it says nothing more."""
    if block.kind != "list":
        return True
    return sum(len(_WORDS.findall(each)) <= TERSE for each in said) * 3 >= len(said) * 2


def _tree(lines: Sequence[tuple[int, str]]) -> Iterator[Entry]:
    """Yield the entries of a drawn tree, each under the folders it hangs from."""
    trail: list[tuple[int, str]] = []
    for number, line in lines:
        match = _DRAWN.match(line)
        if match is None:
            root = _ROOT.fullmatch(line)
            trail = [(-1, root["name"])] if root is not None else []
            continue
        depth = len(match["before"].expandtabs(4))
        trail = [(d, name) for d, name in trail if d < depth]
        name = _NAME.match(match["name"])
        if name is None:
            continue
        above = "/".join(part.strip("/") for d, part in trail if d >= 0)
        if (entry := _entry(number, name["name"], above)) is not None:
            yield entry
        trail.append((depth, name["name"]))


def _entry(line: int, name: str, above: str) -> Entry | None:
    bare = name.removeprefix("./").rstrip("/,")
    if not bare or _OPEN.search(f"{above}/{bare}") is not None:
        return None
    return Entry(line, f"{above}/{bare}".lstrip("/"), name.endswith("/"))


class Shelf:
    """The paths of a repository, to be asked for by their ends."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing

    @cached_property
    def _ends(self) -> set[str]:
        """Every path, and each with its first folders left off, three names long at most."""
        ends = set()
        for path in self._listing.files | self._listing.folders:
            parts = path.split("/")
            ends.add(path)
            ends.update("/".join(parts[at:]) for at in range(max(0, len(parts) - 3), len(parts)))
        return ends

    def has(self, path: str) -> bool:
        """Tell whether the repository has a path, wherever the listing begins."""
        return "/".join(path.split("/")[-3:]) in self._ends

    def judged(self, listed: Listed) -> tuple[list[Entry], list[Entry]]:
        """Return the entries that are there, and those that are not; outputs are neither."""
        told = [e for e in listed.entries if not PRUNED & set(e.path.split("/"))]
        there = [entry for entry in told if self.has(entry.path)]
        return there, [entry for entry in told if not self.has(entry.path)]
