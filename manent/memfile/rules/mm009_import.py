"""An import that does not load, or a routing line whose target is missing.

**Why**: a host drops an import it cannot read without a word, and an agent that
follows a line to nowhere has lost what it was sent for. Circular imports load once;
imports from outside the project wait for somebody's consent, and are not there for
others; from the sixth hop on nothing loads.

**Flagged**

````markdown CLAUDE.md
@docs/absent.md
````

````markdown CLAUDE.md
@ropes.md
````

````markdown ropes.md
@CLAUDE.md
````

**Accepted**

````markdown CLAUDE.md
@ropes.md

Install `@rope/splice` and write to @harbourmaster; `@absent.md` in code is text.
````

````markdown ropes.md
Splice with five tucks.
````
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from manent import late
from manent.memfile.audited import ImportFault, MemoryFile, Survey
from manent.memfile.flaw import Flaw, Level

ID = "MM009"
SEVERITY = Level.HIGH
SINCE = "0.1"

_SAID = {
    "broken": (Level.HIGH, "imports {0}, which is not there", "mend the path, or delete the line"),
    "circular": (
        Level.MED,
        "imports {0}, which imports this file: the circle is cut here",
        "let one of the two not import the other",
    ),
    "outside": (
        Level.MED,
        "imports {0} from outside the project",
        "copy what is needed into the project: others do not have that file",
    ),
    "home": (
        Level.LOW,
        "imports {0} from the home folder",
        "fine for one person's own notes; others do not have that file",
    ),
    "deep": (
        Level.HIGH,
        "imports {0} at the sixth hop, where nothing loads any more",
        "import it from a file nearer to the host's",
    ),
}


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a faulty import, and one a routing line without its target."""
    loaded = {file.path.name for file in survey.files if file.role == "import"}
    for fault in survey.faults:
        severity, message, hint = _SAID[fault.what]
        if fault.what == "deep" and Path(fault.target).name in loaded:
            continue  # another chain, short enough, brings it in
        yield Flaw(
            ID,
            Level.LOW if _expected(fault) else severity,
            fault.file,
            fault.line,
            fault.line,
            message.format(fault.target),
            hint,
        )
    for file in survey.files:
        if file.role in ("index", "host", "pointed", "import", "file"):
            yield from _routes(survey, file)


def _expected(fault: ImportFault) -> bool:
    """Tell a file that is one person's own, or a model that is copied before it is loaded."""
    return ".local." in fault.target or _MODEL.search(fault.file) is not None


_MODEL = late.pattern(r"(?:^|/)(?:templates?|examples?|fixtures?|testdata|scaffolds?)/")
"""Folders of files that are copied elsewhere before anybody loads them."""

_ROUTE = late.pattern(
    r"[ \t]*[-*+][ \t]+"
    r"(?:\[[^\]\r\n]{0,200}\]\((?P<link>[^()\s]{1,300}\.(?:md|json))(?:#[^)\s]*)?\)"
    r"|`(?P<code>(?:\.memory/)?on-demand/[^`\s]{1,200})`)"
)
"""``- [Title](file.md) - hook``, and the lines of a compiled list."""


def _routes(survey: Survey, file: MemoryFile) -> Iterator[Flaw]:
    for first, last in file.doc.texts:
        for number in range(first, last + 1):
            route = _ROUTE.match(file.doc.lines[number - 1])
            name = unquote(route["link"] or route["code"]) if route else ""
            listed = route is not None and (route["code"] or file.role == "index")
            if listed and ":" not in name and not _stands(survey, file, name):
                yield Flaw(
                    ID,
                    SEVERITY,
                    file.name,
                    number,
                    number,
                    f"routes to {name}, which is not there",
                    "mend the path, or delete the line",
                )


def _stands(survey: Survey, file: MemoryFile, name: str) -> bool:
    if "\0" in name:
        return False
    places = (file.path.parent, survey.root)
    return any(os.path.lexists(os.path.normpath(place / name)) for place in places)
