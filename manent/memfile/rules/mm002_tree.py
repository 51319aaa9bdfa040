"""A directory tree or file list that can be read off the repository.

**Why**: a listing costs tokens on every turn, is stale with the next file, and one
command shows the true one. What a folder is for is worth a line; that it exists is not.
A listing counts where the repository has most of what it names: the tree of something
else cannot be read off it, and what it names in vain is told by MM006.

**Flagged**

````markdown CLAUDE.md
# Tide tables

```
tide/
├── almanac/
│   ├── moon.py
│   └── sun.py
├── harbours.json
└── print.py
```
````

````markdown tide/almanac/moon.py
Tides.
````

````markdown tide/almanac/sun.py
Tides.
````

````markdown tide/harbours.json
Tides.
````

````markdown tide/print.py
Tides.
````

**Accepted**

````markdown CLAUDE.md
# Tide tables

- `tide/almanac/` computes, and must not read files: the ferry runs it without a disk.
- `harbours.json` is written by the survey office; never by hand.

A customer's installation, which is not ours:

```
/opt/ferry/
├── bin/
│   └── ferryd
├── spool/
└── ferry.conf
```
````

````markdown tide/almanac/moon.py
Tides.
````

````markdown tide/harbours.json
Tides.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.memfile.audited import Survey
from manent.memfile.flaw import Flaw, Level
from manent.memfile.listings import FEWEST, Shelf, listings

ID = "MM002"
SEVERITY = Level.MED
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a listing, in a file that is always loaded, of what is there."""
    shelf = Shelf(survey.listing)
    for file in survey.files:
        for listed in listings(file.doc) if file.always else ():
            there, absent = shelf.judged(listed)
            if listed.elsewhere or len(there) < FEWEST or len(there) < len(absent):
                continue
            yield Flaw(
                ID,
                SEVERITY,
                file.name,
                listed.block.start,
                listed.block.end,
                f"{listed.kind} of {len(there)} entries that the repository itself shows",
                "keep what a name does not tell (what a folder is for), and drop the listing",
            )
