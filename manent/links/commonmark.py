"""The structure of a body by markdown-it-py: where no wheel of pyromark exists.

markdown-it gives lines for blocks and nothing for what stands inside them. So
the rules that consume code, HTML and links are wrapped to note where they
stood, and each line of a block's content is found again in its source line, of
which it is what remains behind the container's marks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from manent.links.structure import Structure

_HIDING = ("backticks", "html_inline", "autolink", "math")
_LINKING = ("link", "image")


def structure(body: str) -> Structure:
    """Return the structure of a body."""
    found = Structure()
    env: dict[str, Any] = {}
    # markdown-it reads a lone CR as a line ending, and drops the CR of CRLF.
    text = body.replace("\r\n", " \n").replace("\r", " ")
    tokens = _parser().parse(text, env)
    lines = _Lines(text)
    for index, token in enumerate(tokens):
        if token.type in ("fence", "code_block", "html_block") and token.map:
            found.hidden.append((lines.starts[token.map[0]], lines.starts[token.map[1]]))
        elif token.type == "heading_open" and token.map:
            start, end = (lines.starts[line] for line in token.map)
            start += _marks(text[start:end])
            found.headings.append((int(token.tag[1]), start, end))
        elif token.type == "inline" and token.content:
            _inline(token, tokens[index - 1], lines, found, env)
    return found


class _Lines:
    """Where each line of a text begins, and one past the last."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        at = text.find("\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = text.find("\n", at + 1)
        self.starts += [len(text), len(text)]


def _marks(element: str) -> int:
    """Return how much container markup stands before a heading."""
    return len(element) - len(element.lstrip(" \t>-*+0123456789.)"))


def _inline(
    token: Token, opener: Token, lines: _Lines, found: Structure, env: dict[str, Any]
) -> None:
    spans = _spans(token.content, env)
    if not spans:
        return
    first = (token.map or opener.map or [0])[0]
    offset = _offsets(token.content, first, lines)
    for start, end, url, name in spans:
        if name in _LINKING:
            found.links.append((offset(start), offset(end), url, name == "image"))
        else:
            found.hidden.append((offset(start), offset(end)))


def _offsets(content: str, first: int, lines: _Lines) -> Callable[[int], int]:
    """Return the map from places in a block's content to places in the text."""
    begins: list[tuple[int, int]] = []
    at = 0
    cursor = lines.starts[min(first, len(lines.starts) - 1)]
    for line in content.split("\n"):
        place = lines.text.find(line, cursor)
        place = cursor if place < 0 else place
        begins.append((at, place))
        at += len(line) + 1
        cursor = place + len(line)

    def offset(inside: int) -> int:
        from bisect import bisect_right

        begin, place = begins[bisect_right(begins, (inside, len(lines.text))) - 1]
        return place + inside - begin

    return offset


def _spans(content: str, env: dict[str, Any]) -> list[tuple[int, int, str, str]]:
    spans: list[tuple[int, int, str, str]] = []
    env["manent"] = spans
    _parser().inline.parse(content, _parser(), env, [])
    return spans


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.inline.ruler.before("escape", "math", _math)
    ruler = parser.inline.ruler
    for rule in ruler.__rules__:
        if rule.name in _HIDING + _LINKING:
            ruler.at(rule.name, _noting(rule.fn, rule.name))
    return parser


def _noting(rule: Callable[..., bool], name: str) -> Callable[..., bool]:
    def noted(state: Any, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        consumed = rule(state, silent)
        if consumed and not silent and "manent" in state.env:
            made = [token for token in state.tokens[before:] if token.type != "text"]
            if made:
                url = made[0].attrs.get("href", made[0].attrs.get("src", ""))
                state.env["manent"].append((start, state.pos, str(url), name))
        return consumed

    return noted


def _wikilink(state: Any, silent: bool) -> bool:
    """Keep ``[[...]]`` as text, so that no link is read inside it."""
    from manent.links.patterns import WIKILINK

    match = WIKILINK.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        state.pending += match[0]
    state.pos = match.end()
    return True


def _math(state: Any, silent: bool) -> bool:
    return False
