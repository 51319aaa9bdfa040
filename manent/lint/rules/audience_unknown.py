"""An audience label outside the configured set.

**Why**: a label that nobody has is a note that nobody reads; a misspelt one
may be somebody else's. The set is closed by ``--audiences`` or by the
receiving repository's ``manent.audiences``. ``public`` and ``private`` always
exist.

**Flagged** (audiences: ops, team)

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
audience: [opps]
---
Text.
````

**Accepted** (audiences: ops, team)

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
audience: [ops, public]
---
Text.
````
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.note import labels
from manent.vault.record import PRIVATE, PUBLIC
from manent.vault.vault import Vault

ID = "audience-unknown"
SEVERITY = Severity.WARNING
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    if policy.audiences is None:
        return set()
    return vault.ids("readers != '' OR NOT plain OR quarantined")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault a label that is not in the closed set."""
    known = note.policy.audiences
    if known is None or "audience" not in note.facts.frontmatter:
        return
    for label in labels(note.facts.frontmatter):
        if label in known or label in (PUBLIC, PRIVATE):
            continue
        near = difflib.get_close_matches(label, sorted(known), n=1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(sorted(known))}"
        yield Fault(
            f"the label {label} is not among the configured audiences",
            hint,
            note.key_line("audience"),
            1,
            kind=label,
        )
