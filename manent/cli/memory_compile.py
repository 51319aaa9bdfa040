"""``manent memory compile``: the plan of a split, and carrying it out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from manent.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from manent.memfile.compiling import Job


@click.command(name="compile")
@click.argument("path", default=".", type=click.Path())
@click.option("--write", is_flag=True, help="Apply the plan; without it nothing is written.")
@click.option("--update", is_flag=True, help="Re-apply a compiled workspace after edits.")
@click.option("--force", is_flag=True, help="Past the verdict, and past a workspace that stands.")
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=2000,
    show_default=True,
    help="Tokens that may stay always loaded.",
)
@click.option(
    "--profile",
    type=click.Choice(["auto", "none", "routing", "full"]),
    default="auto",
    show_default=True,
    help="How much is said about using the on-demand files.",
)
@click.option("--turns", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--episodic-json", is_flag=True, help="Keep what happened as JSON entries.")
@click.option("--allow-secrets", is_flag=True, help="Compile although a credential is in it.")
@click.option("--commit", is_flag=True, help="Commit what was written (this alone calls git).")
@click.option(
    "--tokenizer",
    type=click.Choice(["estimate", "o200k"]),
    default="estimate",
    show_default=True,
    help="How tokens are counted; o200k needs the extra `tokens`.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def compile_command(ctx: click.Context, /, path: str, **options: Any) -> None:
    """Split the memory file of PATH into an always-loaded body and on-demand files.

    Without --write it is a dry run. Exit 0 done, 1 refused (verdict, credential, symlink,
    routing list, a workspace that stands), 2 wrong use or environment.

    Example: manent memory compile CLAUDE.md --write
    """
    from manent.memfile.compiling import carried_out, prepared, refusal

    if options["commit"] and not options["write"]:
        raise UsageError("--commit needs --write", "a dry run writes nothing to commit")
    asked = _asked(ctx, options)
    _announce(Path(path), bool((ctx.obj or {}).get("quiet")))
    job = prepared(Path(path), asked)
    refused = refusal(job)
    git = _git(job) if options["commit"] and not refused else None
    wrote = bool(options["write"]) and not refused and job.changed
    if wrote:
        job = carried_out(job, lambda: prepared(job.path, asked))
        if git is not None:
            _commit(git, job)
    _print(job, wrote, refused, options["as_json"])
    ctx.exit(1 if options["write"] and refused else 0)


_LONG_BYTES = 200_000
"""Past it, planning takes about a second."""


def _announce(path: Path, quiet: bool) -> None:
    """Say on a terminal that a large file takes a moment."""
    import sys

    from manent.memfile.places import is_file

    large = is_file(path) and path.stat().st_size > _LONG_BYTES
    if large and not quiet and sys.stderr.isatty():
        click.echo(f"planning {path.name} ({path.stat().st_size >> 10} KB) ...", err=True)


def _asked(ctx: click.Context, options: dict[str, Any]) -> Any:
    from manent.memfile.compile import Options
    from manent.memfile.compiling import Asked

    given = {
        name
        for name in ("budget", "profile", "tokenizer")
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    chosen = Options(
        budget=options["budget"],
        profile=options["profile"],
        tokenizer=options["tokenizer"],
        episodic_json=options["episodic_json"],
        turns=options["turns"],
    )
    return Asked(
        chosen,
        update=options["update"],
        force=options["force"],
        allow_secrets=options["allow_secrets"],
        given=frozenset(given),
    )


def _print(job: Job, wrote: bool, refused: str, as_json: bool) -> None:
    from manent.cli.asking import print_json
    from manent.memfile.planning import plan_json, plan_text

    if as_json:
        print_json(plan_json(job, wrote, refused))
        return
    from manent.finding import inert

    for line in plan_text(job, wrote, refused):
        click.echo(inert(line))


_THEIRS = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG")
"""Variables of git that say who commits, and with which settings: a user's own to set."""


def _git(job: Job) -> Any:
    """Return git for the folder, once it is sure to take the commit: nothing is written yet."""
    import os

    from manent.memfile.manifest import WORKSPACE
    from manent.repo.command import Git, clean

    theirs = {key: value for key, value in os.environ.items() if key.startswith(_THEIRS)}
    git = Git("", job.root, clean(os.environ, **theirs))
    if git.attempt("rev-parse", "--is-inside-work-tree")[1].strip() != b"true":
        raise EnvironmentFault(f"{job.root} is in no git repository", "drop --commit")
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if git.attempt("var", who)[0]:
            said = "git does not know who you are"
            raise EnvironmentFault(said, "set user.name and user.email, or drop --commit")
    for name in (job.path.name, WORKSPACE):
        asked = ("check-ignore", "--quiet", "--", name)
        if git.attempt(*asked, env={"GIT_LITERAL_PATHSPECS": "0"})[0] == 0:
            raise EnvironmentFault(f"git ignores {name}", "mend .gitignore, or drop --commit")
    return git


def _commit(git: Any, job: Job) -> None:
    """Commit the memory file and its workspace, and nothing else."""
    from manent.memfile.manifest import WORKSPACE

    paths = [job.path.name, WORKSPACE]
    verb = "update" if job.asked.update else "compile"
    git.run("add", "--all", "--", *paths)
    if git.attempt("diff", "--cached", "--quiet", "--", *paths)[0] == 0:
        return
    git.run("commit", "--quiet", "-m", f"memory: {verb} {job.path.name}", "--", *paths)
