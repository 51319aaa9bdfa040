"""Which lines stay always loaded, and which go on demand into which file.

A unit is a section's own text, or part of it where one section alone is too large
for the budget. Units stay in the order of the file; neighbours that go on demand
make up one file, cut where a new subject begins. The always-loaded body, the
routing list and what is said around it have to fit the budget together, so the
least firm sections are given up until they do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from manent.memfile.document import Document, Section
from manent.memfile.kinds import judged
from manent.memfile.placement import (
    FRONT,
    UNSURE,
    Placement,
    placements,
)
from manent.tokens import Count

_LIST_SHARE = 0.4
"""Share of the budget that the routing list may take."""
_LINE_TOKENS = 30
"""What a routing line costs, about, before its words are known."""
_SMALL_TOKENS, _MERGED_TOKENS = 100, 300
"""Neighbours smaller than the first share a file up to the second."""
_LARGE_SHARE = 0.4
"""Share of the budget past which one always section is cut between its blocks."""
_CHUNK_TOKENS = 220
_LARGE_FILE = 3000
"""Tokens past which a file of many sections is cut at its lower headings."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A run of lines with one place. start, end: from 1, inclusive.

    path: titles from the top. level: 0 for what has no heading of its own.
    order: its number in the file. file: the on-demand file that it already is, whole.
    """

    order: int
    start: int
    end: int
    path: tuple[str, ...]
    level: int
    kind: str
    tokens: int
    placement: Placement
    gave_way: bool = False
    file: str = ""

    @property
    def always(self) -> bool:
        """Whether it stays loaded."""
        return self.placement.always and not self.gave_way and not self.file

    @property
    def title(self) -> str:
        """What its heading says."""
        return self.path[-1] if self.path else ""


@dataclass(frozen=True)
class Group:
    """Neighbouring units that make up one on-demand file."""

    units: tuple[Unit, ...]

    @property
    def file(self) -> str:
        """The file that it already is, "" for one to be made."""
        return self.units[0].file

    @cached_property
    def tokens(self) -> int:
        """What the file costs when it is opened."""
        return sum(unit.tokens for unit in self.units)

    def with_(self, other: Group) -> Group:
        """Return both in one; what is known of each is not counted again."""
        joined = Group((*self.units, *other.units))
        joined.__dict__["tokens"] = self.tokens + other.tokens
        joined.__dict__["_learned"] = self._learned + other._learned
        return joined

    @cached_property
    def _learned(self) -> int:
        return sum(unit.tokens for unit in self.units if unit.kind == "procedural")

    @property
    def episodic(self) -> bool:
        """Whether it holds what happened, which is appended to and merged with nothing."""
        return self.units[0].kind == "episodic"

    @property
    def kind(self) -> str:
        """Its kind: that of most of its tokens, unless it is episodic."""
        if self.episodic and all(unit.kind == "episodic" for unit in self.units):
            return "episodic"
        return "procedural" if 2 * self._learned > self.tokens else "semantic"

    @property
    def top(self) -> tuple[str, ...]:
        """Return the titles of the sections it holds that are inside no other of it."""
        titled = [unit for unit in self.units if unit.level]
        if not titled:
            return ()
        highest = min(unit.level for unit in titled)
        titles = [unit.title for unit in titled if unit.level == highest]
        return tuple(dict.fromkeys(titles))


@dataclass(frozen=True, slots=True)
class Split:
    """The outcome. units: all, in order; groups: the on-demand files, in order."""

    units: tuple[Unit, ...]
    groups: tuple[Group, ...]

    @property
    def gave_way(self) -> list[Unit]:
        """Always sections that did not fit the budget."""
        return [unit for unit in self.units if unit.gave_way]


def units_of(doc: Document, count: Count, budget: int, beside: Path | None = None) -> list[Unit]:
    """Return the units of a document, each with its place and kind. Linear in its length.

    beside: the folder that its imports are relative to.
    """
    judgements = judged(doc)
    volatile = frozenset(n for n, j in enumerate(judgements) if j.volatile)
    placed = placements(doc, volatile, beside)
    found: list[Unit] = []
    for judgement, placement in zip(judgements, placed, strict=True):
        section, kind = judgement.section, judgement.kind
        if kind == "episodic":
            placement = replace_place(placement)
        tokens = count(doc.own(section))
        whole = Unit(
            len(found),
            section.start,
            section.own_end,
            section.path,
            section.level,
            kind,
            tokens,
            placement,
        )
        large = placement.always and tokens > _LARGE_SHARE * budget
        found.extend(_chunks(doc, section, whole, count) if large else [whole])
    return [replace(unit, order=n) for n, unit in enumerate(found)]


def replace_place(placement: Placement) -> Placement:
    """Return the place of what happened: on demand, unless it loads other files."""
    if placement.always and placement.rank == FRONT:
        return placement
    return Placement(False, UNSURE, "it says what happened")


def _chunks(doc: Document, section: Section, whole: Unit, count: Count) -> list[Unit]:
    """Cut a large section between its blocks and the items of its lists."""
    cuts = [n for n in _cuts(section) if section.start < n <= section.own_end]
    bounds = [section.start, *cuts, section.own_end + 1]
    found: list[Unit] = []
    start, tokens = section.start, 0
    for a, b in pairwise(bounds):
        size = count(doc.slice(a, b - 1))
        if tokens and tokens + size > _CHUNK_TOKENS:
            found.append(replace(whole, start=start, end=a - 1, tokens=tokens))
            start, tokens = a, 0
        tokens += size
    found.append(replace(whole, start=start, tokens=tokens))
    return [unit if n == 0 else replace(unit, level=0) for n, unit in enumerate(found)]


def _cuts(section: Section) -> list[int]:
    cuts = set()
    for block in section.blocks:
        cuts.add(block.start)
        cuts.update(item.start for item in block.items)
    return sorted(cuts)


def split(units: Sequence[Unit], budget: int, fixed: int, cost: Callable[[Split], int]) -> Split:
    """Give sections up until everything loaded on every turn fits the budget, if it can.

    fixed: tokens of what is said whatever the list holds. cost: the exact tokens
    of a split, asked once the estimate fits.
    """
    held = list(units)
    share = _LIST_SHARE
    while True:
        lines = max(1, int(share * budget) // _LINE_TOKENS)
        groups = grouped(held, lines)
        body = sum(unit.tokens for unit in held if unit.always)
        excess = body + len(groups) * _LINE_TOKENS + fixed - budget
        found = Split(tuple(held), tuple(groups))
        if excess <= 0 and len(groups) <= lines:
            excess = cost(found) - budget
            if excess <= 0:
                return found
        crowded = len(groups) - lines
        if not _give_way(held, max(excess, 1), crowded > 0):
            if lines == 1:
                return found
            share /= 2


def _give_way(units: list[Unit], excess: int, crowded: bool) -> bool:
    """Move the least firm always sections on demand; return whether any was left to move."""
    left = [unit for unit in units if unit.always and unit.placement.rank != FRONT]
    left.sort(key=lambda unit: (-unit.placement.rank, -unit.order))
    if crowded:
        excess = max(excess, sum(unit.tokens for unit in left) // 4)
    moved = 0
    for unit in left:
        units[unit.order] = replace(unit, gave_way=True)
        moved += unit.tokens
        if moved >= excess:
            break
    return bool(left)


def grouped(units: Sequence[Unit], most: int) -> list[Group]:
    """Return the on-demand files: at most ``most``, if neighbours can be joined that far."""
    titled = [unit.level for unit in units if unit.level]
    top = _top_level(titled)
    runs = [[Group((unit,)) for unit in run] for run in _runs(units)]
    runs = [_by_subject(run, top) for run in runs]
    runs = [_joined(run, _MERGED_TOKENS, _small) for run in runs]
    limit = _MERGED_TOKENS
    for allowed in (_same, _any):
        limit = _MERGED_TOKENS
        while sum(map(len, runs)) > most and limit < 1 << 40:
            runs = [_joined(run, limit, allowed) for run in runs]
            limit *= 2
    return [group for run in runs for group in run]


def _runs(units: Sequence[Unit]) -> list[list[Unit]]:
    runs: list[list[Unit]] = []
    open_run = False
    for unit in units:
        if unit.file:
            runs.append([unit])
            open_run = False
        elif unit.always:
            open_run = False
        elif open_run:
            runs[-1].append(unit)
        else:
            runs.append([unit])
            open_run = True
    return runs


def _top_level(levels: Sequence[int]) -> int:
    """Return the highest level with headings enough to be the file's subjects."""
    for enough in (max(3, len(levels) // 7), 2):
        for level in range(1, 7):
            if sum(1 for each in levels if each <= level) >= enough:
                return level
    return 6


def _by_subject(run: list[Group], top: int) -> list[Group]:
    """Put what stands under one heading into one file; episodic sections stay apart."""
    found: list[Group] = []
    for group in run:
        unit = group.units[0]
        begins = bool(unit.level) and unit.level <= top
        before = found[-1] if found else None
        if before is not None and not begins and _continues(before, group):
            found[-1] = before.with_(group)
        else:
            found.append(group)
    return found


def _continues(before: Group, group: Group) -> bool:
    fits = before.tokens + group.tokens <= _LARGE_FILE or not group.units[0].level
    return fits and before.episodic == group.episodic


def _joined(run: list[Group], limit: int, allowed: Callable[[Group, Group], bool]) -> list[Group]:
    found: list[Group] = []
    for group in run:
        if found and found[-1].tokens + group.tokens <= limit and allowed(found[-1], group):
            found[-1] = found[-1].with_(group)
        else:
            found.append(group)
    return found


def _small(one: Group, other: Group) -> bool:
    return (
        not (one.episodic or other.episodic)
        and one.kind == other.kind
        and max(one.units[-1].tokens, other.tokens) <= _SMALL_TOKENS
    )


def _same(one: Group, other: Group) -> bool:
    return not (one.episodic or other.episodic)


def _any(one: Group, other: Group) -> bool:
    """A last resort: without it a diary of a thousand days would be a thousand files."""
    return one.episodic == other.episodic
