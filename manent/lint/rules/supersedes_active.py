"""A note that another one supersedes and that still counts as active.

**Why**: two notes of equal standing say different things; whoever searches
finds the old one as readily as the new.

**Flagged**

````markdown memory/old-port-map.md
---
name: old-port-map
description: Which port served what
type: reference
---
Text.
````

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

````markdown memory/old-port-map.md
---
name: old-port-map
description: Which port served what
type: reference
status: deprecated
---
Text.
````

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
supersedes: [old-port-map]
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.links.link import LinkKind
from manent.lint.subject import Fault, Page, Policy
from manent.vault.vault import Vault

ID = "supersedes-active"
SEVERITY = Severity.WARNING
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.destinations_of("kind = ?", LinkKind.SUPERSEDES)


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault where an accepted note supersedes this active one."""
    if note.record.status != "active" or note.record.quarantined:
        return
    sources = vault.edges_to_by_kind(note.record.id, LinkKind.SUPERSEDES)
    # A draft may propose to supersede; only a promoted note does.
    newer = [s for s in vault.notes_of(sources) if not s.quarantined and s.id != note.record.id]
    if newer:
        first = min(newer, key=lambda s: s.path)
        yield Fault(
            f"{first.path} supersedes this note, which is still active",
            "write `status: deprecated`, or take it out of supersedes there",
            note.key_line("status"),
            1,
            kind=first.path,
        )
