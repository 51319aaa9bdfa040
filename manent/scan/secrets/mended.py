"""Tokens that were broken, spaced out or turned round, put right before they are looked at.

Strings joined by a plus sign, encodings and invisible letters are readings of
their own (``manent.scan.reading``); what is mended here only makes sense for
tokens: a backslash before a line's end, single letters with blanks between
them, and letters from right to left.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from manent import late
from manent.scan.engine import Search, choice
from manent.scan.secrets.form import Form
from manent.scan.secrets.forms import FORMS
from manent.scan.secrets.tokens import Hit, Places, tokens

_BREAK = late.pattern(
    r"[\"'`]?[ \t]{0,8}[+.&,\\]?[ \t]{0,8}\r?\n"
    r"[ \t>]{0,40}(?:[+.&][ \t]{0,8})?[\"'`]?(?=[A-Za-z0-9])"
)
"""What may stand between two parts of a token on two lines."""

LONGEST = 800
"""How much of a text is looked at from a broken token's key on, in letters."""

_SPACED = late.pattern(
    r"(?<![^\s`\"'(|:=])(?:[A-Za-z0-9_\-.+/=] ){15,400}[A-Za-z0-9_\-.+/=](?![^\s`\"')|,;])"
)
_RUN = late.pattern(r"[A-Za-z0-9_\-.+/=~:]{12,400}")


def mended(text: str, raw: bytes) -> Iterator[Hit]:
    """Yield the tokens that only show once ``text`` is put right; ``raw`` is its UTF-8 form."""
    if _engine("any").first(raw) is None:
        return
    yield from _broken(text, raw)
    if _engine("spaced").first(raw):
        for run in _SPACED.finditer(text):
            whole = run.group().replace(" ", "")
            for hit in tokens(whole, whole.encode()):
                yield hit._replace(
                    start=run.start() + 2 * hit.start, end=run.start() + 2 * hit.end - 1
                )
    yield from _turned(text, raw)


def _broken(text: str, raw: bytes) -> Iterator[Hit]:
    """Yield the tokens that go on in the next line."""
    place = Places(text, raw)
    at = 0
    while seen := _engine("broken").first(raw, at):
        start = place.of(seen[0])
        piece = text[start : start + LONGEST]
        whole = _BREAK.sub("", piece, count=4)
        hit = next(tokens(whole, whole.encode("utf-8", "surrogatepass")), None)
        if hit and hit.start == 0 and not piece.startswith(hit.value):
            yield Hit(start, start + _reach(piece, hit.end), hit.kind, hit.value)
        at = seen[1]


def _reach(piece: str, length: int) -> int:
    """Return how much of ``piece`` spells the first ``length`` letters without its breaks."""
    at = 0
    for found in _BREAK.finditer(piece):
        if found.start() - at >= length:
            break
        length -= found.start() - at
        at = found.end()
    return at + length


KEY = 4
"""The shortest key that is looked for in a broken or turned token."""


@functools.cache
def _engine(name: str) -> Search:
    """Return the search for one of the three ways, or ``any`` for all of them in one pass."""
    return Search(mended_source() if name == "any" else _patterns()[name], case=True)


def mended_source() -> str:
    """Return the pattern of all three ways: whether there is any, not where."""
    return choice(*_patterns().values())


@functools.cache
def _patterns() -> dict[str, str]:
    telling = _keys()
    keys = "|".join(map(re.escape, telling))
    turned = "|".join(re.escape(key[::-1]) for key in telling)
    between = r"[\"'`]?[ \t]*[+.&,\\]?[ \t]*\r?\n[ \t>]*(?:[+.&][ \t]*)?[\"'`]?[A-Za-z0-9]"
    return {
        "broken": rf"(?:{keys})[A-Za-z0-9_\-./+=%]*{between}",
        "spaced": r"(?:[A-Za-z0-9_\-.+/=] ){15}[A-Za-z0-9_\-.+/=]",
        "turned": turned,
    }


def _keys() -> list[str]:
    keys = {key for form in FORMS if _telling(form) for key in form.literals}
    telling = (key for key in keys if len(key) >= KEY and key[-1] in "_-.")
    return sorted(telling, key=lambda key: (-len(key), key))


def _telling(form: Form) -> bool:
    return not form.seek and form.entropy > 0


def _turned(text: str, raw: bytes) -> Iterator[Hit]:
    """Yield the tokens that are written from right to left, so that the key comes last."""
    place = Places(text, raw)
    at = 0
    while seen := _engine("turned").first(raw, at):
        start, end = place.of(seen[0]), place.of(seen[1])
        at = seen[1]
        before = _RUN.match(text[max(0, start - 400) : end][::-1])
        if before is None or text[end : end + 1].isalnum():
            continue
        whole = before.group()
        for hit in tokens(whole, whole.encode()):
            yield hit._replace(start=end - hit.end, end=end - hit.start)
