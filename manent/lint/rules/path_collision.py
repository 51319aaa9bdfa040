"""Two paths that are equal but for case or Unicode form, or a file and a folder.

**Why**: on a disk that minds neither, one of the two files silently replaces
the other at the next checkout; and where one is a folder's, the files in it have no place.

**Flagged**

````markdown memory/Port-map.md
---
name: port-map
description: Which port serves what
type: reference
---
Text.
````

````markdown memory/port-map.md
---
name: port-map
description: Which port serves what
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
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.finding import Severity
from manent.lint.subject import Fault, FileSubject, Policy
from manent.tree import Entry
from manent.vault.vault import Vault, fold_path

ID = "path-collision"
SEVERITY = Severity.ERROR
SINCE = "0.1"
SCOPE = "file"


def suspects(vault: Vault, policy: Policy) -> list[Entry]:
    """Return the files that may be at fault."""
    return vault.collisions()


def check(file: FileSubject, vault: Vault) -> Iterator[Fault]:
    """Yield one fault where another path folds to the same."""
    folded = fold_path(file.path)
    others = [p for p in vault.files_beside(folded) if p != file.path]
    if others and fold_path(others[0]) != folded:
        yield Fault(
            f"the path and {others[0]}: but for case or Unicode form, one is a folder of the other",
            "rename or remove one of the two",
            kind="collision",
        )
    elif others:
        yield Fault(
            f"the path differs from {others[0]} in case or Unicode form only",
            "rename or remove one of the two",
            kind="collision",
        )
