"""One note as the vault knows it: where it stands, who may read it, what it is."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from manent import schema
from manent.facts.facts import Facts
from manent.links.resolve import stem_of
from manent.note import date, labels, title
from manent.values import dataclass
from manent.vault.ignore import is_exempt, quarantine_of

PRIVATE = "private"
PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class Conventions:
    """How the notes of a vault are to be read. From the receiving side, never from a push.

    frontmatter_optional: a note lacking required fields is named by its file
    stem and is private, instead of being at fault.
    dendron: ``[[label|target]]`` instead of ``[[target|alias]]``.
    """

    frontmatter_optional: bool = False
    dendron: bool = False

    @property
    def key(self) -> str:
        """A text that differs when notes would be read differently."""
        return f"{int(self.frontmatter_optional)}{int(self.dendron)}"


class NoteRecord(NamedTuple):
    """A note by path. Everything an index needs without opening the file.

    id: stays while the path stays a note. doc: new with every new content.
    name: the frontmatter's, or the file's stem where there is none.
    readers: labels of who may read it, sorted, joined by blanks; "" is private:
    owners only. outward: a digest of all that other notes' findings depend on.
    plain: no rule that looks at a note alone could object to it (``digest``).
    """

    id: int
    doc: int
    path: str
    oid: str
    name: str
    stem: str
    type: str
    status: str
    readers: str
    quarantined: bool
    title: str
    description: str
    created: str
    updated: str
    outward: str
    plain: bool = False

    @property
    def labels(self) -> frozenset[str]:
        """The audience as a set; empty means private."""
        return frozenset(self.readers.split())


def record_of(
    path: str, oid: str, facts: Facts, conventions: Conventions | None = None
) -> NoteRecord:
    """Return the record of the note at ``path`` (ids 0: the vault gives them)."""
    front = facts.frontmatter
    stem = stem_of(path)
    # Where frontmatter is optional, half of one grants and names nothing.
    partial = bool(conventions and conventions.frontmatter_optional and schema.missing(front))
    name = stem if partial else _text(front.get("name")) or stem
    status = _text(front.get("status"))
    quarantined = _is_draft(front.get("status")) or quarantine_of(path) is not None
    private = partial or quarantined or is_exempt(path)
    readers = "" if private else _readers(facts)
    return NoteRecord(
        id=0,
        doc=0,
        path=path,
        oid=oid,
        name=name,
        stem=stem,
        type=_text(front.get("type")),
        status=status if status in schema.STATUSES else "active",
        readers=readers,
        quarantined=quarantined,
        title=title(front, name),
        description=_text(front.get("description")),
        created=date(front.get("created")) or "",
        updated=date(front.get("updated")) or "",
        outward=_outward(facts, name, quarantined, readers),
    )


def _readers(facts: Facts) -> str:
    found = labels(facts.frontmatter)
    return "" if PRIVATE in found else " ".join(sorted(set(found)))


def _is_draft(status: object) -> bool:
    """Tell whether a status says quarantine, however loosely it is written.

    ``Quarantine`` and ``[quarantine]`` are faults of form, and still whoever
    wrote them did not mean the note to be seen.
    """
    said = status if isinstance(status, list) else [status]
    return any(_text(item).casefold() == "quarantine" for item in said)


def _outward(facts: Facts, name: str, quarantined: bool, readers: str) -> str:
    front = facts.frontmatter
    seen = [
        name,
        quarantined,
        readers,
        [h.text for h in facts.outline.headings],
        facts.outline.blocks,
        [front.get(k) for k in ("type", "status", "audience", "supersedes", "contradicts")],
    ]
    return hashlib.sha256(_spelled(seen).encode()).hexdigest()[:16]


# What came from text holds nothing that could hold itself.
_spelled = json.JSONEncoder(ensure_ascii=True, check_circular=False, default=str).encode


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
