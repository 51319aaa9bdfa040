"""``manent memory mcp``: the tools of memory files over the official SDK, on stdio."""

from __future__ import annotations

import datetime
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manent import __version__
from manent.errors import EnvironmentFault

if TYPE_CHECKING:
    from manent.memfile.desk import Desk

_NAME = "manent-memory"
_INSTRUCTIONS = {
    "compiled": "Memory of this project: recall what it says before you guess.",
    "directory": "Memory of this project: recall what it says before you guess.",
    "plain": "Audits the memory files of this project.",
}


@click.command(name="mcp")
@click.argument("path", default=".", type=click.Path())
@click.option(
    "--profile",
    type=click.Choice(["basic", "full"]),
    default="basic",
    show_default=True,
    help="Few tools, chosen by what lies at PATH; or all of them.",
)
@click.option("--allow-write", is_flag=True, help="Register the tools that write.")
@click.option("--include-auto-memory", is_flag=True, help="Claude Code's memory of PATH counts.")
@click.option("--follow-external-imports", is_flag=True, help="Audits follow imports outside.")
def mcp_command(path: str, profile: str, allow_write: bool, **options: Any) -> None:
    """Serve the memory at PATH to an agent, over MCP on stdin and stdout.

    Which tools there are is settled at launch. Needs the extra `serve`.

    Example: manent memory mcp . --allow-write
    """
    from manent.memfile.desk import Desk, Launch
    from manent.memfile.places import is_folder

    root = Path(path)
    if not is_folder(root):
        raise EnvironmentFault(f"{path} is no folder", "name the project's folder")
    root = root.resolve()
    claude = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    name = re.sub(r"[^A-Za-z0-9]", "-", str(root))
    launch = Launch(
        root=root,
        profile=profile,
        writing=allow_write,
        moment=lambda: datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ"),
        auto_memory=claude / "projects" / name / "memory",
        include_auto_memory=options["include_auto_memory"],
        external=options["follow_external_imports"],
        claude=claude,
        home=Path.home(),
    )
    serve(Desk(launch))


def serve(desk: Desk) -> None:
    """Answer on stdin and stdout until the other side closes, or a signal ends it."""
    try:
        from manent.server.importing import import_sdk, settle

        import_sdk()
        import anyio

        from manent.server import stdio
    except ImportError:
        raise EnvironmentFault("the MCP SDK is not installed", "install manent[serve]") from None
    told = anyio.run(stdio.serve, _server(desk), "auto", settle)
    if told:
        # What was asked is answered; now end as anybody ends at that signal.
        signal.signal(told, signal.SIG_DFL)
        signal.raise_signal(told)


def _server(desk: Desk) -> Any:
    import anyio.to_thread
    import mcp_types as types
    from mcp.server.lowlevel.server import Server
    from mcp.shared.exceptions import MCPError

    from manent.server.revisions import only_served

    tools = [
        types.Tool(
            name=tool["name"], description=tool["description"], input_schema=tool["inputSchema"]
        )
        for tool in desk.tools
    ]

    async def listed(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def called(context: Any, params: Any) -> types.CallToolResult:
        if not desk.knows(params.name):
            raise MCPError(code=-32602, message=f"no tool {params.name}")
        text, failed = await anyio.to_thread.run_sync(
            desk.call, params.name, dict(params.arguments or {}), abandon_on_cancel=True
        )
        content: list[Any] = [types.TextContent(type="text", text=text)]
        return types.CallToolResult(content=content, is_error=failed)

    server: Server[Any] = Server(
        _NAME,
        version=__version__,
        instructions=_INSTRUCTIONS[desk.state],
        on_list_tools=listed,
        on_call_tool=called,
    )
    server.middleware.append(only_served)
    return server
