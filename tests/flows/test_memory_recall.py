"""Recall over workspaces and memory directories, and the bench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from memories import LONG, MEMORY, compiled, memory

from manent.tokens import estimate


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    compiled(tmp_path, MEMORY + LONG)
    return tmp_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text(
        "# Index\n\n- [Moorings](moorings.md) - where the boats lie\n"
        "- [Cranes](cranes.md) — lifting, yellow\n"
    )
    (tmp_path / "moorings.md").write_text("# Moorings\n\n## North quay\n\nSeven of them.\n")
    (tmp_path / "cranes.md").write_text("# Cranes\n\nTwo.\n")
    (tmp_path / "README.md").write_text("# About\n\nboats boats boats\n")
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive/old.md").write_text("# Old\n\nboats of the past\n")
    return tmp_path


def test_sections_come_with_their_place(workspace: Path) -> None:
    done = memory("recall", str(workspace), "how", "are", "fixtures", "used", "--json")
    document = json.loads(done.stdout)
    hit = document["hits"][0]
    assert hit["file"] == "on-demand/testing.md" and hit["path"][-1] == "Testing"
    first, last = hit["lines"]
    lines = (workspace / ".memory" / hit["file"]).read_text().splitlines(keepends=True)
    assert "".join(lines[first - 1 : last]) == hit["text"]
    assert hit["tokens"] == estimate(hit["text"])
    text = memory("recall", str(workspace), "fixtures").stdout
    assert text.startswith("## on-demand/testing.md > Harbour > Testing (lines ")
    assert "conftest.py" in text


def test_the_cap_holds(workspace: Path) -> None:
    for cap in (60, 120, 400):
        text = memory("recall", str(workspace), "service queue", "--max-tokens", str(cap)).stdout
        assert estimate(text) <= cap + 12, cap


def test_a_log_gives_the_entry(workspace: Path) -> None:
    text = memory("recall", str(workspace), "mooring", "calendar").stdout
    assert "because the old one locked" in text and "SOAP" not in text


def test_headings_and_files(workspace: Path) -> None:
    text = memory("recall", str(workspace), "--headings").stdout
    assert "on-demand/testing.md > Harbour > Testing (" in text and "tokens)" in text
    named = memory("recall", str(workspace), "--file", "testing").stdout
    assert "Fixtures live" in named
    assert memory("recall", str(workspace), "--file", "absent").returncode == 1


def test_no_hit_gives_the_list(workspace: Path) -> None:
    done = memory("recall", str(workspace), "xylophone")
    assert done.returncode == 1 and "`on-demand/testing.md`: " in done.stdout
    assert memory("recall", str(workspace)).returncode == 0


def test_a_memory_directory_needs_no_compile(folder: Path) -> None:
    document = json.loads(memory("recall", str(folder), "boats", "--json").stdout)
    assert [hit["file"] for hit in document["hits"]][:1] == ["moorings.md"]
    assert {hit["file"] for hit in document["hits"]} <= {"moorings.md", "cranes.md"}
    none = memory("recall", str(folder), "xylophone")
    assert none.returncode == 1 and "lifting, yellow" in none.stdout


def test_links_lead_nowhere(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("outside") / "s.md"
    secret.write_text("# Secret boats\n")
    (folder / "linked.md").symlink_to(secret)
    (folder / "sub").symlink_to(secret.parent)
    assert "Secret" not in memory("recall", str(folder), "secret boats").stdout


def test_of_a_project_only_its_memory_files_are_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "CHANGES.md", "docs/boats.md"):
        (tmp_path / name).write_text("# Boats\n\nboats\n")
    done = memory("recall", str(tmp_path), "boats")
    assert done.returncode == 1 and "holds no memory" in done.stderr
    (tmp_path / "AGENTS.md").write_text("# Harbour\n\n## Boats\n\nMoor them at the quay.\n")
    document = json.loads(memory("recall", str(tmp_path), "boats", "--json").stdout)
    assert {hit["file"] for hit in document["hits"]} == {"AGENTS.md"}
    assert document["routing"] == [] and not document["compiled"]


def test_of_a_project_with_an_index_what_it_names_and_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "deep/er").mkdir(parents=True)
    for name in ("beside.md", "deep/er/named.md", "deep/other.md"):
        (tmp_path / name).write_text(f"# Boats\n\nboats of {name}\n")
    (tmp_path / "MEMORY.md").write_text("- [N](deep/er/named.md) - n\n- [O](../out.md) - o\n")
    document = json.loads(memory("recall", str(tmp_path), "boats", "--json").stdout)
    assert {hit["file"] for hit in document["hits"]} == {"beside.md", "deep/er/named.md"}


def test_other_repositories_below_a_folder_are_not_read(tmp_path: Path) -> None:
    for name in ("boats.md", "sub/more.md", "clone/.git/x", "clone/theirs.md", ".hid/den.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# Boats\n\nboats of {name}\n")
    document = json.loads(memory("recall", str(tmp_path), "boats", "--json").stdout)
    assert {hit["file"] for hit in document["hits"]} == {"boats.md", "sub/more.md"}


def test_a_folder_of_anything_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/boats.md").write_text("# Boats\n")
    done = memory("recall", str(tmp_path), "boats")
    assert done.returncode == 1 and "holds no memory" in done.stderr


@pytest.mark.slow
def test_every_memory_directory(data: Path) -> None:
    for folder in sorted((data / "memory-dirs").iterdir()):
        done = memory("recall", str(folder), "--headings", "--json")
        assert done.returncode == 0, (folder, done.stderr)
        heads = [hit for hit in json.loads(done.stdout)["hits"] if hit["path"]]
        named = heads[len(heads) // 2]
        query = named["path"][-1]
        found = memory("recall", str(folder), query, "--json", "--headings")
        hits = json.loads(found.stdout)["hits"]
        assert hits, (folder, query)


class TestBench:
    def test_bounds_are_exact(self, workspace: Path) -> None:
        done = memory("bench", str(workspace), "--turns", "20", "--json")
        document = json.loads(done.stdout)
        tokens, bounds = document["tokens"], document["bounds"]
        assert tokens["original"] == estimate(MEMORY + LONG)
        assert bounds["original"] == 20 * tokens["original"]
        assert bounds["best"] == 20 * tokens["stub"]
        assert bounds["worst"] == 20 * (tokens["stub"] + tokens["onDemand"])
        turn = bounds["breakEvenTurn"]

        def cost(opened: int) -> int:
            return 20 * tokens["stub"] + (20 - opened + 1) * tokens["onDemand"]

        assert cost(turn) <= bounds["original"] < cost(turn - 1)

    def test_a_plan_is_measured_without_writing(self, tmp_path: Path) -> None:
        (tmp_path / "CLAUDE.md").write_text(MEMORY + LONG)
        done = memory("bench", str(tmp_path))
        assert done.returncode == 0 and "nothing is written" in done.stdout
        assert not (tmp_path / ".memory").exists()

    def test_it_says_when_it_does_not_pay(self, tmp_path: Path) -> None:
        compiled(tmp_path, "# Tiny\n\nUse tabs.\n")
        done = memory("bench", str(tmp_path))
        assert "costs more than it saves" in done.stdout

    def test_a_session_is_a_model(self, workspace: Path) -> None:
        tasks = workspace / "tasks.txt"
        tasks.write_text("run the tests with fixtures\n\nxylophone\n")
        arguments = ["bench", str(workspace), "--workload", str(tasks), "--json"]
        session = json.loads(memory(*arguments).stdout)["session"]
        tokens = json.loads(memory(*arguments).stdout)["tokens"]
        assert session["turns"] == 2 and session["model"] is True
        first, second = session["tasks"]
        assert first["opened"] and not second["opened"]
        assert second["carried"] == first["carried"]
        assert session["total"] == 2 * (tokens["stub"] + first["carried"])
        assert session["nextTurn"] == tokens["stub"] + first["carried"]
        whole = json.loads(memory(*arguments, "--whole-files").stdout)["session"]
        assert whole["tasks"][0]["carried"] >= first["carried"]
        assert "a model, not a measurement" in memory(*arguments[:-1]).stdout
        assert memory("bench", str(workspace), "--whole-files").returncode == 2
