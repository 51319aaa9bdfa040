"""What a person decides on a report's row, as Changes for the gate."""

from __future__ import annotations

import datetime
import re
from typing import Any

from manent.access import View
from manent.change import Change
from manent.curate import acknowledged
from manent.curate.communities import Community
from manent.curate.edges import edges_of
from manent.errors import Refused
from manent.finding import inert
from manent.links.resolve import fold
from manent.note import edit, read
from manent.vault.record import NoteRecord

MAPS_FOLDER = "quarantine/curate"
"""Where drafts of maps wait for a person, like an agent's."""


def supersede(view: View, old: NoteRecord, new: NoteRecord) -> Change:
    """Return the Change that says ``new`` replaces ``old``.

    Raises Refused where that is said already, or would go round in a circle.
    """
    if old.id == new.id:
        raise Refused(f"{old.name} cannot supersede itself", "name two notes")
    if new.quarantined:
        raise Refused(f"{new.name} is in quarantine", f"promote it first: --note {new.name}")
    replaced = edges_of(view).of("supersedes")
    if _leads(replaced, old.id, new.id):
        raise Refused(f"{old.name} supersedes {new.name} already", "that would be a circle")
    before = view.content(new)
    edits: dict[str, bytes | None] = {}
    if old.id not in replaced.get(new.id, set()):
        edits[new.path] = edit(before, {"supersedes": _with(before, _target(view, old))})
    content = view.content(old)
    if old.status != "deprecated":
        edits[old.path] = edit(content, {"status": "deprecated"})
    if not edits:
        raise Refused(f"{new.name} supersedes {old.name} already", "nothing is left to do")
    subject = f"curate({inert(new.name)}): supersedes {inert(old.name)}"
    body = f"{inert(old.path)} is deprecated from now on; {inert(new.path)} stands in its place."
    return Change(edits, f"{subject}\n\n{body}\n", "owner")


def _with(content: bytes, old: str) -> list[Any]:
    """Return what the note lists as superseded, as it is written, and one target more."""
    said = read(content).frontmatter.get("supersedes")
    if isinstance(said, dict):
        raise Refused("supersedes is no list of notes", "mend it by hand first")
    held = said if isinstance(said, list) else [] if said in (None, "") else [said]
    links = [isinstance(item, str) and item.startswith("[[") for item in held]
    return [*held, f"[[{old}]]" if links and all(links) else old]


def _leads(joined: dict[int, set[int]], start: int, end: int) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for target in joined.get(waiting.pop(), ()):
            if target == end:
                return True
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return False


def acknowledge(
    view: View, one: NoteRecord, other: NoteRecord, reason: str, who: str, day: datetime.date
) -> Change:
    """Return the Change that files a pair as looked at. Raises Refused."""
    if one.id == other.id:
        raise Refused(f"{one.name} is one note", "name two notes")
    if not reason.strip() or len(reason.splitlines()) != 1:
        raise Refused("the reason must be one line", "say why the pair stays as it is")
    for note in (one, other):
        if not _is_text(note.path):
            raise Refused(f"{inert(note.path)}: the path is not UTF-8", "rename the file")
    tree = view.vault.tree
    assert tree is not None, "a vault that answers stands at a tree"
    if acknowledged.read(tree).covers(one, other):
        raise Refused(f"{one.name} and {other.name} are acknowledged already")
    content = acknowledged.added(tree, one, other, reason.strip(), who, day)
    first, second = (inert(name) for name in sorted((one.name, other.name)))
    message = f"curate({first}): looked at beside {second}\n\n{reason.strip()}\n"
    return Change({acknowledged.FILE: content}, message, "owner")


def write_map(view: View, community: Community, day: datetime.date) -> Change:
    """Return the Change that drafts the moc of a community. Raises Refused where one is."""
    hub = community.hub
    name = f"map-of-{_slug(hub.name)}"
    path = f"{MAPS_FOLDER}/{name}.md"
    if view.vault.note_at(path) is not None or view.vault.file(path) is not None:
        raise Refused(f"{path} stands there already", "promote or reject that draft first")
    taken = view.vault.lookup(fold(name))
    if taken:
        raise Refused(f"the name {name} is taken by {taken[0].path}", "add the links to that note")
    about = f"Map of the {len(community.notes)} notes around {hub.name}"
    front = {
        "name": name,
        "description": about,
        "type": "moc",
        "status": "quarantine",
        "author": "owner",
        "created": day.isoformat(),
    }
    lines = [f"# {_inline(hub.title)}", ""]
    for kind in sorted({note.type for note in community.notes}):
        lines += [f"## {kind or 'other'}", ""]
        for note in sorted(community.notes, key=lambda n: n.path):
            if note.type == kind:
                said = f": {_inline(note.description)}" if note.description else ""
                lines.append(f"- [[{_target(view, note)}]]{said}")
        lines.append("")
    content = edit("\n".join(lines).encode("utf-8", "replace"), front)
    message = f"curate({name}): draft a map\n\n{about}. It awaits promotion.\n"
    return Change({path: content}, message, "owner")


def _target(view: View, note: NoteRecord) -> str:
    """Return what a wikilink must say to lead to the note: its name, else its path."""
    found = view.names.named(note.name)
    return note.name if list(found) == [note.path] else note.path.removesuffix(".md")


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _inline(text: str) -> str:
    return " ".join(text.split()).replace("[[", "").replace("]]", "")


def _slug(text: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return plain or "notes"
