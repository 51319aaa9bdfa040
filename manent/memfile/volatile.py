"""What in a section changes by itself: status, dated entries, versions, tasks, changelogs.

A sign is a place and a weight; a section whose signs weigh 1 together is volatile.
One date in a rule is no changelog, and a heading that only tells its reader to keep
a changelog is none either: that is why signs are weighed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from manent import late
from manent.memfile import headings
from manent.memfile.document import Document, Section
from manent.memfile.states import DONE, HEADED, NUMBER_ALONE, VERSION_TITLE, WENT, states
from manent.memfile.wording import (
    DATE,
    DATE_LEAD,
    Line,
    any_of,
    bare,
    is_order,
    is_past,
    plain_heading,
    prose,
    sentences,
    share_of_binding,
    share_of_orders,
)


class Sign(NamedTuple):
    """One reason to expect that a section will change.

    what: status-heading, changelog-heading, task-heading, dated-entry, date-stamp,
    version, task, progress, now.
    line, end: where, from 1, inclusive. weight: 1 decides by itself.
    """

    what: str
    line: int
    end: int
    weight: float


WORDS = {
    "status-heading": "a heading of what holds for now",
    "changelog-heading": "a heading of what happened",
    "task-heading": "a heading of what is still to be done",
    "dated-entry": "entries that begin with a date",
    "date-stamp": "a date of last change",
    "version": "version strings that each release makes stale",
    "task": "tasks that are ticked off",
    "progress": "counts of progress",
    "now": "words for what is going on at present",
}
"""What a finding says of each kind of sign."""

_TAIL = r"(?:[-+.](?:alpha|beta|rc|dev|post|pre|next|canary)?[.-]?\d{0,6})?"
_VERSION = rf"v?\d{{1,4}}\.\d{{1,4}}(?:\.\d{{1,6}}){{1,2}}{_TAIL}"
_SAID = rf"[*_`\"]{{0,3}}(?:{_VERSION}|v\d{{1,4}}\.\d{{1,4}})\b"
_OWN_VERSION = late.pattern(
    any_of(rf"""
        \b(?:version|release)\b[*_`]{{0,3}}\s{{0,3}}(?:is|:|=|\|)\s{{0,3}}(?:now |at |\|\s?)?{_SAID}
        \b(?:current(?:ly)?|latest|now)\b[^.:|]{{0,30}}(?<!\d){_SAID}
        \b(?:on|at) v?\d{{1,3}}\.\d{{1,3}}\.\d{{1,4}}\b[^.]{{0,20}}\b(?:now|today|currently)\b
    """),
    re.IGNORECASE,
)
"""The version of what the file is about, said as a fact."""

_VERSION_LEAD = late.pattern(
    r"[\s#*_~|\[(-]*(?:(?:version|release) )?(?:v\d{1,4}\.\d{1,4}|\d{1,4}\.\d{1,4}\.\d{1,6})"
    r"(?:\.\d{1,6}){0,2}(?![\w.%+])"
)
"""An entry that begins with its version."""

_REQUIRED = late.pattern(
    r"\b"
    + any_of(r"""
        requires?|minimum|at least|supports?|python|node|java|go|rust|php|ruby|swift|since|until
        min
        compatib\w+|example|e\.g\.|format|like|such as|semver|pin(?:ned)?
    """)
    + r"\b|[<>≥≤^~]",
    re.IGNORECASE,
)
"""A version as a bound or a form is no news."""

_STAMP = late.pattern(
    any_of(r"""
        last[ -](?:updated?|modified|reviewed|verified|changed|edited|synced|checked|run|touched)
        last refresh(?:ed)?|updated|(?:status )?as of|date|refreshed|generated|snapshot|verified
        (?:zuletzt|letzte) (?:aktualisiert|geändert|änderung|aktualisierung)|zuletzt|stand
        aggiornato(?: al)?|ultim[oa] (?:aggiornamento|modifica)
        dernière (?:mise à jour|modification)
        mis à jour|última (?:actualización|modificación|atualização|alteração)|actualizado
        atualizado|обновлено|последнее (?:обновление|изменение)|laatst (?:bijgewerkt|gewijzigd)
        ostatnia (?:aktualizacja|zmiana)|最終更新日?|更新(?:于|时间|日期|日)|最后更新(?:时间|于)?
        마지막 업데이트|최종 (?:수정|업데이트)(?:일)?
    """)
    + rf"[^.\w]{{0,6}}(?:(?:on|at|am|vom|le|el|em|il|al) |: ?)?[*_`：:\s]{{0,4}}{DATE}",
    re.IGNORECASE,
)
_TAGGED = late.pattern(r"(?<![\w.<>=~^/@:-])v\d{1,3}\.\d{1,4}(?:\.\d{1,5}){1,2}(?![\w.]*\+)")
_DOTTED = late.pattern(r"\d\.\d")
_TASK = late.pattern(r"\[(?P<box>[ xX~/-])\]\s")
_OPEN_TASK = late.pattern(r"(?:TODO|FIXME|WIP|XXX)\b\s?(?:\([^)]{1,40}\))?:\s?\S")

_PROGRESS = late.pattern(
    any_of(rf"""
        \b\d{{1,6}}\s?(?:/|of|out of)\s?\d{{1,6}}\b[^.
        ]{{0,24}}\b(?:passing|passed|{WENT}|migrated)\b
        \b\d{{1,6}}\s?/\s?\d{{1,6}} (?:tests|green|closed|ported|converted)\b
        \b\d{{1,3}}(?:\.\d+)?\s?% (?:complete|done|finished|migrated|ported|through|implemented)\b
        \b[\d,]{{1,9}}\+? (?:\w+ )?tests? (?:are |all )?(?:pass(?:ing|ed)?|green|failing)\b
        \b(?:phase|milestone|step|stage|part|sprint)s? \d[\w.-]{{0,8}}\W{{0,8}}(?:is )?{WENT}\b
    """),
    re.IGNORECASE,
)
_CELL = late.pattern(
    rf"\|\s{{0,3}}[^|\w]{{0,8}}(?:{WENT}|to ?do|open|closed|next)\s{{0,3}}[^|\w]{{0,8}}(?=\||\Z)",
    re.IGNORECASE,
)
_BADGE = late.pattern(
    any_of(rf"""
        (?:🚧|⏳|🔄|🏗|⌛|🟡|🔜|✅|☑|✔|❌|🔲|⬜)\W{{0,6}}(?:{WENT}|to ?do|next)\b
        \b(?:status|state)\b[*_`]{{0,3}}\s?:\s?\W{{0,6}}(?:{WENT}|active development|alpha|beta)\b
        \((?:done|wip|in progress|pending|blocked|not started|completed)\)
    """),
    re.IGNORECASE,
)
_NOW = late.pattern(
    r"\b"
    + any_of(r"""
        currently (?:working|in progress|blocked|migrating|refactoring|broken|failing|being|on|at)
        currently (?:implementing|investigating|debugging|waiting)
        (?:are|is|am|we're|i'm|it's) (?:now|still|currently) (?:\w+ing|blocked|broken)
        in the middle of|this (?:week|sprint|month|morning)
        (?:last|next|previous) (?:session|week|sprint|month)
        yesterday|today,? (?:we|i)|right now,? (?:we|the|i)|as of (?:now|today|this writing)
        at the moment|work in progress|half[- ]done|next up|in flight|left off
        (?:just|recently) (?:landed|merged|finished|shipped|added|moved|migrated|completed|fixed)
        (?:just|recently) (?:switched|refactored|released|introduced|renamed)
        blocked (?:on|by)|waiting (?:on|for) (?:review|legal|qa|feedback)
        not yet (?:merged|done|started|deployed|migrated|implemented|released|landed)
        still (?:open|pending|failing|broken|to do|missing|todo|unmerged|in review|red)
        (?:since|until|by) (?:mon|tues|wednes|thurs|fri|satur|sun)day
        (?:remains|still) to be (?:done|ported|migrated|written)
    """)
    + r"\b",
    re.IGNORECASE,
)
"""Words for what is going on; one by itself may be any sentence."""


_QUOTED = late.pattern(r"`[^`]{0,200}`|\"[^\"]{1,200}\"|“[^”]{1,200}”")
"""What a line shows rather than says."""


def body(doc: Document, section: Section) -> list[Line]:
    """Return the prose of a section's own text, its heading left out."""
    return list(prose(doc, _body_start(doc, section), section.own_end))


def comments(doc: Document, section: Section) -> list[Sign]:
    """Return the tasks that stand in a section's HTML comments, which are no prose."""
    numbers = [
        number
        for block in section.blocks
        if block.kind == "html"
        for number in range(block.start, min(block.end, len(doc.lines)) + 1)
        if any(mark in (line := doc.lines[number - 1]) for mark in _MARKS)
        and _OPEN_TASK.match(line.lstrip(" \t<!->*"))
    ]
    return _grouped("task", numbers, 1.0)


def signs(section: Section, lines: Sequence[Line]) -> list[Sign]:
    """Return what speaks for change in a section's own text, in order of place.

    lines: its ``body``. The heading counts only as far as they bear it out.
    """
    found = _body_signs(lines)
    heading = _heading_sign(section, lines, found)
    if heading is not None:
        found.insert(0, heading)
    if section.level and lines and not found and HEADED.search(section.title):
        found.insert(0, Sign("status-heading", section.start, section.start, 1.0))
    if section.level and lines and _is_version_alone(section, lines[0]):
        found.insert(0, Sign("version", lines[0].number, lines[0].number, 1.0))
    if section.level and _is_own_version(section.title):
        found.insert(0, Sign("version", section.start, section.start, 1.0))
    if section.level and _title_date(section.title):
        what = "date-stamp" if "as of" in section.title.lower() else "dated-entry"
        found.insert(0, Sign(what, section.start, section.start, 1.0))
    return found


def _is_version_alone(section: Section, first: Line) -> bool:
    """Tell whether a heading says ``Version`` and the line under it which."""
    if NUMBER_ALONE.fullmatch(first.text) is None:
        return False
    return VERSION_TITLE.fullmatch(plain_heading(section.title)) is not None


def is_volatile(found: Sequence[Sign]) -> bool:
    """Tell whether signs are enough."""
    return sum(sign.weight for sign in found) >= 1.0


def _body_start(doc: Document, section: Section) -> int:
    """Return the line after a heading, its underline included."""
    if section.level == 0:
        return section.start
    line = doc.lines[section.start - 1].lstrip(" \t>")
    if line.startswith("#"):
        return section.start + 1
    for at in range(section.start, section.own_end):
        if re.fullmatch(r"\s{0,3}(?:=+|-+)\s*", doc.lines[at]):
            return at + 2
    return section.start + 1


def _title_date(title: str) -> bool:
    if _DIGIT.search(title) is None:
        return False
    return DATE_LEAD.match(title) is not None or _DATED_TITLE.search(title) is not None


_DATED_TITLE = late.pattern(rf"[(\[\s–—:-]{DATE}\s?[)\]]?\s*$", re.IGNORECASE)


def _heading_sign(section: Section, lines: Sequence[Line], found: Sequence[Sign]) -> Sign | None:
    """Return what a heading says of the text under it, None where the text says otherwise."""
    title = plain_heading(section.title)
    if title and _is_release(title, lines):
        if not lines and not section.children:
            return None
        if lines and not found and share_of_orders(lines) >= 0.5:
            return None
        return Sign("changelog-heading", section.start, section.start, 1.0)
    for name, pattern in (
        ("changelog-heading", headings.CHANGELOG),
        ("status-heading", headings.STATUS),
        ("task-heading", headings.TASKS),
    ):
        if title and pattern.fullmatch(title):
            what = name
            break
    else:
        return None
    if not lines and not section.children:
        return None
    if headings.LISTED.fullmatch(title) and not (found or section.children or _lists(lines)):
        return None
    if lines and not found and what != "task-heading" and _mostly_orders(title, lines):
        return None  # it says how to keep one
    if what == "changelog-heading" and not (found or section.children or _entries(title, lines)):
        return None
    if what == "task-heading" and not found and not _lists(lines):
        return None
    return Sign(what, section.start, section.start, 1.0)


def _mostly_orders(title: str, lines: Sequence[Line]) -> bool:
    """Tell whether a text gives orders; under a time, or what is done, only what binds is one.

    ``This week: finish the lamp`` is a plan, ``Recently completed: search by meaning`` a record.
    """
    if headings.TIMED.fullmatch(title):
        return share_of_binding(lines) >= 0.5
    return share_of_orders(lines) >= 0.5


def _is_release(title: str, lines: Sequence[Line]) -> bool:
    """Tell whether a heading names a release: by its word, its version, or what was done."""
    if not any(map(str.isdigit, title)):
        return title.endswith(("release", "released", "changes")) and _is_one(title)
    if _is_one(title):
        return True
    return headings.NAMED_RELEASE.fullmatch(title) is not None and tells_of_the_past(lines) >= 0.5


def _is_own_version(text: str) -> bool:
    """Tell whether a line gives the version of what the file is about, and no bound or form."""
    if not _has(text.lower(), _VERSION_WORDS) or _OWN_VERSION.search(text) is None:
        return False
    return _REQUIRED.search(text) is None


def _is_one(title: str) -> bool:
    return headings.RELEASE.fullmatch(title) is not None


def _entries(title: str, lines: Sequence[Line]) -> bool:
    """Tell a record from a text about one: it says what was done, or lists and orders little."""
    if tells_of_the_past(lines) > 0:
        return True
    share = share_of_binding if headings.TIMED.fullmatch(title) else share_of_orders
    return _lists(lines) and share(lines) < 0.3


def _lists(lines: Sequence[Line]) -> bool:
    """Tell whether most lines begin an item: a list of tasks, not a text about them."""
    return sum(line.item for line in lines) * 2 >= len(lines) > 0


def _body_signs(lines: Sequence[Line]) -> list[Sign]:
    found: list[Sign] = []
    dated = [line.number for line in lines if _begins_dated(line)]
    found += _grouped("dated-entry", dated, 0.5 if len(dated) > 1 else 0.4)
    found += _tasks(lines)
    found += _versions(lines)
    for line in lines:
        found += _line_signs(line)
    return sorted(found, key=lambda sign: (sign.line, sign.what))


def _line_signs(line: Line) -> Iterator[Sign]:
    """Yield the signs of one line; what a line lacks for a pattern is asked first, cheaply."""
    said = _QUOTED.sub(" ", line.text) if "`" in line.text or '"' in line.text else line.text
    low = said.lower()
    if _DIGIT.search(said):
        if _YEAR.search(said) and _STAMP.search(said):
            yield Sign("date-stamp", line.number, line.number, 1.0)
        if _has(low, _COUNTED) and _has(low, _PROGRESS_WORDS) and _PROGRESS.search(said):
            yield Sign("progress", line.number, line.number, 1.0)
    if _has(low, _NOW_WORDS):
        now = {match.casefold() for match in _NOW.findall(said)}
        if len(now) > 1 or (now and not is_order(line.text)):
            yield Sign("now", line.number, line.number, 0.5 * min(2, len(now)))
    for what in states(said):
        yield Sign(what, line.number, line.number, 1.0)
    cell = _CELL.search(said) if "|" in said else None
    # What has the word first says what it means.
    tells = cell is not None and said[: cell.start()].strip(" |")
    if (
        tells
        or (":" in said and DONE.search(said))
        or ((not said.isascii() or "stat" in low or "(" in low) and _BADGE.search(said))
    ):
        yield Sign("progress", line.number, line.number, 0.5)


def _has(low: str, words: Sequence[str]) -> bool:
    # A plain loop: a generator would take as long again, on every line there is.
    for word in words:  # noqa: SIM110
        if word in low:
            return True
    return False


_DIGIT = late.pattern(r"\d")
_MARKS = ("TODO", "FIXME", "WIP", "XXX")
_YEAR = late.pattern(r"(?:19|20)\d\d")
_COUNTED: tuple[str, ...] = (
    "/",
    "of",
    "%",
    "test",
    "phase",
    "milestone",
    "step",
    "stage",
    "part",
    "sprint",
)
_PROGRESS_WORDS = (
    *("pass", "complete", "done", "progress", "pending", "blocked", "wip", "started", "planned"),
    *("ongoing", "shipped", "merged", "way", "deferred", "finished", "fixed", "resolved"),
    *(
        "tests",
        "migrated",
        "green",
        "closed",
        "ported",
        "converted",
        "through",
        "implemented",
        "failing",
    ),
)
_NOW_WORDS = (
    *("currently", "in the middle of", "this week", "this sprint", "this month", "this morning"),
    *("session", "last week", "last sprint", "last month", "next week", "next sprint"),
    *("next month", "previous week", "previous sprint", "previous month", "yesterday", "today"),
    *("right now", "as of", "moment", "work in progress", "half", "next up", "in flight"),
    *("left off", "just ", "recently", "blocked", "waiting", "not yet", "still", " now ", "day"),
    "to be ",
)
"""What a line has at least one of where ``_NOW`` matches; so for the others."""


def _begins_dated(line: Line) -> bool:
    """Tell an entry from a sentence that happens to begin with a date."""
    if _DIGIT.search(line.text, 0, 40):
        return (line.item or line.depth == 0) and DATE_LEAD.match(line.text) is not None
    return False


def _grouped(what: str, numbers: Sequence[int], weight: float) -> list[Sign]:
    """Return one sign a line; many are never more than a few would be."""
    return [
        Sign(what, number, number, weight if at < 4 else 0.0) for at, number in enumerate(numbers)
    ]


def _tasks(lines: Sequence[Line]) -> list[Sign]:
    """A box that is ticked is a record; boxes that are all empty are a check list."""
    boxes = [(line.number, task["box"]) for line in lines if (task := _TASK.match(line.text))]
    ticked = any(box != " " for _, box in boxes)
    found = _grouped(
        "task", [number for number, _ in boxes], 0.5 if ticked and len(boxes) > 1 else 0.0
    )
    todo = [
        line.number
        for line in lines
        if any(mark in line.text for mark in _MARKS) and _OPEN_TASK.match(bare(line.text))
    ]
    return [s for s in found if s.weight] + _grouped("task", todo, 1.0)


_VERSION_WORDS = ("version", "release", "current", "latest", "now", "today")


def _versions(lines: Sequence[Line]) -> list[Sign]:
    numbered = [line for line in lines if _DOTTED.search(line.text)]
    found = [
        Sign("version", line.number, line.number, 1.0)
        for line in numbered
        if _is_own_version(line.text)
    ]
    leading = [line.number for line in numbered if _VERSION_LEAD.match(line.text)]
    if len(leading) > 1:
        return found + _grouped("version", leading, 0.5)
    return found or _annotated(numbered)


MANY = 8
"""Different versions in one section from which on its text is a history, entry by entry."""


def _annotated(lines: Sequence[Line]) -> list[Sign]:
    """Return a sign where a text grows by a version with each change: ``(v1.4.0) adds …``."""
    seen: dict[str, int] = {}
    for line in lines:
        for version in _TAGGED.findall(_QUOTED.sub(" ", line.text)):
            seen.setdefault(version, line.number)
    numbers = sorted(set(seen.values()))
    if len(seen) < MANY:
        return []
    return [
        Sign("version", number, number, 0.25 if at < 4 else 0.0)
        for at, number in enumerate(numbers)
    ]


def tells_of_the_past(lines: Sequence[Line]) -> float:
    """Return the share of entries that begin with a date or say what was done."""
    items = [line for line in lines if line.item]
    if len(items) * 2 < len(lines):
        said = sentences(lines)
        told = sum(DATE_LEAD.match(one) is not None or is_past(one) for one in said)
        return told / len(said) if said else 0.0
    told = sum(_begins_dated(line) or is_past(line.text) for line in items)
    return told / len(items) if items else 0.0
