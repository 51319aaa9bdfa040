"""YAML lines for one key, written so that every reader takes them the same way."""

from __future__ import annotations

import json
import re
from typing import Any

from manent import late
from manent.note import strict

_PLAIN = late.pattern(r"[^\W\d_][\w ./()+=;-]*|\d{4}-\d{2}-\d{2}", re.UNICODE)
_KEY = late.pattern(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)

OTHER_READERS = frozenset(
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"]
)
"""Words that YAML 1.1 readers take for something else than text."""


def value(data: Any) -> str:
    """Return ``data`` on one line: JSON is YAML, and plain words need no quotes."""
    if data is None:
        return "null"
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, (int, float)):
        return json.dumps(data, allow_nan=False)
    if isinstance(data, str):
        return text(data)
    if isinstance(data, list):
        return "[" + ", ".join(_in_flow(item) for item in data) + "]"
    if isinstance(data, dict):
        inner = (f"{json.dumps(key)}: {_in_flow(data[key])}" for key in data)
        return "{" + ", ".join(inner) + "}"
    raise TypeError(f"no YAML for {type(data).__name__}")


def _in_flow(data: Any) -> str:
    written = value(data)
    plain = not isinstance(data, str) or written[:1] == '"' or "," not in written
    return written if plain else json.dumps(data, ensure_ascii=False)


def text(data: str) -> str:
    """Return a string as a plain scalar where no reader could mistake it, else quoted."""
    plain = (
        _PLAIN.fullmatch(data)
        and data == data.strip()
        and data.isprintable()
        and data.lower() not in OTHER_READERS
        and isinstance(strict.scalar(data), str)
    )
    return data if plain else quoted(data)


_UNPRINTABLE = late.pattern("[\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def quoted(data: str) -> str:
    """Return a string in double quotes, everything a reader could trip over escaped."""
    written = json.dumps(data, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def key(name: str) -> str:
    """Return a key as it stands before the colon."""
    return name if _KEY.fullmatch(name) else quoted(name)


def lines(name: str, data: Any) -> list[str]:
    """Return the lines of one top-level key, without line endings."""
    return [f"{key(name)}: {value(data)}"]
