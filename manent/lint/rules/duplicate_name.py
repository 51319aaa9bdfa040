"""Two notes that carry the same name.

**Why**: a name is how notes find each other; a link to it would be a guess.
Names are unique outside ``quarantine/`` and, apart from that, within each
agent's folder there. Where the vault says ``frontmatter: optional`` and a name
is only the file's, this is a warning.

**Flagged**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
Text.
````

````markdown projects/wiki/port-map.md
---
name: port-map
description: Ports of the wiki
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

````markdown quarantine/scout/port-map.md
---
name: port-map
description: A better table of ports
type: reference
status: quarantine
author: scout
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.links.resolve import fold
from manent.lint.subject import Fault, Page, Policy
from manent.vault.ignore import is_exempt, quarantine_of
from manent.vault.vault import Vault

ID = "duplicate-name"
SEVERITY = Severity.ERROR
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("name IN (SELECT name FROM note GROUP BY name HAVING count(*) > 1)")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault where another note of the same room carries the name."""
    name = note.record.name
    room = quarantine_of(note.path)
    others = [
        row.path
        for row in vault.lookup(fold(name))
        if row.name == name
        and row.path != note.path
        and quarantine_of(row.path) == room
        and not is_exempt(row.path)
    ]
    if not others or is_exempt(note.path):
        return
    declared = "name" in note.facts.frontmatter
    softer = vault.conventions.frontmatter_optional and not declared
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    yield Fault(
        f"the name {name} is carried by {others[0]}{more} too",
        "give one of them another name and file name",
        note.key_line("name"),
        1,
        kind=name,
        severity=Severity.WARNING if softer else None,
    )
