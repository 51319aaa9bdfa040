"""The words that call for an on-demand file: hooks to open it, never what it says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from manent import late
from manent.memfile.document import split_lines
from manent.search.languages import STOP_BITS, stemmer
from manent.search.tokenizer import folded

MOST = 7
"""Words of one file, 2.4 tokens each on every turn. ``python -m eval.memory routing``: of
questions made of half the words of a sentence, 5 words lead 18% to the right file, 7 27%,
9 32%, 12 41%. No number is the right one; the step to 7 gives most for a token."""

_CODE = 2.0
"""What a word gains that stands between backquotes: it names a thing."""

_WORD = late.pattern(r"(?<![\w@/.])[^\W\d_][\w+#.-]{1,23}(?<![.-])(?![\w@/])")
_HEADING = late.pattern(r"[ ]{0,3}(\#{1,6})[ \t]+(.*)")
_SPAN = late.pattern(r"`([^`\r\n]{2,40})`")
_FENCE = late.pattern(r"[ ]{0,3}(?:```|~~~)")

_EMPTY = frozenset(
    """also any are can code common default details example examples file files following for
    general
    how important information kind list make more need note notes one order other overview part
    please project see section should some step steps sure thing things this time todo true type
    update used using value way what when where with your add new set get run first only must never
    always not don do use""".split()
)
"""Words that headings are full of, and that call for nothing."""


def triggers(texts: Sequence[str], most: int = MOST) -> list[tuple[str, ...]]:
    """Return the words for each of some texts: of its headings first, then what it alone says.

    Linear in the texts. No word has a digit run or a mark that could be a
    credential, an address or a line of Markdown.
    """
    counted = [_counts(text) for text in texts]
    spread = Counter(word for words in counted for word in words)
    return [_chosen(words, spread, len(texts), most) for words in counted]


@lru_cache(maxsize=256)
def _counts(text: str) -> dict[str, tuple[float, int, str]]:
    """Return stem to (weight, first place, the word as shown)."""
    found: dict[str, tuple[float, int, str]] = {}
    place, fenced = 0, False
    for line in split_lines(text):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        heading = None if fenced else _HEADING.match(line)
        weight = 12.0 - 2 * len(heading[1]) if heading else 0.25 if fenced else 1.0
        spans = " ".join(_SPAN.findall(line)) if not heading else ""
        for match in _WORD.finditer(heading[2] if heading else line):
            place += 1
            _count(found, match[0], weight + (_CODE if match[0] in spans else 0), place)
    return found


def _count(found: dict[str, tuple[float, int, str]], word: str, weight: float, place: int) -> None:
    shown = word.lower()
    key = folded(shown)
    if key in _EMPTY or key in STOP_BITS or len(key) < 3 or sum(map(str.isdigit, key)) > 2:
        return
    stem = stemmer(0).stemWord(key)
    before = found.get(stem)
    if before is None:
        found[stem] = (weight, place, shown)
    else:
        found[stem] = (before[0] + weight, before[1], before[2])


def _chosen(
    words: dict[str, tuple[float, int, str]], spread: Counter[str], texts: int, most: int
) -> tuple[str, ...]:
    def worth(item: tuple[str, tuple[float, int, str]]) -> tuple[float, int]:
        stem, (weight, place, _) = item
        rarity = math.log(1 + texts / spread[stem])
        return (-round((1 + math.log(1 + weight)) * rarity * min(weight, 8.0), 9), place)

    best = sorted(words.items(), key=worth)[:most]
    return tuple(shown for _, (_, _, shown) in best)
