"""The page of each kind of finding, made from the families' own data.

``spec/rules/scan/`` holds one page a kind and a list of all. Placeholders in
braces stand for data that would itself be a finding; the tests of each family
fill them in and run the examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol


class Described(Protocol):
    """What every family says of a kind."""

    @property
    def kind(self) -> str:
        """Its name, as findings carry it."""

    @property
    def what(self) -> str:
        """What it is."""

    @property
    def why(self) -> str:
        """Why it is refused."""

    @property
    def flagged(self) -> str:
        """An example that is found."""

    @property
    def accepted(self) -> str:
        """An example that is not."""

    @property
    def source(self) -> str:
        """Who says so."""


def render(family: str, kind: Described) -> str:
    """Return the page of a kind as Markdown."""
    return (
        f"# {kind.kind}\n\n{_sentence(kind.what)}\n\n*{family}*\n\n"
        f"**Why**: {_sentence(kind.why)}\n\n"
        f"**Flagged**\n\n{_fenced(kind.flagged)}\n"
        f"**Accepted**\n\n{_fenced(kind.accepted)}\n"
        f"**Source**: {_sentence(kind.source)}\n"
    )


def contents(families: Mapping[str, Iterable[Described]]) -> str:
    """Return the list of all pages as Markdown."""
    parts = ["# What the scanners find\n"]
    for family, kinds in families.items():
        rows = [f"| [{kind.kind}]({kind.kind}.md) | {_cell(kind.what)} |" for kind in kinds]
        parts.append("\n".join([f"## {family}\n", "| kind | what |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _cell(text: str) -> str:
    return " ".join(text.split()).rstrip(".").replace("|", "\\|")


def _fenced(text: str) -> str:
    """Return a code block around ``text``, with a fence longer than any in it."""
    longest = max((len(run) for run in _runs(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}\n"


def _runs(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split() if run]
