"""A raw source that does not lie at ``library/YYYY-MM-DD-<slug>.md``.

**Why**: a source is read as of a day; the path says which, and the folder that
nobody edits it.

**Flagged**

````markdown memory/port-survey.md
---
name: port-survey
description: What the survey said
type: raw-source
---
Text.
````

**Accepted**

````markdown library/2026-03-09-port-survey.md
---
name: 2026-03-09-port-survey
description: What the survey said
type: raw-source
---
Text.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent import schema
from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.vault import Vault

ID = "raw-source-path"
SEVERITY = Severity.WARNING
SINCE = "0.1"


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault where a note lies elsewhere than its type asks for."""
    pattern = schema.path_pattern(note.record.type)
    if pattern is None or note.record.quarantined:
        return
    # Eight digits are not yet a day of the calendar.
    if pattern.search(note.path) and schema.day_of(note.record.stem[:10]):
        return
    yield Fault(
        "a raw source lies at library/YYYY-MM-DD-<slug>.md",
        "move the file there, or give the note another type",
        note.key_line("type"),
        1,
    )
