"""``manent gaps``: the questions that were asked in vain, and what became of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from manent.cli.asking import print_json
from manent.cli.carrying import carry_options, columns
from manent.cli.opening import Fraction, locate
from manent.cli.ranking import model_option
from manent.cli.recording import now, refuse_inside, register
from manent.cli.typed import refuse_odd
from manent.errors import UsageError

_FILES = frozenset({"vault", "where", "golden", "backup", "agents", "model"})
_ACTIONS = {
    "show": "--show",
    "close": "--close",
    "dismiss": "--dismiss",
    "reopen": "--reopen",
    "feedback": "--feedback",
    "backup": "--backup",
}


@click.command()
@click.argument("vault", required=False)
@click.option("--gaps", "where", metavar="REGISTER", help="A file, or a postgresql:// address.")
@click.option("--show", metavar="ID", help="Print the searches behind one gap.")
@click.option("--close", metavar="ID", help="Close a gap with the note that answers it.")
@click.option("--note", "note", metavar="NAME", help="The note that answers it.")
@click.option("--golden", metavar="FILE", help="Append the question to this golden set.")
@click.option("--dismiss", metavar="ID", help="Set a gap aside.")
@click.option("--reason", metavar="TEXT", help="Why it is dismissed.")
@click.option("--reopen", metavar="ID", help="Take a closing or a dismissal back.")
@click.option("--feedback", is_flag=True, help="Print what agents said of answers.")
@click.option("--backup", metavar="FILE", help="Write the whole register into a file.")
@click.option("--all", "every", is_flag=True, help="List answered and settled ones too.")
@click.option(
    "--gaps-threshold",
    "threshold",
    type=Fraction(0, 1),
    help="Cosine from which rows are listed and settled as one [0.9].",
)
@click.option("--agents", metavar="PATH", help="The agents file, to see with an asker's eyes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@model_option
@carry_options
@click.pass_context
def gaps(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """List the questions that the vault could not answer, the most often asked first.

    `manent search --gaps REGISTER` records them. Closing one names the note that
    answers it; with --golden the question, in the asker's words, becomes a query of
    a golden set (with it every other question of the row, and they are named):
    --commit commits that file where it lies in the vault. --gaps-threshold regroups
    the questions themselves, however they were recorded. On a bare repository FILE is
    a path in it, unless it begins with / or ./ or ../.

    Example: manent gaps my-vault --gaps ~/gaps.sqlite --close g_0f3a --note tides
    """
    refuse_odd(ctx, {**options, "vault": vault}, files=_FILES, names=frozenset({"note"}))
    _check(options)
    root = locate(vault).root if vault is not None or options["close"] else None
    refuse_inside(options["where"], root)
    if options["close"]:
        from manent.cli.closing import close

        ctx.exit(close(ctx, locate(vault), options))
    with _open(options, by_meaning=_grouped(options)) as held:
        if options["show"]:
            _show(held, options)
        elif options["dismiss"] or options["reopen"]:
            _settle(held, options)
        elif options["feedback"]:
            _feedback(held, options)
        elif options["backup"]:
            held.backup(Path(options["backup"]))
            _say(options, {"backup": options["backup"]}, f"written to {options['backup']}")
        else:
            _list(held, options)


def _check(options: dict[str, Any]) -> None:
    """Raise UsageError for options that do not go together."""
    if not options["where"]:
        raise UsageError("which register?", "add --gaps FILE")
    asked = [flag for key, flag in _ACTIONS.items() if options[key]]
    if len(asked) > 1:
        raise UsageError(f"{asked[0]} and {asked[1]} are two things", "do one at a time")
    if options["close"] and not options["note"]:
        raise UsageError("which note answers it?", "add --note NAME")
    for key, flag, needs in (
        ("note", "--note", "close"),
        ("golden", "--golden", "close"),
        ("agents", "--agents", "close"),
        ("frontmatter", "--frontmatter", "close"),
        ("reason", "--reason", "dismiss"),
    ):
        if options[key] is not None and not options[needs]:
            raise UsageError(f"{flag} goes with {_ACTIONS[needs]}", "say which gap")
    if options["every"] and asked:
        raise UsageError(f"--all lists, and {asked[0]} does not", "give one of them")
    for key, flag in (("commit", "--commit"), ("dry_run", "--dry-run")):
        if options[key] and not options["close"]:
            raise UsageError(f"{flag} goes with --close", "nothing else changes the vault")


def _grouped(options: dict[str, Any]) -> bool:
    if options["show"]:
        return options["threshold"] is not None
    return not (options["feedback"] or options["backup"] or options["reopen"])


def _open(options: dict[str, Any], *, by_meaning: bool) -> Any:
    model = options["model"] if by_meaning else None
    threshold = options["threshold"]
    apart = threshold is not None
    return register(options["where"], make=False, model=model, threshold=threshold, apart=apart)


def _list(held: Any, options: dict[str, Any]) -> None:
    rows = held.gaps(every=options["every"])
    if options["as_json"]:
        print_json({"gaps": [row.as_json() for row in rows]})
        return
    for line in columns([_cells(row) for row in rows], bold=0):
        click.echo(line)


def _cells(row: Any) -> list[str]:
    from manent.finding import inert

    state = "" if row.status == "open" else f" ({row.status}{_with(row)})"
    counts = f"asked {row.asked}, read {row.read}"
    askers = ", ".join(inert(asker) for asker in row.askers)
    alike = f"  and {', '.join(row.alike)}" if row.alike else ""
    return [row.id, counts, row.last[:10], askers, f"{inert(row.query)}{state}{alike}"]


def _with(row: Any) -> str:
    from manent.finding import inert

    again = f", asked in vain {row.again} times since" if row.again else ""
    return (f" with {inert(row.note)}" if row.note else "") + again


def _show(held: Any, options: dict[str, Any]) -> None:
    from manent.finding import inert

    gap, searches = held.gap(options["show"]), held.searches(options["show"])
    if options["as_json"]:
        print_json({"gap": gap.as_json(), "searches": [one.as_json() for one in searches]})
        return
    click.echo(columns([_cells(gap)], bold=0)[0])
    for one in searches:
        read = "read" if one.read else "not read"
        click.echo(f"{one.search}  {one.at}  {inert(one.asker)}  {read}  {inert(one.query)}")
        for path in one.results:
            mark = "*" if path == one.followed else " "
            click.echo(f"    {mark} {inert(path)}")


def _settle(held: Any, options: dict[str, Any]) -> None:
    if options["reopen"]:
        gap = held.reopen(options["reopen"])
    else:
        members = held.members(options["dismiss"])
        settled = [held.dismiss(one, now(), options["reason"] or "") for one in members]
        gap = settled[0]
    _say(options, {"gap": gap.as_json()}, f"{gap.id} is {gap.status}")


def _feedback(held: Any, options: dict[str, Any]) -> None:
    from manent.finding import inert

    rows = held.said()
    if options["as_json"]:
        print_json({"feedback": [row.as_json() for row in rows]})
        return
    for row in rows:
        word = "helped" if row.helpful else "did not help"
        comment = f": {inert(row.comment)}" if row.comment else ""
        click.echo(f"{row.at}  {row.gap}  {inert(row.asker)}  {word}  {inert(row.query)}{comment}")


def _say(options: dict[str, Any], document: dict[str, Any], line: str) -> None:
    if options["as_json"]:
        print_json(document)
    else:
        click.echo(line)
