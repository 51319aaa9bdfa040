"""What an agent's merges take over: each outside its own folders what its newest side has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manent.repo.git_tree import GitTree, diff
from manent.repo.incoming import CommitText
from manent.repo.open import Repository


def taken_back(repository: Repository, commits: Sequence[CommitText]) -> Iterator[tuple[str, str]]:
    """Yield (commit, path) wherever a merge has not what the side with the newest history has.

    commits: those a push brings, parents first. A commit of one parent takes nothing
    over. Where no side's history holds those of all others, every path counts in which
    the merge differs from any.
    """
    base: dict[str, str] = {}
    for commit in commits:
        held = [base.get(parent, parent) for parent in commit.parents]
        newest = _newest(repository, held)
        base[commit.oid] = held[newest] if newest is not None else ""
        if len(commit.parents) < 2:
            continue
        sides = commit.parents if newest is None else [commit.parents[newest]]
        merged = GitTree(repository, commit.oid)
        for side in sides:
            for path, _, _ in diff(GitTree(repository, side), merged):
                yield commit.oid, path


def _newest(repository: Repository, held: Sequence[str]) -> int | None:
    """Return which of the commits that the brain had before holds all others, if one does.

    "" stands for a history of its own: it holds nothing.
    """
    for number, one in enumerate(held):
        if one and all(other in ("", one) or _holds(repository, one, other) for other in held):
            return number
    return None


def _holds(repository: Repository, one: str, other: str) -> bool:
    return repository.git.attempt("merge-base", "--is-ancestor", other, one)[0] == 0
