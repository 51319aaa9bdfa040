"""What a push does to the vault as a whole, at the tips it sets.

The derived store is moved to the tree before the push, then to the tree after
it, inside a transaction that is undone: what was at fault before does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from manent.errors import EnvironmentFault, NotFound
from manent.facts.store import Store, fault_of
from manent.finding import Finding
from manent.gate.policy import Policy
from manent.lint.engine import Lint, Strictness
from manent.lint.subject import Policy as LintPolicy
from manent.repo.git_tree import EMPTY_TREE, GitTree, diff
from manent.repo.open import Repository
from manent.tree import Entry, Overlay, Tree
from manent.vault.ignore import IGNORE_FILE
from manent.vault.record import Conventions
from manent.vault.sync import Difference, Made, sync
from manent.vault.vault import Vault


def lint_policy(policy: Policy) -> LintPolicy:
    """Return the part of the policy that lint rules are given."""
    return LintPolicy(policy.audiences, policy.phone_regions, policy.addressed, policy.locations)


def conventions(policy: Policy) -> Conventions:
    """Return how notes are read under the policy."""
    return Conventions(policy.frontmatter_optional, policy.links == "dendron")


def strictness(policy: Policy) -> Strictness:
    """Return which warnings count as errors under the policy."""
    return Strictness(policy.strict_content, policy.strict_links)


class Structure:
    """The vault as it is before and after a push.

    place: the derived store's file; None works in memory, from nothing.
    keep_before: leave the store at the tree before, which is in the history
    already; what is tried is undone either way.
    made: has what was made of the notes already, see ``vault.sync``.
    """

    def __init__(
        self,
        repository: Repository,
        policy: Policy,
        place: Path | None,
        keep_before: bool = False,
        processes: int = 1,
        made: Made | None = None,
    ) -> None:
        self._repository = repository
        self._policy = policy
        self._place = place
        self._keep_before = keep_before
        self._processes = processes
        self._made = made
        self._grade = strictness(policy).grade

    def introduced(
        self, old: str, new: str, keep: Callable[[list[Finding]], bool] = lambda found: False
    ) -> list[Finding]:
        """Return what the tree or commit ``new`` has at fault that ``old`` had not.

        old: "" where there is nothing before. keep: asked with the findings; where
        it says yes the store stays at the new tree, so that the work is not done
        again after the push. Should the push not land, the next one moves it back.
        """
        before = GitTree(self._repository, old) if old else None
        after = GitTree(self._repository, new)
        return self._tried(before, after, None, keep)

    def proposed(self, old: str, overlay: Overlay, paths: Iterable[str]) -> list[Finding]:
        """Return what an edit laid over ``old`` has at fault that ``old`` had not.

        paths: the paths the edit touches.
        """
        before = GitTree(self._repository, old) if old else None
        differences = [
            (path, before.get(path) if before else None, overlay.get(path)) for path in paths
        ]
        return self._tried(before, overlay, differences, lambda found: False)

    def _tried(
        self,
        before: GitTree | None,
        after: Tree,
        differences: list[Difference] | None,
        keep: Callable[[list[Finding]], bool],
    ) -> list[Finding]:
        try:
            return self._judged(Store(self._place), before, after, differences, keep)
        except Exception as error:
            if self._place is None:
                raise
            # A damaged one is removed here: what indexes after the push makes it anew.
            known = fault_of(error, self._place)
            if known is None and not isinstance(error, EnvironmentFault):
                raise
            # A store that cannot be used costs time, never the verdict.
            return self._judged(Store(None), before, after, differences, keep)

    def _judged(
        self,
        store: Store,
        before: GitTree | None,
        after: Tree,
        differences: list[Difference] | None,
        keep: Callable[[list[Finding]], bool],
    ) -> list[Finding]:
        found: list[Finding] = []
        try:
            if self._keep_before and before is not None:
                with store.transaction():
                    self._standing(store, before)
            with store.transaction():
                found = self._difference(store, before, after, differences)
                if not keep(found):
                    raise _Undo
        except _Undo:
            pass
        finally:
            store.close()
        return found

    def _difference(
        self,
        store: Store,
        before: GitTree | None,
        after: Tree,
        differences: list[Difference] | None,
    ) -> list[Finding]:
        vault, lint = self._standing(store, before)
        compared = differences
        if compared is None and isinstance(after, GitTree) and before is not None:
            compared = list(diff(before, after))
        # A changed ignore file changes what every path is: all findings count anew.
        anew = before is None or _ignore(before) != _ignore(after)
        held = {f.identity for f in lint.findings()} if anew else set()
        how = (None, self._processes, None, lambda: None, self._made)
        delta = sync(vault, after, after.id, compared, *how)
        moved = lint.update(self._processes)
        come = moved.come if not (anew or delta.everything) else list(lint.findings())
        return [self._grade(f) for f in come if f.identity not in held]

    def _standing(self, store: Store, tree: GitTree | None) -> tuple[Vault, Lint]:
        """Return the vault and its findings at the tree before the push."""
        vault = Vault(store, conventions(self._policy))
        lint = Lint(vault, lint_policy(self._policy), content=False)
        self._stand_at(vault, tree)
        lint.update()
        return vault, lint

    def _stand_at(self, vault: Vault, tree: GitTree | None) -> None:
        """Move the vault to the tree before the push, from wherever it stands."""
        if tree is None:
            if vault.counts()[1]:
                sync(vault, Nothing(), "")
            return
        if vault.stamp == tree.id and vault.store.stamp("vault:conventions") == (
            vault.conventions.key
        ):
            vault.tree = tree
            return
        known = vault.stamp
        try:
            steps = list(diff(GitTree(self._repository, known), tree)) if known else None
        except EnvironmentFault:  # the tree it stood at has been pruned since
            steps = None
        sync(vault, tree, tree.id, steps)


class _Undo(Exception):
    """Ends a transaction that was only tried."""


class Nothing:
    """A Tree without files: what a first push is compared with."""

    id = EMPTY_TREE

    def entries(self) -> Iterator[Entry]:
        """Yield nothing."""
        return iter(())

    def get(self, path: str) -> None:
        """Return None."""

    def read(self, path: str) -> bytes:
        """Raise NotFound."""
        raise NotFound(f"no file {path}")


def _ignore(tree: Tree) -> bytes:
    try:
        return tree.read(IGNORE_FILE)
    except NotFound:
        return b""
