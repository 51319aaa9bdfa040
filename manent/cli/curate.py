"""``manent curate``: what a vault has gathered, as short lists for a person."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any

import click

from manent.cli.asking import print_json
from manent.cli.carrying import Carried, carry, carry_options, columns, how, mend, print_carried
from manent.cli.opening import Fraction, Opened, Place, locate, opened, say
from manent.cli.progress import counting
from manent.cli.ranking import model_option
from manent.cli.typed import refuse_odd
from manent.errors import NotFound, UsageError

_FILES = frozenset({"vault", "gaps", "model"})
_NAMES = frozenset({"supersede", "acknowledge"})
_REPORTS = ("duplicates", "contradictions", "communities")


@click.command()
@click.argument("vault", required=False)
@click.option("--duplicates", is_flag=True, help="Notes that say the same.")
@click.option("--contradictions", is_flag=True, help="Notes that disagree, or supersede in vain.")
@click.option("--communities", is_flag=True, help="Groups of linked notes, and their maps.")
@click.option(
    "--threshold",
    type=Fraction(0, 1, min_open=True),
    metavar="SHARE",
    help="How much two notes must have in common [0.25].",
)
@click.option("--dense", is_flag=True, help="With --duplicates: topic twins, by embeddings.")
@click.option(
    "--dense-threshold",
    type=Fraction(-1, 1),
    metavar="COSINE",
    help="How near topic twins are [0.93 for the model that is built in].",
)
@model_option
@click.option("--gaps", metavar="REGISTER", help="With --communities: by open questions first.")
@click.option("--write-map", "map_of", type=click.IntRange(1), metavar="N", help="Draft a map.")
@click.option("--supersede", nargs=2, metavar="OLD NEW", help="NEW stands in OLD's place.")
@click.option("--acknowledge", nargs=2, metavar="A B", help="Leave this pair as it is.")
@click.option("--reason", metavar="TEXT", help="Why a pair is acknowledged.")
@click.option("--rev", default="", help="Report on this commit, tag or tree instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@carry_options
@click.pass_context
def curate(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """Report copies, contradictions and missing maps; or carry out one decision.

    A report decides nothing. The number of --write-map is that of --communities.
    A decision changes the files and prints the commit message; with --commit it is
    a commit. On a bare repository a decision needs --commit or --dry-run.

    Example: manent curate my-vault --supersede port-map port-map-2026 --commit
    """
    refuse_odd(ctx, {**options, "vault": vault}, files=_FILES, names=_NAMES)
    decision = _decision(options)
    place = locate(vault, options["rev"])
    if decision is None:
        ctx.exit(_report(ctx, place, options))
    ctx.exit(_decide(ctx, place, options))


def _decision(options: dict[str, Any]) -> str | None:
    """Return which decision was asked for. Raises UsageError for a mixture."""
    asked = [
        flag
        for flag, given in (
            ("--write-map", options["map_of"] is not None),
            ("--supersede", options["supersede"] is not None),
            ("--acknowledge", options["acknowledge"] is not None),
        )
        if given
    ]
    if len(asked) > 1:
        raise UsageError(f"{asked[0]} and {asked[1]} are two decisions", "give one of them")
    if options["dense"] and not options["duplicates"]:
        raise UsageError("--dense goes with --duplicates", "give both")
    for key in ("dense_threshold", "model"):
        if options[key] and not options["dense"]:
            raise UsageError(f"--{key.replace('_', '-')} goes with --dense", "give both")
    named = [name for name in _REPORTS if options[name]]
    if options["threshold"] is not None and (asked or (named and "duplicates" not in named)):
        raise UsageError("--threshold goes with --duplicates", "give both")
    if options["gaps"] is not None and asked != ["--write-map"] and not options["communities"]:
        raise UsageError("--gaps goes with --communities", "give both")
    if (options["acknowledge"] is None) != (options["reason"] is None):
        raise UsageError("--acknowledge A B and --reason TEXT go together", "give both")
    if not asked:
        for flag in ("commit", "dry_run"):
            if options[flag]:
                raise UsageError(
                    f"--{flag.replace('_', '-')} goes with a decision",
                    "one of --write-map, --supersede, --acknowledge",
                )
        return None
    if named and (asked[0], named) != ("--write-map", ["communities"]):
        raise UsageError(f"--{named[0]} is a report", f"leave it out beside {asked[0]}")
    return asked[0]


# -- reports ---------------------------------------------------------------------


def _report(ctx: click.Context, place: Place, options: dict[str, Any]) -> int:
    from manent.access import OWNER, View

    wanted = [name for name in _REPORTS if options[name]] or list(_REPORTS)
    if not place.rev:
        mend(place, bool(ctx.obj["quiet"]))
    with opened(place, options["frontmatter"], None, bool(ctx.obj["quiet"])) as found:
        say(found.remarks, bool(ctx.obj["quiet"]))
        view = View(found.vault, OWNER)
        basis = _Basis(view)
        reports = _made(basis, wanted, options)
        if options["dense"]:
            wanted.insert(1, "twins")
            reports["twins"] = _twins(found, basis, options, bool(ctx.obj["quiet"]))
    if options["as_json"]:
        rows = {name: [_ROWS[name](row) for row in reports[name]] for name in wanted}
        more = _left_out(reports.get("duplicates", ()))
        counts = {f"duplicates_{what}": many for what, many in more.items()}
        print_json({"tree": found.tree, **rows, **counts})
    else:
        for name in wanted:
            for line in _lines(name, reports[name]):
                click.echo(line)
    return int(any(_is_finding(name, row) for name in wanted for row in reports[name]))


class _Basis:
    """What every report starts from, read once: the links, and what was looked at."""

    def __init__(self, view: Any) -> None:
        from manent.curate import acknowledged
        from manent.curate.edges import edges_of

        self.view = view
        self.edges = edges_of(view)
        self.known = acknowledged.read(view.vault.tree)


def _made(
    basis: _Basis, wanted: Sequence[str], options: dict[str, Any]
) -> dict[str, Sequence[Any]]:
    """Return the rows of the reports asked for, without the pairs that were looked at."""
    from manent.curate.communities import communities
    from manent.curate.contradictions import contradictions
    from manent.curate.duplicates import THRESHOLD
    from manent.curate.pairs import alike_notes

    view, edges, known = basis.view, basis.edges, basis.known
    made: dict[str, Sequence[Any]] = {}
    if "duplicates" in wanted:
        threshold = options["threshold"] or THRESHOLD
        pairs = alike_notes(view, edges, threshold)
        pairs[:] = [p for p in pairs if not known.covers(p.a, p.b)]
        made["duplicates"] = pairs
    if "contradictions" in wanted:
        made["contradictions"] = [
            row
            for row in contradictions(edges)
            if len(row.notes) != 2 or not known.covers(*row.notes)
        ]
    if "communities" in wanted:
        made["communities"] = communities(edges, _asked_in_vain(options["gaps"]))
    return made


def _asked_in_vain(register: str | None) -> list[Sequence[str]]:
    """Return, for each open question of the register, the names of its best answers."""
    if register is None:
        return []
    from manent.cli.recording import register as opened_register

    with opened_register(register, make=False) as found:
        return [gap.best for gap in found.gaps()]


def _twins(found: Opened, basis: _Basis, options: dict[str, Any], quiet: bool) -> Sequence[Any]:
    """Return the notes near each other by embeddings, which are made as far as they lack."""
    import numpy as np

    from manent.cli.asking import Asked
    from manent.cli.embedding import EMBEDDED
    from manent.cli.opening import processes
    from manent.cli.ranking import index_of, setting_of
    from manent.curate.twins import THRESHOLD, twins
    from manent.search.opening import named_model

    view = basis.view
    asked = Asked(found, view, None)
    meaning = named_model(options["model"], index_of(asked), setting_of(asked, options["model"]))
    with counting(EMBEDDED, quiet) as progress:
        meaning.bring_up(None, processes(), progress)
    notes = list(view.notes())
    rows = meaning.rows_of(np.array([note.doc for note in notes], np.int64))
    held = [(note, row) for note, row in zip(notes, rows.tolist(), strict=True) if row >= 0]
    vectors = meaning.store.rows[[row for _, row in held]]
    least = options["dense_threshold"]
    pairs = twins(
        basis.edges,
        [note for note, _ in held],
        vectors,
        THRESHOLD if least is None else least,
    )
    return [pair for pair in pairs if not basis.known.covers(pair.a, pair.b)]


def _left_out(rows: Sequence[Any]) -> dict[str, int]:
    """Return what a list of copies leaves out, by kind: nothing, mostly.

    untold: pairs, for of hundreds of notes alike each has one row. unasked: notes
    whose common phrases were not all compared.
    """
    counts = {what: int(getattr(rows, what, 0)) for what in ("untold", "unasked")}
    return {what: many for what, many in counts.items() if many}


def _is_finding(name: str, row: Any) -> bool:
    """Tell whether a person has something to do about a row: a mapped community is fine."""
    return name != "communities" or not row.maps


def _pair_row(pair: Any) -> dict[str, Any]:
    return {
        "a": _note_row(pair.a),
        "b": _note_row(pair.b),
        "score": round(pair.score, 4),
        "jaccard": round(pair.jaccard, 4),
        "containment": round(pair.containment, 4),
    }


def _twin_row(pair: Any) -> dict[str, Any]:
    return {"a": _note_row(pair.a), "b": _note_row(pair.b), "score": round(pair.score, 4)}


def _contradiction_row(row: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": row.kind, "notes": [_note_row(note) for note in row.notes]}
    if row.edge:
        out |= {"edge": row.edge, "target": row.target}
    return out


def _community_row(row: Any) -> dict[str, Any]:
    return {
        "number": row.number,
        "size": len(row.notes),
        "hub": row.hub.name,
        "gaps": row.gaps,
        "maps": [_note_row(note) for note in row.maps],
        "notes": [_note_row(note) for note in row.notes],
    }


def _note_row(note: Any) -> dict[str, Any]:
    return {"name": note.name, "path": note.path}


_ROWS = {
    "duplicates": _pair_row,
    "twins": _twin_row,
    "contradictions": _contradiction_row,
    "communities": _community_row,
}


def _lines(name: str, rows: Sequence[Any]) -> Iterator[str]:
    from manent.finding import counted

    said = {
        "untold": "; {} more among notes that hundreds are like",
        "unasked": "; common phrases of {} notes were not compared",
    }
    more = "".join(said[what].format(many) for what, many in _left_out(rows).items())
    titles = {
        "duplicates": counted(len(rows), "pair") + " of notes that say the same" + more,
        "twins": counted(len(rows), "pair") + " of notes on one topic",
        "contradictions": counted(len(rows), "disagreement"),
        "communities": f"{len(rows)} group{'s' * (len(rows) != 1)} of linked notes, "
        f"{sum(not row.maps for row in rows) if name == 'communities' else 0} without a map",
    }
    yield click.style(titles[name], bold=True)
    for line in columns([_CELLS[name](row) for row in rows]):
        yield f"  {line}"


def _pair_cells(pair: Any) -> list[str]:
    from manent.finding import inert

    return [f"{pair.score:.2f}", inert(pair.a.path), inert(pair.b.path)]


def _contradiction_cells(row: Any) -> list[str]:
    from manent.finding import inert

    paths = [inert(note.path) for note in row.notes]
    said = {
        "declared": "{0} and {1} contradict each other",
        "one-sided": "{0} contradicts {1}, which does not say so",
        "superseded-active": "{0} is superseded by {1} and still active",
        "supersedes-cycle": "each supersedes the next: " + ", ".join(paths)
        if len(paths) > 1
        else "{0} supersedes itself",
        "edge-gone": "{0}: {edge} names {target}, which is not there",
    }
    return [said[row.kind].format(*paths, edge=row.edge, target=inert(row.target))]


def _community_cells(row: Any) -> list[str]:
    from manent.finding import counted, inert

    maps = ", ".join(inert(note.path) for note in row.maps) or "no map"
    gaps = f", {counted(row.gaps, 'open gap')}" if row.gaps else ""
    size = counted(len(row.notes), "note")
    return [f"{row.number}.", f"{size} around {inert(row.hub.path)}: {maps}{gaps}"]


_CELLS = {
    "duplicates": _pair_cells,
    "twins": _pair_cells,
    "contradictions": _contradiction_cells,
    "communities": _community_cells,
}


# -- decisions -------------------------------------------------------------------


def _decide(ctx: click.Context, place: Place, options: dict[str, Any]) -> int:
    asked = how(ctx, place, options)
    mend(place, asked.quiet)
    day = datetime.datetime.now(datetime.UTC).date()

    def propose(found: Opened) -> list[Any]:
        return [_change(found, options, asked.who.name, day)]

    carried = carry(place, asked, propose)
    if options["as_json"]:
        _print_carried_json(carried)
    else:
        print_carried(carried)
    return 0


def _change(found: Opened, options: dict[str, Any], who: str, day: datetime.date) -> Any:
    from manent.access import OWNER, View
    from manent.curate import actions

    view = View(found.vault, OWNER)
    if options["supersede"] is not None:
        old, new = (view.find(name) for name in options["supersede"])
        return actions.supersede(view, old, new)
    if options["acknowledge"] is not None:
        one, other = (view.find(name) for name in options["acknowledge"])
        return actions.acknowledge(view, one, other, options["reason"], who, day)
    rows = _made(_Basis(view), ["communities"], options)["communities"]
    chosen = next((row for row in rows if row.number == options["map_of"]), None)
    if chosen is None:
        raise NotFound(
            f"no community {options['map_of']}",
            f"--communities numbers them 1 to {len(rows)}"
            if rows
            else "no notes are linked enough",
        )
    return actions.write_map(view, chosen, day)


def _print_carried_json(carried: Carried) -> None:
    print_json(
        {
            "paths": sorted({path for change in carried.changes for path in change.paths}),
            "messages": carried.messages,
            "commits": carried.commits,
            "dry_run": carried.dry_run,
            "diff": carried.diff.decode("utf-8", "replace") if carried.dry_run else None,
        }
    )
