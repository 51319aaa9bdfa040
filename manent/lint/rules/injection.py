"""Text that gives orders to a model, in the open or in hiding.

**Why**: agents read notes. A sentence that a person skips over, or cannot see,
is to a model an order like any other. A warning for a person, an error with
``--strict-content`` and at the gate; a text that only quotes such an order is
refused there too, until an owner allows it by its fingerprint.

**Flagged**

````markdown library/2026-03-09-page.md
---
name: 2026-03-09-page
description: A page somebody saved
type: raw-source
---
{injection}
````

**Accepted**

````markdown library/2026-03-09-page.md
---
name: 2026-03-09-page
description: A page somebody saved
type: raw-source
---
Attackers hide orders in pages that a model will read. Delete the old index
before you build a new one.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.content import content_faults, marked
from manent.lint.subject import Fault, FileSubject, Policy
from manent.tree import Entry
from manent.vault.vault import Vault

ID = "injection"
SEVERITY = Severity.WARNING
SINCE = "0.1"
SCOPE = "file"


def suspects(vault: Vault, policy: Policy) -> list[Entry]:
    """Return the files that may be at fault."""
    return marked(vault, policy)


def check(file: FileSubject, vault: Vault) -> Iterator[Fault]:
    """Yield one fault a match of the scanner."""
    yield from content_faults(ID, file.marks)
