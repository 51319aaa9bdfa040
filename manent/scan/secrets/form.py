"""What a published token looks like, as data; and how to make one up from it.

A Form is written in a small part of regular expressions (letters, ``[class]``,
``(?:a|b)``, ``{n}`` and ``{n,m}``), so that the same line finds tokens and makes
invented ones: for the pages' examples, for tests and for the labelled sets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from manent import late
from manent.values import dataclass

if TYPE_CHECKING:
    from random import Random


@dataclass(frozen=True, slots=True)
class Kind:
    """The page of one kind of finding.

    flagged: an example with ``{kind}`` where an invented secret is to be put
    (``example`` makes one). accepted: an example that is no finding.
    source: where the form is published, or what the rule rests on.
    """

    kind: str
    what: str
    why: str
    flagged: str
    accepted: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A token of a published form.

    keys: the distinctive letters a token begins with, looked for first.
    seek: what to look for instead where a token begins with nothing distinctive
    (in the engine's grammar: it must not begin with a long repetition).
    back: how many characters of the token may stand before what ``seek`` finds.
    entropy: least bits per character of what is not the key; 0 asks for none.
    loose: runs of one letter are part of the form.
    check: a published checksum or structure. It says whether a match is
    impossible: False drops it.
    """

    kind: str
    owner: str
    what: str
    pattern: str
    source: str
    keys: tuple[str, ...] = ()
    seek: str = ""
    back: int = 0
    entropy: float = 3.0
    loose: bool = False
    check: Callable[[str], bool] | None = None

    @property
    def literals(self) -> tuple[str, ...]:
        """The keys: those given, else the letters the pattern begins with."""
        return self.keys or (leading(self.pattern),)


_LEADING = late.pattern(r"(?:\\[^\w]|[^\\\[(.*+?{|^$])+")


def leading(pattern: str) -> str:
    """Return the plain letters that ``pattern`` begins with."""
    found = _LEADING.match(pattern)
    return re.sub(r"\\(.)", r"\1", found.group()) if found else ""


_PIECE = late.pattern(
    r"""(?P<set>\[(?:\\.|[^\]\\])+\])|\(\?:(?P<alt>[^()]*)\)|\\(?P<esc>.)|(?P<lit>[^\\\[(])""", re.X
)
_TIMES = late.pattern(r"\{(\d+)(?:,(\d+))?\}|(\?)")
_SHORT = {"d": "0123456789", "w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"}


def example(pattern: str, chance: Random) -> str:
    """Return an invented text of the form ``pattern``, drawn from ``chance``."""
    return "".join(_pieces(pattern, chance))


def _pieces(pattern: str, chance: Random) -> Iterator[str]:
    at = 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        if piece is None:
            raise ValueError(f"a form may not say {pattern[at:]!r}")
        at = piece.end()
        times = _TIMES.match(pattern, at)
        count = 1
        if times:
            at = times.end()
            low, high, maybe = times.groups()
            count = chance.randint(0, 1) if maybe else chance.randint(int(low), int(high or low))
        for _ in range(count):
            yield _one(piece, chance)


def _one(piece: re.Match[str], chance: Random) -> str:
    if piece["set"]:
        return chance.choice(letters(piece["set"][1:-1]))
    if piece["alt"] is not None:
        return example(chance.choice(_branches(piece["alt"])), chance)
    if piece["esc"]:
        return chance.choice(_SHORT[piece["esc"]]) if piece["esc"] in _SHORT else piece["esc"]
    return piece["lit"]


def _branches(text: str) -> list[str]:
    return re.split(r"(?<!\\)\|", text)


def letters(inside: str) -> str:
    """Return the letters of a character class, given what stands between its brackets."""
    found, at = [], 0
    while at < len(inside):
        if inside[at] == "\\":
            found.append(_SHORT.get(inside[at + 1], inside[at + 1]))
            at += 2
        elif inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            found.append("".join(map(chr, range(ord(inside[at]), ord(inside[at + 2]) + 1))))
            at += 3
        else:
            found.append(inside[at])
            at += 1
    return "".join(found)
