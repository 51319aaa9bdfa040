"""A name in the frontmatter that is not the file's.

**Why**: people look for the file, links for the name; both should find it. The
root files MEMORY.md and HOME.md are excepted.

**Flagged**

````markdown memory/ports.md
---
name: port-map
description: Which port serves what
type: reference
---
Text.
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.ignore import HOME, MEMORY, is_exempt
from manent.vault.vault import Vault

ID = "name-mismatch"
SEVERITY = Severity.WARNING
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault where name and file name differ."""
    if note.path in (MEMORY, HOME) or is_exempt(note.path):
        return
    name, stem = note.record.name, note.record.stem
    if name != stem:
        yield Fault(
            f"the name is {name} but the file is {stem}.md",
            "rename the file, or let `manent lint --fix` set the name from it",
            note.key_line("name"),
            1,
            kind=name,
        )
