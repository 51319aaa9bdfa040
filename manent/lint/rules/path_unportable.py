"""A path that some systems cannot hold.

**Why**: a vault is cloned to other machines. Names reserved by Windows,
control characters, ``< > : " | ? * \\``, a trailing dot or blank and bytes that
are no UTF-8 make a clone fail there or write elsewhere. Over 240 bytes is a
warning.

**Flagged**

````markdown memory/what?.md
---
name: what
description: A question mark in a file name
type: reference
---
Text.
````

````markdown memory/con.md
---
name: con
description: A reserved device name
type: reference
---
Text.
````

**Accepted**

````markdown memory/città.md
---
name: citta
description: Letters of any language are fine
type: reference
---
Text.
````
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manent import late
from manent.finding import Severity
from manent.lint.subject import Fault, FileSubject, Policy
from manent.tree import Entry
from manent.vault.vault import Vault

ID = "path-unportable"
SEVERITY = Severity.ERROR
SINCE = "0.1"
SCOPE = "file"

LONG_BYTES = 240
"""Windows ends a path at 260 characters, and a clone stands in a folder of its own."""

_RESERVED = late.pattern(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
# Letters, digits, - and _ with single dots inside, no part a reserved word: nothing to look at.
_PLAIN = late.pattern(
    r"(?=.{1,200}\Z)(?!(?:.*/)?(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|\Z))"
    r"[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*",
    re.IGNORECASE,
)
_FORBIDDEN = late.pattern(r'[<>:"|?*\\\x00-\x1f\x7f]')


def suspects(vault: Vault, policy: Policy) -> list[Entry]:
    """Return the files that may be at fault."""
    suspected = [path for path in vault.paths() if not _PLAIN.fullmatch(path)]
    return [entry for path in suspected if (entry := vault.file(path)) is not None]


def check(file: FileSubject, vault: Vault) -> Iterator[Fault]:
    """Yield one fault for the first thing that does not travel."""
    fault = fault_of(file.path)
    if fault is not None:
        yield fault


def fault_of(path: str) -> Fault | None:
    """Return what keeps ``path`` from standing on every system, or None."""
    if _PLAIN.fullmatch(path):
        return None
    for part in path.split("/"):
        complaint = _complaint(part)
        if complaint:
            return Fault(f"the path {complaint}", "rename the file", kind=complaint)
    size = len(path.encode("utf-8", "surrogateescape"))
    if size > LONG_BYTES:
        message = f"the path is {size} bytes long, over {LONG_BYTES}"
        return Fault(message, "shorten it", kind="long", severity=Severity.WARNING)
    return None


def _complaint(part: str) -> str:
    if any(0xDC80 <= ord(c) <= 0xDCFF for c in part):
        return "is not UTF-8"
    if _FORBIDDEN.search(part):
        return 'holds a control character or one of < > : " | ? * \\'
    if _RESERVED.fullmatch(part):
        return "has a name that Windows reserves for a device"
    if part.endswith((".", " ")) or part.startswith(" "):
        return "has a part that begins or ends with a blank, or ends with a dot"
    return ""
