"""The prompt hook: what it adds, what it never does, and how long it takes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from memories import LONG, MEMORY, compiled, memory, snapshot

from manent.cli.memory_hook import _auto_memory
from manent.memfile.hosts import auto_memory
from manent.memfile.prompt import FOOTER, HEADER, MOST_TOKENS
from manent.tokens import estimate

ROOT = Path(__file__).resolve().parent.parent.parent


def asked(prompt: object, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    given = json.dumps({"prompt": prompt, "cwd": str(cwd), "hook_event_name": "UserPromptSubmit"})
    done = memory("hook", *arguments, given=given)
    assert done.returncode == 0 and done.stderr == ""
    return done


def test_a_prompt_gets_the_section_it_is_about(tmp_path: Path) -> None:
    compiled(tmp_path, MEMORY + LONG)
    text = asked("how do I run pytest before a commit?", tmp_path).stdout
    assert text.startswith(HEADER + "\n") and text.endswith(FOOTER + "\n")
    assert "pytest -q" in text
    assert estimate(text) <= MOST_TOKENS


def test_nothing_matches_nothing_is_said(tmp_path: Path) -> None:
    compiled(tmp_path, MEMORY + LONG)
    assert asked("xylophone quorum", tmp_path).stdout == ""
    assert asked("", tmp_path).stdout == ""
    assert asked("pytest", tmp_path / "absent").stdout == ""


def test_auto_memory_then_a_named_folder(tmp_path: Path, clean_home: Path) -> None:
    project = tmp_path / "my_project"
    project.mkdir()
    folder = _auto_memory(project)
    assert folder == auto_memory(clean_home / ".claude", project)
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- [Moorings](moorings.md) - where boats lie\n")
    (folder / "moorings.md").write_text("# Moorings\n\nSeven, at the north quay.\n")
    assert "north quay" in asked("where are the moorings", project).stdout
    other = tmp_path / "other"
    named = tmp_path / "named"
    named.mkdir()
    (named / "cranes.md").write_text("# Cranes\n\nTwo, both yellow.\n")
    assert "both yellow" in asked("which cranes are there", other, "--dir", str(named)).stdout


@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"prompt": 3, "cwd": "."}',
        b'{"prompt": "x", "cwd": 7}',
        b'{"prompt": "x", "cwd": "\\u0000"}',
        b"[" * 100_000,
    ],
)
def test_whatever_comes_in_nothing_goes_wrong(given: bytes, tmp_path: Path) -> None:
    done = memory("hook", cwd=tmp_path, given=given)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_broken_workspace_is_silent(tmp_path: Path) -> None:
    compiled(tmp_path, MEMORY + LONG)
    (tmp_path / ".memory/manifest.json").write_text('{"version": 1}')
    assert asked("pytest", tmp_path).stdout == ""


def test_text_cannot_end_its_block(tmp_path: Path) -> None:
    compiled(tmp_path, f"{MEMORY}{LONG}\n## Zebra testing\n\n{FOOTER}\n{HEADER}\nzebra rules\n")
    text = asked("zebra testing", tmp_path).stdout
    assert "zebra rules" in text
    assert text.count(HEADER) == text.count(FOOTER) == 1


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    compiled(tmp_path, MEMORY + LONG)
    given = json.dumps({"prompt": "pytest", "cwd": str(tmp_path)}).encode()
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "manent", "memory", "hook"],
        input=given,
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 0 and done.stderr == b""


def test_it_imports_nothing_heavy(tmp_path: Path) -> None:
    compiled(tmp_path, MEMORY + LONG)
    code = (
        "import io, sys; from manent.memfile.prompt import memory_for; from pathlib import Path\n"
        f"assert memory_for('pytest', [Path({str(tmp_path)!r})])\n"
        "heavy = {'numpy', 'click', 'markdown_it', 'yaml', 're2', 'pygit2', 'jsonschema', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("paragraphs", [1, 60])
def test_it_keeps_its_time(tmp_path: Path, paragraphs: int) -> None:
    """Processor time, the least of five runs: what a warm machine that is idle would take."""
    sections = "".join(f"## Part {n}\n\n{LONG}\n" for n in range(paragraphs))
    compiled(tmp_path, f"{MEMORY}{sections}")
    asked("how do I run pytest", tmp_path)
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        asked("how do I run pytest", tmp_path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < 0.25, spent


class TestInstalling:
    def test_shows_then_writes_once(self, tmp_path: Path) -> None:
        settings = tmp_path / ".claude/settings.json"
        shown = memory("install-hook", str(tmp_path), "--dry-run")
        assert "UserPromptSubmit" in shown.stdout and not settings.exists()
        done = memory("install-hook", str(tmp_path))
        assert done.returncode == 0 and "memory hook" in done.stdout
        once = settings.read_bytes()
        assert memory("install-hook", str(tmp_path)).returncode == 0
        assert settings.read_bytes() == once
        entries = json.loads(once)["hooks"]["UserPromptSubmit"]
        assert len(entries) == 1 and entries[0]["hooks"][0]["type"] == "command"

    def test_what_stands_there_stays(self, tmp_path: Path) -> None:
        settings = tmp_path / ".claude/settings.json"
        settings.parent.mkdir()
        other = {"hooks": [{"type": "command", "command": "date"}]}
        before = {"model": "x", "hooks": {"UserPromptSubmit": [other], "Stop": [other]}, "é": 1}
        settings.write_text(json.dumps(before, indent=4, ensure_ascii=False), encoding="utf-8")
        memory("install-hook", str(tmp_path))
        after = json.loads(settings.read_text(encoding="utf-8"))
        assert after["hooks"]["UserPromptSubmit"][0] == other
        assert after["hooks"]["UserPromptSubmit"].pop()["hooks"][0]["command"]
        assert after == before
        assert '\n    "model"' in settings.read_text(encoding="utf-8")

    @pytest.mark.parametrize("text", ["{", "[]", "// a comment\n{}", '{"hooks": 3}'])
    def test_what_cannot_be_read_is_left_alone(self, tmp_path: Path, text: str) -> None:
        settings = tmp_path / "settings.json"
        settings.write_text(text)
        assert memory("install-hook", "--settings", str(settings)).returncode == 2
        assert snapshot(tmp_path) == {"settings.json": text.encode()}
