"""``manent read``: one note."""

from __future__ import annotations

import sys
from typing import Any

import click

from manent.cli.asking import as_row, asker, asking, pair, print_json
from manent.cli.opening import identity_options, vault_options
from manent.cli.recording import follow


@click.command()
@click.argument("vault", required=False)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Frontmatter and body as one JSON document.")
@click.option("--gaps", metavar="REGISTER", help="Count searches that led here as read.")
@vault_options
@identity_options
@click.pass_context
def read(ctx: click.Context, /, vault: str | None, name: str | None, **options: Any) -> None:
    """Print the note NAME of VAULT, or of the current vault: by name or by path.

    Example: manent read my-vault port-map
    """
    vault, name = pair(vault, name, "note")
    with asking(asker(ctx, vault, options)) as asked:
        note = asked.view.find(name)
        if options["as_json"]:
            _print_document(asked, note)
        else:
            _print_file(asked.view.content(note))
        if options["gaps"]:
            follow(asked, options["gaps"], note.path)


def _print_document(asked: Any, note: Any) -> None:
    from manent.note import read as parse

    parsed = parse(asked.view.content(note))
    row = as_row(note)
    row |= {"tree": asked.tree, "frontmatter": parsed.frontmatter, "body": parsed.body}
    print_json(row)


def _print_file(content: bytes) -> None:
    """Write the file as it is; on a terminal, with nothing in it that could command one."""
    from manent.finding import inert

    if not sys.stdout.isatty():
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    for line in content.decode("utf-8", "replace").splitlines():
        click.echo(inert(line.replace("\t", "    ")))
