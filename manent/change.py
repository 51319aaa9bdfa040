"""An edit somebody proposes. Only the gate makes a commit of it."""

from __future__ import annotations

from collections.abc import Mapping

from manent.tree import Overlay, Tree
from manent.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Change:
    """Paths to their new content, or to None where the file goes away.

    message: the commit message, subject first.
    author: the identity that proposes it (an agent's name, "owner", …).
    """

    edits: Mapping[str, bytes | None]
    message: str
    author: str
    trailers: Mapping[str, str] = field(default_factory=dict)

    def onto(self, tree: Tree) -> Overlay:
        """Return ``tree`` as it would be with this Change in it."""
        return Overlay(tree, self.edits)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths touched, in order; landing touches these and no other."""
        return tuple(sorted(self.edits))
