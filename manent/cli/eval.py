"""``manent eval``: rankers judged by a golden set; its other verbs stand beside it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from manent.cli.asking import Asked, Asker, asker, asking, print_json
from manent.cli.evaluating import (
    golden_of,
    judge_of,
    outcomes_of,
    read_text,
    say_missing,
    write_text,
)
from manent.cli.lazy import refusing_blanks
from manent.cli.opening import Fraction, identity_options
from manent.cli.progress import counting
from manent.cli.ranking import NAMES, model_option
from manent.errors import UsageError

VERBS = {
    "import": ("manent.cli.eval_import", "import_collection"),
    "hash": ("manent.cli.eval_hash", "hash_names"),
    "bisect": ("manent.cli.eval_bisect", "bisect"),
    "sweep": ("manent.cli.eval_sweep", "sweep"),
}


class WithVerbs(click.Command):
    """A command whose first argument may be one of its verbs instead of a vault.

    A folder of that name is written ``./sweep``.
    """

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of the verb, where one is named; it is then what is run."""
        if args and args[0] in VERBS:
            module, attribute = VERBS[args[0]]
            verb: click.Command = getattr(importlib.import_module(module), attribute)
            refusing_blanks(verb)
            return verb.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    name="eval",
    cls=WithVerbs,
    epilog="Verbs: `manent eval import`, `hash`, `bisect` and `sweep`; each has its --help.",
)
@click.argument("vault", required=False)
@click.option("--golden", type=click.Path(), help="The golden set [queries from descriptions].")
@click.option("--auto", is_flag=True, help="Add queries made from descriptions.")
@click.option(
    "--retriever", type=click.Choice([*NAMES, "all"]), help="The ranker [the best installed]."
)
@click.option("--save", type=click.Path(), help="Write the figures to this file.")
@click.option("--full", is_flag=True, help="With --save: per query, with names: private.")
@click.option("--baseline", type=click.Path(), help="Exit 1 where figures fell below this file's.")
@click.option("--tolerance", type=Fraction(0, 1), help="How far they may fall [0.005].")
@click.option("--plot", type=click.Path(), help="Draw the figures into this SVG file.")
@click.option("--rev", "revs", multiple=True, help="Read this commit instead; twice: compare.")
@click.option(
    "--frontmatter",
    type=click.Choice(["required", "optional"]),
    help="Whether notes must have a frontmatter [default: git config manent.frontmatter].",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@model_option
@identity_options
@click.pass_context
def evaluate(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """Judge the rankers of VAULT by questions whose answers are known.

    Prints hit@1, hit@3, recall@5, recall@10, mrr and ndcg@10, each with its 95%
    interval. Exits 1 when an expected note is missing, or a figure fell below
    the baseline.

    Example: manent eval my-vault --golden golden.json --retriever all
    """
    if options["full"] and not options["save"]:
        raise UsageError("--full belongs to --save")
    who = asker(ctx, vault, {**options, "rev": (options["revs"] or ("",))[0]})
    if len(options["revs"]) > 1:
        ctx.exit(_compare(ctx, who, options))
    with asking(who) as asked:
        judge, outcomes = _judged(ctx, asked, options)
        code = 1 if judge.missing else 0
        dropped = _against_baseline(judge, outcomes, options)
        _keep(judge, outcomes, options)
        if options["as_json"]:
            _print_document(judge, outcomes, asked.tree, dropped)
        else:
            _print_lines(judge, outcomes, dropped)
    ctx.exit(1 if dropped else code)


def _judged(ctx: click.Context, asked: Asked, options: dict[str, Any]) -> tuple[Any, list[Any]]:
    quiet = bool(ctx.obj["quiet"])
    golden = golden_of(asked, options["golden"], options["auto"])
    judge = judge_of(asked, golden)
    say_missing(judge, quiet)
    with counting("{} queries", quiet) as progress:
        outcomes = outcomes_of(
            asked, judge, options["retriever"], options["model"], quiet, progress
        )
    return judge, outcomes


def _against_baseline(judge: Any, outcomes: list[Any], options: dict[str, Any]) -> list[Any]:
    if not options["baseline"]:
        return []
    from manent.evaluate import baseline

    before = baseline.load(read_text(options["baseline"], "baseline"), options["baseline"])
    return list(baseline.drops(judge, outcomes, before, options["tolerance"]))


def _keep(judge: Any, outcomes: list[Any], options: dict[str, Any]) -> None:
    if options["save"]:
        from manent.evaluate.baseline import saved

        write_text(options["save"], saved(judge, outcomes, options["full"]))
    if options["plot"]:
        from manent.evaluate.plot import drawn

        write_text(options["plot"], drawn(judge, outcomes))


def _print_document(judge: Any, outcomes: list[Any], tree: str | None, dropped: list[Any]) -> None:
    from manent.evaluate.report import document

    found = document(judge, outcomes, tree)
    found["drops"] = [_drop_row(drop) for drop in dropped]
    print_json(found)


def _drop_row(drop: Any) -> dict[str, Any]:
    worse = [{"query": q, "before": b, "after": a} for q, b, a in drop.worse]
    return {
        "retriever": drop.retriever,
        "source": drop.source,
        "metric": drop.metric,
        "before": drop.before,
        "after": drop.after,
        "worse": worse,
    }


def _print_lines(judge: Any, outcomes: list[Any], dropped: list[Any]) -> None:
    from manent.evaluate.report import lines

    for line in lines(judge, outcomes):
        click.echo(line)
    for drop in dropped:
        _print_drop(drop)


def _print_drop(drop: Any) -> None:
    from manent.finding import inert

    where = f"{drop.retriever}, {drop.source}"
    click.echo(f"dropped: {where}: {drop.metric} from {drop.before:.4f} to {drop.after:.4f}")
    for query, before, after in drop.worse[:20]:
        click.echo(f"  {before:.3f} to {after:.3f}  {inert(query)}")
    if len(drop.worse) > 20:
        click.echo(f"  and {len(drop.worse) - 20} more")


# -- two revisions ---------------------------------------------------------


def _compare(ctx: click.Context, who: Asker, options: dict[str, Any]) -> int:
    """Judge each revision by the same questions, and compare the last with the first."""
    from manent.evaluate.report import across, across_lines, document

    rows, kept = [], []
    golden = None
    for rev in options["revs"]:
        with asking(who._replace(rev=rev)) as asked:
            # Queries from descriptions are those of the first revision in all of them.
            golden = golden or golden_of(asked, options["golden"], options["auto"])
            judge = judge_of(asked, golden)
            quiet = bool(ctx.obj["quiet"])
            outcomes = outcomes_of(asked, judge, options["retriever"], options["model"], quiet)
            row = document(judge, outcomes, asked.tree)
            commit = asked.found.commit if asked.tree is not None else None
            rows.append({"rev": rev, "commit": commit, **row})
            kept.append((rev, judge, outcomes))
    _keep(kept[-1][1], kept[-1][2], options)
    dropped = _against_baseline(kept[-1][1], kept[-1][2], options)
    if options["as_json"]:
        last = {key: rows[-1][key] for key in ("tree", "golden", "retrievers")}
        between = across(kept[0][2], kept[-1][2])
        print_json({**last, "revisions": rows, "between": between})
    else:
        for line in across_lines(kept):
            click.echo(line)
    for drop in dropped if not options["as_json"] else ():
        _print_drop(drop)
    return 1 if dropped else 0


def folder_of(path: str) -> Path:
    """Return a folder named on the command line. Raises UsageError where there is none."""
    folder = Path(path)
    if not folder.is_dir():
        raise UsageError(f"no folder {path}")
    return folder
