"""Files of any name in a workspace, and workspaces that a reader can no longer take."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import pytest
from memories import LONG, MEMORY, memory, snapshot

from manent import data as shipped

SCHEMA = json.loads(shipped.path("spec/schema/memory-manifest.json").read_text())
TEXT = MEMORY + LONG

TAKEN = ["UPPER.md", "my notes.md", "a(b).md", "a+b.md", "a'b.md", "a..b.md", "Überblick.md"]
TAKEN += ["日本.md", "API.md", "Testing.md", "-x.md", "a" * 200 + ".md", "$(x).md", "x,y;z.json.md"]
ASIDE = [
    ".hidden.md",
    "a`b.md",
    "a\nb.md",
    "a\u202eb.md",
    "<!-- manent:memory end -->.md",
    "a\\b.md",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "CLAUDE.md").write_text(TEXT)
    assert memory("compile", str(tmp_path), "--write").returncode == 0
    return tmp_path


@pytest.mark.parametrize("name", TAKEN)
def test_a_file_of_any_plain_name_is_listed(project: Path, name: str) -> None:
    (project / ".memory/on-demand" / name).write_text("# Zebra crossing\n\nOf the quay.\n")
    assert memory("compile", str(project), "--update", "--write").returncode == 0
    assert f"`.memory/on-demand/{name}`" in (project / "CLAUDE.md").read_text()
    manifest = json.loads((project / ".memory/manifest.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(manifest)
    assert "Of the quay" in memory("recall", str(project), "zebra crossing").stdout
    again = memory("compile", str(project), "--update", "--write")
    assert again.returncode == 0 and "nothing to re-apply" in again.stdout
    assert memory("restore", str(project)).returncode == 0
    assert (project / "CLAUDE.md").read_text() == TEXT + "# Zebra crossing\n\nOf the quay.\n"


@pytest.mark.parametrize("name", [*ASIDE, "stray.json"])
def test_what_no_list_can_hold_is_left_aside_with_a_word(project: Path, name: str) -> None:
    stray = project / ".memory/on-demand" / name
    stray.write_text("# Zebra\n")
    stub = project / "CLAUDE.md"
    stub.write_text(stub.read_text() + "\n## Deployment\n\nUse the blue host.\n")
    done = memory("compile", str(project), "--update", "--write")
    assert done.returncode == 0, done.stderr
    assert "is left aside" in done.stdout
    assert stray.read_text() == "# Zebra\n"
    assert name not in stub.read_text()
    again = memory("compile", str(project), "--update", "--write")
    assert again.returncode == 0 and "nothing to re-apply" in again.stdout
    assert memory("recall", str(project), "blue host").returncode == 0


def test_what_somebody_put_into_the_workspace_stays(project: Path) -> None:
    others = {"NOTES.md": "mine", "on-demand/deep/x.md": "deep", "on-demand/plan.txt": "text"}
    for path, text in others.items():
        place = project / ".memory" / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    stub = project / "CLAUDE.md"
    stub.write_text(stub.read_text() + "\n## Deployment\n\nUse the blue host.\n")
    for flags in (["--update"], ["--force"]):
        assert memory("compile", str(project), "--write", *flags).returncode == 0
        for path, text in others.items():
            assert (project / ".memory" / path).read_text() == text


@pytest.mark.parametrize("damage", ["{", '{"version": 1}', "<<<<<<< ours\n{}\n"])
def test_force_compiles_afresh_where_the_manifest_is_damaged(project: Path, damage: str) -> None:
    (project / ".memory/on-demand/mine.md").write_text("# Mine\n\nThe heron.\n")
    (project / ".memory/manifest.json").write_text(damage)
    before = snapshot(project)
    for path in (project, project / "CLAUDE.md"):
        done = memory("compile", str(path), "--update", "--write")
        assert done.returncode == 2 and "--force" in done.stderr
    assert snapshot(project) == before
    done = memory("compile", str(project), "--write", "--force")
    assert done.returncode == 0, done.stderr
    assert memory("restore", str(project)).returncode == 0
    whole = (project / "CLAUDE.md").read_text()
    assert "The heron." in whole and sorted(whole.split()) == sorted(
        f"{TEXT} # Mine\n\nThe heron.\n".split()
    )


@pytest.mark.parametrize("sign", ["x", "-", "x.", "./", "[", "@", "read ", "_"])
def test_a_long_line_alone_is_planned_in_linear_time(tmp_path: Path, sign: str) -> None:
    (tmp_path / "CLAUDE.md").write_text(sign * 200_000)
    began = time.monotonic()
    assert memory("compile", str(tmp_path)).returncode == 0
    assert time.monotonic() - began < 15
