"""The text of a paragraph put together, where markup cuts it into pieces.

Word processors end and begin a run at every change of spelling or edit; to a reader
the pieces are one word. They are so here too, for files of office programs (docx, pptx,
xlsx, odt), drawings and pages.
"""

from __future__ import annotations

import html

from manent import late

# A tag ends before the next one begins, so that no text is gone through twice.
_TAG = late.pattern(r"<(/?)(?:[\w.-]{1,40}:)?([A-Za-z][\w.-]{0,60})([^<>]*)>")
_PARAGRAPHS = frozenset(
    "p h si is text title desc li td th dt dd div caption h1 h2 h3 h4 h5 h6".split()
)
_BLANKS = frozenset("tab s ptab".split())
_BREAKS = frozenset("br cr line-break tr table".split())
_RUNS = frozenset(("t", "delText"))
"""Where a paragraph has these, only they hold its text: the rest are measures and orders."""
_NEW_LINE = late.pattern(r"\s(?:y|dy)\s*=\s*[\"']?\s*-?[0-9.]*[1-9]")
_MOVED = "tspan"


def joined(text: str) -> str:
    """Return the paragraphs that markup cuts into pieces, each as it is read, in a line.

    "" where there are none: what stands in one piece is read where it stands.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return ""
    return "\n\n".join(_Paragraphs(_without_comments(text)).found)


def _without_comments(text: str) -> str:
    first, *others = text.split("<!--")
    whole = first + "".join(part.partition("-->")[2] for part in others)
    return whole.replace("<![CDATA[", "").replace("]]>", "")


class _Paragraphs:
    """Goes through a marked-up text once. found: what was put together."""

    def __init__(self, text: str) -> None:
        self.found: list[str] = []
        self._all: list[str] = []
        self._runs: list[str] = []
        self._inside, self._in_run, self._end = False, False, 0
        for tag in _TAG.finditer(text):
            self._text(text[self._end : tag.start()])
            self._tag(bool(tag[1]), tag[2], tag[3], tag.start(2) > tag.end(1))
            self._end = tag.end()
        self._close()

    def _text(self, piece: str) -> None:
        if piece and self._in_run:
            self._runs.append(piece)
        if piece and self._inside:
            self._all.append(piece)

    def _tag(self, closes: bool, name: str, rest: str, prefixed: bool) -> None:
        if name in _PARAGRAPHS or name.lower() in _PARAGRAPHS:
            self._close()
            self._inside = not closes and not rest.endswith("/")
        elif name in _RUNS:
            begun = not closes and not rest.endswith("/")
            self._in_run = begun and (self._inside or prefixed)
        elif name in _BLANKS:
            self._both(" ")
        elif name in _BREAKS or (name == _MOVED and not closes and _NEW_LINE.search(rest)):
            self._both("\n")

    def _both(self, sign: str) -> None:
        if self._inside:
            self._all.append(sign)
        if self._runs:
            self._runs.append(sign)

    def _close(self) -> None:
        pieces = self._runs or self._all
        if sum(bool(piece.strip()) for piece in pieces) > 1:
            self.found.append(html.unescape("".join(pieces)))
        self._all, self._runs = [], []
