"""Names of notes, for ``links.resolve``: from a database, from memory, through a View."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from manent.links.resolve import fold, stem_of


class Named(NamedTuple):
    """A note as far as resolution cares."""

    id: int
    path: str
    name: str
    stem: str
    quarantined: bool
    readers: str


Lookup = Callable[[str], Sequence[Named]]
"""From a folded name or stem to the notes that carry it, in path order."""


class Names:
    """``links.resolve.Names`` over one look-up by folded key.

    visible: what a View lets through; hidden notes are as good as absent.
    """

    def __init__(self, lookup: Lookup, visible: Callable[[Named], bool] | None = None) -> None:
        self._lookup = lookup
        self._visible = visible

    def keyed(self, key: str) -> Sequence[Named]:
        """Return the notes whose folded name or stem is ``key``."""
        rows = self._lookup(key)
        return rows if self._visible is None else [r for r in rows if self._visible(r)]

    def at(self, path: str) -> Named | None:
        """Return the note at exactly ``path``, or None."""
        return next((r for r in self.keyed(fold(stem_of(path))) if r.path == path), None)

    def is_note(self, path: str) -> bool:
        """Tell whether a note stands at exactly ``path``."""
        return self.at(path) is not None

    def named(self, name: str) -> Sequence[str]:
        """Return the paths of notes whose name is exactly ``name``."""
        return [r.path for r in self.keyed(fold(name)) if r.name == name]

    def filed(self, stem: str) -> Sequence[str]:
        """Return the paths whose file name without ``.md`` is exactly ``stem``."""
        return [r.path for r in self.keyed(fold(stem)) if r.stem == stem]

    def folded(self, key: str) -> Sequence[str]:
        """Return the paths whose folded name or stem is ``key``."""
        return [r.path for r in self.keyed(key)]

    def quarantined(self, path: str) -> bool:
        """Tell whether the note at ``path`` is in quarantine."""
        row = self.at(path)
        return row is not None and row.quarantined
