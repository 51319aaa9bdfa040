"""A note that names notes its own readers cannot open.

**Why**: a link, its text and the sentence around it tell that the other note
exists and what it is about. A document inherits the narrowest audience among
what it points at. A note leaks when its target is not ``public`` and some
label of the note is not among the target's.

**Flagged**

````markdown memory/overview.md
---
name: overview
description: What there is
type: index
audience: [team]
---
- [[pay-bands]]: who earns what
````

````markdown memory/pay-bands.md
---
name: pay-bands
description: Pay by level
type: reference
audience: [board]
---
Text.
````

**Accepted**

````markdown memory/overview.md
---
name: overview
description: What there is
type: index
audience: [board]
---
- [[pay-bands]]: who earns what
````

````markdown memory/pay-bands.md
---
name: pay-bands
description: Pay by level
type: reference
audience: [board, team]
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.record import PUBLIC
from manent.vault.vault import Vault

ID = "audience-leak"
SEVERITY = Severity.WARNING
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    found: set[int] = set()
    for source, target in vault.audience_pairs():
        if leaks(frozenset(source.split()), frozenset(target.split())):
            found |= vault.sources_of_pair(source, target)
    return found


def leaks(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Tell whether a note with labels ``mine`` leaks by naming one with ``theirs``."""
    return PUBLIC not in theirs and not mine <= theirs


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault for each note pointed at that some reader cannot open."""
    mine = note.record.labels
    if not mine:
        return
    edges = {edge.target: edge.n for edge in reversed(vault.edges_from(note.record.id))}
    for target in sorted(vault.notes_of(edges), key=lambda t: edges[t.id]):
        theirs = target.labels
        if target.id == note.record.id or not leaks(mine, theirs):
            continue
        link = note.facts.outline.links[edges[target.id]]
        outside = ", ".join(sorted(mine - theirs))
        theirs_text = ", ".join(sorted(theirs)) or "private"
        yield Fault(
            f"readers with the label {outside} cannot open {target.path} ({theirs_text})",
            "remove the link, narrow this note's audience, or split the index by audience",
            link.line or note.key_line(link.kind),
            link.column or 1,
            kind=target.path,
        )
