"""What is hidden changes no byte: not of answers, not of errors, not of exit codes.

Each command is asked of a vault and of the same vault from which everything
hidden was deleted, and must say the same on both streams.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from asked import Said, ask, inside
from hidden_notes import AGENTS, ASKED_DAYS, DAYS, history, shown
from hypothesis import given, settings
from hypothesis import strategies as st
from random_vaults import EXAMPLES, PATHS, applied, edits, lay, slowly, vaults

from manent.access import load_agents

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
