"""What is generated around an always-loaded body, and taking it off again.

A stub is the body, one line end, and a block between two markers; ``always.md``
is the same with other paths. The markers never occur in the compiled text, so
that taking the block off gives the body back to the byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from manent import late
from manent.memfile.guidance import guidance
from manent.memfile.manifest import WORKSPACE, OnDemand

_NAME = "manent:memory"


class Stripped(NamedTuple):
    """A stub without its generated block. tail: what somebody appended after it."""

    body: str
    tail: str


def markers(text: str) -> tuple[str, str]:
    """Return a pair of marker lines, neither of which occurs in ``text``."""
    number = 1
    while True:
        mark = _NAME if number == 1 else f"{_NAME} {number}"
        begin, end = f"<!-- {mark} begin -->", f"<!-- {mark} end -->"
        if begin not in text and end not in text:
            return begin, end
        number += 1


def newline_of(text: str) -> str:
    """Return the line end that most lines of a text have; LF where there is none."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda end: counts[end])


def routing_line(path: str, triggers: Sequence[str], prefix: str = "") -> str:
    """Return the one line that says when to open an on-demand file."""
    words = ", ".join(triggers)
    return f"- `{prefix}{path}`: {words}" if words else f"- `{prefix}{path}`"


def block(
    files: Iterable[OnDemand], profile: str, begin: str, end: str, newline: str, prefix: str = ""
) -> str:
    """Return the generated block, its markers included; it ends with a line end.

    prefix: what leads from the file it stands in to the workspace.
    """
    lines = [begin, *guidance(profile)]
    lines.extend(routing_line(entry.path, entry.triggers, prefix) for entry in files)
    return newline.join((*lines, end, ""))


def stub_prefix() -> str:
    """Return what leads from the stub into the workspace."""
    return f"{WORKSPACE}/"


def joined(body: str, generated: str, newline: str) -> str:
    """Return a body with its generated block under it."""
    return f"{body}{newline}{generated}" if body else generated


def stripped(text: str, begin: str, end: str, newline: str) -> Stripped | None:
    """Take the generated block off; None where its two markers are not there, once each."""
    if text.count(begin) != 1 or text.count(end) != 1:
        return None
    first, last = text.index(begin), text.index(end)
    if last < first:
        return None
    body = text[:first]
    for ending in (newline, "\r\n", "\n", "\r"):
        if body.endswith(ending):
            body = body.removesuffix(ending)
            break
    tail = text[last + len(end) :]
    for ending in (newline, "\r\n", "\n", "\r"):
        if tail.startswith(ending):
            return Stripped(body, tail.removeprefix(ending))
    return Stripped(body, tail)


_LISTED = late.pattern(r"^- `(?:\.memory/)?(on-demand/[^`\r\n]+)`", 8)


def listed(generated: str) -> list[str]:
    """Return the on-demand paths a routing list names, in order."""
    return _LISTED.findall(generated)


_MARKED = late.pattern(r"<!-- (manent:memory(?: [0-9]{1,6})?) begin -->")


def unlisted(text: str) -> tuple[str, list[str], str] | None:
    """Take a stub apart by its markers alone: its body, the paths it lists, what follows.

    For where no manifest says which markers they are; None where there are none.
    """
    for found in _MARKED.finditer(text):
        begin, end = found[0], f"<!-- {found[1]} end -->"
        taken = stripped(text, begin, end, newline_of(text))
        if taken is not None:
            generated = text[text.index(begin) : text.index(end)]
            return taken.body, listed(generated), taken.tail
    return None
