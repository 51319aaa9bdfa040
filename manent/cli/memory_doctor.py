"""``manent memory doctor``: what memory files cost, and what is wrong with them."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import click


@click.command()
@click.argument("path", default=".", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--ci", is_flag=True, help="Terse and colourless, for a log.")
@click.option(
    "--fail-on",
    type=click.Choice(["low", "med", "high"]),
    default="high",
    help="The severity from which findings make the exit code 1 [default: high].",
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=2000,
    help="Tokens the always-loaded prefix may cost [default: 2000].",
)
@click.option("--only", default="", help="Run these rules only (ids, joined by commas).")
@click.option("--ignore", default="", help="Leave these rules out.")
@click.option("--rules", "list_rules", is_flag=True, help="List the rules and exit.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    help="How to print the audit [default: text].",
)
@click.option(
    "--tokenizer",
    type=click.Choice(["estimate", "o200k"]),
    default="estimate",
    help="How to count: a calibrated estimate, or exactly (needs manent[tokens]).",
)
@click.pass_context
def doctor(
    ctx: click.Context,
    path: str,
    as_json: bool,
    ci: bool,
    fail_on: str,
    budget: int,
    only: str,
    ignore: str,
    list_rules: bool,
    form: str,
    tokenizer: str,
) -> None:
    """Audit a repository, a directory of memory files, or one file. Changes nothing.

    --json shows absolute paths, and headings of Claude Code's auto-memory of the
    project: mind where you send it.

    Example: manent memory doctor . --budget 1500 --fail-on med
    """
    # Taking a long file apart makes much and drops little of it.
    gc.set_threshold(_COLLECT_AFTER)
    from manent.memfile import report
    from manent.memfile.doctor import audit, chosen
    from manent.memfile.flaw import Level
    from manent.memfile.loaded import survey
    from manent.tokens import counter

    machine = as_json or form == "json"
    if list_rules:
        click.echo(report.rules_json() if machine else "\n".join(report.rules_text()))
        return
    rules = chosen(_ids(only), _ids(ignore))
    found = survey(
        Path(path),
        claude=claude_folder(),
        home=home_folder(),
        count=counter("o200k" if tokenizer == "o200k" else "estimate"),
        budget=budget,
    )
    size = sum(len(file.doc.text) for file in found.files)
    if size > _LONG and sys.stderr.isatty() and not ctx.obj["quiet"]:
        click.echo(f"auditing {len(found.files)} files, {size >> 10} KB …", err=True)
    done = audit(found, rules, tokenizer)
    if machine:
        click.echo(report.as_json(done))
    elif form == "sarif":
        click.echo(report.as_sarif(done))
    else:
        lines = report.terse(done) if ci else report.as_text(done)
        for line in lines:
            click.echo(line if ci else _dressed(line))
        if not found.files and not ctx.obj["quiet"]:
            click.echo(f"no memory file under {path}", err=True)
    ctx.exit(1 if done.fails(Level.of(fail_on)) else 0)


_COLLECT_AFTER = 50_000
"""Objects made between two collections: 700 costs an audit of 1 MB a twentieth."""

_LONG = 300_000
"""Characters that take about a second to audit."""


def _ids(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


_COLOURS = {": high: ": "red", ": med: ": "yellow", ": low: ": "cyan"}


def _dressed(line: str) -> str:
    """Colour the severity; click takes the colour off where it is not wanted."""
    for mark, colour in _COLOURS.items():
        before, found, after = line.partition(mark)
        if found:
            return f"{before}: {click.style(mark[2:-2], fg=colour)}: {after}"
    return line


def home_folder() -> Path | None:
    """Return the user's home, None where there is none."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def claude_folder() -> Path | None:
    """Return Claude Code's configuration folder."""
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    home = home_folder()
    return Path(named) if named else home / ".claude" if home is not None else None
