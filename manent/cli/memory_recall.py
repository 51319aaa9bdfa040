"""``manent memory recall``: the sections a question is about, content inline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from manent.memfile.library import Library
    from manent.memfile.recall import Recalled


@click.command()
@click.argument("path", type=click.Path())
@click.argument("query", nargs=-1)
@click.option("--headings", is_flag=True, help="Print `file > heading path (n tokens)` only.")
@click.option("--file", "file", help="Look in this file only; without a query, print it.")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=1500,
    show_default=True,
    help="Tokens that are handed out at most.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def recall(
    ctx: click.Context,
    /,
    path: str,
    query: tuple[str, ...],
    headings: bool,
    file: str | None,
    max_tokens: int,
    as_json: bool,
) -> None:
    """Print the sections of the memory at PATH that QUERY is about, best first.

    PATH is a compiled workspace or a memory directory (an index and topic files). Without
    a hit, or a query, the list of what there is. Exit 1 when a query found nothing.

    Example: manent memory recall . how are the tests run
    """
    from manent.memfile.library import library
    from manent.memfile.recall import Index, capped
    from manent.tokens import estimate

    found = library(Path(path))
    asked = " ".join(query)
    index = Index(found, file)
    if asked.strip():
        ranked = index.ranked(asked)
    else:
        ranked = [(passage, 0.0) for passage in index.passages] if file or headings else []
    cap = max_tokens if not headings else 1 << 40
    hits = capped(ranked, cap, estimate)
    if as_json:
        _json(found, asked, hits, headings)
    else:
        _text(found, hits, headings)
    ctx.exit(1 if asked.strip() and not hits else 0)


def _json(found: Library, asked: str, hits: list[Recalled], headings: bool) -> None:
    from manent.cli.asking import print_json

    print_json(
        {
            "query": asked,
            "compiled": found.compiled,
            "tokenizer": "estimate",
            "hits": [_hit(hit, headings) for hit in hits],
            "routing": [] if hits else list(found.routing),
        }
    )


def _hit(hit: Recalled, headings: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "file": hit.passage.file,
        "path": list(hit.passage.path),
        "lines": list(hit.passage.lines),
        "tokens": hit.tokens,
        "score": round(hit.score, 6),
        "shortened": hit.cut,
    }
    return document if headings else document | {"text": hit.passage.text}


def _text(found: Library, hits: list[Recalled], headings: bool) -> None:
    from manent.finding import inert
    from manent.memfile.recall import rendered

    if not hits:
        click.echo("nothing matches; what there is:" if found.routing else "nothing is kept here")
        for line in found.routing:
            click.echo(inert(line))
        return
    if headings:
        for hit in hits:
            click.echo(inert(f"{hit.heading} ({hit.tokens} tokens)"))
        return
    for line in rendered(hits).split("\n"):
        click.echo(inert(line.rstrip("\r")).replace("\\x09", "\t"))
