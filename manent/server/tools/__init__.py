"""The tools, one file each. Only ``dispatch`` calls one."""

from __future__ import annotations

from manent.server.tool import Tool


def all_tools() -> tuple[Tool, ...]:
    """Return every tool, in the order clients list them."""
    from manent.server.tools import grep, list_notes, neighbors, read, read_raw, search

    modules = (search, read, read_raw, neighbors, list_notes, grep)
    return tuple(module.TOOL for module in modules)
