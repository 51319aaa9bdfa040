"""``manent neighbors``: the notes that a note is linked with."""

from __future__ import annotations

from typing import Any

import click

from manent.cli.asking import asker, asking, pair, print_json
from manent.cli.opening import identity_options, vault_options


@click.command()
@click.argument("vault", required=False)
@click.argument("name", required=False)
@click.option("--depth", type=click.IntRange(1, 3), default=1, help="How many steps [1].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@vault_options
@identity_options
@click.pass_context
def neighbors(
    ctx: click.Context, /, vault: str | None, name: str | None, depth: int, **options: Any
) -> None:
    """Print the notes linked with NAME, by edge kind and direction, nearest first.

    Example: manent neighbors my-vault port-map --depth 2
    """
    vault, name = pair(vault, name, "note")
    with asking(asker(ctx, vault, options)) as asked:
        note = asked.view.find(name)
        found = _neighbours(asked, note, depth)
        if options["as_json"]:
            rows = [_row(n) for n in found]
            print_json({"tree": asked.tree, "name": note.name, "neighbors": rows})
        else:
            _print_lines(found)
    ctx.exit(0 if found else 1)


def _neighbours(asked: Any, note: Any, depth: int) -> list[Any]:
    from manent.graph import Walk

    return Walk(asked.view, asked.view.notes_of).neighbours(note, depth)


def _row(found: Any) -> dict[str, Any]:
    return {
        "name": found.note.name,
        "path": found.note.path,
        "kind": found.kind,
        "direction": found.direction,
        "depth": found.depth,
    }


def _print_lines(found: list[Any]) -> None:
    from manent.finding import inert

    for n in found:
        arrow = "->" if n.direction == "out" else "<-"
        click.echo(f"{n.depth}  {arrow} {n.kind:11} {click.style(inert(n.note.path), bold=True)}")
