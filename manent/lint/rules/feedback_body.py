"""A feedback note that does not say why, or how to apply it.

**Why**: feedback without its reason is obeyed where it does not fit, and
without its use it is not obeyed at all.

**Flagged**

````markdown memory/short-titles.md
---
name: short-titles
description: Keep titles short
type: feedback
---
Keep titles short.
````

**Accepted**

````markdown memory/short-titles.md
---
name: short-titles
description: Keep titles short
type: feedback
---
Keep titles short.

**Why:** long ones are cut in the list.

**How to apply:** at most eight words.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, Page, Policy
from manent.vault.vault import Vault

ID = "feedback-body"
SEVERITY = Severity.WARNING
SINCE = "0.1"

_NEEDED = ("Why", "How to apply")


def suspects(vault: Vault, policy: Policy) -> set[int]:
    """Return the notes that may be at fault."""
    return vault.ids("NOT plain")


def check(note: Page, vault: Vault) -> Iterator[Fault]:
    """Yield one fault naming the parts that are missing."""
    if note.record.type != "feedback":
        return
    present = {label.casefold().rstrip(":") for label in note.facts.bold_labels}
    missing = [f"**{part}:**" for part in _NEEDED if part.casefold() not in present]
    if missing:
        yield Fault(
            f"a feedback note needs {' and '.join(missing)}",
            "add the missing paragraph",
            note.facts.body_line,
            1,
        )
