r"""Words and addresses cut by what a reader of the rendered note does not see.

Markup between two letters (``ig**no**re``), a backslash before a sign
(``name\@host``), and the escapes of mail (``name=40host``, a line that ends in ``=``).
"""

from __future__ import annotations

import re

from manent import late
from manent.scan.decoded import Decoded, Sought, rewrite

_GLUE = late.pattern(
    r"(?:\*(?<=[^\W_]\*)\*{0,2}|_(?<=[^\W_]_)_|~(?<=[^\W_]~)~|=(?<=[^\W_]=)=|`(?<=[^\W_]`)"
    r"|%(?<=[^\W_]%)%[^%\n]{0,60}%%|<(?<=[^\W_]<)/?[A-Za-z][^<>\n]{0,40}>"
    r"|<(?<=[^\W_]<)!--.{0,60}?-->|-(?<=[^\W_]-)\r?\n[ \t>]{0,9})(?=[^\W_])"
)
"""What stands between two letters. Each way begins with its own sign, so that the search is
for the signs and not for letters, of which there are many more."""
_CONCATENATED = late.pattern(r"[\"'`][ \t]*(?:\+|\.\.|\.|&|\|\|)[ \t]*(?:\r?\n[ \t]*)?[\"'`]")

_INLINE = (
    "(?:b|i|u|s|a|em|strong|span|font|wbr|nobr|code|tt|kbd|samp|sup|sub|small|big|mark|bdi|bdo"
    "|ins|del|abbr|var)"
)
"""Elements within a line. A name and an ``@`` with a line's end between them are two things."""
_MARK = rf"(?:\*{{1,3}}|__?|~~|`|</?{_INLINE}\b[^<>\n]{{0,60}}>|<!--[^\n]{{0,60}}?-->)"
_SOME = f"{_MARK}{{1,3}}"
_SIGNED = Sought(
    rf"(?i:{_SOME}[@.](?:{_SOME})?|@{_SOME})[0-9A-Za-z]",
    rf"(?i:(?<=[^\W_]){_SOME}([@.]){_SOME}(?=[^\W_])|(?<=[^\W_]){_SOME}(@)(?=[^\W_])"
    rf"|(@){_SOME}(?=[^\W_]))",
)
"""The sign of an address, with markup around it. Around a full stop it stands on both sides:
on one side only, a sentence ends there."""

CUTS = (_SIGNED, _GLUE, _CONCATENATED)
"""Where ``unglued`` changes a text."""

CUT_SIGNS = (
    r"[A-Za-z](?:\*{1,3}|__|~~|</?[A-Za-z][^<>\n]{0,40}>|-\r?\n[ \t>]*)[A-Za-z]",
    r"[A-Za-z](?:<!--[^\n]*?-->|%%[^%\n]*%%|`[A-Za-z]+`|==[A-Za-z]+==)[A-Za-z]",
    r"[\"'`][ \t]*(?:\+|\.\.|\.|&|\|\|)[ \t]*(?:\r?\n[ \t]*)?[\"'`]",
    r"[0-9a-z][*_~`]{1,3}@[0-9a-z*_~`<]|[\"'0-9a-z/-]>@[0-9a-z*_~`<]|@[*_~`]{1,3}[0-9a-z]",
    r"@<(?:/?[a-z]|!--)|[0-9a-z][*_]{1,3}\.[*_]{1,3}[0-9a-z]|[\"'0-9a-z/-]>\.<",
)
"""What must occur for ``unglued`` to change anything."""


def unglued(text: str) -> Decoded | None:
    """Join words that markup, a comment, a hyphen at the line's end or ``" + "`` cuts in two."""
    found: Decoded | None = None
    for pattern in CUTS:
        next_one = rewrite(pattern, _sign, found.text if found else text)
        if next_one is not None:
            found = Decoded(next_one.text, found.trace.then(next_one.trace)) if found else next_one
    return found


def _sign(match: re.Match[str]) -> str:
    return match[match.lastindex] if match.lastindex else ""


# unescaped

ESCAPED = late.pattern(r"\\([-.@_+*~:/()\[\]{}=#`<>|!&\"'$%^,;?])")
"""A sign that Markdown shows without the backslash before it."""

ESCAPED_SIGNS = (r"[0-9a-z]\\[-.@_+*~:/()\[\]=][0-9a-z]", r"\\[+(][0-9]")


def unescaped(text: str) -> Decoded | None:
    r"""Read ``\@`` as ``@``, as whoever renders Markdown does."""
    return rewrite(ESCAPED, lambda match: match[1], text)


# quoted-printable

_OCTETS = r"(?:=[0-9A-Fa-f]{2})+"
QUOTED = late.pattern(rf"=[ \t]*\r?\n|{_OCTETS}")
"""A line that goes on in the next one, and bytes as two digits each."""
_LONE_AT = late.pattern(r"(?<=[0-9A-Za-z_-])=40(?=[0-9A-Za-z-]{1,63}\.)")
_BREAK_IN_WORD = r"[0-9A-Za-z@._-]=\r?\n[0-9A-Za-z@._-]"
_TELLING = rf"quoted-printable|=3D|{_BREAK_IN_WORD}|=[C-F][0-9A-F]=[89AB][0-9A-F]"
_TOLD = late.pattern(_TELLING)

QUOTED_SIGNS = (rf"(?-i:{_TELLING}|[0-9A-Za-z_-]=40[0-9A-Za-z-])",)


def quoted_printable(text: str) -> Decoded | None:
    """Read the body of a mail as it was written: ``=40`` as ``@``, lines that go on joined.

    Where nothing else says that a text is such a body, only an ``=40`` in an address counts.
    """
    if _TOLD.search(text):
        return rewrite(QUOTED, _unquoted, text)
    return rewrite(_LONE_AT, _unquoted, text)


_IN_QUERY = late.pattern(r"[?&][\w.-]{0,40}\Z")


def _unquoted(match: re.Match[str]) -> str:
    octets, start = match[0], match.start()
    if octets[1] in " \t\r\n":
        return ""
    if _IN_QUERY.search(match.string[max(0, start - 41) : start]):
        return octets  # ``?w=40`` in a link: a mail writes ``=3D`` there
    raw = bytes.fromhex(octets.replace("=", ""))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
