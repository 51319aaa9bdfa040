"""The pages, each put together into one document that loads nothing.

A page gets its data from the host alone, shows the words of notes as text, and changes
nothing: what would act is a command that a person copies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_HERE = Path(__file__).parent

PAGES: Mapping[str, tuple[str, str, tuple[str, ...], bool]] = {
    "quarantine": (
        "Quarantine", "brain_quarantine", ("page.js", "rows.js", "quarantine.js"), False
    ),
    "gaps": ("Open gaps", "brain_gaps", ("page.js", "rows.js", "gaps.js"), True),
    "graph": ("Graph", "brain_graph", ("page.js", "layout.js", "graph.js"), False),
}  # fmt: skip
"""By name: its title, the tool whose answers it shows, its scripts, whether owners alone get it."""


class Resource(NamedTuple):
    """A page as a resource. ui: what hosts read in ``_meta.ui``."""

    uri: str
    name: str
    html: str
    ui: Mapping[str, Any]
    owner_only: bool


def resources() -> list[Resource]:
    """Return every page."""
    # No domain is named: nothing is to be reached, and hosts take that for the strictest.
    ui = {
        "csp": {"connectDomains": [], "resourceDomains": [], "frameDomains": []},
        "prefersBorder": True,
    }
    return [
        Resource(f"ui://manent/{name}", title, document(name), ui, owner_only)
        for name, (title, _, _, owner_only) in PAGES.items()
    ]


@cache
def document(name: str) -> str:
    """Return the HTML of a page."""
    title, _, scripts, _ = PAGES[name]
    script = "\n".join(_text(part) for part in scripts)
    values = {"title": title, "style": _text("page.css"), "script": script}
    return filled(_text("shell.html"), values)


def filled(shell: str, values: Mapping[str, str]) -> str:
    """Return a document with its places filled in, once: what is filled in has none."""
    return re.sub(r"\{([a-z]+)\}", lambda place: values[place[1]], shell)


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").strip()
