"""What the reading commands share: a vault, who asks, and the View they get."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import click

from manent.cli.opening import (
    Opened,
    Place,
    identity_of,
    is_vault,
    locate,
    opened,
    say,
    unread_lines,
)
from manent.errors import EnvironmentFault, NotAVault, StoreDamaged, UsageError
from manent.server.days import is_day
from manent.values import replace


class Asked(NamedTuple):
    """An opened vault and the View of whoever asks.

    tree: the id of the tree to print: only an owner may know it.
    """

    found: Opened
    view: Any
    tree: str | None


class Asker(NamedTuple):
    """The options of a reading command, as typed."""

    vault: str | None
    rev: str
    frontmatter: str | None
    agent: str | None
    agents: str | None
    quiet: bool


def asker(ctx: click.Context, vault: str | None, options: dict[str, Any]) -> Asker:
    """Collect what the options of a reading command say."""
    return Asker(
        vault,
        options["rev"],
        options["frontmatter"],
        options["agent"],
        options["agents"],
        bool(ctx.obj["quiet"]),
    )


def pair(first: str | None, second: str | None, what: str) -> tuple[str | None, str]:
    """Sort ``VAULT QUERY`` out: one argument alone is the query on the current vault."""
    if first is None:
        raise UsageError(f"what {what}?", f"give a {what}")
    if second is None:
        if what == "note" and is_vault(first):
            raise UsageError(f"which note of {first}?", "give its name too")
        return None, first
    return first, second


@contextlib.contextmanager
def asking(who: Asker) -> Iterator[Asked]:
    """Open the vault and fix the View before anything is looked up."""
    from manent.access import View

    place = locate(who.vault, who.rev)
    identity = identity_of(place, who.agent, who.agents)
    past = None
    # An owner by what it may write, to whom notes are hidden all the same, is none here.
    trusted = identity.is_whole_owner
    if who.rev and not trusted:
        if not identity.history:
            raise UsageError("--rev is the owner's", 'or an agent\'s with "history": true')
        with _unnamed(trusted):
            place, past = _past(place, who, identity)
    with contextlib.ExitStack() as stack:
        with _unnamed(trusted):
            found = stack.enter_context(
                opened(place, who.frontmatter, None, who.quiet, leaves_out=True)
            )
        say(found.remarks, who.quiet)
        if trusted:
            say(unread_lines(found), False)
        tree = found.tree if trusted else None
        with _unnamed(trusted, opening=False):
            yield Asked(found, View(found.vault, identity, past), tree)


@contextlib.contextmanager
def _unnamed(trusted: bool, opening: bool = True) -> Iterator[None]:
    """Say to nobody but an owner what it is that cannot be read: it may be hidden.

    opening: all that fails is about files and objects; afterwards that of objects alone.
    """
    try:
        yield
    except (EnvironmentFault, OSError) as fault:
        from manent.repo.objects import MissingObject

        known = isinstance(fault, StoreDamaged | NotAVault | BrokenPipeError)
        if trusted or known or not (opening or isinstance(fault, MissingObject)):
            raise
        hint = "its owner is told what it is, without --as"
        raise EnvironmentFault("the vault cannot be read as a whole", hint) from fault


def _past(place: Place, who: Asker, identity: Any) -> tuple[Place, frozenset[str]]:
    """Return the revision of a day, and the contents that today's View holds.

    An agent names revisions by day: an id, a tag or a branch says that
    something was there. What it may see of the past is what it sees today. A day
    before the first commit is answered as one on which all was hidden: from the
    first tree there was, with none of its contents.
    """
    from manent.access import View

    if not is_day(who.rev):
        raise UsageError("name the revision by its day", "as in --rev 2026-03-09")
    with opened(replace(place, rev=""), who.frontmatter, None, True, leaves_out=True) as now:
        blobs = frozenset(note.oid for note in View(now.vault, identity).notes())
    head = place.repository.ref("HEAD")
    if not head:
        return replace(place, rev=""), frozenset()
    until = f"--until={who.rev}T23:59:59Z"
    for day, visible in ((until, blobs), ("--max-parents=0", frozenset[str]())):
        said = place.repository.git.run("rev-list", "-1", day, head, "--")
        if said:
            return replace(place, rev=said.decode("ascii").strip()), visible
    return replace(place, rev=""), frozenset()  # a shallow clone knows no first commit


def print_json(document: dict[str, Any]) -> None:
    """Print the one JSON document of a command."""
    from manent.finding import json_text

    click.echo(json_text({"version": 1, **document}))


def status_of(note: Any) -> str:
    """Return a note's status as answers give it: a draft is in quarantine whatever it says."""
    return "quarantine" if note.quarantined else str(note.status)


def as_row(note: Any) -> dict[str, Any]:
    """Return what answers say of a note."""
    return {
        "name": note.name,
        "path": note.path,
        "description": note.description,
        "type": note.type,
        "status": status_of(note),
    }
