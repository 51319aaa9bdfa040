"""A note that no other note links to.

**Why**: what nothing leads to is found only by those who know it is there.
Maps and indexes (type moc and index) are exempt, as are drafts in quarantine.

**Flagged**

````markdown memory/port-map.md
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

````markdown HOME.md
---
name: HOME
description: Where to start
type: moc
---
- [[port-map]]
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.ignore import is_exempt
from manent.vault.vault import Vault

ID = "orphan"
SEVERITY = Severity.INFO
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("id NOT IN (SELECT dst FROM link WHERE dst != note AND dst NOTNULL)")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault where nothing leads here."""
    record = note.record
    if record.type in ("moc", "index") or record.quarantined or is_exempt(note.path):
        return
    if not vault.is_linked(record.id):
        yield Fault("no other note links here", "link it from a map or a related note")
