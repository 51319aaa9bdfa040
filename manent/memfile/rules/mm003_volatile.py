"""Volatile content in what is always loaded.

**Why**: a host's prompt cache holds up to the first byte that changed. A status, a
dated entry, a version, a list of tasks in the prefix changes often, and each edit
makes everything from there on be paid for in full. It is high wherever it stands:
the position only orders the findings.

**Flagged**

````markdown CLAUDE.md
# Lighthouse lamp

Never open the lamp housing while the mains are on.

## Current status

- [x] New bearings fitted
- [ ] Waiting for the second lens
````

````markdown CLAUDE.md
# Lighthouse lamp

Version: 2.4.1

Never open the lamp housing while the mains are on.
````

````markdown CLAUDE.md
# Lighthouse lamp

Never open the lamp housing while the mains are on.

## Log

- 2026-02-11: cleaned the lens.
- 2026-03-02: replaced the fuse.
````

````markdown CLAUDE.md
# Lighthouse lamp

Never open the lamp housing while the mains are on.

## Release 1.4.2

- Faster lamp
- Second lens
````

**Accepted**

````markdown CLAUDE.md
# Lighthouse lamp

Never open the lamp housing while the mains are on.

## Changelog

Add a line to `CHANGELOG.md` with every change that a keeper notices.

## Before leaving

- [ ] Is the door locked?
- [ ] Is the log signed?
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.memfile.audited import MemoryFile, Survey
from manent.memfile.flaw import Flaw, Level
from manent.memfile.kinds import Judged
from manent.memfile.volatile import WORDS

ID = "MM003"
SEVERITY = Level.HIGH
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a volatile section in what is always loaded, heading and all below it."""
    for file in survey.files:
        if file.always:
            yield from _sections(survey, file)


def _sections(survey: Survey, file: MemoryFile) -> Iterator[Flaw]:
    done = 0
    for entry in file.judged:
        if not entry.volatile or entry.section.start <= done or entry.section.start > file.loaded:
            continue
        first, last, done = _extent(entry)
        last = min(last, file.loaded)
        after = survey.tokens_from(file, first)
        what = ", ".join(dict.fromkeys(WORDS[sign.what] for sign in entry.signs if sign.weight))
        yield Flaw(
            ID,
            SEVERITY,
            file.name,
            first,
            last,
            f"volatile content in the always-loaded prefix: {what};"
            f" each edit breaks the prompt cache for the {after} tokens from here on",
            "move it to a file that is opened when needed, and leave a line that says when",
        )


def _extent(entry: Judged) -> tuple[int, int, int]:
    """Return (first line, last line, line up to which all is said).

    A heading that says so covers its children; signs in the text cover their own lines.
    """
    section = entry.section
    weighty = [sign for sign in entry.signs if sign.weight]
    if section.level > 1 and any(sign.line == section.start for sign in weighty):
        return section.start, section.end, section.end
    return min(s.line for s in weighty), max(s.end for s in weighty), section.own_end
