"""``manent eval import``: a public test collection as a vault with a golden set."""

from __future__ import annotations

from pathlib import Path

import click

from manent.cli.asking import print_json
from manent.cli.opening import say


@click.command(name="import")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.argument("vault", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def import_collection(ctx: click.Context, /, folder: str, vault: str, as_json: bool) -> None:
    """Write the collection in DIR as the vault VAULT, and VAULT/golden.json.

    DIR holds corpus.jsonl, queries.jsonl and qrels.tsv.

    Example: manent eval import scifact scifact-vault
    """
    from manent.evaluate import collection

    done = collection.write(collection.load(Path(folder)), Path(vault))
    remarks = [f"judged documents that are not in the corpus: {len(done.unknown)}"]
    say(remarks if done.unknown else [], bool(ctx.obj["quiet"]))
    if as_json:
        unknown = list(done.unknown)
        print_json({"notes": done.notes, "queries": done.queries, "unknown": unknown})
    elif not ctx.obj["quiet"]:
        click.echo(f"{done.notes} notes and {done.queries} queries in {vault}")
