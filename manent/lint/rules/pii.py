"""Personal data: an address, a number or an id that belongs to somebody.

**Why**: a history cannot forget. What was pushed once is in every clone, for
ever. Invented data that is meant to be read as such passes: reserved domains,
fictional numbers. A warning for a person, an error with ``--strict-content``
and at the gate.

**Flagged**

````markdown memory/contacts.md
---
name: contacts
description: Whom to ask
type: reference
---
Ask {email}, or call {phone}.
````

**Accepted**

````markdown memory/contacts.md
---
name: contacts
description: Whom to ask
type: reference
---
Ask ada@example.org, or call 555-0142.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.content import content_faults, marked
from manent.lint.subject import Fault, FileSubject, Policy
from manent.tree import Entry
from manent.vault.vault import Vault

ID = "pii"
SEVERITY = Severity.WARNING
SINCE = "0.1"
SCOPE = "file"


def suspects(vault: Vault, policy: Policy) -> list[Entry]:
    """Return the files that may be at fault."""
    return marked(vault, policy)


def check(file: FileSubject, vault: Vault) -> Iterator[Fault]:
    """Yield one fault a match of the scanner."""
    yield from content_faults(ID, file.marks)
