"""A key, a token or a password.

**Why**: whoever can read the history can use it, and rotating it is the only
cure. A warning for a person, an error with ``--strict-content`` and at the
gate.

**Flagged**

````markdown memory/deploy.md
---
name: deploy
description: How to deploy
type: reference
---
Use the token {token} to deploy.
````

**Accepted**

````markdown memory/deploy.md
---
name: deploy
description: How to deploy
type: reference
---
Use the token in `$DEPLOY_TOKEN` to deploy.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.content import content_faults, marked
from manent.lint.subject import Fault, FileSubject, Policy
from manent.tree import Entry
from manent.vault.vault import Vault

ID = "secret"
SEVERITY = Severity.WARNING
SINCE = "0.1"
SCOPE = "file"


def suspects(vault: Vault, policy: Policy) -> list[Entry]:
    """Return the files that may be at fault."""
    return marked(vault, policy)


def check(file: FileSubject, vault: Vault) -> Iterator[Fault]:
    """Yield one fault a match of the scanner."""
    yield from content_faults(ID, file.marks)
