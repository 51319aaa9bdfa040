"""The grammar of a Markdown link's destination: ``path%20of%20note.md#heading``."""

from __future__ import annotations

from manent import late
from manent.links.link import Link, LinkKind

_ELSEWHERE = late.pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\{\{|%7B%7B")


def to_note(url: str, kind: LinkKind, line: int = 0, column: int = 0) -> Link | None:
    """Return the link a destination stands for, None where it leads to no note."""
    if not url or _ELSEWHERE.match(url) or url.endswith("/"):
        return None
    target, _, anchor = url.partition("#")
    if "%" in url:
        from urllib.parse import unquote  # most links have none, and a push waits for imports

        target, anchor = unquote(target), unquote(anchor)
    target, anchor = target.strip(), anchor.strip()
    if "\0" in target or "\n" in target or not (target or anchor):
        return None
    if anchor.startswith("^"):
        return Link(kind, target, "", anchor[1:], "", line, column)
    return Link(kind, target, anchor, "", "", line, column)
