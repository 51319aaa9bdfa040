"""What a session costs, exactly, whatever the session does.

No assumption: the best case opens no file, the worst opens every file on the
first turn and carries all of them to the end. Memory tokens only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Tokens of a session of ``turns`` turns, before and after compiling.

    break_even_tokens: how many tokens of files may be opened on turn 1 and
    carried before compiling costs more. break_even_turn: from which turn on all
    files may be opened and carried without costing more; None for never.
    """

    turns: int
    original: int
    best: int
    worst: int
    break_even_tokens: int
    break_even_turn: int | None

    @property
    def costs_more(self) -> bool:
        """Whether even the best case costs more than leaving the file as it is."""
        return self.best >= self.original


def bounds(original: int, stub: int, files: Sequence[int], turns: int) -> Bounds:
    """Return the bounds of a session.

    original, stub: tokens sent on every turn without and with compiling.
    Opening all files on turn t and carrying them costs
    ``turns * stub + (turns - t + 1) * sum(files)``.
    """
    opened, saved = sum(files), original - stub
    turn: int | None = 1
    if opened and saved < opened:
        turn = turns + 1 - math.floor(turns * saved / opened) if saved > 0 else None
        turn = None if turn is not None and turn > turns else turn
    return Bounds(
        turns=turns,
        original=turns * original,
        best=turns * stub,
        worst=turns * (stub + opened),
        break_even_tokens=max(0, saved),
        break_even_turn=turn if saved > 0 else None,
    )
