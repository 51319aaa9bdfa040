"""Which notes lead to which in HTML: no link of theirs is known to the vault.

Looked for once, when the first note moves: by the last component of each address.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable
from urllib.parse import unquote

from manent import late
from manent.errors import NotFound, Refused
from manent.links.rewriting import encoded, rebased
from manent.vault.record import NoteRecord
from manent.vault.vault import Vault

_ATTRIBUTE = late.bytes_pattern(
    rb"(?<![^\s\"'/])(?:href|srcset|src|poster|data|cite|longdesc)\s*=", re.IGNORECASE
)
_DEEP = "/" + "_/" * 64
"""Above the vault's root, so that what leads out of it can be told from elsewhere in it."""


class Addresses:
    """The notes of a vault whose HTML holds addresses, by the file names these end in."""

    def __init__(self, vault: Vault) -> None:
        self._sources: dict[str, set[int]] = defaultdict(set)
        for note in vault.notes():
            for name in _names(vault, note):
                self._sources[name].add(note.id)

    def of(self, path: str) -> set[int]:
        """Return the notes with an address that may lead to the file at ``path``."""
        return self._sources.get(posixpath.basename(path), set())


def _names(vault: Vault, note: NoteRecord) -> set[str]:
    try:
        content = vault.content(note)
    except NotFound:
        return set()
    if b"<" not in content or not _ATTRIBUTE.search(content):
        return set()
    found: set[str] = set()

    def noted(address: str) -> str:
        found.add(posixpath.basename(place_of(address, "")))
        return address

    try:
        rebased(content, noted, vault.conventions.dendron)
    except Refused:
        return set()  # it is no text
    return found


def place_of(address: str, folder: str) -> str:
    """Return the path that an address leads to from a folder of the vault."""
    plain = unquote(html.unescape(address))
    if plain.startswith("/"):
        return posixpath.normpath(plain.lstrip("/"))
    return posixpath.normpath(posixpath.join(folder, plain))


def readdressed(content: bytes, folder: str, new: Callable[[str], str], dendron: bool) -> bytes:
    """Return a note's text with addresses that lead to what moved leading there again.

    folder: of the note. new: from the path of a file of the vault to where it is by
    now. Raises Refused where an address cannot be changed exactly.
    """

    def moved(address: str) -> str:
        old = place_of(address, folder)
        now = new(old)
        if now == old:
            return address
        return f"/{encoded(now)}" if address.startswith("/") else encoded(relative(now, folder))

    return rebased(content, moved, dendron)


def relative(path: str, folder: str) -> str:
    """Return how to get to a path of the vault from a folder of it."""
    return posixpath.relpath(posixpath.join(_DEEP, path), posixpath.join(_DEEP, folder))
