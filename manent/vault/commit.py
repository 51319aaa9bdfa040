"""Move a Vault to a commit of a repository, by the difference of two trees."""

from __future__ import annotations

from collections.abc import Callable

from manent.errors import ManentError
from manent.repo.git_tree import GitTree, diff
from manent.repo.open import Repository
from manent.vault.sync import ContextOf, Difference, sync
from manent.vault.vault import Delta, Progress, Vault


def sync_commit(
    vault: Vault,
    repository: Repository,
    treeish: str,
    prefix: str = "",
    context_of: ContextOf | None = None,
    processes: int = 1,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Delta:
    """Make ``vault`` stand at a commit, tag or tree, and say what changed.

    Opens only the folders in which the tree it stands at differs.
    """
    tree = GitTree(repository, treeish, prefix)
    differences = differences_to(vault, repository, tree)
    return sync(vault, tree, tree.id, differences, context_of, processes, progress, meanwhile)


def differences_to(vault: Vault, repository: Repository, tree: GitTree) -> list[Difference] | None:
    """Return what differs from the tree the vault stands at; None when that is not known."""
    if not vault.stamp:
        return None
    try:
        old = GitTree(repository, vault.stamp)
        return list(diff(old, tree))
    except ManentError:
        # The old tree is no longer in the repository: every path is compared.
        return None
