"""JSON as the standard has it: what Python's reader takes beyond that is an error.

``NaN`` and ``Infinity`` are no JSON, and no client could be sent them back.
"""

from __future__ import annotations

import json
from typing import Any


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


_READER = json.JSONDecoder(parse_constant=_refuse)


def loads(text: str) -> Any:
    """Return the value that a text is. Raises ValueError, RecursionError."""
    return _READER.decode(text)
