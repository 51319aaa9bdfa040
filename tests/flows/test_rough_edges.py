"""What a newcomer stumbled over: each with its kind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from vaults import note, write

MANENT = (sys.executable, "-m", "manent")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("command", ["lint .", "search . text", "list .", "--version", "nothing"])
def test_a_closed_stream_is_no_bug(tmp_path: Path, closed: str, command: str) -> None:
    write(tmp_path, {"memory/a.md": note("a")})
    line = f'"{sys.executable}" -m manent {command} {closed}'
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (0, 1, 2)
    assert "bug" not in done.stderr and "Traceback" not in done.stderr


def test_a_request_keeps_its_id(tmp_path: Path) -> None:
    lines = ['{"id": "b"}', '{"id": "c", "text": 1}', "no json", '{"id": 4, "text": "fine"}']
    done = subprocess.run(
        [*MANENT, "gate", "text", "--batch"], input="\n".join(lines), cwd=tmp_path,
        capture_output=True, text=True,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["id"] for a in answers] == ["b", "c", None, 4]
    assert [a["accepted"] for a in answers] == [False, False, False, True]
    assert all(set(a) == {"id", "accepted", "findings"} for a in answers)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 3


def test_a_relative_agents_file_is_refused(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "config", "manent.agents", "agents.json"], cwd=tmp_path, check=True)
    done = subprocess.run(
        [*MANENT, "list", "--as", "scout"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "full path" in done.stderr and len(done.stderr.splitlines()) == 1


def test_the_arithmetic_is_for_people(tmp_path: Path) -> None:
    write(tmp_path, {"memory/zebra.md": note("zebra")})
    done = subprocess.run(
        [*MANENT, "search", ".", "zebra", "--explain"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "idf" in done.stdout and "Contribution(" not in done.stdout
