"""What kind of memory a section is: true now, happened, or a rule; and does it change.

Kinds are semantic (what is), episodic (what happened: append-only) and procedural
(what to do). The accuracy over labelled sections is what ``python -m eval.memory
sections`` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from manent.memfile import headings
from manent.memfile.document import Document, Section
from manent.memfile.volatile import Sign, body_start, is_volatile, signs, tells_of_the_past
from manent.memfile.wording import Line, plain_heading, prose, share_of_orders

Kind = Literal["semantic", "episodic", "procedural"]

CODE = frozenset({"fence", "code"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A section with what is said of it.

    kind: of its own text; of its children's, where it has none.
    volatile: by its own signs, or because it stands under a volatile heading.
    signs: its own.
    """

    section: Section
    kind: Kind
    volatile: bool
    signs: tuple[Sign, ...]


def judged(doc: Document) -> list[Judged]:
    """Judge every section of a document, in order."""
    found: list[Judged] = []
    _judge(doc, doc.root, None, found)
    return [entry for entry in found if entry.section.own_end >= entry.section.start]


def judge(doc: Document, section: Section) -> Judged:
    """Judge one section by itself, without what stands above it."""
    own = tuple(signs(doc, section))
    return Judged(section, kind_of(doc, section, own), is_volatile(own), own)


def _judge(doc: Document, root: Section, above: Judged | None, found: list[Judged]) -> None:
    """Judge a tree, each section under what was said of the one it hangs from."""
    stack: list[tuple[Section, Judged | None]] = [(root, above)]
    while stack:
        section, parent = stack.pop()
        own = tuple(signs(doc, section))
        inherited = parent is not None and _passes_on(parent)
        kind = kind_of(doc, section, own)
        if inherited and parent is not None and parent.kind == "episodic":
            kind = "episodic"
        entry = Judged(section, kind, is_volatile(own) or inherited, own)
        if inherited and parent is not None and not is_volatile(own):
            entry = Judged(section, kind, True, (*_heading(parent), *own))
        found.append(entry)
        stack.extend((child, entry) for child in reversed(section.children))


def _passes_on(parent: Judged) -> bool:
    """Tell whether what stands under a heading changes with it: for the headings that say so."""
    return parent.section.level > 0 and bool(_heading(parent))


def _heading(judgement: Judged) -> tuple[Sign, ...]:
    start, level = judgement.section.start, judgement.section.level
    return tuple(
        sign
        for sign in judgement.signs
        if sign.what in headings.WHATS
        or (sign.what == "dated-entry" and sign.line == start and level > 1)
    )


def kind_of(doc: Document, section: Section, found: Sequence[Sign] = ()) -> Kind:
    """Return what kind of memory a section's own text is.

    found: its signs, where they are known already.
    """
    lines = list(prose(doc, body_start(doc, section), section.own_end))
    title = plain_heading(section.title)
    if _is_episodic(title, lines, found):
        return "episodic"
    if any(sign.what in ("status-heading", "task-heading", "task") for sign in found):
        return "semantic"
    if is_volatile(found) and share_of_orders(lines) < 0.75:
        return "semantic"  # what is under way is a state, whatever is asked for in passing
    if _is_procedural(doc, section, title, lines):
        return "procedural"
    return "semantic"


def _is_episodic(title: str, lines: Sequence[Line], found: Sequence[Sign]) -> bool:
    what = {sign.what for sign in found}
    if "dated-entry" in what and sum(s.weight for s in found if s.what == "dated-entry") >= 0.9:
        return True
    past = tells_of_the_past(lines)
    if "changelog-heading" in what:
        return past >= 0.2 or not headings.RECENT.fullmatch(title)
    if headings.HAPPENED.fullmatch(title):
        return past >= 0.4
    return past >= 0.6 and len(lines) > 1 and "status-heading" not in what


def _is_procedural(doc: Document, section: Section, title: str, lines: Sequence[Line]) -> bool:
    """Weigh the orders among the lines, with what the heading and the commands say."""
    if headings.ALL_RULES.search(title):
        return True
    share = share_of_orders(lines)
    if headings.RULES.search(title):
        return not lines or share >= 0.12 or _has_commands(doc, section)
    return share >= (0.75 if headings.STATE.search(title) else 0.4)


def _has_commands(doc: Document, section: Section) -> bool:
    """Tell whether a fence of shell commands stands in a section."""
    shells = ("bash", "sh", "shell", "console", "zsh", "powershell", "cmd")
    return any(b.kind == "fence" and b.info.split(" ")[0].lower() in shells for b in section.blocks)
