"""A typed edge of the frontmatter that names no note.

**Why**: ``provenance``, ``supersedes`` and ``contradicts`` say where knowledge
comes from and what it replaces; an edge into nothing says it of nothing.

**Flagged**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
supersedes: [old-port-map]
---
Text.
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
supersedes: [old-port-map]
---
Text.
````

````markdown memory/old-port-map.md
---
name: old-port-map
description: Which port served what
type: reference
status: deprecated
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.rules.link_unresolved import complaint
from manent.lint.subject import Fault, Page, Policy
from manent.vault.sync import EDGE_KINDS
from manent.vault.vault import Vault

ID = "edge-unresolved"
SEVERITY = Severity.WARNING
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.sources("dst IS NULL")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault an edge that leads to no single note."""
    edges = [(n, x) for n, x in enumerate(note.facts.outline.links) if x.kind in EDGE_KINDS]
    if not edges:
        return
    leads_to = vault.destinations(note.record.id)
    for n, link in edges:
        if link.target and leads_to.get(n) is None:
            message, hint = complaint(link, note.path, vault)
            line = link.line or note.key_line(link.kind)
            yield Fault(f"{link.kind}: {message}", hint, line, link.column or 1, kind=link.target)
