"""Frontmatter that breaks the contract of its note type.

**Why**: a field of the wrong kind is a field nobody can rely on. Unknown
fields are allowed. Where the vault says ``frontmatter: optional``, this is a
warning.

**Flagged**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: refrence
---
Text.
````

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
audience: [ops, private]
---
Text.
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
audience: [ops]
port: 8080
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent import schema
from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.ignore import HOME, MEMORY, is_exempt
from manent.vault.vault import Vault

ID = "schema"
SEVERITY = Severity.ERROR
SINCE = "0.1"

_ROOT_TYPES = {MEMORY: "index", HOME: "moc"}


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault a field."""
    if note.facts.header != "valid" or is_exempt(note.path):
        return
    optional = vault.conventions.frontmatter_optional
    softer = Severity.WARNING if optional else None
    front = note.facts.frontmatter
    lacking = schema.missing(front) if optional else ()
    if lacking:
        yield Fault(
            f"the frontmatter lacks {', '.join(lacking)}: the note is named by its file",
            "add the lines, or see `manent spec` for the fields",
            1,
            1,
            kind="missing",
            severity=softer,
        )
    for fault in schema.faults(front, required=not optional):
        line = note.key_line(fault.field.partition("[")[0])
        # Two labels of a note contradict each other: nobody can want that.
        hard = fault.field.startswith("audience")
        yield Fault(
            fault.message,
            "change the line, or see `manent spec` for the fields",
            line,
            1,
            kind=fault.field,
            severity=None if hard else softer,
        )
    wanted = _ROOT_TYPES.get(note.path)
    if wanted and note.record.type in schema.TYPES and note.record.type != wanted:
        yield Fault(
            f"{note.path} must have type {wanted}",
            f"write `type: {wanted}`",
            note.key_line("type"),
            1,
            severity=softer,
        )
