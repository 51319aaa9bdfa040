"""What is hidden in characters that nobody sees, whatever it says.

Joiners next to letters that join, emoji sequences, the three sub-region flags,
ideographic and Mongolian variation sequences and the marks of right-to-left
prose are what such characters are for. What is found here is what is left.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from manent import late
from manent.finding import digest_of
from manent.scan.reading import PLAIN, Reading
from manent.scan.span import Family, Span
from manent.scan.unseen import UNSEEN, hidden_bits, hidden_bytes, hidden_tags

_ASCII = bytes(range(128))
_ANY = late.pattern(f"[{UNSEEN}]")
_RUN = late.pattern(f"[{UNSEEN}]{{4,}}")
_ROW = late.pattern(f"[{UNSEEN}\u0335-\u0338\u0488\u0489]{{2,}}")
_TURNING = late.pattern("[\u202b\u202d\u202e\u2067]")
_BETWEEN_LETTERS = late.pattern(
    f"(?:[A-Za-z][{UNSEEN}\u0335-\u0338\u0488\u0489]{{1,8}}){{4,}}[A-Za-z]"
)
_TAG = late.pattern("[\U000e0000-\U000e007f]+")
_OVERRIDE = late.pattern("[\u202d\u202e]([^\u202c\n]{0,2000})")
_WRAPPED = late.pattern("[\u202b\u2067]([^\u202c\u2069\n]{1,2000})[\u202c\u2069]?")
_EMAIL_FILLER = late.pattern("[\u034f\u200c\u200b\ufeff\u00ad\u2007\u00a0 ]+")
_RIGHT_TO_LEFT = late.pattern(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)

LATIN_LETTERS = 6
"""How many Latin letters in a right-to-left wrapper, in a line that holds no
right-to-left letter, make it a disguise rather than a name or a number."""


def unseen(reading: Reading) -> Iterator[Span]:
    """Yield what the invisible characters of a text, read as it stands, hide."""
    text = reading.text
    # What stands in a row in the text does so without its ASCII, of which most text is.
    beyond = reading.raw.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    if _ANY.search(beyond) is None:
        return
    if _ROW.search(beyond):
        for start, end, layer in _spelled(text):
            yield _span(reading, "hidden-text", layer, start, end)
        for match in _RUN.finditer(text):
            if not _belongs(match[0]):
                yield _span(reading, "invisible-run", PLAIN, match.start(), match.end())
        for match in _BETWEEN_LETTERS.finditer(text):
            if not _hyphenated(match[0]):
                yield _span(reading, "invisible-run", PLAIN, match.start(), match.end())
    if _TURNING.search(beyond):
        yield from _directions(reading)


def _spelled(text: str) -> Iterator[tuple[int, int, str]]:
    for said, start, end in hidden_tags(text):
        if said.strip():
            yield start, end, "tags"
    for said, start, end in hidden_bytes(text):
        if _legible(said):
            yield start, end, "variation-selectors"
    for _, start, end in hidden_bits(text):
        yield start, end, "invisible-bits"


def _legible(said: str) -> bool:
    shown = sum(c.isprintable() and c != "\ufffd" for c in said)
    return len(said) >= 3 and shown >= 0.9 * len(said)


def _belongs(run: str) -> bool:
    """Whether a run of invisible characters is one that honest text holds.

    Tags are judged by what they spell; a soft hyphen or a mark said again and
    again is clumsy, not a message: it takes two kinds to spell one.
    """
    kinds = set(run)
    if any("\U000e0000" <= c <= "\U000e007f" for c in kinds):
        return True
    if kinds <= {
        "\u200e",
        "\u200f",
        "\u061c",
        "\u202a",
        "\u202b",
        "\u202c",
        "\u2066",
        "\u2067",
        "\u2068",
        "\u2069",
    }:
        return len(run) < 12
    return len(run) < 12 and len(kinds) == 1


def _hyphenated(word: str) -> bool:
    """Soft hyphens alone, and not after every letter: a word that may be broken."""
    unseen_kinds = {c for c in word if not c.isalpha()}
    return unseen_kinds == {"\u00ad"} and len(word) < 10


def _directions(reading: Reading) -> Iterator[Span]:
    text = reading.text
    for match in _OVERRIDE.finditer(text):
        if sum(map(str.isalpha, match[1])) >= 3:
            yield _span(reading, "bidi", PLAIN, match.start(), match.end())
    for match in _WRAPPED.finditer(text):
        if _disguised(text, match.start(), match.end(), match[1]):
            yield _span(reading, "bidi", PLAIN, match.start(), match.end())


def _disguised(text: str, start: int, end: int, inside: str) -> bool:
    if sum(c.isalpha() and "LATIN" in unicodedata.name(c, "") for c in inside) < LATIN_LETTERS:
        return False
    line_start = text.rfind("\n", max(0, start - 4000), start) + 1
    line_end = text.find("\n", end, end + 4000)
    line = text[max(line_start, start - 4000) : line_end if line_end >= 0 else end + 4000]
    return _RIGHT_TO_LEFT.search(line) is None


def _span(reading: Reading, kind: str, layer: str, start: int, end: int) -> Span:
    hidden = reading.text[start:end]
    return Span(
        start=start,
        end=end,
        family=Family.INJECTION,
        kind=kind,
        layer=layer,
        masked=f"{len(hidden)} characters",
        digest=digest_of(hidden),
        mention=False,
    )
