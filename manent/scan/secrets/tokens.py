"""Find tokens of a published form: one search for all keys, then the form itself."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

import re2

from manent.scan.secrets.form import Form
from manent.scan.secrets.forms import FORMS
from manent.scan.secrets.plausible import placeholder, random_enough, regular

LONG_KEY = 7
"""From this length on a key is looked for alone; a shorter one with what follows it."""

_AFTER_KEY = r"[A-Za-z0-9+/_.%=:\-]{8}"


class Hit(NamedTuple):
    """One secret in a text: where, of which kind, and its letters without what splits them."""

    start: int
    end: int
    kind: str
    value: str


@functools.cache
def _engine() -> tuple[object, dict[str, tuple[Form, ...]], tuple[int, ...], tuple[Form, ...]]:
    """Return the search for every key, the forms by key, the keys' lengths, and the rest."""
    by_key: dict[str, list[Form]] = {}
    others = []
    seeks = []
    for form in FORMS:
        if form.seek:
            others.append(form)
            seeks.append(form.seek)
            continue
        for key in form.literals:
            by_key.setdefault(key, []).append(form)
    seeks += [re2.escape(key) + ("" if len(key) >= LONG_KEY else _AFTER_KEY) for key in by_key]
    options = re2.Options()
    options.max_mem = 64 << 20
    lengths = tuple(sorted({len(key) for key in by_key}, reverse=True))
    forms = {key: tuple(group) for key, group in by_key.items()}
    return re2.compile("|".join(seeks), options), forms, lengths, tuple(others)


@functools.cache
def compiled(form: Form) -> re.Pattern[str]:
    """Return the form as a pattern that stands alone: not inside a longer word."""
    end = form.pattern.rstrip("?)")
    last = end[end.rfind("[") :] if "[" in end else ""
    inside = last[1 : last.find("]")] if last else ""
    tail = "A-Za-z0-9" + ("_\\-" if "\\-" in inside else "") + ("+/" if "+/" in inside else "")
    return re.compile(rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9]\.)(?:{form.pattern})(?![{tail}])")


def tokens(text: str, raw: bytes) -> Iterator[Hit]:
    """Yield the tokens in ``text``; ``raw`` is its UTF-8 form."""
    search, by_key, lengths, others = _engine()
    place = Places(text, raw)
    at = 0
    while True:
        seen = search.search(raw, at)  # type: ignore[attr-defined]
        if seen is None:
            return
        start = place.of(seen.start())
        head = text[start : start + lengths[0]]
        hit = None
        for form in _candidates(head, by_key, lengths, others):
            hit = _at(form, text, start)
            if hit:
                yield hit
                break
        at = place.byte(hit.end) if hit and hit.end > start else seen.start() + 1


def _candidates(
    head: str,
    by_key: dict[str, tuple[Form, ...]],
    lengths: tuple[int, ...],
    others: tuple[Form, ...],
) -> Iterator[Form]:
    for length in lengths:
        yield from by_key.get(head[:length], ())
    yield from others


def _at(form: Form, text: str, start: int) -> Hit | None:
    pattern = compiled(form)
    for begin in range(start, max(-1, start - form.back - 1), -1):
        found = pattern.match(text, begin)
        if found and judged(form, found.group()):
            return Hit(found.start(), found.end(), form.kind, found.group())
    return None


def judged(form: Form, value: str) -> bool:
    """Whether ``value``, which has the form, is no placeholder and looks drawn by chance."""
    if not form.entropy:
        return True
    body = value
    for key in form.literals:
        if key and body.startswith(key):
            body = body[len(key) :]
            break
    if not form.loose and (regular(body) or placeholder(value)):
        return False
    return random_enough(body, form.entropy) and (form.check is None or form.check(value))


class Places:
    """Byte offsets to code points and back, in one walk as long as they only grow."""

    __slots__ = ("_at", "_byte", "_plain", "_raw", "_text")

    def __init__(self, text: str, raw: bytes) -> None:
        self._text, self._raw = text, raw
        self._plain = len(text) == len(raw)
        self._byte = self._at = 0

    def of(self, byte: int) -> int:
        """Return the code point offset of the letter that begins at ``byte``."""
        if self._plain:
            return byte
        if byte < self._byte:
            self._byte = self._at = 0
        self._at += _length(self._raw[self._byte : byte])
        self._byte = byte
        return self._at

    def byte(self, at: int) -> int:
        """Return the byte offset of the code point ``at``."""
        if self._plain:
            return at
        if at < self._at:
            self._byte = self._at = 0
        self._byte += len(self._text[self._at : at].encode("utf-8", "surrogatepass"))
        self._at = at
        return self._byte


def _length(raw: bytes) -> int:
    """Return how many letters the UTF-8 bytes ``raw`` spell: all but the continuations."""
    return len(raw.translate(None, _CONTINUATIONS))


_CONTINUATIONS = bytes(range(0x80, 0xC0))
