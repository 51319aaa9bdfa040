"""An on-demand file that nothing reachable refers to.

**Why**: an agent opens a file because a line it has read names it. One that no line
names is memory nobody will find.

**Flagged**

````markdown MEMORY.md
# Memory

- [Ropes](ropes.md) - when a rope is spliced
````

````markdown ropes.md
Splice with five tucks.
````

````markdown paint.md
Two coats, a day apart.
````

**Accepted**

````markdown MEMORY.md
# Memory

- [Ropes](ropes.md) - when a rope is spliced
````

````markdown ropes.md
Splice with five tucks; paint is in [paint](paint.md).
````

````markdown paint.md
Two coats, a day apart.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.memfile.audited import Survey
from manent.memfile.flaw import Flaw, Level
from manent.memfile.reach import reachable

ID = "MM004"
SEVERITY = Level.MED
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a topic or on-demand file that no chain of references reaches."""
    if survey.index is None and survey.workspace is None:
        return
    start = [file for file in survey.files if file.role not in ("topic", "on-demand")]
    seen = reachable(survey, start)
    for file in survey.files:
        if file.role in ("topic", "on-demand") and file.path not in seen and _counts(file.name):
            index = survey.index.name if survey.index is not None else "the routing list"
            yield Flaw(
                ID,
                SEVERITY,
                file.name,
                1,
                max(1, len(file.doc.lines)),
                "nothing that is loaded, or can be reached from what is, refers to this file",
                f"add a line for it to {index}, or delete it",
            )


def _counts(name: str) -> bool:
    """Archives and readmes are no topics."""
    parts = name.split("/")
    return parts[-1] != "README.md" and "archive" not in parts[:-1]
