"""The merge driver of journals beside the local hooks: put in, asked after, taken out."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any


def install(repository: Any, fresh: bool = False) -> list[str]:
    """Install the driver where the repository has a journal; return what was done, for people.

    fresh: the vault was just made, and a journal may come; there the driver is
    installed unless that would change a .gitattributes that stood there before.
    """
    from manent.journal import merge

    top = _top(repository)
    if top is None or not (has_journal(top) or (fresh and _prepared(top))):
        return []
    done = merge.install(top, _program(), os.environ)
    return [f"journal: merge driver installed ({', '.join(done)})"] if done else []


def uninstall(repository: Any) -> list[str]:
    """Take the driver out again; return what was done, for people."""
    from manent.journal import merge

    top = _top(repository)
    done = merge.uninstall(top, os.environ) if top else []
    return ["journal: merge driver removed"] if done else []


def state(repository: Any) -> list[str]:
    """Return how the driver stands, one line; none where there is no journal."""
    from manent.journal import merge

    top = _top(repository)
    if top is None or not has_journal(top):
        return []
    if merge.installed(top, os.environ):
        return ["journal: merge driver installed"]
    return ["journal: merge driver missing: run manent hooks install"]


def has_journal(top: str) -> bool:
    """Tell whether a journal lies in the vault, tracked or not."""
    from manent.journal.visible import folders_in

    return any(True for _ in folders_in(Path(top)))


def _top(repository: Any) -> str | None:
    return None if repository.workdir is None else os.fspath(repository.workdir)


def _prepared(top: str) -> bool:
    from manent.journal.merge import ATTRIBUTES

    try:
        lines = Path(top, ".gitattributes").read_bytes().splitlines()
    except OSError:
        return True
    return all(line.encode() in lines for line in ATTRIBUTES)


def _program() -> str:
    """Return how git's shell calls manent: not by PATH, and not from the folder it stands in."""
    return f"{shlex.quote(sys.executable)} -P -m manent"
