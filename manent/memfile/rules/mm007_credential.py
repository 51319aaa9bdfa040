"""Credential-shaped text.

**Why**: a memory file goes to a model's provider on every turn, and into a history.
Whoever reads either can use what it says; rotating it is the only cure.

**Flagged**

````markdown CLAUDE.md
Deploy with the token {token}.
````

**Accepted**

````markdown CLAUDE.md
Deploy with the token in `$DEPLOY_TOKEN`.
````
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manent.memfile.audited import MemoryFile, Survey
from manent.memfile.flaw import Flaw, Level
from manent.memfile.places import is_file
from manent.memfile.scanned import place_of, spans_of
from manent.scan.span import Family, Span

ID = "MM007"
SEVERITY = Level.HIGH
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a match; a weak sign weighs low."""
    for file in survey.files:
        for span in spans_of(file):
            if span.family is Family.SECRET and not _is_path(survey, file, span):
                first, last = place_of(file, span)
                yield Flaw(
                    ID,
                    Level.LOW if span.weak else SEVERITY,
                    file.name,
                    first,
                    last,
                    f"credential-shaped text ({span.kind}): {span.masked}",
                    "take it out, rotate it, and name the variable that holds it instead",
                )


_TOKEN_END = re.compile(r"[\s`()\[\]<>\"']")


def _is_path(survey: Survey, file: MemoryFile, span: Span) -> bool:
    """Tell a name made of words from a key: the file that it names is there."""
    text = file.doc.text
    before = text[max(0, span.start - 300) : span.start]
    head = _TOKEN_END.split(before)[-1]
    tail = _TOKEN_END.split(text[span.start : span.end + 300])[0]
    name = head + tail
    if not name.endswith((".md", ".json")) or "\0" in name:
        return False
    return any(is_file(place / name) for place in (file.path.parent, survey.root))
