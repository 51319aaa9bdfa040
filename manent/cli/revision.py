"""What ``--rev`` names: a commit, or a tree that is no part of ``secrets/``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manent.errors import NotAVault
from manent.tree import is_secret

if TYPE_CHECKING:
    from manent.repo.open import Repository


def resolved(repository: Repository, rev: str) -> tuple[str, str]:
    """Return (commit id or "", tree id) of ``rev``, "" for HEAD.

    Raises NotAVault where it names nothing, and for a tree out of a ``secrets``
    folder: once its path is lost, nothing would keep its files from being read.
    """
    commit, tree = repository.resolve(rev or "HEAD")
    if not commit and (is_secret(rev.partition(":")[2]) or _lies_in_secrets(repository, tree)):
        raise NotAVault(
            f"{rev} lies in a secrets folder, which is never read", "name a commit instead"
        )
    return commit, tree


def _lies_in_secrets(repository: Repository, tree: str) -> bool:
    """Tell whether a history holds the tree at a path below ``secrets``, and as no vault's root.

    Only for a tree that was named without a commit: it walks every tree there is.
    """
    git = repository.git
    rows = [row.split() for row in git.run("log", "--all", "--format=%H %T").splitlines()]
    if any(tree.encode() == root for _, root in rows):
        return False
    # From the commits: a tag of the tree itself would give it a path of its own.
    commits = b"".join(commit + b"\n" for commit, _ in rows)
    listed = git.run("rev-list", "--objects", "--filter=blob:none", "--stdin", given=commits)
    own = tree.encode() + b" "
    paths = [line[len(own) :] for line in listed.split(b"\n") if line.startswith(own)]
    return any(is_secret(path.decode("utf-8", "surrogateescape")) for path in paths)
