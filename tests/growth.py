"""How work grows with the text: a ratio of processor times, told from noise by repeating.

A machine under load makes one measurement worthless, not five: what is linear
holds the bound in one of them, what is quadratic misses it in all.
"""

from __future__ import annotations

import time
from collections.abc import Callable

ATTEMPTS = 5


def grows_within(
    work: Callable[[str], object], make: Callable[[int], str], sizes: tuple[int, int], most: float
) -> tuple[bool, list[float]]:
    """Tell whether the larger text takes at most ``most`` times the smaller one's time.

    Returns the ratios seen as well, for the message of a failing assertion.
    """
    short, long = make(sizes[0]), make(sizes[1])
    work(short)  # what is loaded or compiled at first use is not the text's
    ratios: list[float] = []
    for _ in range(ATTEMPTS):
        ratios.append(_seconds(work, long) / max(_seconds(work, short), 1e-3))
        if ratios[-1] <= most:
            return True, ratios
    return False, ratios


def _seconds(work: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    work(text)
    return time.process_time() - begun
