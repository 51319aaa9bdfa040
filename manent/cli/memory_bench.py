"""``manent memory bench``: what a session costs with the file as it is, and compiled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manent.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from manent.memfile.bench import Session


@click.command()
@click.argument("path", default=".", type=click.Path())
@click.option("--turns", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--workload", type=click.Path(), help="A file of tasks, one a line, to model.")
@click.option("--whole-files", is_flag=True, help="Model files opened whole, not sections.")
@click.option("--budget", type=click.IntRange(min=1), default=2000, show_default=True)
@click.option(
    "--tokenizer", type=click.Choice(["estimate", "o200k"]), default="estimate", show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench(path: str, as_json: bool, **options: Any) -> None:
    """Print exact bounds of a session: best case, worst case, break-even.

    PATH is a compiled workspace, or a memory file, which is planned in memory and not
    written. --workload adds a model of a session; there is no built-in workload.

    Example: manent memory bench . --turns 40 --workload tasks.txt
    """
    from manent.cli.asking import print_json
    from manent.memfile.measuring import measured, model
    from manent.memfile.planning import bounds_json, bounds_text

    if options["whole_files"] and not options["workload"]:
        raise UsageError("--whole-files needs --workload", "the bounds open whole files anyway")
    tasks = _tasks(options["workload"])
    found = measured(Path(path), options["budget"], options["tokenizer"], options["turns"])
    session = model(found, tasks, options["whole_files"]) if tasks else None
    if as_json:
        document: dict[str, Any] = {
            "path": str(found.path),
            "compiled": found.compiled,
            "tokenizer": found.tokenizer,
            "tokens": {
                "original": found.original,
                "stub": found.stub,
                "onDemand": found.on_demand,
            },
            "bounds": bounds_json(found.bounds),
            "session": None if session is None else _session_json(session, options["whole_files"]),
        }
        print_json(document)
        return
    state = "compiled" if found.compiled else "as a compile would leave it; nothing is written"
    click.echo(f"{found.path.name}, {state} ({found.tokenizer}):")
    click.echo(
        f"{found.original} tokens a turn before, {found.stub} after, {found.on_demand} on demand"
    )
    for line in bounds_text(found.bounds):
        click.echo(line)
    if session is not None:
        for line in _session_text(session, options["whole_files"]):
            click.echo(line)


def _tasks(name: str | None) -> list[str]:
    if name is None:
        return []
    try:
        text = Path(name).read_text(encoding="utf-8", errors="replace")
    except OSError as fault:
        raise EnvironmentFault(f"{name} cannot be read: {fault.strerror}") from None
    tasks = [line.strip() for line in text.splitlines() if line.strip()]
    if not tasks:
        raise UsageError(f"{name} holds no task", "write one task a line")
    return tasks


def _session_json(session: Session, whole_files: bool) -> dict[str, Any]:
    return {
        "model": True,
        "wholeFiles": whole_files,
        "turns": len(session.turns),
        "total": session.total,
        "original": session.original,
        "breaksEven": session.breaks_even,
        "nextTurn": session.next_turn,
        "nextTurnOriginal": session.next_original,
        "neverOpened": list(session.never),
        "tasks": [
            {"task": turn.task, "opened": list(turn.opened), "carried": turn.carried}
            for turn in session.turns
        ],
    }


def _session_text(session: Session, whole_files: bool) -> list[str]:
    from manent.finding import counted, inert

    unit = "whole files" if whole_files else "sections"
    verdict = "breaks even" if session.breaks_even else "does not break even"
    lines = [
        f"a model, not a measurement: {counted(len(session.turns), 'task')}, {unit} carried on:",
        f"  {session.total} tokens, against {session.original} as it is: {verdict}",
        f"  one further turn costs {session.next_turn}, against {session.next_original}",
    ]
    lines.extend(f"  never opened: {inert(name)}" for name in session.never)
    return lines
