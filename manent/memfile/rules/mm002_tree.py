"""A directory tree or file list that can be read off the repository.

**Why**: a listing costs tokens on every turn, is stale with the next file, and one
command shows the true one. What a folder is for is worth a line; that it exists is not.

**Flagged**

````markdown CLAUDE.md
# Tide tables

```
tide/
├── almanac/
│   ├── moon.py
│   └── sun.py
├── harbours.json
└── print.py
```
````

**Accepted**

````markdown CLAUDE.md
# Tide tables

- `tide/almanac/` computes, and must not read files: the ferry runs it without a disk.
- `harbours.json` is written by the survey office; never by hand.
````
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manent import late
from manent.memfile.audited import MemoryFile, Survey
from manent.memfile.document import Block, Document
from manent.memfile.flaw import Flaw, Level

ID = "MM002"
SEVERITY = Level.MED
SINCE = "0.1"

FEWEST = 4
"""Entries from which on a listing is one."""

_BRANCH = late.pattern(r"^[ \t>│|┃\xa0]*(?:[├└┣┗][─━-]|[|+`\\]--)")
_ENTRY = late.pattern(
    r"^[ \t>]*(?:[-*+][ \t]+)?[`\"]?(?:\.{0,2}/)?[\w@.()\[\]-]+(?:/[\w@.*()\[\]-]+)*"
    r"(?:/|\.[A-Za-z]\w{0,9})[`\"]?(?P<said>\s*$|\s+(?:#|//|[-–—:←]|\().*$)"
)
_WORDS = late.pattern(r"\w+")

TERSE = 3
"""Words after an entry of a bulleted list up to which it says no more than its name."""


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a listing in a file that is always loaded."""
    for file in survey.files:
        if file.always:
            yield from _listings(file)


def _listings(file: MemoryFile) -> Iterator[Flaw]:
    for block, lines in _blocks(file.doc):
        drawn = [number for number, line in lines if _BRANCH.match(line)]
        if len(drawn) >= FEWEST:
            yield _flaw(file, block, len(drawn), "directory tree")
            continue
        entries = [m for _, line in lines if (m := _ENTRY.match(line.rstrip("\r\n")))]
        full = sum(bool(line.strip()) for _, line in lines)
        if len(entries) >= FEWEST + 2 and len(entries) * 5 >= full * 4 and _is_bare(block, entries):
            yield _flaw(file, block, len(entries), "file list")


def _is_bare(block: Block, entries: Sequence[object]) -> bool:
    """A fence is a listing whatever its comments say; a list only where it says nothing more."""
    if block.kind != "list":
        return True
    said = [len(_WORDS.findall(entry["said"])) for entry in entries]  # type: ignore[index]
    return sum(words <= TERSE for words in said) * 3 >= len(said) * 2


def _blocks(doc: Document) -> Iterator[tuple[Block, list[tuple[int, str]]]]:
    """Yield the blocks that may hold a listing, with their lines."""
    for block in doc.blocks:
        if block.kind in ("fence", "code", "list", "paragraph"):
            last = min(block.end, len(doc.lines))
            numbers = range(block.start, last + 1)
            yield block, [(number, doc.lines[number - 1]) for number in numbers]


def _flaw(file: MemoryFile, block: Block, entries: int, what: str) -> Flaw:
    return Flaw(
        ID,
        SEVERITY,
        file.name,
        block.start,
        block.end,
        f"{what} of {entries} entries that the repository itself shows",
        "keep what a name does not tell (what a folder is for), and drop the listing",
    )
