"""``manent search``: the notes that answer a query, best first."""

from __future__ import annotations

from typing import Any

import click

from manent.cli import journal_hits
from manent.cli.asking import Asked, asker, asking, pair, print_json
from manent.cli.opening import identity_options, processes, say, vault_options


@click.command()
@click.argument("vault", required=False)
@click.argument("query", required=False)
@click.option("-k", default=8, type=click.IntRange(1, 1000), help="How many notes [8].")
@click.option("--retriever", type=click.Choice(["bm25"]), default="bm25", help="The ranker.")
@click.option("--explain", is_flag=True, help="Print how each score came about.")
@click.option("--journal", is_flag=True, help="Find lines of journals too, newest first.")
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
    with asking(asker(ctx, vault, options)) as asked:
        hits = _hits(asked, query, k, options["explain"])
        lines = _journal_lines(asked, query, k, ctx) if options["journal"] else None
        if options["as_json"]:
            _print_document(asked, query, options["retriever"], hits, options["explain"], lines)
        else:
            _print_lines(hits, options["explain"])
            journal_hits.print_lines(lines or [])
    ctx.exit(0 if hits or lines else 1)


def _journal_lines(asked: Asked, query: str, k: int, ctx: click.Context) -> list[journal_hits.Line]:
    found, remarks = journal_hits.lines(asked, query, k)
    say(remarks, bool(ctx.obj["quiet"]))
    return found


def _hits(asked: Asked, query: str, k: int, explain: bool) -> list[tuple[Any, Any]]:
    index = index_of(asked)
    return list(index.search(asked.view, query, k, explain))


def index_of(asked: Asked) -> Any:
    """Return the search index of what was opened, brought up to date where it is kept."""
    from manent.errors import EnvironmentFault
    from manent.search.index import SearchIndex

    found = asked.found
    index = SearchIndex(found.vault, None if found.state is None else found.state / "search")
    if found.state is not None and not found.aside:
        try:
            index.update(processes())
        except (OSError, EnvironmentFault) as fault:
            # The answer does not depend on it: what the disk lacks is laid on top.
            click.echo(f"manent: the search index was not saved: {fault}", err=True)
    return index


def _print_document(
    asked: Asked,
    query: str,
    retriever: str,
    hits: list[tuple[Any, Any]],
    explain: bool,
    lines: list[journal_hits.Line] | None,
) -> None:
    rows = []
    for hit, scored in hits:
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
            row["explain"] = [_arithmetic(line) for line in scored.explanation]
        rows.append(row)
    document = {"query": query, "tree": asked.tree, "retriever": retriever, "hits": rows}
    if lines is not None:
        document["journal"] = journal_hits.as_rows(lines)
    print_json(document)


def _print_lines(hits: list[tuple[Any, Any]], explain: bool) -> None:
    from manent.finding import inert

    for hit, scored in hits:
        status = "" if hit.status == "active" else f" ({hit.status})"
        click.echo(f"{hit.score:7.3f}  {click.style(inert(hit.path), bold=True)}{status}")
        if hit.description:
            click.echo(f"         {inert(hit.description)}")
        if explain:
            _print_explanation(hit, scored)


def _print_explanation(hit: Any, scored: Any) -> None:
    for line in scored.explanation:
        click.echo(f"         = {_arithmetic(line)}")
    if scored.relevance != scored.score:
        share = scored.score / scored.relevance
        click.echo(f"         x {share:g} for its status {hit.status}")


def _arithmetic(line: Any) -> str:
    """Return what one term added to a score, as it was worked out."""
    from manent.finding import inert

    asked = line.term if line.word == line.term else f"{line.word} ({line.kind} {line.term})"
    fields = ", ".join(f"{name} {count}" for name, count in line.counts.items())
    return inert(
        f"{line.score:.3f} for {asked}: idf {line.idf:.3f} ({line.df} of {line.documents} notes),"
        f" tf {line.tf:.3f} from {fields}, times {line.times:g}"
    )
