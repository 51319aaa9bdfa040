"""An ignore file that does not say what it seems to.

**Why**: ``.manentignore`` keeps files from being indexed, served and linked. One
that is no UTF-8 text cannot be read as it was meant: what is marked as UTF-16 is
read as that, and of any other, everything is ignored until it is mended. A line
that climbs out of the vault, or is its root, hides nothing; that is a warning.

**Flagged**

````markdown .manentignore
attic
../drafts
````

**Accepted**

````markdown .manentignore
# prefixes of paths, one a line
attic
templates: templates
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.errors import NotFound
from manent.finding import Severity
from manent.lint.subject import Fault, FileSubject, Policy
from manent.tree import Entry, Kind
from manent.vault.ignore import IGNORE_FILE, UNREADABLE, idle_lines, text_of
from manent.vault.vault import Vault

ID = "ignore-file"
SEVERITY = Severity.ERROR
SINCE = "0.2"
SCOPE = "file"

_HINT = "save it as UTF-8"


def suspects(vault: Vault, policy: Policy) -> list[Entry]:
    """Return the ignore file, where there is one."""
    entry = vault.file(IGNORE_FILE)
    return [] if entry is None else [entry]


def check(file: FileSubject, vault: Vault) -> Iterator[Fault]:
    """Yield a fault for bytes that are no UTF-8, else one for each line that hides nothing."""
    if file.path != IGNORE_FILE or file.entry.kind is not Kind.FILE or vault.tree is None:
        return
    try:
        content = vault.tree.read(IGNORE_FILE)
    except NotFound:  # removed since it was listed
        return
    text = text_of(content)
    if text == UNREADABLE:
        message = "it is no UTF-8 text: everything is ignored until it is mended"
        yield Fault(message, _HINT, kind="unreadable")
    elif text.encode("utf-8") != content:
        yield Fault("it is UTF-16 or UTF-32, not UTF-8", _HINT, kind="wide")
    for line in idle_lines(text):
        yield Fault(
            "the line hides nothing", "name a path below the vault's root", line, 1,
            kind=str(line), severity=Severity.WARNING,
        )  # fmt: skip
