"""``manent memory install-hook``, and the hook itself as the command table knows it."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import click


@click.command(
    name="hook", context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
)
@click.option("--dir", "directory", type=click.Path(), help="Memory to read where cwd has none.")
def hook(directory: str | None) -> int:
    """Answer Claude Code's UserPromptSubmit: JSON on stdin, sections of memory on stdout.

    Reads the workspace at `cwd`, else its auto-memory folder, else --dir. At most 600
    tokens; nothing where nothing matches or anything fails; the exit code is always 0.

    Example: manent memory install-hook
    """
    from manent.cli.memory_hook import run

    return run(["--dir", directory] if directory else [])


@click.command(name="install-hook")
@click.argument("path", default=".", type=click.Path())
@click.option("--user", is_flag=True, help="For all projects: the settings in your home.")
@click.option("--settings", type=click.Path(), help="The settings file, instead of PATH's.")
@click.option("--dir", "directory", type=click.Path(), help="Memory to read where cwd has none.")
@click.option("--dry-run", is_flag=True, help="Show the entry and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def install_hook(
    path: str,
    user: bool,
    settings: str | None,
    directory: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Let Claude Code ask this memory at each prompt: an entry in its settings.

    Shows the entry, then writes it to PATH/.claude/settings.json; a second call changes
    nothing.

    Example: manent memory install-hook . --dry-run
    """
    from manent.cli.asking import print_json
    from manent.errors import EnvironmentFault
    from manent.memfile.places import is_folder
    from manent.memfile.settings import EVENT, entry, installed
    from manent.memfile.workspace import replace_file

    home = Path.home() if user else Path(path)
    if not user and settings is None and not is_folder(home):
        raise EnvironmentFault(f"{path} is no folder", "name the project's folder")
    target = Path(settings) if settings else home / ".claude" / "settings.json"
    command = _command(directory)
    before, after = installed(target, command)
    changed = before != after
    if as_json:
        written = changed and not dry_run
        shown = {EVENT: [entry(command)]}
        print_json({"path": str(target), "entry": shown, "changed": changed, "written": written})
    else:
        click.echo(f"{target}:")
        click.echo(json.dumps({"hooks": {EVENT: [entry(command)]}}, indent=2))
    if changed and not dry_run:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, after)
    if not as_json:
        click.echo("there already" if not changed else "not written" if dry_run else "written")


def _command(directory: str | None) -> str:
    """Return the command line of the hook: by name where it is on the path."""
    head = "manent" if shutil.which("manent") else f"{shlex.quote(sys.executable)} -m manent"
    tail = f" --dir {shlex.quote(str(Path(directory).resolve()))}" if directory else ""
    return f"{head} memory hook{tail}"
