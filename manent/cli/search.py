"""``manent search``: the notes that answer a query, best first."""

from __future__ import annotations

from typing import Any

import click

from manent.cli import journal_hits
from manent.cli.asking import Asked, asker, asking, pair, print_json
from manent.cli.embedding import ASKED_FOR, BY_DEFAULT, EMBEDDED
from manent.cli.opening import Fraction, identity_options, say, vault_options
from manent.cli.progress import counting
from manent.cli.ranking import ranker_of, ranker_options
from manent.cli.recording import record, refuse_inside
from manent.errors import UsageError
from manent.journal.visible import Line


@click.command()
@click.argument("vault", required=False)
@click.argument("query", required=False)
@click.option("-k", default=8, type=click.IntRange(1, 1000), help="How many notes [8].")
@ranker_options
@click.option("--explain", is_flag=True, help="Print how each score came about.")
@click.option("--journal", is_flag=True, help="Find lines of journals too, newest first.")
@click.option("--gaps", metavar="REGISTER", help="Record the search: a file, or postgresql://…")
@click.option(
    "--gaps-threshold",
    type=Fraction(0, 1),
    metavar="COSINE",
    help="With --gaps: from when it asks what was asked before [0.9].",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@vault_options
@identity_options
@click.pass_context
def search(
    ctx: click.Context, /, vault: str | None, query: str | None, k: int, **options: Any
) -> None:
    """Search the notes of VAULT, or of the current vault, for QUERY.

    QUERY is plain text: it has no syntax. Exits 1 when nothing is found.

    Example: manent search my-vault "how do we deploy"
    """
    vault, query = pair(vault, query, "query")
    if options["gaps_threshold"] is not None and not options["gaps"]:
        raise UsageError("--gaps-threshold goes with --gaps", "give both")
    with asking(asker(ctx, vault, options)) as asked:
        if options["gaps"]:
            refuse_inside(options["gaps"], asked.found.place.root)
        hits, ranker = _hits(asked, query, k, options, bool(ctx.obj["quiet"]))
        # A document says by its own field which ranker answered.
        told = options["as_json"] and options["retriever"] is None
        say(ranker.remarks, told or bool(ctx.obj["quiet"]))
        lines = _journal_lines(asked, query, k, ctx) if options["journal"] else None
        if options["as_json"]:
            _print_document(asked, query, ranker.answered, hits, options["explain"], lines)
        else:
            _print_lines(hits, options["explain"])
            journal_hits.print_lines(lines or [])
        if options["gaps"]:
            how = options["model"], options["gaps_threshold"]
            record(asked, options["gaps"], query, hits, ranker.answered, *how)
    ctx.exit(0 if hits or lines else 1)


def _hits(
    asked: Asked, query: str, k: int, options: dict[str, Any], quiet: bool
) -> tuple[list[Any], Any]:
    """Return the hits, and the ranker that found them."""
    patience = BY_DEFAULT if options["retriever"] is None else ASKED_FOR
    with counting(EMBEDDED, quiet) as progress:
        ranker = ranker_of(asked, options["retriever"], options["model"], None, patience, progress)
        return ranker.rank(asked.view, query, k, options["explain"]), ranker


def _journal_lines(asked: Asked, query: str, k: int, ctx: click.Context) -> list[Line]:
    found, remarks = journal_hits.lines(asked, query, k)
    say(remarks, bool(ctx.obj["quiet"]))
    return found


def _print_document(
    asked: Asked,
    query: str,
    retriever: str,
    hits: list[Any],
    explain: bool,
    lines: list[Line] | None,
) -> None:
    from manent.finding import inert

    rows = []
    for hit, _, arithmetic in hits:
        row: dict[str, Any] = {
            "name": hit.name,
            "path": hit.path,
            "description": hit.description,
            "type": hit.type,
            "status": hit.status,
            "score": round(hit.score, 6),
            "via": hit.via,
        }
        if explain:
            row["explain"] = [inert(line) for line in arithmetic]
        rows.append(row)
    document = {"query": query, "tree": asked.tree, "retriever": retriever, "hits": rows}
    if lines is not None:
        document["journal"] = journal_hits.as_rows(lines)
    print_json(document)


def _print_lines(hits: list[Any], explain: bool) -> None:
    from manent.finding import inert

    for hit, relevance, arithmetic in hits:
        status = "" if hit.status == "active" else f" ({hit.status})"
        click.echo(f"{hit.score:7.3f}  {click.style(inert(hit.path), bold=True)}{status}")
        if hit.description:
            click.echo(f"         {inert(hit.description)}")
        if explain:
            _print_explanation(hit, relevance, arithmetic)


def _print_explanation(hit: Any, relevance: float, arithmetic: tuple[str, ...]) -> None:
    from manent.finding import inert

    for line in arithmetic:
        click.echo(f"         = {inert(line)}")
    if relevance != hit.score:
        click.echo(f"         x {hit.score / relevance:g} for its status {hit.status}")
