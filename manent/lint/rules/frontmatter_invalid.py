"""A frontmatter block that is no valid YAML.

**Why**: what cannot be read cannot say who may read the note. Such a note is
loaded with an empty frontmatter, is private, and keeps its body.

**Flagged**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
tags: [network
---
Text.
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
tags: [network]
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.vault import Vault

ID = "frontmatter-invalid"
SEVERITY = Severity.ERROR
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield what the reader could not read."""
    for problem in note.facts.problems:
        if problem.rule == ID:
            yield Fault(problem.message, problem.hint, problem.line, problem.column)
