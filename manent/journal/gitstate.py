"""What git is in the middle of, and the command that leads out of it.

A merge, a rebase or a pick that waits for somebody holds the journal's files in
its hands: what is written into them now is lost when it is given up, or ends up
in a commit that no brain accepts. And when the merge driver stops one of them,
the reader must be told how to undo that one and no other.
"""

from __future__ import annotations

import os

from manent.journal import gitside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Environ = Mapping[str, str]

State = tuple[str, str, str]
"""What is under way, how it is finished, how it is given up."""

_MERGE = ("a merge", "git commit", "git merge --abort")
_REBASE = ("a rebase", "git rebase --continue", "git rebase --abort")
_PATCHES = ("git am", "git am --continue", "git am --abort")
_PICK = ("a cherry-pick", "git cherry-pick --continue", "git cherry-pick --abort")
_REVERT = ("a revert", "git revert --continue", "git revert --abort")

_STASH = "git reset --merge && git stash branch stashed-notes"

WAY_BACK = (
    f"After a `git stash pop` run: {_STASH}; after a `git checkout -m` run what was printed "
    "when it stopped"
)

# In this order: a rebase that waits may have a CHERRY_PICK_HEAD too.
_SIGNS = (
    ("rebase-merge", _REBASE),
    ("rebase-apply/applying", _PATCHES),
    ("rebase-apply", _REBASE),
    ("CHERRY_PICK_HEAD", _PICK),
    ("REVERT_HEAD", _REVERT),
    ("MERGE_HEAD", _MERGE),
)


def under_way(found: str) -> State | None:
    """Return what waits to be finished in the working tree of the git directory ``found``.

    Starts no process.
    """
    for name, state in _SIGNS:
        if os.path.exists(os.path.join(found, name)):
            return state
    return _sequence(found)


def _sequence(found: str) -> State | None:
    """Tell a row of picks from a row of reverts: between two of them git leaves only this."""
    try:
        with open(os.path.join(found, "sequencer", "todo"), "rb") as todo:
            return _REVERT if todo.read(6) == b"revert" else _PICK
    except OSError:
        return None


def way_back(top: str, path: str, sides: tuple[bytes, bytes, bytes], environ: Environ) -> str:
    """Return the command that undoes what a merge driver has just stopped.

    sides: the ancestor's, ours and theirs. While a driver runs, git has written
    nothing yet that tells a pick, a stash and a checkout apart: they are told
    by whose content stands where.
    """
    found = gitside.git_dir(top)
    state = under_way(found) if found else None
    if state:
        return state[2]
    base, ours, theirs = sides
    here = gitside.blob(top, f"HEAD:{path}", environ)
    if here == base and here != ours:
        return _kept(found or top, os.path.join(top, path), theirs)
    if theirs == gitside.blob(top, f"refs/stash:{path}", environ):
        return _STASH
    return _PICK[2]


def by_hand(top: str, path: str, sides: tuple[bytes, bytes, bytes], environ: Environ) -> bool:
    """Tell a stash that is popped, or a checkout that carries changes, from a rebase or a pick.

    What is in a working copy was committed nowhere, and nobody has judged it.
    """
    found = gitside.git_dir(top)
    if found and under_way(found):
        return False
    base, ours, theirs = sides
    here = gitside.blob(top, f"HEAD:{path}", environ)
    carried = here == base and here != ours
    return carried or theirs == gitside.blob(top, f"refs/stash:{path}", environ)


def _kept(folder: str, path: str, theirs: bytes) -> str:
    """Keep what `git checkout -m` is about to drop; return the way back to it.

    Git takes no notice of a driver that stops it there, and has no other copy.
    """
    import hashlib

    name = f"journal-kept-{hashlib.sha256(theirs).hexdigest()[:12]}"
    kept = os.path.join(folder, "manent", name)
    os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
    with open(kept, "wb") as out:
        out.write(theirs)
    mine = _quoted(path)
    return f"git checkout HEAD -- {mine} && git checkout -m - && cp {_quoted(kept)} {mine}"


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)
