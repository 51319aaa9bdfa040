"""``manent eval sweep``: the ranker's constants, tried one by one on what you have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from manent.cli.asking import asker, asking
from manent.cli.evaluating import read_golden, write_text
from manent.cli.opening import say, vault_options
from manent.cli.ranking import index_of
from manent.errors import UsageError


@click.command()
@click.argument("vault", required=False)
@click.option("--golden", type=click.Path(), help="Try on VAULT with this golden set.")
@click.option(
    "--collection", "collections", multiple=True, type=click.Path(), help="Try on this folder too."
)
@click.option("--most", default=0, type=click.IntRange(0), help="Queries of a collection [all].")
@click.option("--out", type=click.Path(), help="Write the table to this file too.")
@vault_options
@click.pass_context
def sweep(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """Try the constants of bm25 and hybrid one by one, and print nDCG@10 as tables.

    Every second query chooses, the others judge: a setting is better only where it
    is so on both halves. A collection is a folder with corpus.jsonl, queries.jsonl
    and qrels.tsv.

    Example: manent eval sweep my-vault --golden golden.json --collection scifact
    """
    from manent.evaluate import collection, sweep

    if not options["golden"] and not options["collections"]:
        raise UsageError("there is nothing to try on", "give --golden or --collection")
    quiet = bool(ctx.obj["quiet"])
    beds = [
        sweep.bed_of_collection(collection.load(Path(folder)), options["most"])
        for folder in options["collections"]
    ]
    if not options["golden"]:
        text = _swept(beds, quiet)
    else:
        golden = read_golden(options["golden"])
        sources = dict.fromkeys(query.source for query in golden.queries)
        with asking(asker(ctx, vault, {**options, "agent": None, "agents": None})) as asked:
            index = index_of(asked)
            beds += [sweep.bed_of_vault(index, asked.view, golden, s) for s in sources]
            text = _swept(beds, quiet)
            told = sweep.shapes(index, asked.view, golden, _teller(quiet))
            text += "\n" + "".join(f"{line}\n" for line in told)
    click.echo(text, nl=False)
    if options["out"]:
        write_text(options["out"], text)


def _swept(beds: list[Any], quiet: bool) -> str:
    from manent.evaluate import sweep

    return sweep.table(beds, list(sweep.rows(beds, _teller(quiet))))


def _teller(quiet: bool) -> Callable[[str], None]:
    return lambda label: say([f"trying: {label}"], quiet)
