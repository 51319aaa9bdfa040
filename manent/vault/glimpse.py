"""A folder as a Vault knows it, but for some paths that were looked at again.

What a watcher saw change is all that has to be looked at: listing a vault of 20,000
notes takes longer than everything else that one edit asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from manent.errors import EnvironmentFault, NotFound
from manent.tree import Entry, Folders, Kind, WorkTree, blob_oid
from manent.vault.sync import Difference
from manent.vault.vault import Vault


class Stale(NotFound):
    """The file at a path is not what the vault knows any more: what it knew of it, and
    who may read it, holds for the old content alone. path: the file."""

    def __init__(self, path: str) -> None:
        super().__init__(f"no note {path}")
        self.path = path


class Glimpse:
    """The Tree that ``vault`` stands at, in the folder ``root``.

    seen: paths that were looked at again, None for what is gone. Content is only given
    out while it is what the vault knows: its readers were judged by that.
    """

    id = ""

    def __init__(
        self, root: Path, vault: Vault, seen: Mapping[str, Entry | None] | None = None
    ) -> None:
        self._vault = vault
        self._seen = dict(seen or {})
        self._folders = Folders(root)

    def entries(self) -> Iterator[Entry]:
        """Yield every entry, in the byte order of paths."""
        kept = {entry.path: entry for entry in self._vault.files()}
        for path, entry in self._seen.items():
            kept.pop(path, None)
            if entry is not None:
                kept[path] = entry
        yield from (
            kept[path] for path in sorted(kept, key=lambda p: p.encode(errors="surrogateescape"))
        )

    def get(self, path: str) -> Entry | None:
        """Return the entry at ``path``, or None."""
        return self._seen[path] if path in self._seen else self._vault.file(path)

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``. Raises NotFound, Stale among them."""
        entry = self.get(path)
        if entry is None or entry.kind is not Kind.FILE:
            raise NotFound(f"no file {path}")
        try:
            content = self._folders.read(path)
        except (FileNotFoundError, PermissionError) as error:
            # What may not be read is as if it were not there (``WorkTree.leaves_out``).
            raise Stale(path) from error
        except OSError as error:
            raise EnvironmentFault(f"cannot read {path}: {error.strerror}") from error
        if entry.oid and blob_oid(content) != entry.oid:
            raise Stale(path)
        return content


def look(tree: WorkTree, vault: Vault, paths: Collection[str]) -> list[Difference]:
    """Return how what stands at or below ``paths`` differs from what the vault knows.

    paths: of files or folders, there or gone, relative to the vault.
    """
    found: dict[str, Difference] = {}
    for path in paths:
        now = {entry.path: entry for entry in tree.below(path)}
        before = {entry.path: entry for entry in vault.files_below(path)}
        for name in sorted(now.keys() | before.keys()):
            old, new = before.get(name), now.get(name)
            unread = new is not None and new.kind is Kind.FILE and not new.oid
            if unread or old != new:
                found[name] = (name, old, new)
    return list(found.values())
