"""Bring the derived stores to the protected branch, from objects, after a push.

Never part of the verdict: what fails here is caught up with by the next push or
the next reading command.
"""

from __future__ import annotations

from pathlib import Path

from manent.facts.store import STORE, Store, mended
from manent.gate.policy import Policy
from manent.gate.structure import conventions, lint_policy
from manent.lint.engine import Lint
from manent.repo.open import Repository, state_folder
from manent.vault.commit import sync_commit
from manent.vault.vault import Vault

SEARCH = "search"
"""The folder of the search index in the state folder."""


def catch_up(repository: Repository, policy: Policy, processes: int = 1) -> int:
    """Bring facts, findings and the search index to the protected branch's tip.

    Returns how many notes were indexed anew. Safe beside others that do the same:
    each moves the stores to what the branch says then.
    """
    branch = policy.protected_branch or repository.head_branch
    tip, count = repository.ref(f"refs/heads/{branch}"), 0
    while tip:
        count += _bring_to(repository, policy, tip, processes)
        # Another push may have landed meanwhile and been indexed before this was done:
        # whoever is last must not leave the stores at an older tip.
        at, tip = tip, repository.ref(f"refs/heads/{branch}")
        if tip == at:
            break
    return count


def _bring_to(repository: Repository, policy: Policy, tip: str, processes: int) -> int:
    state = state_folder(repository)
    return mended(state / STORE, lambda: _brought(state, repository, policy, tip, processes))


def _brought(state: Path, repository: Repository, policy: Policy, tip: str, processes: int) -> int:
    store = Store(state / STORE)
    try:
        vault = Vault(store, conventions(policy))
        sync_commit(vault, repository, tip, processes=processes)
        Lint(vault, lint_policy(policy), content=False).update(processes)
        return _search(vault, state / SEARCH, processes)
    finally:
        store.close()


def check_out(repository: Repository, policy: Policy) -> None:
    """Bring the checkout of the policy (``manent.checkout``) to the protected branch.

    Raises Refused when files there were edited.
    """
    branch = policy.protected_branch or repository.head_branch
    tip = repository.ref(f"refs/heads/{branch}")
    if policy.checkout and tip:
        from manent.gate.checkout import bring_up

        bring_up(repository, tip, repository.path / Path(policy.checkout).expanduser())


def _search(vault: Vault, folder: Path, processes: int) -> int:
    from manent.search.index import SearchIndex

    return SearchIndex(vault, folder).update(processes)


def standing(repository: Repository, policy: Policy) -> str:
    """Return one line: which branch, which commit, and whether the stores stand there."""
    branch = policy.protected_branch or repository.head_branch
    tip = repository.ref(f"refs/heads/{branch}")
    if not tip:
        return f"{branch}: no commit yet"
    place = state_folder(repository) / STORE
    notes, files, at = mended(place, lambda: _counted(place, repository, policy, tip))
    state = "the index stands there" if at else "the index is behind: manent index catches up"
    return f"{branch} at {tip[:10]}: {notes} notes in {files} files; {state}"


def _counted(
    place: Path, repository: Repository, policy: Policy, tip: str
) -> tuple[int, int, bool]:
    store = Store(place)
    try:
        vault = Vault(store, conventions(policy))
        notes, files = vault.counts()
        return notes, files, vault.stamp == repository.peel(tip)[1]
    finally:
        store.close()
