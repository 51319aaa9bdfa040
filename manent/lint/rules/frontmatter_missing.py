"""A note without a frontmatter block.

**Why**: name, description and type are what search, links and maps stand on.
README, CONTRIBUTING, CLAUDE, AGENTS and GEMINI at the root need none. Where
the vault says ``frontmatter: optional`` this is a warning.

**Flagged**

````markdown memory/port-map.md
Port 8080 serves the wiki.
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
Port 8080 serves the wiki.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.ignore import is_exempt
from manent.vault.vault import Vault

ID = "frontmatter-missing"
SEVERITY = Severity.ERROR
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault where there is no header and one is needed."""
    if note.facts.header != "absent" or is_exempt(note.path):
        return
    optional = vault.conventions.frontmatter_optional
    yield Fault(
        "no frontmatter: the note has no name, description, type or audience",
        "begin the file with `---`, the lines name:, description: and type:, and `---`",
        1,
        1,
        severity=Severity.WARNING if optional else None,
    )
