"""``manent brain``: make a brain, and say whether it is in order."""

from __future__ import annotations

import datetime
import os
import secrets
from pathlib import Path
from typing import Any

import click

from manent.cli.opening import refuse_secrets
from manent.errors import NotAVault, UsageError


@click.group()
def brain() -> None:
    """Make a brain: a bare repository whose hooks judge and index every push.

    Example: manent brain create memory.git --from my-vault
    """


@brain.command()
@click.argument("folder", metavar="DIR.git", type=click.Path())
@click.option("--from", "source", type=click.Path(), help="Start from this vault and its history.")
@click.option("--branch", default="main", show_default=True, help="The branch readers see.")
@click.option("--audiences", help="The closed set of labels, a,b,c.")
@click.option(
    "--frontmatter",
    type=click.Choice(["required", "optional"]),
    help="Whether notes must carry the required fields [the vault's, else required].",
)
@click.option(
    "--config",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any setting that `manent gate --explain-policy` lists; several.",
)
@click.option("--baseline", is_flag=True, help="Allow every content finding the vault holds now.")
@click.pass_context
def create(ctx: click.Context, /, folder: str, **options: Any) -> None:
    """Make a brain at DIR.git, with its hooks, and fill it from a vault.

    The policy is what is said here, else what the vault's own repository has in its
    git config (section manent), else the default. The vault's allowances count.

    Example: manent brain create memory.git --from my-vault --audiences team,board
    """
    from manent.gate.brain import ImportRefused, Wanted
    from manent.gate.brain import create as make

    source = Path(options["source"]) if options["source"] else None
    if source is not None:
        if not source.is_dir():
            raise NotAVault(f"no folder {source}", "name a vault with --from")
        refuse_secrets(source)
    wanted = Wanted(options["branch"], source, _policy(options), options["baseline"])
    now = datetime.datetime.now(datetime.UTC)
    salt = secrets.token_hex(16)
    try:
        made = make(Path(folder), wanted, os.environ, now, salt, processors())
    except ImportRefused as refusal:
        _refused(refusal)
        ctx.exit(1)
    _report(made, bool(ctx.obj["quiet"]))


def _policy(options: dict[str, Any]) -> dict[str, str]:
    """Return the settings of the command line, by their key as git config spells it."""
    from manent.gate.policy import OPTIONS

    known = {option.key.lower(): option.key for option in OPTIONS}
    said = {key: options[key] for key in ("audiences", "frontmatter") if options[key] is not None}
    for setting in options["settings"]:
        written, equals, value = setting.partition("=")
        key = known.get(written.lower().removeprefix("manent."))
        if not equals or key is None or key == "protectedBranch":
            raise UsageError(f"--config {setting} sets nothing", "manent gate --explain-policy")
        said[key] = value
    return said


def _refused(refusal: Any) -> None:
    from manent.gate.verdict import SHOWN

    verdict = refusal.created.verdict
    for finding in verdict.findings[:SHOWN]:
        click.echo(finding.as_text(verdict.salt), err=True)
    if len(verdict.findings) > SHOWN:
        click.echo(f"and {len(verdict.findings) - SHOWN} more", err=True)
    click.echo(f"manent: {refusal}", err=True)


def _report(made: Any, quiet: bool) -> None:
    from manent.finding import counted

    if quiet:
        return
    _report_old(made)
    for key, values in made.taken.items():
        for value in values:
            click.echo(f"manent.{key} = {value} (as the vault has it)")
    if made.spared:
        stay = "stays" if made.spared == 1 else "stay"
        click.echo(f"{counted(made.spared, 'finding')} {stay} allowed by the vault's .manent-allow")
    if made.allowed:
        are = "is" if made.allowed == 1 else "are"
        click.echo(f"{counted(made.allowed, 'finding')} {are} allowed from now on (.manent-allow)")
        click.echo("that is a commit of the brain's own: pull it before you push from the vault")
    click.echo(f"{made.path}: {counted(made.notes, 'note')} indexed; push to it, or clone it")


def _report_old(made: Any) -> None:
    """List what is at fault with the vault's structure; remarks are only counted."""
    from manent.finding import Severity, counted
    from manent.gate.verdict import SHOWN

    faults = [f for f in made.old if f.severity is not Severity.INFO]
    if faults:
        count = "counts" if len(faults) == 1 else "count"
        click.echo(f"{counted(len(faults), 'fault')} the vault came with {count} as old:", err=True)
    for finding in faults[:SHOWN]:
        click.echo(finding.as_text(), err=True)
    left = [counted(n, noun) for n, noun in (
        (len(faults) - len(faults[:SHOWN]), "more fault"), (len(made.old) - len(faults), "remark"))
        if n]  # fmt: skip
    if left:
        lead = "and " if faults else ""
        click.echo(f"{lead}{' and '.join(left)}: manent lint {made.path}", err=True)


@brain.command()
@click.argument("folder", metavar="DIR.git", type=click.Path())
@click.pass_context
def status(ctx: click.Context, folder: str) -> None:
    """Say how a brain stands, and prove its gate with a bad push to a scratch copy.

    Exit 0 when the push was refused, 1 when it was accepted, or when another tool has
    moved the protected branch.

    Example: manent brain status memory.git
    """
    from manent.cli.hooks import report
    from manent.gate.index import standing
    from manent.gate.install import SERVER
    from manent.gate.policy import read_policy, unknown_keys
    from manent.gate.verdicts import moved_past
    from manent.repo.judged import protected_ref

    repository = _brain(folder)
    click.echo(standing(repository, read_policy(repository.section())))
    for key in unknown_keys(repository.section()):
        click.echo(f"git config manent.{key} sets nothing: see `manent gate --explain-policy`")
    kept = protected_ref(repository)
    if repository.refs() and not repository.ref(kept):
        click.echo(f"{kept} is to be protected, and is not there: see git config manent")
    moved = moved_past(repository)
    if moved:
        click.echo(moved)
    ctx.exit(report(repository, SERVER, server=True) or (1 if moved else 0))


@brain.command()
@click.argument("folder", metavar="DIR.git", type=click.Path())
@click.option("--to", "target", required=True, type=click.Path(), help="Where backups are kept.")
@click.option(
    "--state", type=click.Path(), help="The state of the brain, such as its gap register."
)
def backup(folder: str, target: str, state: str | None) -> None:
    """Copy a brain, its configuration and its state into a new folder that can be checked.

    Example: manent brain backup memory.git --to /var/backups/manent --state /var/lib/manent/memory
    """
    from manent.gate.backup import back_up

    repository = _brain(folder)
    now = datetime.datetime.now(datetime.UTC)
    made = back_up(repository, Path(state) if state else None, Path(target), now)
    click.echo(str(made))


@brain.command()
@click.argument("source", metavar="BACKUP", type=click.Path())
@click.argument("folder", metavar="DIR.git", type=click.Path())
@click.option("--state", type=click.Path(), help="Where its state goes.")
def restore(source: str, folder: str, state: str | None) -> None:
    """Make a brain from a backup: history, configuration, hooks, index, state.

    Example: manent brain restore memory-2026-11-30T031000Z.backup memory.git
    """
    from manent.finding import counted
    from manent.gate.backup import restore as make

    made = make(
        Path(source), Path(folder), Path(state) if state else None, os.environ, processors()
    )
    click.echo(
        f"{made.path}: {counted(made.refs, 'ref')}, {counted(made.notes, 'note')} indexed, "
        f"{counted(made.state, 'state file')}"
    )
    if made.agents is not None:
        click.echo(f"the agents file of then is {made.agents}: put it where manent.agents says")


def _brain(folder: str) -> Any:
    from manent.repo.open import discover

    repository = discover(Path(folder), os.environ, light=True)
    if repository is None or not repository.is_bare:
        raise NotAVault(f"{folder} is no brain", "name a bare repository")
    return repository


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
