"""What is in a bundle, and which versions of it can be taken in.

Parts::

    facts               a line a blob: JSON [blob id, outline, bold labels]
    index-N             a segment of the search index
    vectors-N           key 16 bytes | float32 row, for each text of a model
    documents-N         document id i64 | key 16 bytes, for each note with a vector

Documents are numbered as a first reading of the tree numbers them, so that what comes of
a bundle is what comes of the repository. What a note says of itself in its header, who
may read it above all, is not among the parts: it is read from the blobs.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from manent.facts.facts import PARSER
from manent.links.link import LinkKind
from manent.search.lexical import FORMAT as SEARCH_FORMAT
from manent.search.meaning import TEXT_VERSION, documents_file
from manent.search.texts import TextKeys
from manent.search.vectors import KEY_BYTES
from manent.vault import rows
from manent.vault.record import Conventions
from manent.vault.vault import Vault

FACTS = "facts"
INDEX = "index-"
VECTORS = "vectors-"
DOCUMENTS = "documents-"

DOC_BYTES = 8 + KEY_BYTES

OUTLINE, LABELS = 4, 6
"""Where outline and bold labels stand in the facts of a blob (``manent.facts.facts.to_json``)."""


def versions(conventions: Conventions) -> dict[str, str]:
    """Return what must be the same where a bundle is made and where it is taken in."""
    return {
        "parser": PARSER,
        "rows": rows.VERSION,
        "search": SEARCH_FORMAT,
        "texts": str(TEXT_VERSION),
        "conventions": conventions.key,
    }


def listing(vault: Vault) -> str:
    """Return a digest of which document is which content at which path."""
    digest = hashlib.sha256()
    for note in vault.notes():
        row = f"{note.doc} {note.oid} {note.path}\0"
        digest.update(row.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def text_keys(folder: Path, vault: Vault) -> TextKeys:
    """Return which text each document of a vault has, as a model's folder remembers it."""
    return TextKeys(folder / documents_file(vault.id))


def are_texts(found: Any) -> bool:
    """Tell whether something is a list of texts."""
    return isinstance(found, list) and all(type(one) is str for one in found)


def is_outline(found: Any) -> bool:
    """Tell whether something has the shape of an outline as it is kept."""
    if not isinstance(found, list) or len(found) != 6:
        return False
    links, headings, blocks, tags, opened, done = found
    return (
        _rows(links, _LINK)
        and all(0 <= link[0] < len(LinkKind) for link in links)
        and _rows(headings, _HEADING)
        and are_texts(blocks)
        and are_texts(tags)
        and type(opened) is int
        and type(done) is int
    )


def _rows(found: Any, types: list[type]) -> bool:
    if not isinstance(found, list):
        return False
    return all(isinstance(row, list) and [type(value) for value in row] == types for row in found)


_LINK = [int, str, str, str, str, int, int]
_HEADING = [int, str, int, str]
