"""A link to a note that is not there, or that could be several.

**Why**: a link that leads nowhere is knowledge lost; one that could lead to
two notes is a guess, and Manent never guesses. The hint names the note that
Obsidian would open. An error with ``--strict-links``.

**Flagged**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
The history is in [[port-history]].
````

**Accepted**

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
The history is in [[port-history|the log]] and on ![a picture](ports.png).
````

````markdown memory/port-history.md
---
name: port-history
description: How the ports came about
type: reference
---
See `[[not-a-link]]` and [[port-map]].
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.links.link import Link
from manent.links.resolve import is_attachment
from manent.lint.subject import Fault, Page, Policy
from manent.vault.sync import EDGE_KINDS
from manent.vault.vault import Vault

ID = "link-unresolved"
SEVERITY = Severity.WARNING
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.sources("dst IS NULL")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault a link that leads to no single note."""
    links = note.facts.outline.links
    if not links:
        return
    leads_to = vault.destinations(note.record.id)
    for n, link in enumerate(links):
        if not link.target or is_attachment(link.target, link.kind) or link.kind in EDGE_KINDS:
            continue
        if leads_to.get(n) is None:
            message, hint = complaint(link, note.path, vault)
            yield Fault(message, hint, link.line, link.column, kind=link.target)


def complaint(link: Link, source: str, vault: Vault) -> tuple[str, str]:
    """Return in words why ``link`` leads to no single note, and what to do."""
    target = link.target
    found = vault.resolve(target, source, link.kind)
    if not found.candidates:
        return f"no note for the link {target}", "correct the link, or write the note"
    count = len(found.candidates)
    likely = found.obsidian or found.candidates[0]
    return (
        f"the link {target} could mean {count} notes; Obsidian would open {likely}",
        f"write the path, as in [[{likely.removesuffix('.md')}]]",
    )
