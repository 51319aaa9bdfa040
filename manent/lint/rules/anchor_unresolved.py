"""A link to a heading or block that the note does not have.

**Why**: the note opens, but not at the place that was meant.

**Flagged**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
## Wiki

See [[port-map#Mirror]].
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
## Mirror

See [[port-map#Mirror]] and [[#Mirror]]. ^here

And [[port-map#^here]].
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.links.anchors import anchor_found
from manent.links.resolve import is_attachment
from manent.lint.subject import Fault, Page, Policy
from manent.vault.vault import Vault

ID = "anchor-unresolved"
SEVERITY = Severity.INFO
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.sources("anchored") | vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault a link whose note resolves and whose place in it does not."""
    links = [(n, x) for n, x in enumerate(note.facts.outline.links) if x.heading or x.block]
    if not links:
        return
    leads_to = vault.destinations(note.record.id)
    for n, link in links:
        if is_attachment(link.target, link.kind):
            continue
        target = note.record
        if link.target:
            found = vault.note_by_id(leads_to.get(n) or 0)
            if found is None:
                continue
            target = found
        if not anchor_found(link, vault.facts(target).outline):
            place = f"#^{link.block}" if link.block else f"#{link.heading}"
            yield Fault(
                f"{target.path} has no place {place}",
                "correct the part after #",
                link.line,
                link.column,
                kind=f"{link.target}{place}",
            )
