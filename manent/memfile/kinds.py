"""What kind of memory a section is: true now, happened, or a rule; and does it change.

Kinds are semantic (what is), episodic (what happened: append-only) and procedural
(what to do). The accuracy over labelled sections is what ``python -m eval.memory
sections`` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from manent.memfile import headings
from manent.memfile.document import Document, Section
from manent.memfile.volatile import Sign, body, comments, is_volatile, signs, tells_of_the_past
from manent.memfile.wording import Line, plain_heading, share_of_orders

Kind = Literal["semantic", "episodic", "procedural"]

_LINE = attrgetter("line")
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
    _judge(doc, doc.root, found)
    return [entry for entry in found if entry.section.own_end >= entry.section.start]


def judge(doc: Document, section: Section) -> Judged:
    """Judge one section by itself, without what stands above it."""
    lines = body(doc, section)
    own = tuple(sorted((*signs(section, lines), *comments(doc, section)), key=_LINE))
    return Judged(section, _kind(section, lines, own), is_volatile(own), own)


def _judge(doc: Document, root: Section, found: list[Judged]) -> None:
    """Judge a tree; what stands under a heading that says so changes and is told with it."""
    stack: list[tuple[Section, tuple[Sign, ...], bool]] = [(root, (), False)]
    while stack:
        section, above, past = stack.pop()
        entry = judge(doc, section)
        if above:
            kind: Kind = "episodic" if past else entry.kind
            told = entry.signs if entry.volatile else (*above, *entry.signs)
            entry = Judged(section, kind, True, told)
        found.append(entry)
        passed = above or _passed_on(entry)
        past = past or (bool(passed) and entry.kind == "episodic")
        stack.extend((child, passed, past) for child in reversed(section.children))


def _passed_on(judgement: Judged) -> tuple[Sign, ...]:
    """Return the signs of a heading that hold for all that stands under it.

    A date in the title of the whole file dates the file, not its sections.
    """
    section = judgement.section
    return tuple(
        sign
        for sign in judgement.signs
        if section.level > 0
        and (
            sign.what in headings.WHATS
            or (sign.what == "dated-entry" and sign.line == section.start and section.level > 1)
        )
    )


def _kind(section: Section, lines: Sequence[Line], found: Sequence[Sign]) -> Kind:
    """Return what kind of memory a section's own text is."""
    title = plain_heading(section.title)
    if _is_episodic(title, lines, found):
        return "episodic"
    if any(sign.what in ("status-heading", "task-heading", "task") for sign in found):
        return "semantic"
    share = share_of_orders(lines)
    if is_volatile(found) and share < 0.75:
        return "semantic"  # what is under way is a state, whatever is asked for in passing
    if _is_procedural(section, title, lines, share):
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


def _is_procedural(section: Section, title: str, lines: Sequence[Line], share: float) -> bool:
    """Weigh the orders among the lines, with what the heading and the commands say."""
    if headings.ALL_RULES.search(title):
        return True
    if headings.RULES.search(title):
        return not lines or share >= 0.12 or _has_commands(section)
    return share >= (0.75 if headings.STATE.search(title) else 0.4)


def _has_commands(section: Section) -> bool:
    """Tell whether a fence of shell commands stands in a section."""
    shells = ("bash", "sh", "shell", "console", "zsh", "powershell", "cmd")
    return any(b.kind == "fence" and b.info.split(" ")[0].lower() in shells for b in section.blocks)
