"""``manent eval bisect``: the commit that dropped a metric, or one query's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from manent.cli.asking import Asker, asking, print_json
from manent.cli.evaluating import judge_of, outcomes_of, read_golden
from manent.cli.opening import Fraction, locate, say
from manent.cli.ranking import ranker_options
from manent.errors import NotAVault, NotFound, UsageError

METRICS = ("hit@1", "hit@3", "recall@5", "recall@10", "mrr", "ndcg@10")


@click.command()
@click.argument("vault", required=False)
@click.option("--golden", type=click.Path(), required=True, help="The golden set.")
@click.option("--good", required=True, help="A commit at which it was well.")
@click.option("--bad", default="HEAD", help="A later one at which it is not [HEAD].")
@click.option("--metric", type=click.Choice(METRICS), default="ndcg@10", help="Which [ndcg@10].")
@click.option("--query", help="Only this query of the set, instead of their mean.")
@click.option("--source", type=click.Choice(["curated", "oblique", "auto"]), help="Only these.")
@click.option(
    "--tolerance", type=Fraction(0, 1), default=0.005, help="What is no drop yet [0.005]."
)
@click.option("--frontmatter", type=click.Choice(["required", "optional"]))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@ranker_options
@click.pass_context
def bisect(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """Find the commit of VAULT, from --good to --bad, that dropped a metric.

    Each commit is read from the repository; what is known of a note's content is
    not worked out again. Exits 1 when there is such a commit, 0 when there is none.

    Example: manent eval bisect my-vault --golden golden.json --good v1.0
    """
    from manent.evaluate.culprit import find

    place = locate(vault)
    commits = _commits(place, options["good"], options["bad"])
    golden = _narrowed(read_golden(options["golden"]), options)
    quiet = bool(ctx.obj["quiet"])

    def figure_at(commit: str) -> float:
        who = Asker(vault, commit, options["frontmatter"], None, None, quiet)
        with asking(who) as asked:
            judge = judge_of(asked, golden)
            (outcome,) = outcomes_of(asked, judge, options["retriever"], options["model"], quiet)
        figure = float(outcome.column(options["metric"]).mean())
        say([f"{commit[:12]}  {options['metric']} {figure:.4f}"], quiet)
        return figure

    found = find(commits, figure_at, options["tolerance"])
    if options["as_json"]:
        print_json({"metric": options["metric"], "commits": len(commits), **_row(found)})
    elif found is None:
        click.echo(
            f"{options['metric']} did not drop between {options['good']} and {options['bad']}"
        )
    else:
        drop = f"{options['metric']} from {found.before:.4f} to {found.after:.4f}"
        click.echo(f"{found.commit} dropped {drop}")
        click.echo(f"  {_subject(place, found.commit)}")
    ctx.exit(0 if found is None else 1)


def _row(found: Any) -> dict[str, Any]:
    if found is None:
        return {"commit": None, "before": None, "after": None, "tried": []}
    tried = [{"commit": commit, "figure": round(figure, 4)} for commit, figure in found.tried]
    before, after = round(found.before, 4), round(found.after, 4)
    return {"commit": found.commit, "before": before, "after": after, "tried": tried}


def _narrowed(golden: Any, options: dict[str, Any]) -> Any:
    """Return the set with the queries that are meant."""
    query, source = options["query"], options["source"]
    kept = [q for q in golden.queries if query in (None, q.query) and source in (None, q.source)]
    if not kept:
        raise NotFound("the golden set has no such query", "copy it as it stands there")
    return replace(golden, queries=tuple(kept))


def _commits(place: Any, good: str, bad: str) -> list[str]:
    """Return the commits from ``good`` to ``bad`` along first parents, oldest first."""
    if place.repository is None:
        raise NotAVault("the vault is in no git repository", "bisect needs its history")
    first, last = (place.repository.resolve(rev)[0] for rev in (good, bad))
    if not first or not last:
        raise UsageError("name commits, not trees")
    told = place.repository.git.run("rev-list", "--first-parent", "--reverse", last, "--")
    line = told.decode("ascii").split()
    if first not in line:
        raise UsageError(f"{good} is not among the first parents of {bad}", "name one that is")
    return list(line[line.index(first) :])


def _subject(place: Any, commit: str) -> str:
    from manent.finding import inert

    said = place.repository.git.run("show", "-s", "--format=%cs %s", commit, "--")
    return inert(said.decode("utf-8", "replace").strip())
