"""``manent list``: which notes there are."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from manent.cli.asking import as_row, asker, asking, print_json, status_of
from manent.cli.opening import identity_options, vault_options


@click.command("list")
@click.argument("vault", required=False)
@click.option("--type", "kind", help="Only notes of this type.")
@click.option("--status", help="Only notes of this status.")
@click.option("--limit", type=click.IntRange(1), help="At most this many.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@vault_options
@identity_options
@click.pass_context
def list_notes(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """List the notes of VAULT, or of the current vault, by path.

    Example: manent list my-vault --type moc
    """
    with asking(asker(ctx, vault, options)) as asked:
        wanted = (n for n in asked.view.notes() if _is_wanted(n, options))
        notes = list(islice(wanted, options["limit"]))
        if options["as_json"]:
            print_json({"tree": asked.tree, "notes": [as_row(n) for n in notes]})
        else:
            _print_lines(notes)
    ctx.exit(0 if notes else 1)


def _is_wanted(note: Any, options: dict[str, Any]) -> bool:
    kind, status = options["kind"], options["status"]
    return (kind is None or note.type == kind) and (status is None or status_of(note) == status)


def _print_lines(notes: list[Any]) -> None:
    from manent.finding import inert

    for note in notes:
        status = "" if status_of(note) == "active" else f" ({status_of(note)})"
        said = f"  {inert(note.description)}" if note.description else ""
        click.echo(f"{click.style(inert(note.path), bold=True)}{status}{said}")
