"""Find tokens of a published form: one search for all keys, then the form itself."""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from manent.scan.engine import Search, choice
from manent.scan.secrets.form import Form
from manent.scan.secrets.forms import FORMS
from manent.scan.secrets.plausible import placeholder, random_enough, regular

LONG_KEY = 7
"""From this length on a key is looked for alone; a shorter one with what follows it."""

HEAD = 2
"""How many letters of a key say which keys it can be: no key is shorter."""

LONGEST = 9000
"""How far behind its key a token may reach, in letters: the longest form has 8,000."""

_AFTER_KEY = r"[A-Za-z0-9+/_.%=:\-]{8}"


class Hit(NamedTuple):
    """One secret in a text: where, of which kind, and its letters without what splits them."""

    start: int
    end: int
    kind: str
    value: str


class Engine(NamedTuple):
    """The search for every key, and the forms to try where it finds something.

    bare: where a word may begin. inside: within a word, where few forms may stand.
    """

    search: Search
    bare: Trial
    inside: Trial


class Trial(NamedTuple):
    """Forms by the key that each begins with.

    lengths: of the keys that begin with two given letters, longest first. others:
    forms that are sought otherwise, each with what it is sought by; ``other`` finds
    any of them.
    """

    by_key: dict[str, tuple[Form, ...]]
    lengths: dict[str, tuple[int, ...]]
    other: re.Pattern[str] | None
    others: tuple[tuple[Form, re.Pattern[str]], ...]


@functools.cache
def engine() -> Engine:
    """Return the engine, made once."""
    within = [form for form in FORMS if form.back or _signed(form)]
    return Engine(Search(choice(tokens_source()), case=True), _trial(FORMS), _trial(within))


def _trial(forms: Iterable[Form]) -> Trial:
    by_key: dict[str, list[Form]] = {}
    sizes: dict[str, set[int]] = {}
    others = []
    for form in forms:
        if form.seek:
            others.append((form, re.compile(form.seek)))
        for key in () if form.seek else form.literals:
            by_key.setdefault(key, []).append(form)
            sizes.setdefault(key[:HEAD], set()).add(len(key))
    return Trial(
        {key: tuple(group) for key, group in by_key.items()},
        {head: tuple(sorted(found, reverse=True)) for head, found in sizes.items()},
        re.compile("|".join(form.seek for form, _ in others)) if others else None,
        tuple(others),
    )


def _signed(form: Form) -> bool:
    """Whether a form begins with a sign that may stand inside a word."""
    return form.pattern.startswith("[?")


def tokens_source() -> str:
    """Return the pattern of whatever a form is sought by."""
    keys = dict.fromkeys(key for form in FORMS if not form.seek for key in form.literals)
    sought = [form.seek for form in FORMS if form.seek]
    sought += [re.escape(key) + ("" if len(key) >= LONG_KEY else _AFTER_KEY) for key in keys]
    return "|".join(sought)


@functools.cache
def compiled(form: Form) -> re.Pattern[str]:
    """Return the form as a pattern that stands alone: not inside a longer word."""
    end = form.pattern.rstrip("?)")
    last = end[end.rfind("[") :] if "[" in end else ""
    inside = last[1 : last.find("]")] if last else ""
    tail = "A-Za-z0-9" + ("_\\-" if "\\-" in inside else "") + ("+/" if "+/" in inside else "")
    front = "" if _signed(form) else r"(?<![A-Za-z0-9])(?<![A-Za-z0-9]\.)"
    return re.compile(rf"{front}(?:{form.pattern})(?![{tail}])")


def tokens(text: str, raw: bytes) -> Iterator[Hit]:
    """Yield the tokens in ``text``; ``raw`` is its UTF-8 form."""
    made = engine()
    place = Places(text, raw)
    at = 0
    while True:
        seen = made.search.first(raw, at)
        if seen is None:
            return
        first, _ = seen
        start = place.of(first)
        hit = _first(text, start, made)
        if hit:
            yield hit
        at = place.byte(hit.end) if hit and hit.end > start else first + 1


def _first(text: str, start: int, made: Engine) -> Hit | None:
    trial = made.inside if start and text[start - 1] in _WORD else made.bare
    for length in trial.lengths.get(text[start : start + HEAD], ()):
        for form in trial.by_key.get(text[start : start + length], ()):
            hit = _at(form, text, start)
            if hit:
                return hit
    if trial.other and trial.other.match(text, start):
        for form, sought in trial.others:
            hit = _at(form, text, start) if sought.match(text, start) else None
            if hit:
                return hit
    return None


_WORD = frozenset(string.ascii_letters + string.digits)
"""Behind these only forms begin that say so (``compiled``)."""


def _at(form: Form, text: str, start: int) -> Hit | None:
    pattern = compiled(form)
    if form.back:
        found = pattern.search(text, max(0, start - form.back), start + LONGEST)
    else:
        found = pattern.match(text, start)
    if found and found.start() <= start < found.end() and judged(form, found.group()):
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
