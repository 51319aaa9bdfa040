"""What stands at a path that somebody named: nothing, where the system takes no such name.

The methods of ``Path`` raise where a name is too long, or a folder may not be entered.
A memory file may name anything, and so may whoever calls a command.
"""

from __future__ import annotations

import stat
from pathlib import Path


def _mode(path: Path, follow: bool = True) -> int:
    try:
        return path.stat(follow_symlinks=follow).st_mode
    except (OSError, ValueError):
        return 0


def exists(path: Path) -> bool:
    """Whether anything stands there, links followed."""
    return bool(_mode(path))


def is_file(path: Path) -> bool:
    """Whether a regular file stands there, links followed."""
    return stat.S_ISREG(_mode(path))


def is_folder(path: Path) -> bool:
    """Whether a folder stands there, links followed."""
    return stat.S_ISDIR(_mode(path))


def is_symlink(path: Path) -> bool:
    """Whether a symlink stands there, wherever it leads."""
    return stat.S_ISLNK(_mode(path, follow=False))
