"""What an agent may see of a random vault, and vaults that hold just that."""

from __future__ import annotations

import datetime
import os
import subprocess
from pathlib import Path

from manent.access import Identity, View
from manent.facts.store import Store
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

AGENTS = {
    "tide": {"read": ["team"], "write": "quarantine/tide", "history": True},
    "moss": {"read": ["ops", "public"], "history": True},
    "none": {"read": [], "history": True},
    # Writes everywhere and still sees only its labels: the View decides.
    "keeper": {"read": ["team"], "write": "*"},
}


def view_of(root: Path, identity: Identity) -> View:
    vault = Vault(Store(None))
    sync(vault, WorkTree(root))
    return View(vault, identity)


def shown(root: Path, identity: Identity) -> dict[str, bytes]:
    """Return the files that the identity may see, and the one that says what is a note."""
    view = view_of(root, identity)
    seen = {note.path: view.content(note) for note in view.notes()}
    ignore = root / ".manentignore"
    return seen | ({".manentignore": ignore.read_bytes()} if ignore.exists() else {})


DAYS = ("2026-03-09", "2026-03-12", "2026-03-15")
ASKED_DAYS = ("2026-03-08", "2026-03-09", "2026-03-10", "2026-03-12", "2026-11-01")


def history(root: Path, steps: list[dict[str, bytes]], bare: bool = False) -> None:
    """Make a repository with a commit at noon of each of DAYS, holding exactly these files."""
    stream: list[bytes] = []
    for n, (files, day) in enumerate(zip(steps, DAYS, strict=False)):
        seconds = int(datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp())
        stream.append(
            b"commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\n"
            b"data 4\nstep\n%sdeleteall\n" % (n + 1, seconds, b"from :%d\n" % n if n else b"")
        )
        for path, content in files.items():
            name = "".join(f"\\{byte:03o}" for byte in os.fsencode(path))
            stream.append(b'M 100644 inline "%s"\n' % name.encode())
            stream.append(b"data %d\n%s\n" % (len(content), content))
    root.mkdir(parents=True)
    commands = [["init", "-q", "-b", "main", *["--bare"] * bare], ["fast-import", "--quiet"]]
    for command in commands if bare else [*commands, ["reset", "-q", "--hard"]]:
        given = b"".join(stream) if command[0] == "fast-import" else None
        subprocess.run(["git", *command], cwd=root, check=True, input=given)
