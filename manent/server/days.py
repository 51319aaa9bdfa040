"""Days, as callers write them."""

from __future__ import annotations

import datetime
import re

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def is_day(text: str) -> bool:
    """Tell whether ``text`` is a day that exists, as in 2026-03-09."""
    if not _DAY.fullmatch(text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:  # git would take 2026-02-31 for today
        return False
    return True
