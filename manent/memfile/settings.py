"""The entry that makes Claude Code call the prompt hook, in a settings file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault
from manent.memfile import workspace
from manent.memfile.places import exists, is_symlink

EVENT = "UserPromptSubmit"


def entry(command: str) -> dict[str, Any]:
    """Return the entry of one hook."""
    return {"hooks": [{"type": "command", "command": command}]}


def installed(path: Path, command: str) -> tuple[bytes | None, bytes]:
    """Return a settings file as it is (None: not there) and as it is with the hook in it.

    The same bytes when the hook is there already. Raises EnvironmentFault when the file is
    no JSON object of settings: nothing is guessed about it.
    """
    before = workspace.read_file(path) if exists(path) or is_symlink(path) else None
    settings = _read(path, before)
    hooks = settings.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise _fault(path, "its `hooks` is no object")
    entries = hooks.setdefault(EVENT, [])
    if not isinstance(entries, list):
        raise _fault(path, f"its `hooks.{EVENT}` is no list")
    if before is not None and any(_calls(each, command) for each in entries):
        return before, before
    entries.append(entry(command))
    text = json.dumps(settings, indent=_indent(before), ensure_ascii=False) + "\n"
    return before, text.encode("utf-8", "surrogatepass")


def _read(path: Path, data: bytes | None) -> dict[str, Any]:
    if data is None or not data.strip():
        return {}
    try:
        settings = json.loads(data)
    except (ValueError, RecursionError):
        raise _fault(path, "it is no JSON") from None
    if not isinstance(settings, dict):
        raise _fault(path, "it is no JSON object")
    return settings


def _fault(path: Path, said: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"{path} cannot be extended: {said}", "mend it, or add the entry by hand"
    )


def _calls(each: Any, command: str) -> bool:
    """Whether an entry runs the memory hook already, however manent is called in it."""
    hooks = each.get("hooks") if isinstance(each, dict) else None
    commands = [h.get("command") for h in hooks if isinstance(h, dict)] if hooks else []
    return any(isinstance(c, str) and (c == command or "memory hook" in c) for c in commands)


def _indent(before: bytes | None) -> int | str:
    """Return how the file is indented, two spaces where it does not say."""
    for line in (before or b"").splitlines()[1:]:
        blank = line[: len(line) - len(line.lstrip())]
        if blank:
            return "\t" if blank.startswith(b"\t") else len(blank)
    return 2
