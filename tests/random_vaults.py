"""Small vaults drawn at random, with everything in them that two readers could see differently."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from manent.lint.engine import Lint
from manent.lint.subject import Policy
from manent.vault.vault import Vault

EXAMPLES = 400 if os.environ.get("MANENT_ENDURE") else 12
"""How many vaults a law is tried on."""

slowly = settings(
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

PATHS = (
    "a.md",
    "b.md",
    "memory/a.md",
    "memory/b.md",
    "memory/c.md",
    "memory/A.MD",
    "projects/p/c.md",
    "projects/p/a.b.md",
    "quarantine/tide/a.md",
    "quarantine/tide/d.md",
    "quarantine/moss/d.md",
    "quarantine/e.md",
    "library/2026-03-09-a.md",
    "README.md",
    "MEMORY.md",
    "HOME.md",
    "templates/t.md",
    "attic/x.md",
    "attics/x.md",
    "citt\u00e0.md",
    "citta\u0300.md",
    "sp ace.md",
    "con.md",
    ".dot/x.md",
    "deep/secrets/k.md",
    "picture.png",
    "notes.txt",
    "caf\udce9.md",
)
"""Places that collide, hide, are odd, or are no notes."""

TARGETS = (
    "a",
    "b",
    "c",
    "d",
    "e",
    "x",
    "A",
    "a.md",
    "a.b",
    "./a",
    "../b",
    "memory/a",
    "p/c",
    "tide/d",
    "CITT\u00c0",
    "sp ace",
    "nowhere",
    "picture.png",
    "MEMORY",
    "a#Part one",
    "c#^k1",
    "#Part one",
    "b#none",
)

WORDS = ("harbour", "harbours", "ferry", "tide", "quay", "lantern", "salt", "rope", "zanzibar")

IGNORES = ("", "attic\n", "memory\n", "# none\ntemplates: templates\n", "quarantine/tide\na.md\n")

LABELS = ("team", "ops", "public", "private")

QUERIES = ("harbour ferry", "lanter", "zanzibra", "tide quay a", "about b", "salt rope c d")


def _listed(items: list[str]) -> str:
    return "[" + ", ".join(items) + "]"


_audiences = st.one_of(
    st.none(),
    st.lists(st.sampled_from(LABELS), max_size=3).map(_listed),
    st.sampled_from(["team", "[Team]", "[team, 5]", "[]"]),
)


@st.composite
def notes(draw: st.DrawFn) -> bytes:
    """A note: mostly in order, sometimes lacking a field or breaking a rule."""
    fields: dict[str, str | None] = {
        "name": draw(st.sampled_from(("a", "b", "c", "d", "x", "A", "t", None, "2026-03-09-a"))),
        "description": draw(st.sampled_from(("About b", "Salt and rope", "The quay", None))),
        "type": draw(
            st.sampled_from(
                ("reference", "reference", "feedback", "raw-source", "moc", "index", "odd", None)
            )
        ),
        "audience": draw(_audiences),
        "status": draw(
            st.sampled_from((None, None, None, "active", "deprecated", "archived", "quarantine"))
        ),
    }
    for field in ("supersedes", "contradicts", "provenance"):
        if draw(st.integers(0, 5)) == 0:
            fields[field] = _listed([draw(st.sampled_from(("a", "b", "c", "nowhere", "'[[x]]'")))])
    if draw(st.integers(0, 9)) == 0:
        fields["aliases"] = draw(st.sampled_from(("[lantern]", "rope, salt")))
    lines = [f"{key}: {value}" for key, value in fields.items() if value is not None]
    body = [" ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)))]
    for target in draw(st.lists(st.sampled_from(TARGETS), max_size=4)):
        form = draw(st.sampled_from(("[[{}]]", "see [[{}|there]]", "![[{}]]", "[t](<{}>)")))
        body.append(form.format(target))
    if draw(st.booleans()):
        body.insert(0, "# Part one")
    if draw(st.integers(0, 3)) == 0:
        body.append("A line. ^k1")
    return ("\n".join(["---", *lines, "---", *body]) + "\n").encode()


_ODD = (
    b"",
    b"No header, [[a]] harbour.\n",
    b"---\nname: a\nname: b\n---\nTwice. lantern\n",
    b"---\nname: [a\n---\nUnclosed zanzibar.\n",
    b"---\nname: a\n",
    b"caf\xe9 tide\n",
    b"nul \0 rope\n",
    b"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
)

contents = st.one_of(notes(), notes(), notes(), notes(), st.sampled_from(_ODD))

ignore_files = st.sampled_from(IGNORES).map(str.encode)


@st.composite
def vaults(draw: st.DrawFn, most: int = 9) -> dict[str, bytes]:
    """Files by path; an ignore file sometimes among them."""
    paths = draw(st.lists(st.sampled_from(PATHS), unique=True, min_size=1, max_size=most))
    files = {path: draw(contents) for path in paths}
    if draw(st.integers(0, 3)) == 0:
        files[".manentignore"] = draw(ignore_files)
    return files


@st.composite
def edits(draw: st.DrawFn, files: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """Some files added, changed, renamed or removed."""
    changed: dict[str, bytes | None] = {}
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("write", "write", "remove", "rename", "ignore")))
        there = sorted(set(files) | {p for p, c in changed.items() if c is not None})
        if kind == "ignore":
            changed[".manentignore"] = draw(st.one_of(st.none(), ignore_files))
        elif kind == "write" or not there:
            changed[draw(st.sampled_from(PATHS))] = draw(contents)
        else:
            source = draw(st.sampled_from(there))
            content = changed.get(source, files.get(source))
            changed[source] = None
            if kind == "rename" and content is not None:
                changed[draw(st.sampled_from(PATHS))] = content
    return changed


def applied(files: Mapping[str, bytes], changed: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Return the files after the edits."""
    merged: dict[str, bytes | None] = {**files, **changed}
    return {path: content for path, content in merged.items() if content is not None}


def rows(vault: Vault) -> dict[str, Any]:
    """Return everything a vault says of its tree, without the numbers it gives to notes."""
    db = vault.store.db
    names = {note.id: note.path for note in vault.notes()}
    links = db.execute("SELECT note, n, key, kind, target, anchored, dst FROM link")
    keys = db.execute("SELECT key, note FROM note_key")
    return {
        "files": [(e.path, e.oid, str(e.kind)) for e in vault.files()],
        "notes": [tuple(note)[2:] for note in vault.notes()],
        "facts": [vault.facts(note) for note in vault.notes()],
        "keys": sorted((repr(key), names[note]) for key, note in keys),
        "links": sorted(
            (names[a], n, repr(key), kind, repr(target), anchored, names.get(dst))
            for a, n, key, kind, target, anchored, dst in links
        ),
    }


def found(vault: Vault, policy: Policy | None = None) -> list[Any]:
    """Return the findings of a vault, brought up to it."""
    lint = Lint(vault, policy)
    lint.update()
    return list(lint.findings())


def lay(root: Path, changed: Mapping[str, bytes | None]) -> None:
    """Write, or remove, files below a folder."""
    for path, content in changed.items():
        place = root / path
        if content is None:
            place.unlink(missing_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
