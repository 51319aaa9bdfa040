"""Summaries that a rebase or a pick would carry onto other memories.

Git asks the driver about a level of TREE only where both sides changed it. Else
a summary is carried along as it is, also where the driver has just put other
memories beneath it. A rebase that ends in our `post-rewrite` hook is settled
there. What nothing will settle is stopped, while it can still be undone.
"""

from __future__ import annotations

import os

from manent import record
from manent.journal import gitside
from manent.journal.store import TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Environ = Mapping[str, str]


def moved(top: str, path: str, sides: tuple[bytes, bytes, bytes], environ: Environ) -> str:
    """Return the block whose summary would come to stand on other memories, "" for none.

    path: of the log that a driver merges, one commit of a rebase or a pick at a
    time. sides: the ancestor's, ours and theirs.
    """
    folder = os.path.dirname(path)
    for fork, source, onto in _carried(top, path, sides, environ):
        log = gitside.blob(top, f"{source}:{path}", environ) or b""
        reach = record.common_records(log, sides[1], record.LOG_BYTES)
        asked = ["diff", "--name-only", "-z", fork, source, "--", f":(top){folder}/{TREE}"]
        for raw in gitside.output(top, asked, environ).split(b"\0"):
            level = os.fsdecode(raw)
            size = record.level_size(os.path.basename(level))
            if size and _oid(top, fork, level, environ) == _oid(top, onto, level, environ):
                had = gitside.blob(top, f"{source}:{level}", environ) or b""
                if len(had) // record.TREE_BYTES > reach // size:
                    first = reach // size * size
                    return f"#{first}-{first + size - 1}"
    return ""


def _carried(
    top: str, path: str, sides: tuple[bytes, bytes, bytes], environ: Environ
) -> Iterator[tuple[str, str, str]]:
    """Yield (fork, source, onto): what is carried began at fork, ends at source, goes onto onto."""
    source, onto = _rebased(gitside.git_dir(top) or "")
    if source:
        asked = ["merge-base", source, onto]
        if not _settled_by_hook(top, environ) and gitside.succeeds(top, asked, environ):
            yield os.fsdecode(gitside.output(top, asked, environ).split()[0]), source, onto
        return
    for source in _picked(top, path, sides, environ):
        yield f"{source}^", source, "HEAD"


def _rebased(found: str) -> tuple[str, str]:
    """Return what is rebased and onto what; empty where nothing is."""
    source = _line(os.path.join(found, "rebase-merge", "orig-head"))
    if source:
        return source, _line(os.path.join(found, "rebase-merge", "onto"))
    # A rebase by patches writes these down only when it waits.
    by_patches = os.path.exists(os.path.join(found, "rebase-apply", "rebasing"))
    return ("ORIG_HEAD", "HEAD") if by_patches else ("", "")


def _line(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def _settled_by_hook(top: str, environ: Environ) -> bool:
    """Tell whether a hook of ours runs when the rebase is done."""
    asked = ["rev-parse", "--git-path", "hooks/post-rewrite"]
    hook = os.path.join(top, os.fsdecode(gitside.output(top, asked, environ).rstrip(b"\n")))
    try:
        with open(hook, "rb") as script:
            return os.access(hook, os.X_OK) and b"manent" in script.read(1 << 16)
    except OSError:
        return False


def _picked(
    top: str, path: str, sides: tuple[bytes, bytes, bytes], environ: Environ
) -> Iterator[str]:
    """Yield the commits that may be the one picked: git does not say which it is.

    They turn the log from the ancestor's into theirs, and touch TREE as well.
    """
    asked = ["hash-object", "--stdin"]
    theirs = gitside.fed(top, asked, sides[2], environ).decode().strip()
    tree = f":(top){os.path.dirname(path)}/{TREE}"
    # What is popped from a stash is committed later: the next command cuts it back first.
    every = ["--exclude=refs/stash", "--all"]
    asked = ["log", *every, "--format=%H", f"--find-object={theirs}", "--", f":(top){path}"]
    for commit in gitside.output(top, asked, environ).decode().split():
        if gitside.blob(top, f"{commit}^:{path}", environ) == sides[0] and gitside.output(
            top, ["diff", "--name-only", f"{commit}^", commit, "--", tree], environ
        ):
            yield commit


def _oid(top: str, commit: str, path: str, environ: Environ) -> bytes:
    asked = ["ls-tree", "--full-tree", "-z", commit, "--", path]
    return gitside.output(top, asked, environ)
