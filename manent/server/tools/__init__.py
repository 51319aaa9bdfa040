"""The tools, one file each. Only ``dispatch`` calls one."""

from __future__ import annotations

from manent.server.tool import Tool


def all_tools() -> tuple[Tool, ...]:
    """Return every tool, in the order clients list them."""
    from manent.server.tools import (
        append,
        curate,
        feedback,
        gaps,
        graph,
        grep,
        list_notes,
        neighbors,
        quarantine,
        read,
        read_raw,
        search,
        write,
    )

    return tuple(
        module.TOOL
        for module in (
            search, read, read_raw, neighbors, list_notes, grep, feedback, curate, quarantine,
            gaps, graph, write, append,
        )
    )  # fmt: skip
