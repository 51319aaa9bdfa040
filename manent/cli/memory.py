"""``manent memory``: audit, compile and recall the memory files of agents."""

from __future__ import annotations

import click

from manent.cli.lazy import Command, LazyGroup

COMMANDS: dict[str, Command] = {
    "doctor": Command("manent.cli.memory_doctor", "doctor", "Audit memory files; change nothing."),
    "compile": Command(
        "manent.cli.memory_compile", "compile_command", "Split a memory file in two."
    ),
    "restore": Command("manent.cli.memory_restore", "restore", "Put the compiled file back."),
    "recall": Command("manent.cli.memory_recall", "recall", "Hand back the sections that matter."),
    "bench": Command(
        "manent.cli.memory_bench", "bench", "Say what a session costs, before and after."
    ),
    "hook": Command("manent.cli.memory_install_hook", "hook", "Answer Claude Code's prompt hook."),
    "install-hook": Command(
        "manent.cli.memory_install_hook",
        "install_hook",
        "Let Claude Code ask the memory at each prompt.",
    ),
    "mcp": Command(
        "manent.cli.memory_mcp", "mcp_command", "Serve the memory to an agent over MCP."
    ),
}
"""In the order of use."""


class _Memory(LazyGroup):
    table = COMMANDS


@click.group(name="memory", cls=_Memory)
def memory() -> None:
    """Say what a memory file costs, split it, and hand back the part that is needed.

    Example: manent memory doctor .
    """
