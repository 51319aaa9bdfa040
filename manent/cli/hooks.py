"""``manent hooks``: the gate's hooks in a repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from manent.errors import NotAVault, UsageError


@click.group()
def hooks() -> None:
    """Put the gate's hooks into a repository, and prove that they work.

    Example: manent hooks install --repo /srv/brain.git
    """


_REPO = click.option("--repo", default=".", type=click.Path(), help="The repository [default: .].")
_OUTSIDE = click.option(
    "--hooks-path",
    type=click.Path(),
    help="The folder core.hooksPath names, where it lies outside the repository.",
)


@hooks.command()
@_REPO
@_OUTSIDE
@click.option("--server", "side", flag_value="server", help="Hooks of a brain that takes pushes.")
@click.option("--local", "side", flag_value="local", help="Hooks of a working copy.")
def install(repo: str, hooks_path: str | None, side: str | None) -> None:
    """Install the hooks; one that stands there already is kept and run after ours.

    Example: manent hooks install --local
    """
    from manent.cli.journal_hooks import install as put_driver
    from manent.gate.install import LOCAL
    from manent.gate.install import install as put

    repository, names = _opened(repo, side)
    done = put(repository, names, allow_outside=_named(repository, hooks_path))
    for line in [*done, *(put_driver(repository) if names == LOCAL else [])]:
        click.echo(line)


@hooks.command()
@_REPO
@_OUTSIDE
def uninstall(repo: str, hooks_path: str | None) -> None:
    """Remove the hooks and put back what stood there before.

    Example: manent hooks uninstall --repo /srv/brain.git
    """
    from manent.cli.journal_hooks import uninstall as remove_driver
    from manent.gate.install import uninstall as remove

    repository, _ = _opened(repo, None)
    done = remove(repository, allow_outside=_named(repository, hooks_path))
    done += remove_driver(repository)
    for line in done or ["no hook of manent stands here"]:
        click.echo(line)


@hooks.command()
@_REPO
@click.option("--server", "side", flag_value="server")
@click.option("--local", "side", flag_value="local")
@click.pass_context
def status(ctx: click.Context, repo: str, side: str | None) -> None:
    """Say how the hooks stand, and try a bad push or commit on a scratch copy.

    Exit 0 when it was refused, 1 when it was let in.

    Example: manent hooks status --repo /srv/brain.git
    """
    from manent.gate.install import SERVER

    repository, names = _opened(repo, side)
    ctx.exit(report(repository, names, server=names == SERVER))


def report(repository: Any, names: tuple[str, ...], server: bool) -> int:
    """Print how the hooks stand and what the proof gave; return the exit status."""
    from manent.cli.journal_hooks import state
    from manent.gate.brain import prove, prove_local
    from manent.gate.install import pin_again, states

    moved = pin_again(repository) if server else ""
    if moved:
        click.echo(moved)
    for hook in states(repository, names):
        chained = ", another hook runs after it" if hook.chained else ""
        click.echo(f"{hook.name}: {hook.state}{chained}")
    for line in [] if server else state(repository):
        click.echo(line)
    refused, seen = (prove if server else prove_local)(repository, os.environ)
    if refused:
        click.echo("a bad note was refused: the gate is at work")
        return 0
    click.echo("a bad note was LET IN: the gate is not at work")
    for line in seen.splitlines()[:10]:
        click.echo(f"    {line}")
    return 1


def _opened(repo: str, side: str | None) -> tuple[Any, tuple[str, ...]]:
    from manent.gate.install import LOCAL, SERVER
    from manent.repo.open import discover

    repository = discover(Path(repo), os.environ, light=True)
    if repository is None:
        raise NotAVault(f"{repo} is in no git repository", "name one with --repo")
    server = side == "server" or (side is None and repository.is_bare)
    return repository, SERVER if server else LOCAL


def _named(repository: Any, hooks_path: str | None) -> bool:
    """Tell whether --hooks-path names what core.hooksPath says; another is wrong use."""
    from manent.gate.install import hooks_folder

    if hooks_path is None:
        return False
    found = hooks_folder(repository, allow_outside=True)
    if found.resolve() != Path(hooks_path).resolve():
        raise UsageError(f"core.hooksPath is {found}, not {hooks_path}")
    return True
