"""The shared cases that need a push or a whole command to be answered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from repositories import Clone

FILLED = "---\nname: {name}\ndescription: A case\ntype: reference\n---\n"


@pytest.fixture
def cases(data: Path) -> dict[str, dict[str, Any]]:
    """The shared cases by id."""
    lines = (data.parent / "cases" / "notes.jsonl").read_text("utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def manent(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "manent", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def lay(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8", newline="")


def committed(clone: Clone, files: dict[str, str]) -> None:
    clone.commit({path: text.encode() for path, text in files.items()}, "the case")


@pytest.mark.parametrize("quoted", ["default", "true", "false"])
def test_git_non_ascii_path(clone: Clone, cases: dict[str, dict[str, Any]], quoted: str) -> None:
    case = cases["git-non-ascii-path"]
    if quoted != "default":
        clone.git("config", "core.quotePath", quoted)
        clone.brain_git("config", "core.quotePath", quoted)
    committed(clone, case["input_files"])
    pushed = clone.push()
    assert pushed.refused
    assert case["expected"]["names"] in pushed.said
    assert "pii" in pushed.said and "jane.roe" not in pushed.said


@pytest.mark.parametrize(
    "name", ["città è qui", "日本", "a\tb", 'quo"te', "back\\slash", "new\nline"]
)
def test_any_path_is_opened_and_judged(clone: Clone, name: str) -> None:
    """The kind of git-non-ascii-path: whatever git would quote."""
    mail = "m.rossi" + "@" + "posta-privata" + ".it"
    committed(clone, {f"memory/{name}.md": FILLED.format(name="x") + mail + "\n"})
    pushed = clone.push()
    assert pushed.refused and "pii" in pushed.said and mail not in pushed.said


def test_comment_hidden(clone: Clone, cases: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    case = cases["comment-hidden"]
    lay(tmp_path / "vault", case["input_files"])
    said = json.loads(manent("lint", "vault", "--json", cwd=tmp_path).stdout)
    assert [f for f in said["findings"] if f["rule"] == "link-unresolved"] == []
    committed(clone, case["input_files"])
    pushed = clone.push()
    assert pushed.refused
    gate = manent("gate", "text", "--path", "a.md", "--json", "vault/a.md", cwd=tmp_path)
    assert gate.returncode == 1
    verdict = json.loads(gate.stdout)
    told = [f"{f['rule']} {f['message']}" for f in verdict["findings"]]
    for wanted in case["expected"]["gate"]:
        assert any(wanted in line for line in told), (wanted, told)
    for text in (pushed.said, gate.stdout, gate.stderr):
        assert "jane.roe@" not in text and "347 000 0000" not in text


@pytest.mark.parametrize("beside", ["folder", "repository"])
def test_yaml_malformed_one_bad_note(
    cases: dict[str, dict[str, Any]], tmp_path: Path, beside: str
) -> None:
    case = cases["yaml-malformed-one-bad-note"]
    expected = case["expected"]
    vault = tmp_path / "vault"
    lay(vault, case["input_files"])
    before = (vault / "bad.md").read_bytes()
    if beside == "repository":
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
            subprocess.run(["git", *command], cwd=vault, check=True)
    notes = json.loads(manent("list", ".", "--json", cwd=vault).stdout)["notes"]
    assert len(notes) == expected["notes_loaded"]
    for query, paths in expected["search"].items():
        hits = json.loads(manent("search", ".", query, "--json", cwd=vault).stdout)["hits"]
        assert [hit["path"] for hit in hits] == paths
    said = json.loads(manent("lint", ".", "--json", cwd=vault).stdout)
    lines = [(f["path"], f["line"]) for f in said["findings"] if f["rule"] == "frontmatter-invalid"]
    assert lines == [("bad.md", expected["bad.md"]["finding_line"])]
    read = json.loads(manent("read", ".", "bad", "--json", cwd=vault).stdout)
    assert read["frontmatter"] == expected["bad.md"]["frontmatter"]
    manent("lint", ".", "--fix", cwd=vault)
    assert (vault / "bad.md").read_bytes() == before
    # Private: an agent that reads every label does not see it.
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps({"tide": {"read": ["tech", "public"]}}))
    asked = manent("search", ".", "zanzibar", "--as", "tide", "--agents", str(agents), cwd=vault)
    assert (asked.returncode, asked.stdout) == (1, "")
