"""Answers a host hands on whole: shortened inside, so that they still say what they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

from manent.finding import json_text

_TAIL_CHARACTERS = 800
"""What the end of a text keeps: the shapes of operations, the counts of a report."""
_SHORT_CHARACTERS = 200
_MOST_COUNTED = 1 << 20


def bounded_text(text: str, longest: int) -> str:
    """Return a text of at most about ``longest`` characters: its end stays, its middle goes."""
    if len(text) <= longest:
        return text
    tail = text[-_TAIL_CHARACTERS:].partition("\n")[2]
    room = longest - len(tail) - 100
    head = text[:room].rpartition("\n")[0] or text[:room]
    left = len(text) - len(head) - len(tail)
    return f"{head}\n[{left} characters left out: ask for less]\n{tail}"


def bounded_json(document: Any, longest: int) -> str:
    """Return a document as JSON of at most ``longest`` characters.

    Lists of things are cut to one length, the greatest that fits, and texts too where that is
    not enough; ``leftOut`` says how many things are missing from which list.
    """
    whole = json_text(document)
    if len(whole) <= longest:
        return whole
    low, high = 0, _longest_list(document)
    while low < high:
        middle = (low + high + 1) // 2
        if len(_cut(document, middle, _MOST_COUNTED)) <= longest:
            low = middle
        else:
            high = middle - 1
    cut = _cut(document, low, _MOST_COUNTED)
    texts = _SHORT_CHARACTERS
    while len(cut) > longest and texts:
        cut, texts = _cut(document, 0, texts), texts // 2
    return cut


def _cut(document: Any, most: int, texts: int) -> str:
    left: Counter[str] = Counter()
    short = _shortened(document, most, texts, "", left)
    return json_text({**short, "leftOut": dict(left)} if isinstance(short, dict) else short)


def _shortened(value: Any, most: int, texts: int, where: str, left: Counter[str]) -> Any:
    if isinstance(value, dict):
        inner = {k: f"{where}.{k}" if where else str(k) for k in value}
        return {k: _shortened(v, most, texts, inner[k], left) for k, v in value.items()}
    if isinstance(value, list):
        kept = value[:most] if _is_listing(value) else value
        if len(kept) < len(value):
            left[where or "[]"] += len(value) - len(kept)
        return [_shortened(each, most, texts, f"{where}[]", left) for each in kept]
    if isinstance(value, str) and len(value) > texts:
        return f"{value[:texts]}…"
    return value


def _is_listing(value: list[Any]) -> bool:
    """Tell a list of things from one thing spelled as a list: a range of lines, a path."""
    return len(value) > 8 or any(isinstance(each, (dict, list)) for each in value)


def _longest_list(value: Any) -> int:
    if isinstance(value, dict):
        return max((_longest_list(each) for each in value.values()), default=0)
    if isinstance(value, list):
        return max(len(value), *(_longest_list(each) for each in value), 0)
    return 0
