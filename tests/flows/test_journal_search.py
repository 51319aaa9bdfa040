"""Lines of journals beside notes: found by owners and by whose they are, by nobody else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from asked import Said, ask, inside
from vaults import note, write

from manent import record

AGENTS = {
    "clerk": {"read": ["team"], "journal": "journal/clerk", "history": True},
    "scribe": {"read": ["team"], "journal": "journal/scribe"},
    "guest": {"read": ["team"], "history": True},
    "wide": {"read": "*"},
    "keeper": {"read": ["team"], "write": "*"},
}

NOTES = {
    "MEMORY.md": note("MEMORY", "See [[tea]] and [[journal/LOG.txt]].", audience="[team]"),
    "memory/tea.md": note("tea", "Tea from Assam. [log](../journal/LOG.txt)", audience="[team]"),
}


def log(*lines: str, month: int = 3) -> bytes:
    return b"".join(
        record.log_record(i, f"2026-{month:02}-{i + 1:02}", text) for i, text in enumerate(lines)
    )


JOURNALS = {
    "journal/LOG.txt": log("chose tea", "chose coffee", "Tea again, from Assam"),
    "journal/TREE/2": record.tree_record("tea, then coffee"),
    "journal/clerk/LOG.txt": log("the clerk has tea", "the clerk rests", month=2),
}


def git(top: Path, *argv: str, date: str = "") -> None:
    day = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date} if date else {}
    import os

    subprocess.run(["git", *argv], cwd=top, check=True, env={**os.environ, **day})


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(AGENTS))
    return file


@pytest.fixture(params=["folder", "brain", "prefix", "revision"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The vault in every form it can be asked in: the first words of a search of it."""
    prefix = "deep/vault" if request.param == "prefix" else ""
    top = tmp_path / "top"
    write(top / prefix, NOTES | JOURNALS)
    git_init(top)
    if request.param == "folder":
        return [str(top)]
    if request.param == "brain":
        git(tmp_path, "clone", "-q", "--bare", "top", "brain.git")
        return [str(tmp_path / "brain.git")]
    (top / prefix / "journal/LOG.txt").unlink()
    return [str(top / prefix), "--rev", "HEAD"]


def git_init(top: Path) -> None:
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "all", date="2026-04-01T12:00:00Z")


def found(said: Said) -> list[tuple[str, int, str, str]]:
    return [(x["path"], x["number"], x["date"], x["text"]) for x in said.json["journal"]]


def test_an_owner_finds_lines_of_every_journal(vault: list[str]) -> None:
    said = ask("search", *vault, "TEA", "--journal", "--json")
    assert found(said) == [
        ("journal/LOG.txt", 2, "2026-03-03", "Tea again, from Assam"),
        ("journal/LOG.txt", 0, "2026-03-01", "chose tea"),
        ("journal/clerk/LOG.txt", 0, "2026-02-01", "the clerk has tea"),
    ]
    assert [hit["path"] for hit in said.json["hits"]] == ["memory/tea.md", "MEMORY.md"]
    one = ask("search", *vault, "assam tea", "--journal", "--json", "-k", "1")
    assert found(one) == [("journal/LOG.txt", 2, "2026-03-03", "Tea again, from Assam")]
    assert (
        "journal/LOG.txt  #1 2026-03-02 chose coffee"
        in ask("search", *vault, "coffee", "--journal").text
    )


def test_without_the_option_no_journal_is_named(vault: list[str]) -> None:
    assert "journal" not in ask("search", *vault, "tea", "--json").json
    said = ask("search", *vault, "coffee")
    assert (said.code, said.out) == (1, b"")
    assert ask("search", *vault, "coffee", "--journal").code == 0


def test_a_revision_is_searched_as_it_was(tmp_path: Path) -> None:
    write(tmp_path, NOTES | JOURNALS)
    git_init(tmp_path)
    write(tmp_path, {"journal/LOG.txt": JOURNALS["journal/LOG.txt"] + log(*"xyz", "new tea")[960:]})
    with inside(tmp_path):
        assert len(found(ask("search", "tea", "--journal", "--json"))) == 4
        assert len(found(ask("search", "tea", "--journal", "--json", "--rev", "HEAD"))) == 3


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_an_agent_finds_its_own_lines_alone(tmp_path: Path, agents: Path, agent: str) -> None:
    top = tmp_path / "top"
    write(top, NOTES | JOURNALS)
    git_init(top)
    said = ask(
        "search", str(top), "tea", "--journal", "--json", "--as", agent, "--agents", str(agents)
    )
    mine = [("journal/clerk/LOG.txt", 0, "2026-02-01", "the clerk has tea")]
    assert found(said) == (mine if agent == "clerk" else [])


COMMANDS = [
    ["search", "tea", "--journal", "--json"],
    ["search", "tea", "--journal"],
    ["search", "coffee", "--journal", "--json"],
    ["search", "rests", "--journal"],
    ["search", "tea", "--json"],
    ["list", "--json"],
    ["grep", ".", "coffee|clerk|chose", "--json"],
    ["read", "journal/LOG.txt"],
    ["read", "LOG"],
    ["read", "MEMORY", "--json"],
    ["neighbors", "MEMORY", "--json"],
    ["search", "tea", "--journal", "--json", "--rev", "2026-05-01"],
]


@pytest.mark.parametrize("agent", ["guest", "scribe", "wide", "keeper"])
@pytest.mark.parametrize("bare", [False, True])
def test_a_journal_of_others_changes_no_byte(
    tmp_path: Path, agents: Path, agent: str, bare: bool
) -> None:
    said = []
    for files in (NOTES | JOURNALS, NOTES):
        top = tmp_path / "top"
        subprocess.run(["rm", "-rf", top, tmp_path / "brain.git"], check=True)
        write(top, files)
        git_init(top)
        if bare:
            git(tmp_path, "clone", "-q", "--bare", "top", "brain.git")
        with inside(tmp_path / "brain.git" if bare else top):
            said.append([ask(*c, "--as", agent, "--agents", str(agents)) for c in COMMANDS])
    for command, one, other in zip(COMMANDS, *said, strict=True):
        assert one == other, command
        assert b"chose tea" not in one.out


def test_of_the_past_an_agent_finds_what_stands_today(tmp_path: Path, agents: Path) -> None:
    """What an owner has since taken out of a journal is not found in an older revision."""
    write(tmp_path, NOTES | {"journal/clerk/LOG.txt": log("tea one", "tea two")})
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A", ":!agents.json")
    git(tmp_path, "commit", "-q", "-m", "all", date="2026-04-01T12:00:00Z")
    write(tmp_path, {"journal/clerk/LOG.txt": log("tea one", "taken out")})
    git(tmp_path, "commit", "-qam", "purged", date="2026-04-03T12:00:00Z")
    with inside(tmp_path):
        said = ask(
            "search", "tea", "--journal", "--json", "--rev", "2026-04-02",
            "--as", "clerk", "--agents", str(agents),
        )  # fmt: skip
    assert [text for *_, text in found(said)] == ["tea one"]


def test_what_cannot_be_searched_is_told_and_the_rest_is_found(tmp_path: Path) -> None:
    write(tmp_path, NOTES | JOURNALS | {"journal/config": "WAKE_LINES = none\n"})
    (tmp_path / "journal/away").symlink_to(tmp_path / "journal/clerk")
    with inside(tmp_path):
        said = ask("search", "tea", "--journal", "--json")
    assert [path for path, *_ in found(said)] == ["journal/clerk/LOG.txt"]
    assert "journal/LOG.txt was not searched" in said.errors


def test_a_forged_line_is_printed_inert(tmp_path: Path) -> None:
    raw = record.log_record(0, "2026-03-01", "tea").replace(b"tea   ", b"tea\x1b[2")
    write(tmp_path, NOTES | {"journal/LOG.txt": raw})
    with inside(tmp_path):
        said = ask("search", "tea", "--journal")
    assert "#0 2026-03-01 tea" in said.text and b"\x1b[2" not in said.out
