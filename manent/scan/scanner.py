"""The three scanners over every reading of a text."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from manent.scan.reading import PLAIN, Reading, readings
from manent.scan.span import Context, Family, Span
from manent.values import replace

Find = Callable[[Reading, Context], Iterator[Span]]

FAMILIES = ("pii", "secrets", "injection")
"""The modules under ``manent.scan`` that find; each has ``find(reading, context)``."""


class Scanner:
    """Finds personal data, secrets and text aimed at a model.

    context: what it may know besides the text. families: which of ``FAMILIES`` look.
    """

    __slots__ = ("context", "families")

    def __init__(
        self, context: Context | None = None, families: tuple[str, ...] = FAMILIES
    ) -> None:
        self.context = context or Context()
        self.families = families

    def scan(self, text: str) -> list[Span]:
        """Return what stands in ``text``, sorted by place.

        One place and kind is said once, through the plainest reading; it is a
        mention only if every reading that shows it says so.
        """
        found: list[Span] = []
        for reading in readings(text):
            for find in _finders(self.families):
                found.extend(find(reading, self.context))
        return _plainest(found) if found else found


@cache
def _finders(families: tuple[str, ...] = FAMILIES) -> tuple[Find, ...]:
    return tuple(importlib.import_module(f"manent.scan.{name}").find for name in families)


def _plainest(found: list[Span]) -> list[Span]:
    """Say once what several readings say of overlapping places.

    found: in the order of the readings, plainest first.
    """
    kept: list[Span] = []
    last: dict[tuple[Family, str], int] = {}
    for _, span in sorted(enumerate(found), key=lambda item: (item[1].start, item[0])):
        key = (span.family, span.kind)
        at = last.get(key)
        if at is not None and kept[at].layer != span.layer and span.start < kept[at].end:
            kept[at] = _merged(kept[at], span)
        else:
            last[key] = len(kept)
            kept.append(span)
    return sorted(kept, key=lambda span: (span.start, span.end, span.family, span.kind))


def _merged(one: Span, other: Span) -> Span:
    plainer = other if _depth(other) < _depth(one) else one
    return replace(plainer, mention=one.mention and other.mention, weak=one.weak and other.weak)


def _depth(span: Span) -> tuple[int, str]:
    return (0 if span.layer == PLAIN else span.layer.count("+") + 1, span.layer)


@cache
def version() -> str:
    """Return a digest over the code and the rule data of everything in this package.

    It changes whenever the scanners could say something else: the key of cached verdicts.
    """
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for path in sorted(here.rglob("*")):
        if path.is_file() and path.suffix in (".py", ".json", ".npz", ".bin", ".txt"):
            digest.update(path.relative_to(here).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
