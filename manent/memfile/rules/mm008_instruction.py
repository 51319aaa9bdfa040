"""Text that reads as an instruction from outside, or characters nobody sees.

**Why**: a memory file is obeyed. A pasted page that speaks to a model, or an order
spelled in invisible characters, is obeyed with it. The gate's scanner reads it; the
plain orders that such a file is for (what to do, what to remember, which tool to
call) are left alone.

**Flagged**

````markdown CLAUDE.md
{injection}
````

**Accepted**

````markdown CLAUDE.md
Always run the tests before you commit, and never push to main.
````
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.memfile.audited import MemoryFile, Survey
from manent.memfile.flaw import Flaw, Level
from manent.memfile.scanned import place_of, spans_of, unseen_lines
from manent.scan.span import Family, Span

ID = "MM008"
SEVERITY = Level.HIGH
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a match of the scanner, and one a line with invisible characters."""
    for file in survey.files:
        said: set[int] = set()
        for span in _meant(spans_of(file)):
            first, last = place_of(file, span)
            said.update(range(first, last + 1))
            quoted = ", quoted" if span.mention else ""
            yield Flaw(
                ID,
                _weight(span, spans_of(file)),
                file.name,
                first,
                last,
                f"reads as an instruction from outside ({span.kind}, {span.layer}{quoted})",
                "take it out, or say in your own words what your agents should do",
            )
        yield from _unseen(file, said)


EXPECTED = frozenset({"address", "hijack", "memory-poison", "tool-bait"})
"""Orders that a file written for agents gives them every day, where everybody sees them."""


ALONE = frozenset({"reveal", "concealment", "exfiltration"})
"""Kinds that a manual of keys, prompts and test tiers touches by chance: alone they weigh med."""

NEAR = 160
"""Letters within which a second kind makes a chance unlikely."""


def _weight(span: Span, spans: list[Span]) -> Level:
    if span.mention or span.weak:
        return Level.LOW
    if span.kind not in ALONE or span.layer != "plain":
        return SEVERITY
    near = any(
        other.family is Family.INJECTION
        and other.kind != span.kind
        and other.start < span.end + NEAR
        and span.start < other.end + NEAR
        for other in spans
    )
    return SEVERITY if near else Level.MED


def _meant(spans: list[Span]) -> list[Span]:
    """Leave out the plain orders, and comments that merely speak of agents."""
    found = [span for span in spans if span.family is Family.INJECTION]
    return [
        span
        for span in found
        if not (span.kind in EXPECTED and span.layer == "plain")
        and not (span.kind == "address" and span.layer == "html-comment" and len(found) == 1)
    ]


def _unseen(file: MemoryFile, said: set[int]) -> Iterator[Flaw]:
    for line, names in unseen_lines(file.doc):
        if line not in said:
            yield Flaw(
                ID,
                SEVERITY,
                file.name,
                line,
                line,
                f"characters that are not seen: {', '.join(names)}",
                "delete them, or spell out what they are for",
            )
