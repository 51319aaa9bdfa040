"""``manent grep``: lines of notes that match a pattern, in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import click

from manent.cli.asking import asker, asking, pair, print_json
from manent.cli.opening import identity_options, vault_options

WIDTH = 300
"""Characters of a line that are shown at most, around the match."""


class Match(NamedTuple):
    """A line that matches. line counts from 1 in the file."""

    name: str
    path: str
    line: int
    text: str


@click.command()
@click.argument("vault", required=False)
@click.argument("pattern", required=False)
@click.option("-i", "--ignore-case", is_flag=True, help="Letters match in either case.")
@click.option("--limit", type=click.IntRange(1), default=1000, help="At most this many [1000].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@vault_options
@identity_options
@click.pass_context
def grep(ctx: click.Context, /, vault: str | None, pattern: str | None, **options: Any) -> None:
    """Print the lines of VAULT's notes that match PATTERN, a regular expression.

    Exits 1 when there is none.

    Example: manent grep my-vault "port [0-9]+"
    """
    vault, pattern = pair(vault, pattern, "pattern")
    from manent.pattern import compiled

    wanted = compiled(pattern, options["ignore_case"])
    with asking(asker(ctx, vault, options)) as asked:
        found, more = _first(_matches(asked.view, wanted), options["limit"])
        if options["as_json"]:
            rows = [m._asdict() for m in found]
            print_json({"pattern": pattern, "tree": asked.tree, "matches": rows, "more": more})
        else:
            _print_lines(found, more)
    ctx.exit(0 if found else 1)


def _matches(view: Any, compiled: Any) -> Iterator[Match]:
    for note in view.notes():
        # Not splitlines: lines are counted as findings and editors count them.
        for number, line in enumerate(_lines(view.text(note)), start=1):
            hit = compiled.search(line)
            if hit:
                start = max(0, hit.start() - WIDTH // 3)
                yield Match(note.name, note.path, number, line[start : start + WIDTH])


def _lines(text: str) -> Iterator[str]:
    lines = text.removesuffix("\n").split("\n") if text else []
    return (line.removesuffix("\r") for line in lines)


def _first(matches: Iterator[Match], limit: int) -> tuple[list[Match], bool]:
    found: list[Match] = []
    for match in matches:
        if len(found) == limit:
            return found, True
        found.append(match)
    return found, False


def _print_lines(found: list[Match], more: bool) -> None:
    from manent.finding import inert

    for match in found:
        where = f"{click.style(inert(match.path), fg='magenta')}:{match.line}"
        click.echo(f"{where}:{inert(match.text)}")
    if more:
        click.echo("manent: there are more; raise --limit to see them", err=True)
