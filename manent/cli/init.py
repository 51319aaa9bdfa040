"""``manent init``: a new vault in a git repository."""

from __future__ import annotations

import datetime
import os
import secrets
from pathlib import Path
from typing import Any

import click

from manent.errors import UsageError


@click.command()
@click.argument("directory", metavar="DIR")
@click.option(
    "--template",
    type=click.Choice(["empty", "example"]),
    default="empty",
    show_default=True,
    help="Begin with the bare layout, or with a copy of the example vault.",
)
@click.option("--audiences", default="", metavar="A,B", help="Close the set of labels to these.")
@click.option(
    "--frontmatter",
    type=click.Choice(["required", "optional"]),
    help="Whether notes must have a frontmatter [default: required].",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def init(ctx: click.Context, /, directory: str, **options: Any) -> None:
    """Make DIR a vault: layout, templates, settings, git repository, local hooks.

    Every file that stands there already is kept as it is.

    Example: manent init my-vault --audiences team,public
    """
    from manent.cli.opening import refuse_secrets
    from manent.scaffold import Plan, scaffold

    if not directory:  # what a shell makes of a variable that is not set
        raise UsageError("DIR is empty", "name a folder; . is this one")
    folder = Path(directory)
    refuse_secrets(folder)
    plan = Plan(
        options["template"],
        tuple(label.strip() for label in options["audiences"].split(",") if label.strip()),
        options["frontmatter"],
        secrets.token_hex(16),
        datetime.date.today(),
    )
    outcome = scaffold(folder, plan, os.environ, _install_hooks)
    if options["as_json"]:
        _print_json(folder, outcome)
    elif not ctx.obj["quiet"]:
        _print_text(folder, outcome)


def _install_hooks(root: Path) -> list[str]:
    from manent.cli.journal_hooks import install as install_driver
    from manent.gate.install import LOCAL, install
    from manent.repo.open import discover

    repository = discover(root, os.environ)
    assert repository is not None, "git init was run just before"
    return [*install(repository, LOCAL), *install_driver(repository, fresh=True)]


def _print_json(folder: Path, outcome: Any) -> None:
    from manent.cli.asking import print_json

    print_json(
        {
            "vault": str(folder.resolve()),
            "initialised": outcome.initialised,
            "made": outcome.made,
            "kept": outcome.kept,
            "hooks": outcome.hooks,
            "remarks": outcome.remarks,
        }
    )


def _print_text(folder: Path, outcome: Any) -> None:
    from manent.finding import counted

    notes = sum(path.endswith(".md") for path in outcome.made)
    made = counted(len(outcome.made), "file")
    click.echo(f"{folder}: {made} made, {notes} of them notes and templates")
    if outcome.kept:
        shown = ", ".join(outcome.kept[:5]) + (", …" if len(outcome.kept) > 5 else "")
        click.echo(f"kept what stood there: {shown}")
    for line in outcome.hooks:
        click.echo(line)
    for remark in outcome.remarks:
        click.echo(f"manent: {remark}", err=True)
    if outcome.initialised:
        click.echo("next: write a note, then `git add -A && git commit`")
