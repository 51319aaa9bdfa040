"""What is hidden changes no byte: not of answers, not of errors, not of exit codes.

Each command is asked of a vault and of the same vault from which everything
hidden was deleted, and must say the same on both streams.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from asked import Said, ask, inside
from hypothesis import given, settings
from hypothesis import strategies as st
from random_vaults import EXAMPLES, PATHS, applied, edits, lay, slowly, vaults

from manent.access import Identity, View, load_agents
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

NAMES = (
    *PATHS,
    ".manentignore", "README",
    "a", "b", "c", "d", "e", "x", "A", "memory/a", "nowhere", "citt\u00e0",
)  # fmt: skip

COMMANDS = [
    ["list"],
    ["list", "--json"],
    ["list", "--status", "quarantine", "--json"],
    ["list", "--type", "moc"],
    ["list", "--limit", "1", "--json"],
    ["list", "--rev", "HEAD"],
    ["grep", ".", "."],
    ["grep", ".", "harbour|rope", "--json"],
    ["grep", ".", "ZANZIBAR", "-i", "--limit", "1", "--json"],
    ["search", ".", "nothing of the kind"],
    *(
        ["search", ".", query, *options]
        for query in ("harbour ferry", "lanter", "zanzibra", "about b", "tide quay a", "salt")
        for options in ((), ("--json", "-k", "3"), ("--json", "--explain"), ("--explain",))
    ),
    *(
        ["search", ".", query, "--retriever", "hybrid", "--json", "--explain"]
        for query in ("harbour ferry", "tide quay a", "about b")
    ),
    *(["read", ".", name, *options] for name in NAMES for options in ((), ("--json",))),
    *(["neighbors", ".", name] for name in NAMES),
    *(["neighbors", ".", name, "--json", "--depth", "3"] for name in NAMES),
]  # fmt: skip


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


def answers(root: Path, asked: list[list[str]], agent: str, file: Path) -> list[Said]:
    with inside(root):
        return [ask(*command, "--as", agent, "--agents", str(file)) for command in asked]


def asked_of(data: st.DataObject, commands: list[list[str]]) -> list[list[str]]:
    return data.draw(st.lists(st.sampled_from(commands), min_size=6, max_size=18))


@slowly
@given(vaults(14), st.sampled_from(sorted(AGENTS)), st.data())
def test_a_hidden_note_changes_no_byte(
    files: dict[str, bytes], agent: str, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "agents.json"
        file.write_text(json.dumps(AGENTS))
        identity = load_agents(file.read_text())[agent]
        # In the same place one after the other: not even a path in an error may differ.
        root, asked, said = Path(place) / "vault", asked_of(data, COMMANDS), []
        for hide in (False, True):
            kept = shown(root, identity) if hide else files
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir()
            lay(root, kept)
            said.append(answers(root, asked, agent, file))
        for command, one, other in zip(asked, *said, strict=True):
            assert one == other, command
            assert b'"tree": null' in one.out or b'"tree"' not in one.out


DAYS = ("2026-03-09", "2026-03-12", "2026-03-15")
ASKED_DAYS = ("2026-03-08", "2026-03-09", "2026-03-10", "2026-03-12", "2026-11-01")


def history(root: Path, steps: list[dict[str, bytes]]) -> None:
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
    for command in (
        ["init", "-q", "-b", "main"],
        ["fast-import", "--quiet"],
        ["reset", "-q", "--hard"],
    ):
        given = b"".join(stream) if command[0] == "fast-import" else None
        subprocess.run(["git", *command], cwd=root, check=True, input=given)


@settings(slowly, max_examples=max(3, EXAMPLES // 4))
@given(vaults(10), st.sampled_from(["tide", "moss", "none"]), st.data())
def test_of_the_past_an_agent_sees_what_it_sees_today(
    files: dict[str, bytes], agent: str, data: st.DataObject
) -> None:
    steps = [files]
    for _ in DAYS[1:]:
        steps.append(applied(steps[-1], data.draw(edits(steps[-1]))))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "agents.json"
        file.write_text(json.dumps(AGENTS))
        identity = load_agents(file.read_text())[agent]
        seen = []
        for n, step in enumerate(steps):
            look = Path(place) / str(n)
            look.mkdir()
            lay(look, step)
            seen.append(shown(look, identity))
        today = {content for path, content in seen[-1].items() if path != ".manentignore"}
        kept = [
            {p: c for p, c in step.items() if c in today or p == ".manentignore"} for step in seen
        ]
        commands = [c for c in COMMANDS if "--rev" not in c]
        asked = [
            [*command, "--rev", data.draw(st.sampled_from(ASKED_DAYS))]
            for command in asked_of(data, commands)
        ]
        root, said = Path(place) / "vault", []
        for made in (steps, kept):
            shutil.rmtree(root, ignore_errors=True)
            history(root, made)
            said.append(answers(root, asked, agent, file))
        for command, one, other in zip(asked, *said, strict=True):
            assert one == other, command


def test_revisions_are_named_by_a_day_of_the_calendar(tmp_path: Path) -> None:
    """An id, a branch, or a day that git would read as today, is told nothing."""
    root = tmp_path / "vault"
    history(root, [{"a.md": b"---\nname: a\naudience: [team]\n---\nharbour\n"}])
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(AGENTS | {"now": {"read": ["team"]}}))
    with inside(root):
        for rev in ("HEAD", "main", "HEAD~1", "2026-02-31", "2026-13-01", "yesterday", "2026-3-9"):
            said = ask("list", "--as", "tide", "--agents", str(file), "--rev", rev)
            assert (said.code, said.out) == (2, b""), rev
            assert "by its day" in said.errors
        for agent in ("now", "keeper"):
            said = ask("list", "--as", agent, "--agents", str(file), "--rev", "2026-11-01")
            assert said.code == 2 and "owner" in said.errors
        assert ask("list", "--as", "tide", "--agents", str(file), "--rev", "2026-11-01").code == 0
