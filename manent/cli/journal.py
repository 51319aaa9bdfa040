"""`manent journal`, as the command table knows it; the work is in ``manent.journal.command``.

`manent journal …` is dispatched before click is imported. This is the way for
calls with options in front of the command, and for the line in `manent --help`.
"""

from __future__ import annotations

import click


@click.command(
    name="journal",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def journal(args: tuple[str, ...]) -> int:
    """Run one command of the journal."""
    from manent.journal.command import run

    return run(args)
