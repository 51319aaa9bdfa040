"""A person curates: reads the lists, decides, and finds the decision in the history."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from asked import ask
from vaults import note, write

TEXT = " ".join(f"word{i}" for i in range(40))


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    assert ask("init", str(root)).code == 0
    names = ["quay", "rope", "sail"]
    write(
        root,
        {
            "memory/old.md": note("old", TEXT).replace("---\n", "---\n# kept\n", 1),
            "memory/new.md": note("new", TEXT + " and more"),
            **{
                f"memory/{name}.md": note(name, " ".join(f"[[{n}]]" for n in names if n != name))
                for name in names
            },
        },
    )
    git(root, "add", "-A")
    git(root, "commit", "-qm", "notes")
    return root


def test_a_pair_is_superseded_and_no_longer_reported(vault: Path) -> None:
    found = ask("curate", str(vault), "--duplicates", "--json")
    assert found.code == 1
    ((row,), tree) = found.json["duplicates"], found.json["tree"]
    assert (row["a"]["name"], row["b"]["name"], tree) == ("new", "old", None)
    (vault / "memory/quay.md").write_text(note("quay", "Edited, not saved."))
    write(vault, {"memory/staged.md": note("staged")})
    git(vault, "add", "memory/staged.md")

    done = ask("curate", str(vault), "--supersede", "old", "new", "--commit")
    assert done.code == 0, done.errors
    assert git(vault, "show", "--name-only", "--format=%an %s").split("\n\n")[1].split() == [
        "memory/new.md",
        "memory/old.md",
    ]
    assert git(vault, "status", "--short").splitlines() == [
        " M memory/quay.md",
        "A  memory/staged.md",
    ]
    old = (vault / "memory/old.md").read_text()
    assert old == note("old", TEXT, status="deprecated").replace("---\n", "---\n# kept\n", 1)
    assert "supersedes: [old]" in (vault / "memory/new.md").read_text()
    assert ask("curate", str(vault), "--duplicates").code == 0
    again = ask("curate", str(vault), "--supersede", "old", "new")
    assert again.code == 1 and "already" in again.errors
    circle = ask("curate", str(vault), "--supersede", "new", "old")
    assert circle.code == 1 and "circle" in circle.errors


def test_a_pair_that_was_looked_at_comes_back_when_a_side_changes(vault: Path) -> None:
    why = ("--reason", "one is the template of the other")
    assert ask("curate", str(vault), "--acknowledge", "old", "new", *why, "--commit").code == 0
    assert git(vault, "show", "--name-only", "--format=").split() == [".manent-acknowledged"]
    assert ask("curate", str(vault), "--duplicates").code == 0
    assert ask("curate", str(vault), "--acknowledge", "new", "old", *why).code == 1
    (vault / "memory/old.md").write_text(note("old", TEXT + " changed"))
    assert ask("curate", str(vault), "--duplicates").code == 1
    assert ask("curate", str(vault), "--acknowledge", "new", "old", *why, "--commit").code == 0
    assert (vault / ".manent-acknowledged").read_text().count("\n") == 1


def test_what_was_looked_at_is_told_by_path_and_not_by_name(vault: Path) -> None:
    """A draft may have the name of a note: the pairs of one say nothing of the other's."""
    folder = vault / "quarantine/ada"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "old.md").write_text(note("old", TEXT, status="quarantine", author="ada"))
    assert len(ask("curate", str(vault), "--duplicates", "--json").json["duplicates"]) == 3
    for one, other in (("memory/old.md", "new"), ("quarantine/ada/old.md", "new")):
        done = ask("curate", str(vault), "--acknowledge", one, other, "--reason", "each its own")
        assert done.code == 0, done.errors
    (left,) = ask("curate", str(vault), "--duplicates", "--json").json["duplicates"]
    assert {left["a"]["name"], left["b"]["name"]} == {"old"}
    file = vault / ".manent-acknowledged"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    named = [row | {"a": "new", "b": "old"} for row in rows if "memory/old.md" in row["b"]]
    assert len(named) == 1
    file.write_text(json.dumps(named[0]) + "\n")  # as it was written before
    left_again = ask("curate", str(vault), "--duplicates", "--json").json["duplicates"]
    assert len(left_again) == 2


def test_a_map_is_drafted_into_quarantine(vault: Path) -> None:
    listed = ask("curate", str(vault), "--communities", "--json").json["communities"]
    (group,) = listed
    assert [n["name"] for n in group["notes"]] == ["quay", "rope", "sail"] and not group["maps"]
    shown = ask("curate", str(vault), "--write-map", "1", "--dry-run")
    assert "+- [[rope]]: About rope" in shown.text and git(vault, "status", "--short") == ""
    assert ask("curate", str(vault), "--write-map", "1", "--commit").code == 0
    draft = (vault / "quarantine/curate/map-of-quay.md").read_text()
    assert "status: quarantine" in draft and "type: moc" in draft
    assert ask("curate", str(vault), "--write-map", "1").code == 1
    assert ask("curate", str(vault), "--write-map", "9").code == 1
    lint = ask("lint", str(vault), "--strict-content", "--strict-links", "--json").json["counts"]
    assert lint["error"] == lint["warning"] == 0


def test_a_brain_is_curated_without_a_checkout(vault: Path, tmp_path: Path) -> None:
    brain = tmp_path / "brain.git"
    assert ask("brain", "create", str(brain), "--from", str(vault)).code == 0
    refused = ask("curate", str(brain), "--supersede", "old", "new")
    assert refused.code == 2 and "--commit" in refused.errors
    shown = ask("curate", str(brain), "--supersede", "old", "new", "--dry-run")
    assert shown.code == 0 and "+status: deprecated" in shown.text
    before = git(brain, "rev-parse", "main")
    done = ask("curate", str(brain), "--supersede", "old", "new", "--commit", "--json")
    assert done.code == 0, done.errors
    assert done.json["commits"] == [git(brain, "rev-parse", "main").strip()]
    assert git(brain, "rev-parse", "main~") == before
    assert ask("curate", str(brain), "--duplicates").code == 0


def test_twins_are_found_by_vectors_and_are_no_copies(vault: Path) -> None:
    write(
        vault,
        {
            "memory/tide.md": note("tide", "How the tide turns at the northern quay."),
            "memory/ebb.md": note("ebb", "How the tide turns at the southern quay."),
        },
    )
    asked = ["curate", str(vault), "--duplicates", "--dense", "--model", "hash"]
    found = ask(*asked, "--dense-threshold", "0.6", "--json")
    assert found.code == 1, found.errors
    assert ("ebb", "tide") in [(r["a"]["name"], r["b"]["name"]) for r in found.json["twins"]]
    assert [r["a"]["name"] for r in found.json["duplicates"]] == ["new"]


def test_gaps_put_the_community_they_ask_of_first(vault: Path, tmp_path: Path) -> None:
    names = ["oar", "mast", "keel", "bow"]
    write(
        vault,
        {f"wiki/{n}.md": note(n, " ".join(f"[[{o}]]" for o in names if o != n)) for n in names},
    )
    register = str(tmp_path / "gaps.sqlite")
    communities = ["curate", str(vault), "--communities", "--json"]
    assert ask(*communities).json["communities"][0]["hub"] == "bow"
    assert ask("search", str(vault), "quay rope sail", "--gaps", register).code == 0
    first = ask(*communities, "--gaps", register).json["communities"][0]
    assert (first["hub"], first["gaps"]) == ("quay", 1)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--write-map", "1", "--supersede", "old", "new"],
        ["--acknowledge", "old", "new"],
        ["--reason", "none"],
        ["--commit"],
        ["--duplicates", "--supersede", "old", "new"],
        ["--threshold", "0"],
        ["--threshold", "nan"],
        ["--supersede", "old"],
        ["--dense"],
        ["--gaps", "register.sqlite"],
    ],
)
def test_wrong_use_is_said_before_anything_is_read(vault: Path, wrong: list[str]) -> None:
    said = ask("curate", str(vault), *wrong)
    assert said.code == 2 and said.out == b"" and said.errors.count("\n") == 1


@pytest.mark.parametrize("pair", [("old", "nowhere"), ("old", "old")])
def test_a_decision_on_nothing_changes_nothing(vault: Path, pair: tuple[str, str]) -> None:
    for decision in (["--supersede", *pair], ["--acknowledge", *pair, "--reason", "x"]):
        assert ask("curate", str(vault), *decision).code == 1
    assert git(vault, "status", "--short") == ""


def test_superseding_adds_one_item_the_way_the_list_is_written(vault: Path) -> None:
    head = "---\n# of the harbour\n"
    listed = (
        'supersedes:  # what it replaces\n  # the first\n  - "[[quay]]"  # 2024\n\n'
        "  - [[rope]]   # bare\n"
    )
    new = note("new", TEXT).replace("---\n", head, 1).replace("type: ", f"{listed}type: ")
    write(vault, {"memory/new.md": new})
    git(vault, "commit", "-qam", "lists")
    done = ask("curate", str(vault), "--supersede", "old", "new", "--commit")
    assert done.code == 0, done.errors
    after = (vault / "memory/new.md").read_text()
    assert after == new.replace("# bare\n", "# bare\n  - [[old]]\n")


def test_a_map_is_not_drafted_under_a_name_that_a_note_has(vault: Path) -> None:
    drafted = ask("curate", str(vault), "--write-map", "1", "--commit", "--json")
    assert drafted.code == 0, drafted.errors
    (path,) = drafted.json["paths"]
    name = Path(path).stem
    assert ask("curate", str(vault), "--write-map", "1").code == 1
    promoted = ask("promote", str(vault), "--note", name, "--to", "moc", "--commit")
    assert promoted.code == 0, promoted.errors
    # The map loses its links: the community has none again.
    place = vault / f"moc/{name}.md"
    place.write_text(place.read_text().replace("[[", "").replace("]]", ""))
    again = ask("curate", str(vault), "--write-map", "1")
    assert again.code == 1 and f"taken by moc/{name}.md" in again.errors
    assert not (vault / path).exists()


@pytest.mark.parametrize("new", ["old", "memory/old.md"])
@pytest.mark.parametrize("flag", ["--supersede", "--acknowledge"])
def test_a_note_is_no_pair_with_itself(vault: Path, flag: str, new: str) -> None:
    reason = ["--reason", "x"] if flag == "--acknowledge" else []
    said = ask("curate", str(vault), flag, "old", new, *reason)
    assert said.code == 1 and "name two notes" in said.errors
    assert git(vault, "status", "--porcelain") == ""


def test_reports_are_read_where_nothing_can_be_written(vault: Path) -> None:
    shutil.rmtree(vault / ".git/manent", ignore_errors=True)
    (vault / ".git/manent").write_text("no folder can stand here")
    found = ask("curate", str(vault), "--duplicates", "--json")
    assert (found.code, len(found.json["duplicates"])) == (1, 1)
    assert "working in memory" in found.errors
    assert ask("promote", str(vault)).code == 0
    assert ask("curate", str(vault), "--supersede", "old", "new").code == 2
    assert git(vault, "status", "--short") == ""


def test_a_name_that_several_notes_share_is_superseded_by_its_path(vault: Path) -> None:
    write(vault, {"a/same.md": note("same", "One."), "b/same.md": note("same", "Other.")})
    assert ask("curate", str(vault), "--supersede", "same", "new").code == 1
    assert ask("curate", str(vault), "--supersede", "b/same.md", "new").code == 0
    assert "supersedes: [b/same]" in (vault / "memory/new.md").read_text()
    assert "status: deprecated" in (vault / "b/same.md").read_text()
    assert "status" not in (vault / "a/same.md").read_text()
    assert ask("curate", str(vault), "--contradictions", "--json").json["contradictions"] == []


def test_a_path_that_is_no_text_is_refused_by_its_name(vault: Path) -> None:
    place = os.fsencode(vault) + b"/memory/caf\xe9.md"
    Path(os.fsdecode(place)).write_text(note("cafe", TEXT))
    said = ask("curate", str(vault), "--acknowledge", "cafe", "old", "--reason", "so")
    assert said.code == 1
    assert "memory/caf\\xe9.md: the path is not UTF-8" in said.errors
    assert not (vault / ".manent-acknowledged").exists()
