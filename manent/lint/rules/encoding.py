"""A note that is not clean UTF-8 text.

**Why**: bytes that are no UTF-8 and NUL bytes are read differently by every
tool; the marks of an unresolved merge are two notes in one. What tools read
differently, a gate cannot judge. A file or folder that this user may not read is
reported here too, whichever rules were asked for: nothing is left out unsaid.

A conflict is its three marks, each at the beginning of a line, in order
(`<<<<<<<`, `=======`, `>>>>>>>`), wherever they stand: in code too, since
what looks like the fence of an example may be a line in dispute. One mark
alone, a heading underlined by `=======`, and marks that are indented or quoted
are text.

**Flagged**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
{conflict}
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
Port 8080 serves the wiki, 8081 the mirror: così è.

When a merge stops, it leaves in the file:

    <<<<<<< HEAD
    ours
    =======
    theirs
    >>>>>>> topic
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.vault import Vault

ID = "encoding"
SEVERITY = Severity.ERROR
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield what the reader noticed of the bytes."""
    for problem in note.facts.problems:
        if problem.rule == ID:
            yield Fault(
                problem.message, problem.hint, problem.line, problem.column, kind=problem.message
            )
