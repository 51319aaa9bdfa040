"""``manent memory``: audit, compile and recall the memory files of agents."""

from __future__ import annotations

import importlib

import click

COMMANDS: dict[str, tuple[str, str, str]] = {
    "doctor": ("manent.cli.memory_doctor", "doctor", "Audit memory files; change nothing."),
    "compile": ("manent.cli.memory_compile", "compile_command", "Split a memory file in two."),
    "restore": ("manent.cli.memory_restore", "restore", "Put the compiled file back."),
    "recall": ("manent.cli.memory_recall", "recall", "Hand back the sections that matter."),
    "bench": ("manent.cli.memory_bench", "bench", "Say what a session costs, before and after."),
    "hook": ("manent.cli.memory_install_hook", "hook", "Answer Claude Code's prompt hook."),
    "install-hook": (
        "manent.cli.memory_install_hook",
        "install_hook",
        "Let Claude Code ask the memory at each prompt.",
    ),
    "mcp": ("manent.cli.memory_mcp", "mcp_command", "Serve the memory to an agent over MCP."),
}
"""Name to (module, attribute, summary), in the order of use."""


class _Lazy(click.Group):
    """Imports a command when it is called, not when it is listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = getattr(importlib.import_module(entry[0]), entry[1])
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[2]) for name, entry in COMMANDS.items()])


@click.group(name="memory", cls=_Lazy)
def memory() -> None:
    """Say what a memory file costs, split it, and hand back the part that is needed.

    Example: manent memory doctor .
    """
