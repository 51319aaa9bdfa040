"""Injection lines of many hands: phrases from ``sets/injection_*.tsv``, put into carriers.

A row is kind, language and phrase. The phrases were written before the rules that
find them were looked at; the first-sight figures are in ``eval/scan/README.md``.
The rows of the languages other than English say the same things in the same order,
and rows go to the two halves by turns within a language: so an *idea* is in one
half only, in whatever language, and the ``report`` half shows what the rules make
of ideas they were not written on.

``injection_demands*.tsv`` say the half of each row first: what rules were written on
is ``rules``, what was worded anew for the same kinds afterwards is ``report``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eval.scan.sets.make_injection import FILLERS, carried

HERE = Path(__file__).parent / "sets"
CARRIERS = 3
"""How many carriers a guilty phrase is put into, beside standing plainly in a note."""


def rows(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield kind, language, phrase and half of each row of a set."""
    turns: Counter[str] = Counter()
    for row in (HERE / f"{name}.tsv").read_text("utf-8").splitlines():
        kind, language, phrase = row.split("\t")
        turns[language] += 1
        half = "report" if turns[language] % 2 else "rules"
        yield kind, language, phrase.replace("\\n", "\n"), half


def lines(seed: int) -> Iterator[dict[str, Any]]:
    """Yield every line, guilty ones first; ``seed`` chooses the sentences around them."""
    for number, line in enumerate((*_guilty(seed), *_hard(), *_innocent(seed))):
        yield {"id": f"many-{number:05d}", **line}
    for number, line in enumerate(_demands(seed)):
        yield {"id": f"demand-{number:05d}", **line}


def _demands(seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed + 2)
    for half, kind, language, phrase in _halved("injection_demands"):
        ways = list(carried(phrase, chance)) if _plain(phrase) else []
        for carrier, text in [("alone", phrase), *ways[:1], *chance.sample(ways[1:], bool(ways))]:
            yield _line(text, kind, language, half, carrier=carrier, label="injection")
    for half, kind, language, phrase in _halved("injection_demands_innocent"):
        one, two = chance.sample(FILLERS, 2)
        for text in (phrase, f"{one}\n\n{phrase}\n\n{two}\n"):
            yield _line(text, f"{kind}_demands", language, half, carrier="plain", label="benign")


def _halved(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield half, kind, language and phrase of each row of a set that says the halves."""
    for row in (HERE / f"{name}.tsv").read_text("utf-8").splitlines():
        half, kind, language, phrase = row.split("\t")
        yield half, kind, language, phrase.replace("\\n", "\n")


def _plain(phrase: str) -> bool:
    """Whether a phrase stands in no carrier of its own yet."""
    return "\n" not in phrase and not any(mark in phrase for mark in ("<", "](", "{", "```"))


def _guilty(seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed)
    turn = 0
    for kind, language, phrase, half in rows("injection_authors"):
        ways = list(carried(phrase, chance))
        others = [ways[1 + (turn + n) % (len(ways) - 1)] for n in range(CARRIERS)]
        turn += CARRIERS
        for carrier, text in [("alone", phrase), ways[0], *others]:
            yield _line(text, kind, language, half, carrier=carrier, label="injection")


def _hard() -> Iterator[dict[str, Any]]:
    for kind, language, phrase, half in rows("injection_hard"):
        yield _line(phrase, kind, language, half, carrier="alone", label="injection")


def _innocent(seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed + 1)
    for kind, language, phrase, half in rows("injection_innocent"):
        one, two = chance.sample(FILLERS, 2)
        for text in (phrase, f"{one}\n\n{phrase}\n\n{two}\n", f"## {one}\n\n- {phrase}\n- {two}\n"):
            yield _line(text, f"{kind}_many", language, half, carrier="plain", label="benign")


def _line(text: str, kind: str, language: str, half: str, **more: str) -> dict[str, Any]:
    return {"text": text, "kind": kind, "lang": language, "split": half, **more}
