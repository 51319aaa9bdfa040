"""``manent promote``: what waits in quarantine, and a person's decision on it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import click

from manent.cli.asking import print_json
from manent.cli.carrying import Carried, carry, carry_options, columns, how, mend, print_carried
from manent.cli.opening import Opened, Place, locate, opened, policy, say
from manent.cli.typed import refuse_odd
from manent.errors import Refused, UsageError

_FILES = frozenset({"vault"})
_FOLDERS = frozenset({"folder"})
_NAMES = frozenset({"names", "reject"})


@click.command()
@click.argument("vault", required=False)
@click.option("--note", "names", multiple=True, metavar="NAME", help="Promote this note; several.")
@click.option("--all", "every", is_flag=True, help="Promote every note of --author.")
@click.option("--author", help="Only what this author wrote.")
@click.option("--audience", metavar="A,B", help="Who may read it from now on [what it says].")
@click.option("--to", "folder", metavar="DIR", help="Move it to this folder of the vault.")
@click.option("--reject", metavar="NAME", help="Remove this note, saying why.")
@click.option("--reason", metavar="TEXT", help="Why it is rejected.")
@click.option("--interactive", is_flag=True, help="Walk the queue, deciding note by note.")
@click.option("--yes", is_flag=True, help="Do not ask before --all.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@carry_options
@click.pass_context
def promote(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """List the notes in quarantine, oldest first; or let them out, or take them away.

    A promoted note becomes active and gets the audience given; links to it follow
    it. Without --commit the files change and the commit message is printed. On a
    bare repository a decision needs --commit or --dry-run.

    Example: manent promote my-vault --note tide-tables --audience ops --to memory --commit
    """
    refuse_odd(ctx, {**options, "vault": vault}, files=_FILES, names=_NAMES, folders=_FOLDERS)
    _check(options)
    place = locate(vault)
    if options["interactive"]:
        from manent.cli.promoting import walk

        ctx.exit(walk(ctx, place, options))
    if options["reject"] is not None:
        ctx.exit(_reject(ctx, place, options))
    if options["names"] or options["every"]:
        ctx.exit(_promote(ctx, place, options))
    ctx.exit(_queue(ctx, place, options))


def _check(options: dict[str, Any]) -> None:
    """Raise UsageError for options that contradict each other."""
    asked = [
        name
        for name, given in (
            ("--note", options["names"]),
            ("--all", options["every"]),
            ("--reject", options["reject"] is not None),
            ("--interactive", options["interactive"]),
        )
        if given
    ]
    if len(asked) > 1:
        raise UsageError(f"{asked[0]} and {asked[1]} are two decisions", "give one of them")
    if options["every"] and not options["author"]:
        raise UsageError("--all needs --author", "say whose notes: --all --author NAME")
    if (options["reject"] is None) != (options["reason"] is None):
        raise UsageError("--reject NAME and --reason TEXT go together", "give both")
    if options["reason"] is not None and not options["reason"].strip():
        raise UsageError("the reason is empty", "say why the note is rejected")
    if options["names"] and options["author"] is not None:
        raise UsageError("--note names the notes already", "leave --author out")
    if options["interactive"] and options["as_json"]:
        raise UsageError("--interactive talks to a person", "leave --json out")
    if options["yes"] and not options["every"]:
        raise UsageError("--yes goes with --all", "nothing else asks before it begins")
    for name, key in (("--commit", "commit"), ("--dry-run", "dry_run")):
        if options[key] and not asked:
            raise UsageError(f"{name} goes with a decision", "--note, --all, --reject")
    if not asked or options["reject"] is not None:
        for name, key in (("--audience", "audience"), ("--to", "folder")):
            if options[key] is not None:
                raise UsageError(f"{name} goes with --note or --all", "say which note")


# -- the queue ------------------------------------------------------------------


def _queue(ctx: click.Context, place: Place, options: dict[str, Any]) -> int:
    mend(place, bool(ctx.obj["quiet"]))
    with opened(place, options["frontmatter"], None, bool(ctx.obj["quiet"])) as found:
        say(found.remarks, bool(ctx.obj["quiet"]))
        rows = queue_of(found, options["author"])
    if options["as_json"]:
        print_json({"queue": [row.as_json() for row in rows]})
        return 0
    for line in lines_of(rows):
        click.echo(line)
    if not rows:
        whose = f" by {options['author']}" if options["author"] else ""
        say([f"no note{whose} waits in quarantine"], bool(ctx.obj["quiet"]))
    return 0


def queue_of(found: Opened, author: str | None = None, name: str | None = None) -> list[Any]:
    """Return what waits in quarantine; name: only what that may mean."""
    from manent.promote.queue import arrivals, waiting

    place = found.place
    tip = found.commit or ""
    if place.root is not None and place.repository is not None:
        tip = place.repository.ref("HEAD")
    since = arrivals(place.repository, tip, place.prefix, place.root)
    return waiting(found.vault, today(), since, author, name)


def lines_of(rows: Sequence[Any]) -> list[str]:
    """Return the queue as lines, its columns under each other."""
    return columns([_cells(row) for row in rows], bold=1)


def _cells(row: Any) -> list[str]:
    from manent.finding import inert

    age = f"{row.age_days:4d} d" if row.since else "   ? d"
    audience = ",".join(row.audience) or "private"
    texts = (row.note.name, row.author or "-", audience, row.note.path, row.note.description)
    return [age, *(inert(text) for text in texts)]


def today() -> datetime.date:
    """Return the day it is, in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


# -- decisions --------------------------------------------------------------------


def terms_of(found: Opened, who: Any) -> Any:
    """Return what a decision needs beside the notes."""
    from manent.promote.decision import Terms

    place = found.place
    root = place.root
    name = f"{who.name} <{who.email}>" if who.email else who.name

    def taken(path: str) -> bool:
        return root is not None and ((root / path).exists() or (root / path).is_symlink())

    def unseen(path: str) -> bool:
        if root is None or place.repository is None:
            return False
        whole = f"./{place.prefix}/{path}" if place.prefix else f"./{path}"
        # This command of git's refuses to take pathspecs literally; "./" lets none be magic.
        plain = {"GIT_LITERAL_PATHSPECS": "0"}
        status, _, _ = place.repository.git.attempt("check-ignore", "-q", "--", whole, env=plain)
        return bool(status == 0)

    return Terms(today(), name, policy(place, None).audiences, taken, unseen)


def labels_of(text: str | None) -> list[str] | None:
    """Return the labels of ``--audience``. Raises UsageError when there is none."""
    if text is None:
        return None
    found = text.replace(",", " ").split()
    if not found:
        raise UsageError("--audience names nobody", "give labels: --audience ops,team")
    return found


def _promote(ctx: click.Context, place: Place, options: dict[str, Any]) -> int:
    asked = how(ctx, place, options)
    audience = labels_of(options["audience"])
    decided: list[Any] = []

    def propose(found: Opened) -> list[Any]:
        from manent.promote.decision import promoted

        chosen = _chosen(found, options)
        decided[:] = promoted(
            found.vault, chosen, terms_of(found, asked.who), audience, options["folder"]
        )
        return [one.change for one in decided]

    mend(place, asked.quiet)
    if options["every"] and not asked.dry_run and not options["yes"]:
        _confirm(ctx, place, options)
    carried = carry(place, asked, propose)
    print_decided("promoted", decided, carried, options["as_json"])
    remark(decided, asked.quiet)
    return 0


def remark(decided: Sequence[Any], quiet: bool) -> None:
    """Say of promoted notes that stay below quarantine/ that nobody but an owner sees them."""
    from manent.vault.ignore import quarantine_of

    paths = [one.row["path"][1] for one in decided if quarantine_of(one.row["path"][1]) is not None]
    say([f"{p} stands below quarantine/ still: owners only; --to moves it" for p in paths], quiet)


def _chosen(found: Opened, options: dict[str, Any]) -> list[Any]:
    from manent.promote.queue import find

    if options["every"]:
        queue = queue_of(found, options["author"])
        if not queue:
            raise Refused(f"no note by {options['author']} waits in quarantine", "see the queue")
        return queue
    chosen = [find(queue_of(found, None, name), found.vault, name) for name in options["names"]]
    return list({row.note.id: row for row in chosen}.values())


def _confirm(ctx: click.Context, place: Place, options: dict[str, Any]) -> None:
    with opened(place, options["frontmatter"], None, bool(ctx.obj["quiet"])) as found:
        rows = _chosen(found, options)
    for line in lines_of(rows):
        click.echo(line, err=True)
    what = "1 note" if len(rows) == 1 else f"{len(rows)} notes"
    try:
        agreed = click.confirm(f"Promote {what} by {options['author']}?", err=True)
    except click.Abort:
        agreed = False
    if not agreed:
        raise Refused("not confirmed: nothing was promoted", "answer y, or add --yes")


def _reject(ctx: click.Context, place: Place, options: dict[str, Any]) -> int:
    asked = how(ctx, place, options)
    decided: list[Any] = []

    def propose(found: Opened) -> list[Any]:
        from manent.promote.decision import rejected
        from manent.promote.queue import find

        rows = queue_of(found, options["author"], options["reject"])
        row = find(rows, found.vault, options["reject"])
        decided[:] = [rejected(found.vault, row, options["reason"], terms_of(found, asked.who))]
        return [decided[0].change]

    mend(place, asked.quiet)
    carried = carry(place, asked, propose)
    print_decided("rejected", decided, carried, options["as_json"])
    broken = decided[0].row["linked_from"]
    if broken:
        say([f"{decided[0].row['path']} was linked from {', '.join(broken)}"], asked.quiet)
    return 0


def print_decided(what: str, decided: Sequence[Any], carried: Carried, as_json: bool) -> None:
    """Print what was decided: for a person, or as the one JSON document."""
    if not as_json:
        print_carried(carried)
        return
    commits: list[str | None] = [*carried.commits] or [None] * len(decided)
    rows = [
        {**one.row, "commit": commit, "message": message}
        for one, commit, message in zip(decided, commits, carried.messages, strict=True)
    ]
    document: dict[str, Any] = {what: rows}
    if carried.dry_run:
        document["diff"] = carried.diff.decode("utf-8", "replace")
    print_json(document)
