"""The commit that lowered a figure, among many: found by halving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from manent.errors import UsageError


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first commit at which the figure is low, and what was measured on the way.

    before: the figure at the commit before it. tried: (commit, figure) in the order measured.
    """

    commit: str
    before: float
    after: float
    tried: tuple[tuple[str, float], ...] = field(default=())


def find(
    commits: Sequence[str], figure_at: Callable[[str], float], tolerance: float
) -> Culprit | None:
    """Return the commit that dropped a figure, None where the last is as good as the first.

    commits: oldest first, at least two. tolerance: how far below the first still counts
    as good. Measures about log2 of their number. Where the figure went down and
    up again several times, one of the commits at which it fell is found.
    """
    if len(commits) < 2:
        raise UsageError("there is no commit between them", "name an older good and a newer bad")
    tried: dict[int, float] = {}

    def at(place: int) -> float:
        if place not in tried:
            tried[place] = figure_at(commits[place])
        return tried[place]

    low, high = 0, len(commits) - 1
    floor = at(low) - tolerance
    if at(high) >= floor:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if at(middle) >= floor:
            low = middle
        else:
            high = middle
    order = tuple((commits[place], figure) for place, figure in tried.items())
    return Culprit(commits[high], at(low), at(high), order)
