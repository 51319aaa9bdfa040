"""Whether a compile pays: exact bounds, and a model of a session of given tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manent.memfile.library import Library
from manent.memfile.recall import Index
from manent.tokens import Count

RECALL_TOKENS = 1500
"""What one recall hands out at most, the default of ``manent memory recall``."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One task of a session. opened: headings, or files. cost: memory tokens of the turn."""

    task: str
    opened: tuple[str, ...]
    carried: int
    cost: int


@dataclass(frozen=True, slots=True)
class Session:
    """A session as modelled: what recall hands out for each task is carried to the end.

    original: the same turns with the file as it was. next_turn: what one further turn
    costs, before and after. never: files that no task opened.
    """

    turns: tuple[Turn, ...]
    total: int
    original: int
    next_turn: int
    next_original: int
    never: tuple[str, ...]

    @property
    def breaks_even(self) -> bool:
        """Whether the session costs no more than with the file as it was."""
        return self.total <= self.original


def modelled(
    library: Library,
    tasks: Sequence[str],
    original: int,
    stub: int,
    count: Count,
    whole_files: bool = False,
) -> Session:
    """Model a session: each task is routed by recall's ranker under recall's cap.

    original, stub: tokens of the always-loaded prefix before and after.
    whole_files: a file is opened whole when a section of it is recalled.
    """
    index = Index(library)
    sizes = {topic.name: count(topic.text) for topic in library.topics}
    held: dict[str, int] = {}
    files: set[str] = set()
    turns = []
    for task in tasks:
        opened = []
        for hit in index.recall(task, RECALL_TOKENS, count):
            first, last = hit.passage.lines
            file = hit.passage.file
            files.add(file)
            name = file if whole_files else f"{hit.heading}:{first}-{last}"
            if name not in held:
                held[name] = sizes[file] if whole_files else hit.tokens
                opened.append(file if whole_files else hit.heading)
        carried = sum(held.values())
        turns.append(Turn(task, tuple(opened), carried, stub + carried))
    return Session(
        turns=tuple(turns),
        total=sum(turn.cost for turn in turns),
        original=original * len(turns),
        next_turn=stub + sum(held.values()),
        next_original=original,
        never=tuple(topic.name for topic in library.topics if topic.name not in files),
    )
