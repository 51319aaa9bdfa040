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
    if before is not None and any(_serves(each["command"], command) for each in _calls(entries)):
        return before, before
    if (stale := _same_hook(entries, command)) is None:
        entries.append(entry(command))
    else:
        stale["command"] = command
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


def _calls(entries: list[Any]) -> list[dict[str, Any]]:
    """Return the hooks in some entries that run the memory hook, however manent is called."""
    found: list[dict[str, Any]] = []
    for each in entries:
        hooks = each.get("hooks") if isinstance(each, dict) else None
        for hook in hooks if isinstance(hooks, list) else []:
            command = hook.get("command") if isinstance(hook, dict) else None
            if isinstance(command, str) and _HOOK in command:
                found.append(hook)
    return found


_HOOK = "memory hook"


def _serves(standing: str, command: str) -> bool:
    """Whether a hook that stands does what is asked: it reads the folder that is named, if any."""
    asked = command.partition(_HOOK)[2]
    return not asked or standing.partition(_HOOK)[2] == asked


def _same_hook(entries: list[Any], command: str) -> dict[str, Any] | None:
    """Return the hook that is to be changed to the folder that is named."""
    return next(iter(_calls(entries)), None) if command.partition(_HOOK)[2] else None


def _indent(before: bytes | None) -> int | str:
    """Return how the file is indented, two spaces where it does not say."""
    for line in (before or b"").splitlines()[1:]:
        blank = line[: len(line) - len(line.lstrip())]
        if blank:
            return "\t" if blank.startswith(b"\t") else len(blank)
    return 2
