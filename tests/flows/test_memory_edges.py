"""What compile, update, recall and the tools do at their edges, through the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from memories import LONG, MEMORY, memory, snapshot

from manent.memfile.desk import Desk, Launch

TEXT = MEMORY + LONG


def secret() -> str:
    return "ghp_" + "".join(chr(ord("a") + (7 * n) % 26) + str(n % 10) for n in range(18))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "CLAUDE.md").write_text(TEXT)
    return tmp_path


def open_to_others(folder: Path) -> list[str]:
    return [str(p) for p in folder.rglob("*") if p.lstat().st_mode & 0o077]


def test_no_part_is_more_readable_than_the_file(project: Path) -> None:
    (project / "CLAUDE.md").chmod(0o600)
    assert memory("compile", str(project), "--write").returncode == 0
    stub = project / "CLAUDE.md"
    stub.write_text(stub.read_text() + "\n## Deployment\n\nUse the blue host.\n")
    assert memory("compile", str(project), "--write", "--update").returncode == 0
    assert open_to_others(project) == []
    assert memory("restore", str(project)).returncode == 0
    assert open_to_others(project) == []


def test_other_files_stay_as_readable_as_they_were(project: Path) -> None:
    (project / "CLAUDE.md").chmod(0o644)
    assert memory("compile", str(project), "--write").returncode == 0
    modes = {oct(p.stat().st_mode & 0o777) for p in project.rglob("*") if p.is_file()}
    assert modes == {"0o644"}


def test_an_update_after_a_restore_goes_on(project: Path) -> None:
    memory("compile", str(project), "--write")
    stub = project / "CLAUDE.md"
    stub.write_text(stub.read_text() + "\n## Deployment\n\nUse the blue host.\n")
    for _ in range(2):
        assert memory("compile", str(project), "--update", "--write").returncode == 0
        assert memory("restore", str(project)).returncode == 0
    done = memory("compile", str(project), "--update", "--write")
    assert done.returncode == 0, done.stderr
    assert "manent:memory" in stub.read_text() and "blue host" not in stub.read_text()


def test_a_text_between_the_markers_is_not_dropped_in_silence(project: Path) -> None:
    memory("compile", str(project), "--write")
    stub = project / "CLAUDE.md"
    lines = stub.read_text().split("\n")
    place = next(n for n, line in enumerate(lines) if "begin -->" in line)
    stub.write_text("\n".join([*lines[: place + 1], "Mind the heron.", *lines[place + 1 :]]))
    done = memory("compile", str(project), "--update", "--write")
    assert f"line {place + 2} stood between the markers" in done.stdout
    assert "heron" in (project / ".memory/previous/0001/CLAUDE.md").read_text()
    stub.write_text(stub.read_text() + "\nMore.\n")
    assert "between the markers" not in memory("compile", str(project), "--update").stdout


@pytest.mark.parametrize("name", ["CLAUDE.md", ".memory/on-demand/testing.md"])
def test_a_credential_is_named_where_it_stands(project: Path, name: str) -> None:
    memory("compile", str(project), "--write")
    place = project / name
    place.write_text(f"{place.read_text()}\ntoken: {secret()}\n")
    line = place.read_text().count("\n")
    done = memory("compile", str(project), "--update", "--write")
    assert done.returncode == 1
    assert f"{name} line {line} holds a credential" in done.stdout + done.stderr


_FILLED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from manent.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("most", [0, 300, 1500, 3000])
def test_a_write_that_fails_leaves_nothing_behind(project: Path, most: int) -> None:
    before = snapshot(project)
    command = [sys.executable, "-c", _FILLED, str(most), "memory", "compile", str(project)]
    done = subprocess.run([*command, "--write"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert snapshot(project) == before
    assert [path.name for path in project.iterdir()] == ["CLAUDE.md"]


def test_a_hook_is_told_of_a_folder_after_it_was_installed(project: Path) -> None:
    assert "written" in memory("install-hook", str(project)).stdout
    assert "there already" in memory("install-hook", str(project)).stdout
    done = memory("install-hook", str(project), "--dir", str(project / "notes"))
    assert "written" in done.stdout
    text = (project / ".claude/settings.json").read_text()
    assert text.count("memory hook") == 1 and f"--dir {project / 'notes'}" in text
    again = memory("install-hook", str(project), "--dir", str(project / "notes"))
    assert "there already" in again.stdout
    assert "there already" in memory("install-hook", str(project)).stdout


def test_a_small_cap_takes_the_entry_that_fits(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- [Long](long.md) - heron\n- [Short](short.md) - birds\n")
    (tmp_path / "long.md").write_text(f"# Heron heron\n\n{'The heron stands in water. ' * 60}\n")
    (tmp_path / "short.md").write_text("# Birds\n\nOne heron.\n")
    done = memory("recall", str(tmp_path), "heron", "--max-tokens", "30", "--json")
    hits = json.loads(done.stdout)["hits"]
    assert [hit["file"] for hit in hits] == ["short.md"] and "One heron." in hits[0]["text"]


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("".join(f"- [T{n}](t{n}.md) - t\n" for n in range(90)))
    for number in range(90):
        text = "".join(f"## Part {k} of {number}\n\n{LONG[:90]}\n\n" for k in range(20))
        (tmp_path / f"t{number}.md").write_text(f"# T{number}\n\n{text}")
    return tmp_path


def desk(root: Path, profile: str = "full") -> Desk:
    return Desk(Launch(root, profile, True, lambda: "2026-01-01T00-00-00Z"))


def test_json_answers_parse_however_long_they_would_be(crowd: Path) -> None:
    full, basic = desk(crowd), desk(crowd, "basic")
    answers = [
        full.call("scan", {}),
        full.call("scan", {"detail": "full"}),
        full.call("doctor", {"format": "json"}),
        basic.call("check", {"format": "json"}),
    ]
    for answer, failed in answers:
        assert not failed and len(answer) <= 24_000
        json.loads(answer)
    scanned = json.loads(answers[1][0])
    assert scanned["leftOut"]["files"] + len(scanned["files"]) == 91


def test_a_long_list_of_facts_still_ends_with_the_shapes(crowd: Path) -> None:
    answer, failed = desk(crowd, "basic").call("optimize", {})
    assert not failed and len(answer) <= 24_000 and "characters left out" in answer
    assert answer.rstrip().endswith('{"op": "rename_file", "path": "a.md", "to": "b.md"}')
    assert '"write_file"' in answer


def test_operations_write_no_credential(crowd: Path) -> None:
    before = snapshot(crowd)
    ops = [
        {"op": "delete_file", "path": "t1.md"},
        {"op": "write_file", "path": "token.md", "content": f"# T\n\ntoken: {secret()}\n"},
    ]
    for name, on in (("reorganize", desk(crowd)), ("optimize", desk(crowd, "basic"))):
        given = {"ops": ops, "target": "."} if name == "reorganize" else {"ops": ops}
        said, failed = on.call(name, given)
        assert failed and "credential" in said and "operation 2" in said and secret() not in said
        assert "allow" not in said
    assert snapshot(crowd) == before


def test_a_number_too_small_is_said_to_be(crowd: Path) -> None:
    said, failed = desk(crowd).call("doctor", {"budget": 0})
    assert failed and "budget is at least 1" in said
