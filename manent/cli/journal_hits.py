"""Lines of journals beside the notes that a search finds, as the terminal asks and prints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manent.cli.asking import Asked
from manent.cli.opening import Place
from manent.journal.visible import Journals, Line


def lines(asked: Asked, query: str, limit: int) -> tuple[list[Line], list[str]]:
    """Return the newest lines that hold every word of ``query``, and remarks for stderr."""
    place = asked.found.place
    today = None
    if asked.view.of_the_past:
        now = replace(place, rev="")
        today = _journals(now, now.repository.resolve("HEAD")[1] if now.from_commit else None)
    found = _journals(place, asked.found.tree)
    return found.lines(asked.view.identity, query, limit, today)


def _journals(place: Place, tree: str | None) -> Journals:
    return Journals(place.root, place.repository, (tree or "") * place.from_commit, place.prefix)


def as_rows(found: list[Line]) -> list[dict[str, Any]]:
    """Return the lines as the JSON document has them."""
    return [line._asdict() for line in found]


def print_lines(found: list[Line]) -> None:
    """Print the lines for people."""
    import click

    from manent.finding import inert

    for line in found:
        said = inert(f"#{line.number} {line.date} {line.text}")
        click.echo(f"{click.style(inert(line.path), bold=True)}  {said}")
