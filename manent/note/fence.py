"""Where a note's header ends and its body begins.

A header opens with exactly ``---`` on the first line, after a byte-order mark if
there is one, and closes at the next line that is exactly ``---``; blanks may
trail either. Anything else (``-----``, an indented fence, a block lower down)
is body. A line ``...`` closes nothing: editors do not agree on it.
"""

from __future__ import annotations

from manent import late
from manent.values import dataclass

MARK = "\ufeff"
"""The byte-order mark, as decoded."""

_OPENING = late.pattern(r"---[ \t]*\r?\n")
_CLOSING = late.pattern(r"\n---[ \t]*(?:\r?\n|\r?\Z)")
_EMPTY = late.pattern(r"---[ \t]*(?:\r?\n|\r?\Z)")
_LOOKS_LIKE_KEY = late.pattern(
    r"[ \t]*(?:#[^\n]*\r?\n|\r?\n)*[A-Za-z_][\w -]{0,63}:(?:[ \t\r\n]|\Z)"
)


@dataclass(frozen=True, slots=True)
class Fences:
    """Offsets, in code points of the whole text. The header is ``text[header:closing]``.

    open: the text begins with a fence and what follows reads like keys, but
    nothing closes it.
    """

    header: int
    closing: int
    body: int
    open: bool = False

    @property
    def found(self) -> bool:
        """Whether there is a header, be it empty."""
        return self.closing >= 0


def split(text: str) -> Fences:
    """Return where header and body of a note stand."""
    start = 1 if text.startswith(MARK) else 0
    if not text.startswith("---", start):
        return Fences(start, -1, start)
    opening = _OPENING.match(text, start)
    if opening is None:
        return Fences(start, -1, start)
    header = opening.end()
    empty = _EMPTY.match(text, header)
    if empty:
        return Fences(header, header, empty.end())
    # The newline before the fence belongs to the header's last line.
    closing = _CLOSING.search(text, header)
    if closing:
        return Fences(header, closing.start() + 1, closing.end())
    return Fences(start, -1, start, open=_LOOKS_LIKE_KEY.match(text, header) is not None)
