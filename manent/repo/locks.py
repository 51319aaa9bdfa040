"""The locks that a killed git left behind, told from those of a git at work.

Git makes a lock beside what it is to change and removes it at its end; killed, it
leaves the lock, and every command after it is refused. Whoever started that git knows
when: a lock that is younger, where no git runs any more, is nobody's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from manent.repo.open import Repository, common_folder

_SLACK_NS = 1_000_000_000
"""File systems keep time less finely than clocks."""


def drop_left(repository: Repository, since_ns: int) -> bool:
    """Remove the locks made since then that nobody holds; return whether none is left.

    Where it cannot be told whether a git runs, nothing is removed.
    """
    left = [lock for lock in _locks(repository) if _younger(lock, since_ns - _SLACK_NS)]
    if not left:
        return True
    if _at_work(repository):
        return False
    for lock in left:
        lock.unlink(missing_ok=True)
    return True


def _locks(repository: Repository) -> Iterator[Path]:
    """Yield the locks that a commit, or the move of a branch, may leave."""
    yield repository.path / "index.lock"
    yield repository.path / "HEAD.lock"
    yield from repository.path.glob("next-index-*.lock")
    common = common_folder(repository.path)
    yield common / "packed-refs.lock"
    ref = repository.head_ref
    if ref:
        yield common / f"{ref}.lock"


def _younger(lock: Path, since_ns: int) -> bool:
    try:
        return lock.lstat().st_mtime_ns >= since_ns
    except OSError:
        return False


def _at_work(repository: Repository) -> bool:
    """Tell whether a git may be running in the repository: True where that is unknown."""
    if not Path("/proc/self/stat").exists():
        return True
    folders = [os.path.realpath(repository.path)]
    if repository.workdir is not None:
        folders.append(os.path.realpath(repository.workdir))
    return any(_is_git_in(process, folders) for process in Path("/proc").iterdir())


def _is_git_in(process: Path, folders: list[str]) -> bool:
    if not process.name.isdigit():
        return False
    try:
        named = (process / "comm").read_text(encoding="utf-8", errors="replace")
        if not named.startswith("git"):
            return False
        here = os.fspath((process / "cwd").readlink())
    except PermissionError:
        return True
    except OSError:  # it has ended
        return False
    return any(here == folder or here.startswith(folder + "/") for folder in folders)
