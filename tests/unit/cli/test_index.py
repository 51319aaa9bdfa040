"""manent index, and the derived data it keeps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from asked import ask
from vaults import note, write


def test_it_reads_what_is_new_and_says_where_it_stands(vault: Path) -> None:
    before = ask("index", str(vault), "--status")
    assert (before.code, before.text) == (1, "not indexed yet\n")
    assert not (vault / ".manent").exists()
    assert ask("index", str(vault), "--json").json["indexed"] == 4
    assert ask("index", str(vault), "--json").json["indexed"] == 0
    assert ask("index", str(vault), "--status").text.splitlines() == [
        "4 notes in 4 files, up to date",
        "no vectors: `manent index --embed` makes them",
    ]
    write(vault, {"new.md": note("new")})
    behind = ask("index", str(vault), "--status", "--json")
    assert (behind.code, behind.json["current"], behind.json["notes"]) == (1, False, 4)
    assert ask("index", str(vault)).text == "5 notes in 5 files; 1 indexed now\n"
    assert ask("index", str(vault), "--status").code == 0


def test_derived_data_is_private_and_can_go(vault: Path) -> None:
    first = ask("search", str(vault), "ferry", "--json").out
    state = vault / ".manent"
    assert state.stat().st_mode & 0o777 == 0o700
    assert ask("index", str(vault), "--rebuild", "--json").json["indexed"] == 4
    assert ask("search", str(vault), "ferry", "--json").out == first
    for path in sorted(state.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    state.rmdir()
    assert ask("search", str(vault), "ferry", "--json").out == first


COMMANDS = [
    ["search", "{}", "ferry", "--json"],
    ["lint", "{}", "--json"],
    ["list", "{}", "--json"],
    ["grep", "{}", "ferry", "--json"],
    ["neighbors", "{}", "ferry", "--json"],
    ["read", "{}", "ferry", "--json"],
    ["index", "{}", "--status"],
]


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "emptied":
        content.clear()
    elif how == "cut":
        del content[len(content) // 2 :]
    elif how == "noise":
        content[:] = b"\xa5" * len(content)
    elif how == "noise inside":
        content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("where", "how"),
    [
        *(("vault.sqlite", how) for how in ("emptied", "cut", "noise", "noise inside")),
        *(("search", how) for how in ("emptied", "cut", "noise inside")),
    ],
)
def test_damage_is_made_good_by_whichever_command_meets_it(
    vault: Path, where: str, how: str
) -> None:
    vault = write(vault, {f"n{n}.md": note(f"n{n}", "ferry " * 50) for n in range(12)})
    commands = COMMANDS if where == "vault.sqlite" else [COMMANDS[0], COMMANDS[-1]]
    wanted = [ask(*(part.format(vault) for part in command)).out for command in commands[:-1]]
    ask("index", str(vault))
    for command, said in zip(commands, [*wanted, None], strict=True):
        place = vault / ".manent" / where
        for file in [place] if place.is_file() else [p for p in place.rglob("*") if p.is_file()]:
            damage(file, how)
        answer = ask(*(part.format(vault) for part in command))
        assert answer.code in (0, 1), (command, answer.errors)
        assert said is None or answer.out == said, command
        assert ask("index", str(vault)).code == 0


def test_a_place_that_cannot_be_used_means_working_in_memory(vault: Path, tmp_path: Path) -> None:
    wanted = ask("search", str(vault), "ferry", "--json").out
    ask("index", str(vault), "--rebuild")
    for path in sorted((vault / ".manent").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (vault / ".manent").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (vault / ".manent").symlink_to(tmp_path / "elsewhere")
    said = ask("search", str(vault), "ferry", "--json")
    assert (said.code, said.out) == (0, wanted)
    assert said.errors.startswith("manent: working in memory: ")
    assert ask("-q", "search", str(vault), "ferry").errors == ""
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_beside_git_it_lies_in_the_git_folder(vault: Path) -> None:
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=vault, check=True)
    ask("index", str(vault))
    assert not (vault / ".manent").exists()
    assert (vault / ".git" / "manent" / "vault.sqlite").exists()
    # Part of a repository is a vault of its own, beside the whole one.
    part = ask("list", str(vault / "memory"), "--json").json
    assert [row["path"] for row in part["notes"]] == ["ferry.md", "port-map.md", "wages.md"]
    assert not (vault / "memory" / ".manent").exists()
    status = subprocess.check_output(["git", "status", "--porcelain"], cwd=vault)
    assert status == b""


def test_what_git_tracks_as_derived_is_never_read(vault: Path) -> None:
    ask("index", str(vault))
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    subprocess.run(["git", "add", "-f", "."], cwd=vault, check=True)
    damage(vault / ".manent" / "vault.sqlite", "noise")
    before = (vault / ".manent" / "vault.sqlite").read_bytes()
    assert ask("index", str(vault), "--json").json["indexed"] == 4
    assert (vault / ".manent" / "vault.sqlite").read_bytes() == before


def test_many_at_once_do_not_hinder_each_other(vault: Path) -> None:
    write(vault, {f"n{n}.md": note(f"n{n}", "ferry") for n in range(20)})
    asked = (["index"], ["search", "ferry"], ["lint"], ["index", "--rebuild"], ["list"])
    running = []
    for n, (command, *rest) in enumerate(asked):
        write(vault, {f"late{n}.md": note(f"late{n}", "ferry")})
        running.append(
            subprocess.Popen(
                [sys.executable, "-m", "manent", command, str(vault), *rest],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        )
    said = [(process.wait(90), process.stderr.read()) for process in running if process.stderr]
    assert [code for code, _ in said] == [0] * len(asked), said
    hits = ask("search", str(vault), "ferry", "-k", "1000", "--json").json["hits"]
    assert len(hits) == 3 + 20 + len(asked)


def test_another_revision_leaves_the_store_where_it_was(vault: Path) -> None:
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=vault, check=True)
    write(vault, {"new.md": note("new", "The lantern.")})
    ask("index", str(vault))
    assert ask("search", str(vault), "lantern", "--rev", "HEAD").code == 1
    assert ask("search", str(vault), "lantern").code == 0
    assert ask("index", str(vault), "--status").code == 0
    assert ask("lint", str(vault), "--rev", "HEAD", "--json").json["notes"] == 4
