"""``manent memory hook``: what Claude Code adds to a prompt before the model sees it.

Called on every prompt, so it goes before the command framework: ``manent.__main__``
imports this module and nothing else. Whatever goes wrong, it says nothing and exits 0:
a prompt must never fail because of a memory.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

_MOST_INPUT = 4 << 20


def run(argv: Sequence[str]) -> int:
    """Read the hook's JSON on stdin, print what memory holds on it; always return 0."""
    try:
        answer = _answer(list(argv), sys.stdin.buffer.read(_MOST_INPUT))
        if answer:
            sys.stdout.buffer.write(answer.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
    except BaseException:
        _forget()
    return 0


def _forget() -> None:
    """Leave nothing to be flushed where the reader has gone."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        pass


def _answer(argv: list[str], data: bytes) -> str:
    given = json.loads(data)
    prompt, cwd = given.get("prompt"), given.get("cwd")
    if not isinstance(prompt, str):
        return ""
    from manent.memfile.prompt import memory_for

    here = Path(cwd) if isinstance(cwd, str) and cwd else Path.cwd()
    places = [here, _auto_memory(here)]
    if (named := _directory(argv)) is not None:
        places.append(named)
    return memory_for(prompt, places)


def _directory(argv: list[str]) -> Path | None:
    """Return what ``--dir`` names."""
    for place, argument in enumerate(argv):
        if argument == "--dir" and place + 1 < len(argv):
            return Path(argv[place + 1])
        if argument.startswith("--dir="):
            return Path(argument.removeprefix("--dir="))
    return None


def _auto_memory(project: Path) -> Path:
    """Return Claude Code's folder for what it remembers of a project.

    As ``manent.memfile.hosts.auto_memory``, which imports what a hook has no time for.
    """
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(named) if named else Path.home() / ".claude"
    return folder / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project)) / "memory"
