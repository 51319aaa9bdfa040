"""The same block said twice, within a file or across files.

**Why**: it is paid for twice where both are loaded, and one of the two will be
edited and the other not. Blocks are compared without regard to case, spacing and
list marks; short ones do not count. Two files that no session loads together weigh
low.

**Flagged**

````markdown CLAUDE.md
# Bakery

Heat the oven for forty minutes before the first loaf goes in, whatever the season.

## Mornings

Heat the oven for forty minutes before the first loaf goes in, whatever the season.
````

**Accepted**

````markdown CLAUDE.md
# Bakery

Heat the oven for forty minutes before the first loaf goes in, whatever the season.

## Mornings

The oven comes first: see above.
````
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from manent import late
from manent.finding import digest_of
from manent.memfile.audited import MemoryFile, Survey
from manent.memfile.document import Block, Document
from manent.memfile.flaw import Flaw, Level

ID = "MM005"
SEVERITY = Level.MED
SINCE = "0.1"

SHORTEST = 40
"""Characters of text, marks and spaces left out, from which on a block counts."""

GAP = 3
"""Lines between two repeated blocks that are still said in one finding."""

SAME_GAP = 12
"""And where both places have as many lines between them: headings, short blocks."""

_NOISE = late.pattern(r"[\W_]+")


class _Seen(NamedTuple):
    file: str
    start: int
    end: int


class _Run(NamedTuple):
    first: _Seen
    start: int
    end: int
    until: int


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding for each run of blocks that was said before."""
    seen: dict[str, _Seen] = {}
    for file in survey.files:
        run: _Run | None = None
        for block in _units(file.doc):
            key = _key(file.doc, block)
            if key is None:
                continue
            before = seen.setdefault(key, _Seen(file.name, block.start, block.end))
            if (before.file, before.start) == (file.name, block.start):
                continue
            if run is not None and _continues(run, before, block):
                run = run._replace(end=block.end, until=before.end)
                continue
            if run is not None:
                yield _flaw(survey, file, run)
            run = _Run(before, block.start, block.end, before.end)
        if run is not None:
            yield _flaw(survey, file, run)


def _units(doc: Document) -> Iterator[Block]:
    """Yield what may be said twice: items of lists, and other blocks of text or code."""
    for block in doc.blocks:
        if block.kind == "list":
            yield from block.items
        elif block.kind not in ("heading", "rule", "frontmatter"):
            yield block


def _key(doc: Document, block: Block) -> str | None:
    text = _NOISE.sub(" ", doc.slice(block.start, block.end)).strip().casefold()
    return digest_of(text) if len(text.replace(" ", "")) >= SHORTEST else None


def _continues(run: _Run, before: _Seen, block: Block) -> bool:
    here, there = block.start - run.end, before.start - run.until
    near = max(here, there) <= (SAME_GAP if here == there else GAP)
    return near and there >= 0 and before.file == run.first.file


def _flaw(survey: Survey, file: MemoryFile, run: _Run) -> Flaw:
    last = f"-{run.until}" if run.until > run.first.start else ""
    there = f"line {run.first.start}{last}"
    where = there if run.first.file == file.name else f"{run.first.file}, {there}"
    elsewhere = run.first.file != file.name
    other = next(f for f in survey.files if f.name == run.first.file)
    together = not elsewhere or bool(file.hosts & other.hosts)
    return Flaw(
        ID,
        SEVERITY if together else Level.LOW,
        file.name,
        run.start,
        run.end,
        f"says again what {where} says",
        f"let one file point to the other ({run.first.file})" if elsewhere else "keep it once",
    )
