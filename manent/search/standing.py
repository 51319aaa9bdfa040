"""Where the vectors of a vault stand, model by model. Nothing is opened to be written.

No model is loaded either: what was embedded by one that is not installed any more is
counted like the rest.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from manent.errors import StoreDamaged
from manent.search.meaning import FOLDER, documents_file
from manent.search.segment import open_plain
from manent.search.texts import TextKeys
from manent.search.vectors import VectorStore
from manent.vault.vault import Vault


class Standing(NamedTuple):
    """The vectors of one model. notes: that have one. missing: that have none as yet."""

    model: str
    notes: int
    missing: int
    size_bytes: int


def standings(vault: Vault, state: Path) -> list[Standing]:
    """Return where each model's vectors stand, by the model's id.

    state: the folder of the vault's derived data. A note that was never looked at counts
    as missing, though its text may have a vector from another branch.
    """
    docs = [doc for doc, _ in vault.docs()]
    return sorted(_standing(docs, store, vault.id) for store in _stores(state / FOLDER))


def _standing(docs: list[int], store: VectorStore, vault: str) -> Standing:
    assert store.folder is not None
    known = TextKeys(store.folder / documents_file(vault)).by_doc
    rows = store.find([known.get(doc, b"") for doc in docs])
    held = int((rows >= 0).sum())
    return Standing(store.model, held, len(docs) - held, _size_of(store.folder))


def _stores(folder: Path) -> Iterator[VectorStore]:
    """Yield the stores that can be read; what is damaged is made anew by who embeds."""
    for current in sorted(folder.glob("*/current.json")):
        with contextlib.suppress(OSError, StoreDamaged, ValueError, KeyError, TypeError):
            with os.fdopen(open_plain(current), "rb") as file:
                said = json.load(file)
            yield VectorStore(current.parent, str(said["model"]), int(said["dimensions"]))


def _size_of(folder: Path) -> int:
    size = 0
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            size += path.lstat().st_size
    return size
