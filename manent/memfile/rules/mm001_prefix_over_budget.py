"""What loads with every session costs more than the budget.

**Why**: the prefix is sent again on every turn of every session. What is not needed
each time is better opened when it is. The finding stands at the largest file of the
host that loads most over the budget; the number is that host's whole prefix.

**Flagged** (budget: 40)

````markdown CLAUDE.md
# Sail loft

Measure each panel twice before cutting, write the measures on the card, and hang the
card on the nail beside the table where the next shift looks for it. Cloth from the
new mill stretches more along the weft than the old cloth did, so leave the seams a
finger wider there.
````

**Accepted** (budget: 40)

````markdown CLAUDE.md
# Sail loft

Measure each panel twice before cutting.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.memfile.audited import Survey
from manent.memfile.flaw import Flaw, Level

ID = "MM001"
SEVERITY = Level.HIGH
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding for each set of files that is over the budget."""
    said: set[tuple[str, ...]] = set()
    for host, total in sorted(survey.prefixes().items(), key=lambda item: -item[1]):
        loaded = [file for file in survey.files if host in file.hosts]
        names = tuple(file.name for file in loaded)
        if total <= survey.budget or names in said:
            continue
        said.add(names)
        largest = max(loaded, key=lambda file: (survey.tokens(file), file.name))
        share = f", {survey.tokens(largest)} of them here" if len(loaded) > 1 else ""
        yield Flaw(
            ID,
            SEVERITY,
            largest.name,
            1,
            max(1, largest.loaded),
            f"always-loaded prefix ({host}) is {total} tokens{share};"
            f" the budget is {survey.budget}",
            f"see what a split gives: manent memory compile {largest.name}",
        )
