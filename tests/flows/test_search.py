"""From an empty folder, or a push, to a note that is found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from asked import ask, inside
from repositories import Clone, git_variables, note
from vaults import note as noted
from vaults import write


def manent(*arguments: str, cwd: Path, code: int = 0) -> str:
    """Run ``manent`` as a user does; return stdout."""
    done = subprocess.run(
        [sys.executable, "-m", "manent", *arguments],
        cwd=cwd,
        capture_output=True,
        check=False,
        env={**os.environ, **git_variables()},
    )
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode()


def asked(*arguments: str, cwd: Path, code: int = 0) -> Any:
    """Ask in this process, which saves starting another: the answer is the same."""
    with inside(cwd):
        said = ask(*arguments, "--json")
    assert said.code == code, said.errors
    return said.json


def found(*arguments: str, cwd: Path) -> list[str]:
    code = 0 if "--none" not in arguments else 1
    answer = asked("search", *(a for a in arguments if a != "--none"), cwd=cwd, code=code)
    return [hit["name"] for hit in answer["hits"]]


def test_a_folder_from_init_to_a_found_note(tmp_path: Path) -> None:
    manent("init", "vault", cwd=tmp_path)
    vault = tmp_path / "vault"
    assert found(".", "lantern", "--none", cwd=vault) == []
    write(vault, {"memory/lamp.md": noted("lamp", "The lantern is in the shed.")})
    assert found("lantern", cwd=vault) == ["lamp"]
    assert asked("index", "--status", cwd=vault)["current"]
    write(vault, {"memory/lamp.md": noted("lamp", "The torch is in the shed.")})
    assert not asked("index", "--status", cwd=vault, code=1)["current"]
    assert found("lantern", "--none", cwd=vault) == []
    assert found("torch", cwd=vault / "memory") == ["lamp"]
    (vault / "memory" / "lamp.md").rename(vault / "memory" / "torch.md")
    assert found("torch", cwd=vault) == ["lamp"]
    assert asked("list", "--type", "reference", cwd=vault)["notes"][0]["path"] == "memory/torch.md"
    write(vault, {".manentignore": "memory\n"})
    assert found("torch", "--none", cwd=vault) == []


def test_deleting_all_derived_data_loses_nothing(tmp_path: Path) -> None:
    vault = write(
        tmp_path / "vault", {f"n{n}.md": noted(f"n{n}", "harbour " * n) for n in range(9)}
    )
    first = manent("search", "vault", "harbour", "--json", cwd=tmp_path)
    shutil.rmtree(vault / ".manent")
    assert manent("search", "vault", "harbour", "--json", cwd=tmp_path) == first
    assert "9 notes in 9 files; 9 indexed now" in manent(
        "index", "vault", "--rebuild", cwd=tmp_path
    )
    assert manent("search", "vault", "harbour", "--json", cwd=tmp_path) == first


def test_a_push_is_indexed_and_found(clone: Clone) -> None:
    clone.commit({"memory/lamp.md": note("lamp", "The lantern is in the shed.")}, "a lamp")
    first = clone.git("rev-parse", "HEAD")
    assert clone.push().accepted
    brain = clone.brain
    standing = asked("index", str(brain), "--status", cwd=brain.parent)
    assert standing["current"] and standing["notes"] == 4
    assert standing["tree"] == clone.git("rev-parse", "HEAD^{tree}")
    answer = asked("search", str(brain), "lantern", cwd=brain.parent)
    assert [hit["path"] for hit in answer["hits"]] == ["memory/lamp.md"]
    assert answer["tree"] == standing["tree"]
    # A second push moves it; the first is still there under its name.
    clone.commit({"memory/lamp.md": note("lamp", "The torch.")}, "a torch")
    assert clone.push().accepted
    assert found("brain.git", "lantern", "--none", cwd=brain.parent) == []
    assert found("brain.git", "lantern", "--rev", first, cwd=brain.parent) == ["lamp"]
    assert found("brain.git", "lantern", "--rev", "HEAD~1", cwd=brain.parent) == ["lamp"]
    assert asked("index", str(brain), "--status", cwd=brain.parent)["current"]
    manent("search", "brain.git", "lantern", "--rev", "nonsense", cwd=brain.parent, code=2)
    assert manent("read", "brain.git", "lamp", cwd=brain.parent).endswith("The torch.\n")
    # And a clone answers as the brain does.
    for command in (["search", "torch"], ["list"], ["grep", "shed|torch"], ["neighbors", "first"]):
        name, *rest = command
        here = asked(name, ".", *rest, "--rev", "HEAD", cwd=clone.path)
        assert asked(name, str(brain), *rest, cwd=brain.parent) == here


def test_a_refused_push_is_neither_indexed_nor_found(clone: Clone) -> None:
    clone.commit({"memory/bad.md": b"No header, only a lantern.\n"}, "bad")
    assert clone.push().refused
    assert found("brain.git", "lantern", "--none", cwd=clone.brain.parent) == []
    assert asked("list", "brain.git", cwd=clone.brain.parent)["notes"][3:] == []


def test_an_index_lost_or_damaged_is_made_by_the_next_question(clone: Clone) -> None:
    clone.commit({"memory/lamp.md": note("lamp", "The lantern.")}, "a lamp")
    assert clone.push().accepted
    state = clone.brain / "manent"
    before = manent("search", "brain.git", "lantern", "--json", cwd=clone.brain.parent)
    for harm in ("lost", "damaged"):
        for file in [path for path in state.rglob("*") if path.is_file()]:
            file.unlink() if harm == "lost" else file.write_bytes(b"\xa5" * file.stat().st_size)
        again = manent("search", "brain.git", "lantern", "--json", cwd=clone.brain.parent)
        assert again == before


@pytest.mark.parametrize("agent", ["tide", "moss"])
def test_an_agent_asks_a_brain_through_its_view(clone: Clone, agent: str) -> None:
    clone.commit(
        {
            "memory/open.md": note("open", "The lantern. [[shut]]", audience="[team, public]"),
            "memory/shut.md": note("shut", "The lantern lantern. [[open]]", audience="[ops]"),
            "agents.json": b"{}",
        },
        "two notes",
    )
    # The leak from the public to the closed note is refused: that is the gate's word.
    assert clone.push().refused
    clone.commit(
        {"memory/open.md": note("open", "The lantern.", audience="[team, public]")}, "mend"
    )
    clone.git("reset", "-q", "--soft", "origin/main")
    clone.commit({}, "two notes, no leak")
    assert clone.push().accepted
    file = clone.brain.parent / "agents.json"
    file.write_text(json.dumps({"tide": {"read": ["team"]}, "moss": {"read": ["ops", "public"]}}))
    clone.brain_git("config", "manent.agents", str(file))
    answer = asked("search", "brain.git", "lantern", "--as", agent, cwd=clone.brain.parent)
    wanted = {"tide": ["open"], "moss": ["open", "shut"]}[agent]
    assert sorted(hit["name"] for hit in answer["hits"]) == wanted and answer["tree"] is None
    code = 0 if "shut" in wanted else 1
    manent("read", "brain.git", "shut", "--as", agent, cwd=clone.brain.parent, code=code)
    manent("list", "brain.git", "--rev", "HEAD", "--as", agent, cwd=clone.brain.parent, code=2)
