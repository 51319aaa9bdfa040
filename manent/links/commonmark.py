"""The structure of a body by markdown-it-py: where no wheel of pyromark exists.

It is also the second opinion of the differential test. markdown-it gives lines
for blocks and nothing for what stands inside them. So the rules that consume
code, HTML, math and links are wrapped to note where they stood, and each line of
a block's content is found again in its source line, of which it is what remains
behind the container's marks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from manent import late
from manent.links.structure import Structure
from manent.links.wikilink import WIKILINK

_HIDING = ("backticks", "html_inline", "autolink", "math")
_LINKING = ("link", "image")
_SPANS = "manent.spans"
_CODE = late.pattern(r"(?<!`)(`+)(?!`).{1,200}?(?<!`)\1(?!`)")
_Span = tuple[int, int, str, str]


def structure(body: str) -> Structure:
    """Return the structure of a body."""
    found = Structure()
    env: dict[str, Any] = {}
    # Line endings and blanked characters as markdown-it reads them, without moving any offset.
    text = body.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\ufffd")
    tokens = _parser().parse(text, env)
    lines = _Lines(text)
    done = 0
    for index, token in enumerate(tokens):
        if token.type in ("fence", "code_block", "html_block") and token.map:
            found.hidden.append((lines.starts[token.map[0]], lines.starts[token.map[1]]))
            if token.type == "html_block":
                found.html.append(found.hidden[-1])
                found.blocks.append(found.hidden[-1])
        elif token.type == "inline" and token.content:
            opener = tokens[index - 1]
            offset, done = _offsets(token, opener, lines, done)
            if opener.type == "heading_open" and opener.map:
                found.headings.append(_heading(opener, offset(0), lines))
            _inline(token.content, offset, found, env)
    return found


def _heading(opener: Token, content: int, lines: _Lines) -> tuple[int, int, int]:
    first, last = opener.map or [0, 0]
    if opener.markup.startswith("#"):
        content = lines.text.find("#", lines.starts[first])
    return int(opener.tag[1]), content, lines.starts[last]


class _Lines:
    """Where each line of a text begins, and its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        at = text.find("\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = text.find("\n", at + 1)
        self.starts += [len(text), len(text)]


def _inline(
    content: str, offset: Callable[[int], int], found: Structure, env: dict[str, Any]
) -> None:
    spans: list[_Span] = []
    env[_SPANS] = spans
    _parser().inline.parse(content, _parser(), env, [])
    for start, end, url, name in spans:
        if name in _LINKING:
            found.links.append((offset(start), offset(end), url, name == "image"))
        else:
            found.hidden.append((offset(start), offset(end)))
            if name == "html_inline":
                found.html.append(found.hidden[-1])


def _offsets(
    token: Token, opener: Token, lines: _Lines, done: int
) -> tuple[Callable[[int], int], int]:
    """Return the map from places in a block's content to places in the text, and its end.

    done: the end of the block before (cells of a table share a line).
    """
    inside: list[int] = []
    places: list[int] = []
    at = 0
    cursor = max(done, lines.starts[(token.map or opener.map or [0])[0]])
    for line in token.content.split("\n"):
        place = max(lines.text.find(line, cursor), cursor)
        inside.append(at)
        places.append(place)
        at += len(line) + 1
        cursor = place + len(line)

    def offset(wanted: int) -> int:
        index = bisect_right(inside, wanted) - 1
        return places[index] + wanted - inside[index]

    return offset, cursor


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("inline")
    inline, block = parser.inline.ruler, parser.block.ruler
    inline.before("link", "wikilink", _wikilink)
    inline.before("escape", "math", _math)
    for rule in list(inline.__rules__):
        if rule.name in _HIDING or rule.name in _LINKING:
            inline.at(rule.name, _noting(rule.fn, rule.name))
    (reference,) = (rule.fn for rule in block.__rules__ if rule.name == "reference")
    block.at("reference", _no_footnote(reference))
    return parser


def _noting(rule: Callable[..., bool], name: str) -> Callable[..., bool]:
    """Wrap an inline rule so that what it consumes is noted as a span."""

    def noted(state: Any, silent: bool) -> bool:
        spans: list[_Span] = state.env[_SPANS]
        start, tokens, count = state.pos, len(state.tokens), len(spans)
        if not rule(state, silent):
            return False
        if silent:
            return True
        made = [token for token in state.tokens[tokens:] if token.type != "text"]
        if name == "image":
            # Its text was parsed by itself, so places noted meanwhile are not of this block.
            del spans[count:]
        if made:
            url = made[0].attrs.get("href", made[0].attrs.get("src", ""))
            spans.append((start, state.pos, str(url), name))
        return True

    return noted


def _no_footnote(rule: Callable[..., bool]) -> Callable[..., bool]:
    def reference(state: Any, first: int, last: int, silent: bool) -> bool:
        if state.src.startswith("[^", state.bMarks[first] + state.tShift[first]):
            return False
        return rule(state, first, last, silent)

    return reference


def _wikilink(state: Any, silent: bool) -> bool:
    """Keep ``[[...]]`` as text, so that no link is read inside it.

    Code binds tighter when it reaches out of the brackets.
    """
    match = WIKILINK.match(state.src, state.pos)
    if match is None or "`" in _CODE.sub("", match[0]):
        return False
    if not silent:
        state.pending += match[0]
    state.pos = match.end()
    return True


def _math(state: Any, silent: bool) -> bool:
    """Consume ``$$...$$`` and ``$...$``; the latter hugs its content on both sides."""
    if state.src[state.pos] != "$":
        return False
    display = state.src.startswith("$$", state.pos)
    close = _display_end(state) if display else _math_end(state)
    if close < 0:
        return False
    if not silent:
        token = state.push("math_inline", "", 0)
        token.content = state.src[state.pos : close]
    state.pos = close
    return True


def _display_end(state: Any) -> int:
    close = state.src.find("$$", state.pos + 2)
    return close + 2 if close > state.pos + 2 else -1


def _math_end(state: Any) -> int:
    src: str = state.src
    start: int = state.pos + 1
    none_after: dict[str, int] = state.env.setdefault("manent.math", {})
    if src[start : start + 1].isspace() or start >= none_after.get(src, len(src)):
        return -1
    close = src.find("$", start)
    while close >= 0 and (close == start or src[close - 1].isspace() or src[close - 1] == "\\"):
        close = src.find("$", close + 1)
    if close < 0:
        none_after[src] = start
    return close + 1 if close >= 0 else -1
