"""Groups whose commands are known by a table and imported on use, and what all have in common."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from manent.errors import UsageError


class Command(NamedTuple):
    """Where a command lies, so that nothing is imported before it is known."""

    module: str
    attribute: str
    summary: str


class LazyGroup(click.Group):
    """A group of the commands that ``table`` names, in its order, which is that of use."""

    table: Mapping[str, Command] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, or None where there is none of that name."""
        entry = self.table.get(cmd_name)
        if entry is None:
            return None
        command = getattr(importlib.import_module(entry.module), entry.attribute)
        assert isinstance(command, click.Command)
        return refusing_blanks(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table: ``--help`` imports none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.table.items()])


def refusing_blanks(command: click.Command) -> click.Command:
    """Make a command, and those below it, refuse what was typed and says nothing.

    An empty value is what a shell makes of a variable that is not set. To read the
    folder for ``--rev ""``, or to run no rule for ``--only ""``, would answer another
    question than the one that was asked.
    """
    for parameter in command.params:
        if isinstance(parameter, click.Option) or _names_a_place(parameter):
            inner = parameter.callback
            if not isinstance(inner, _Said):
                parameter.callback = _Said(inner)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            refusing_blanks(below)
    return command


def _names_a_place(parameter: click.Parameter) -> bool:
    """Tell whether an argument is a path: the empty one would mean the current folder."""
    return isinstance(parameter.type, click.Path) or parameter.name == "vault"


class _Said:
    """The callback of a parameter: refuses a blank value, then does what the old one did."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __call__(self, ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        typed = ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        for one in value if isinstance(value, tuple) else (value,):
            if typed and isinstance(one, str) and not one.strip(" ,\t\r\n"):
                name = max(parameter.opts, key=len)
                named = name if name.startswith("-") else parameter.metavar or name.upper()
                raise UsageError(f"{named} is empty", "give it a value, or leave it out")
        return value if self.inner is None else self.inner(ctx, parameter, value)
