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

from collections.abc import Iterator

from manent.memfile.flaw import Flaw, Level
from manent.memfile.loaded import Survey
from manent.memfile.scanned import place_of, spans_of
from manent.scan.span import Family

ID = "MM007"
SEVERITY = Level.HIGH
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a match; a weak sign weighs low."""
    for file in survey.files:
        for span in spans_of(file):
            if span.family is Family.SECRET:
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
