"""Where a section belongs: always loaded, or on demand, and how firmly.

By how often it is needed and how often it changes. Who the agent is, what must
never happen and how things are written binds every task; how the system is built,
tested and shipped is needed by some; what happened, and where work stands, changes
so often that it breaks the prompt cache. A heading says most of it; a heading that
says nothing takes after its parent, then after how much of its text gives orders.
"""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from manent import late
from manent.memfile.binding import CONVENTIONS, RULES, share_that_binds
from manent.memfile.document import CODE, Document, Section
from manent.memfile.places import is_file
from manent.memfile.spans import mentions

FRONT, IDENTITY, CONSTRAINT, CONVENTION, COMMANDS, UNSURE = range(6)
"""How firmly a section is wanted always: the first are given up last."""


class Placement(NamedTuple):
    """Where a section goes. always: loaded on every turn. rank: how firmly."""

    always: bool
    rank: int
    reason: str


_ON_DEMAND = late.pattern(
    r"\b(?:architect\w*|structure|layout|director(?:y|ies)|repository map|tree|modules?|components?"
    r"|testing|tests?|test suite|deploy\w*|release|releasing|publish\w*|ship\w*|build(?:ing)?|ci|cd"
    r"|pipeline|install\w*|set-?up|environment|env|configur\w*|gotchas?|pitfalls?|troubleshoot\w*"
    r"|debug\w*|known issues?|quirks|faq|status|progress|roadmap|to-?dos?|next steps|milestones?"
    r"|change ?log|history|what's new|recent|incidents?|decisions?|log|notes?|journal"
    r"|examples?|samples?"
    r"|reference|api|endpoints?|schema|database|migrations?|performance|benchmarks?|glossary"
    r"|resources|links|further reading|dependencies|stack|workflow|how to|guide|monitoring|metrics"
    r"|operations?|runbook|tooling|tools|plugins?|integrations?|features?|versions?|details|internals"
    r"|architettura|struttura|rilascio|distribuzione|stato|cronologia|esempi)\b",
    2,
)
_CONSTRAINT = late.pattern(
    r"\b(?:invariants?|constraints?|must|never|always|mandatory|forbidden"
    r"|prohibited|non-negotiables?|iron rule|hard rules?|golden rules?|rules?|polic(?:y|ies)|do not"
    r"|don'?ts?|safety|secur\w*|privacy|secrets?|boundar(?:y|ies)|scope|warnings?|guardrails?"
    r"|regole|vincoli|divieti|mai|sempre)\b",
    2,
)
_WEIGHTY = late.pattern(r"\b(?:important|critical|required|essential|key rules?|limits?)\b", 2)
"""Words that make a heading binding only where the text under it gives orders."""
_IDENTITY = late.pattern(
    r"\b(?:identity|who you are|you are|role|persona|purpose|mission|goals?|north star|about"
    r"|overview"
    r"|introduction|what is|what this is|project|summary|context|identit\w+|scopo|panoramica)\b",
    2,
)
_CONVENTION = late.pattern(
    r"\b(?:conventions?|style|standards?|naming|formatting|principles?|philosophy|guidelines?"
    r"|best practices|practices|tone|language|communication|commit messages?|code quality"
    r"|preferences"
    r"|convenzioni|stile|linee guida|principi)\b",
    2,
)
_COMMANDS = late.pattern(r"\b(?:commands?|quick ?start|quick reference|cheat ?sheet|comandi)\b", 2)
_ORDER = late.pattern(
    r"\b(?:must(?: not)?|never|always|do not|don'?t|avoid|prefer|use|ensure|keep|required|only)\b",
    2,
)
_DENSE = 0.5
"""Share of lines that give an order past which a section is a rule."""


def placements(
    doc: Document, volatile: frozenset[int], beside: Path | None = None
) -> list[Placement]:
    """Return where each of ``doc.sections()`` goes, in the same order.

    volatile: places, among them, of sections whose content changes often.
    beside: the folder that imports are relative to, where it is known.
    """
    importing = _importing(doc, beside)
    placed: list[Placement] = []
    trail: list[tuple[int, Placement]] = []
    for place, section in enumerate(doc.sections()):
        while trail and trail[-1][0] >= section.level:
            trail.pop()
        parent = trail[-1][1] if trail else None
        loads = _holds(importing, section)
        found = _placed(doc, section, place in volatile, loads, parent)
        placed.append(found)
        if section.level:
            trail.append((section.level, found))
    return placed


def _placed(
    doc: Document, section: Section, volatile: bool, loads: bool, parent: Placement | None
) -> Placement:
    text = doc.own(section)
    if section.level == 0:
        front = doc.frontmatter is not None
        if volatile and not front:
            return Placement(False, UNSURE, "it changes often")
        return Placement(True, FRONT if front else IDENTITY, "it opens the file")
    if loads:
        return Placement(True, FRONT, "it loads other files")
    if volatile:
        return Placement(False, UNSURE, "it changes often")
    if section.level == 1 and parent is None and _is_first(doc, section):
        return Placement(True, IDENTITY, "it names the project")
    if share_that_binds(_said(doc, section)) >= _DENSE:
        return Placement(True, CONSTRAINT, "it says what must or must not be")
    said = _by_title(section, _orders(text))
    if said is not None:
        return said
    if parent is not None and parent.rank not in (FRONT, IDENTITY):
        return Placement(parent.always, max(parent.rank, CONVENTION), "as the section above it")
    if _orders(text) >= _DENSE:
        return Placement(True, CONVENTION, "it gives orders")
    return Placement(False, UNSURE, "only some tasks need it")


def _is_first(doc: Document, section: Section) -> bool:
    """Whether no heading stands before a section's."""
    return all(block.kind != "heading" or block.start >= section.start for block in doc.blocks[:20])


_BINDING = 0.25
"""Share of lines that give an order past which a weighty heading means a rule."""


def _by_title(section: Section, orders: float) -> Placement | None:
    title = section.title
    bound = _CONSTRAINT.search(title) or RULES.search(title)
    if bound or (orders >= _BINDING and _WEIGHTY.search(title)):
        return Placement(True, CONSTRAINT, "a constraint")
    if _CONVENTION.search(title) or CONVENTIONS.search(title):
        return Placement(True, CONVENTION, "a convention")
    if _COMMANDS.search(title) and section.level <= 2:
        return Placement(True, COMMANDS, "commands that most tasks need")
    if _ON_DEMAND.search(title):
        return Placement(False, UNSURE, "only some tasks need it")
    if _IDENTITY.search(title) and section.level <= 2:
        return Placement(True, IDENTITY, "what the project is")
    return None


def _orders(text: str) -> float:
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(1 for line in lines if _ORDER.search(line)) / len(lines) if lines else 0.0


def _said(doc: Document, section: Section) -> list[str]:
    """Return the lines of a section that are neither its heading nor code."""
    coded = [(b.start, b.end) for b in section.blocks if b.kind in CODE]
    first = section.start + bool(section.level)
    found: list[str] = []
    for start, end in (*coded, (section.own_end + 1, section.own_end + 1)):
        found.extend(doc.lines[first - 1 : start - 1])
        first = max(first, end + 1)
    return found


def _importing(doc: Document, beside: Path | None) -> list[int]:
    """Return the lines that pull another file in (``@docs/style.md``), in order."""
    if not any("@" in line for line in doc.lines):
        return []
    return [span.line for span in mentions(doc) if _is_import(span.text, beside)]


def _holds(lines: list[int], section: Section) -> bool:
    at = bisect_left(lines, section.start)
    return at < len(lines) and lines[at] <= section.own_end


_MOST_CHARACTERS = 1000


def _is_import(text: str, beside: Path | None) -> bool:
    """Tell an import from a handle or a package: a file of text, by its ending or on disk."""
    from manent.memfile.loaded import READABLE

    if len(text) > _MOST_CHARACTERS or "://" in text:
        return False
    for name in dict.fromkeys((text, text.split("#")[0], text.rstrip(".,;:!?)]}'\"*_>"))):
        ending = PurePosixPath(name).suffix.lower()
        if ending in READABLE:
            return True
        if name and not ending and beside is not None and is_file(beside / name):
            return True
    return False
