"""``manent spec``: print the specification, or the schema of a note type."""

from __future__ import annotations

import click

from manent import data
from manent.errors import UsageError


@click.command()
@click.option("--schema", "name", metavar="TYPE", help="Print the JSON Schema of TYPE, or base.")
def spec(name: str | None) -> None:
    """Print SPEC.md, the contract that notes and gates keep.

    Example: manent spec --schema feedback
    """
    click.echo(data.path(_file(name)).read_text(encoding="utf-8"), nl=False)


def _file(name: str | None) -> str:
    if name is None:
        return "spec/SPEC.md"
    from manent.schema import TYPES

    if name != "base" and name not in TYPES:
        raise UsageError(f"no schema {name}", "one of base, " + ", ".join(TYPES))
    return f"spec/schema/{name}.json"
