"""What is served, and how its notes are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from manent.gate.policy import Policy, read_policy
from manent.gate.structure import conventions as conventions_of
from manent.repo.open import Repository
from manent.values import dataclass, field
from manent.vault.record import Conventions


@dataclass(frozen=True, slots=True)
class Served:
    """A vault's folder, or the branch of a brain.

    root: the folder; None for a brain, whose notes are read from its objects.
    repository: the one it is or stands in, None for a plain folder. prefix: the
    vault's folder within it, "" for its root. branch: of a brain the one that is
    served; of a working tree the one checked out, "" when none is. state: the folder
    of derived data. cache: the user's own, for what is made once for all vaults.
    retriever, model: the ranker, "" for the best that is installed. processes: how
    many a long piece of work may use.
    """

    root: Path | None
    repository: Repository | None
    prefix: str
    branch: str
    state: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    frontmatter: str = ""
    retriever: str = ""
    model: str = ""
    cache: Path | None = None
    processes: int = 1

    @property
    def is_brain(self) -> bool:
        """Whether notes are read from git's objects rather than a folder."""
        return self.root is None

    @property
    def ref(self) -> str:
        """The full name of the branch that is served, "" for none."""
        return f"refs/heads/{self.branch}" if self.branch else ""

    def policy(self) -> Policy:
        """Return what the repository says of itself now; the defaults where there is none."""
        # An object of its own: settings that are being read are no other thread's to see.
        repository = self.reopened()
        return Policy() if repository is None else read_policy(repository.section())

    def conventions(self) -> Conventions:
        """Return how notes are read: as the command line said, else by the policy."""
        found = conventions_of(self.policy())
        if not self.frontmatter:
            return found
        return Conventions(self.frontmatter == "optional", found.dendron)

    def reopened(self) -> Repository | None:
        """Return the repository as an object of its own: for one thread."""
        held = self.repository
        if held is None:
            return None
        return Repository(held.path, held.workdir, self.environment)
