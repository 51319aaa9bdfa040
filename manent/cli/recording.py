"""What search and gaps share: opening a register, and what goes into it."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from manent.cli.ranking import cache_folder
from manent.errors import ManentError, UsageError


@contextlib.contextmanager
def register(
    where: str,
    *,
    make: bool,
    model: str | None = None,
    threshold: float | None = None,
    apart: bool = False,
) -> Iterator[Any]:
    """Open the register that ``--gaps`` names. Raises EnvironmentFault, UsageError.

    model: group by this embedding model, "" for the default; None by words alone.
    apart: tell questions apart that were filed together and are farther than the threshold.
    """
    from manent.gaps.address import is_address
    from manent.gaps.home import Home
    from manent.gaps.register import Register

    home = Home(where if is_address(where) else Path(where), make=make, backups=backups())
    with Register(home, None if model is None else meaning(model, threshold, apart)) as found:
        yield found


def meaning(model: str, threshold: float | None, apart: bool = False) -> Any:
    """Return how questions are compared by meaning; None where no model is installed."""
    from manent.gaps.grouping import THRESHOLD, Meaning
    from manent.search.embed.choose import default_model, embedder

    if not model and not default_model():
        return None
    try:
        chosen = embedder(model, cache_folder())
    except ManentError as fault:
        if model:
            raise
        click.echo(f"manent: questions are compared by their words alone: {fault}", err=True)
        return None
    least = THRESHOLD if threshold is None else threshold
    return Meaning(chosen.id, chosen.queries, least, apart)


def refuse_inside(where: str, root: Path | None, what: str = "register") -> None:
    """Raise UsageError for a register in the vault, in a brain, or among derived data.

    Questions are no notes, and whoever deletes what can be made anew must not lose
    them. root: the vault's folder, None for a brain. what: is refused, for the message.
    """
    from manent.gaps.address import FILE, is_address
    from manent.gaps.home import meant, refuse_derived

    file = Path(where.removeprefix(FILE))
    if is_address(where) and not where.startswith(FILE):
        return
    for place in meant(file):
        if root is not None and place.is_relative_to(root):
            raise UsageError(f"the {what} {file} lies in the vault", "keep it outside")
    refuse_derived(file, what)


def record(
    asked: Any,
    where: str,
    query: str,
    hits: list[Any],
    retriever: str,
    model: str,
    threshold: float | None = None,
) -> None:
    """File a search in the register; say on stderr when that fails: the answer stands."""
    from manent.gaps.register import Search, asker_of

    paths = [ranked.hit.path for ranked in hits]
    tree = asked.found.tree or ""
    search = Search(query, asker_of(asked.view.identity), now(), paths, retriever, tree)
    try:
        with register(where, make=True, model=model, threshold=threshold) as found:
            found.record(search)
    except ManentError as fault:
        click.echo(f"manent: the search was not recorded: {fault}", err=True)


def follow(asked: Any, where: str, path: str) -> None:
    """Count the asker's searches that led to this note as read; say when that fails."""
    from manent.gaps.register import Read, asker_of

    try:
        with register(where, make=False) as found:
            found.follow(Read(path, asker_of(asked.view.identity), now()))
    except ManentError as fault:
        click.echo(f"manent: the reading was not recorded: {fault}", err=True)


def now() -> datetime.datetime:
    """Return the time, in UTC."""
    return datetime.datetime.now(datetime.UTC)


def backups() -> Path:
    """Return where copies of registers are put before a migration."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "manent"
