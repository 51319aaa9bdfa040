"""The command in a row of a real server does what it says, run as it stands."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from repositories import Clone
from served_process import running

SCOUT = "scout-" + "s" * 20


def test_the_command_of_a_gap_closes_it_from_any_folder(
    clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a server that was given its agents file, and both files by relative paths."""
    at = tmp_path / "it's here"
    at.mkdir()
    monkeypatch.chdir(at)
    agents = Path("agents.json")
    agents.write_text(json.dumps({"scout": {"token": SCOUT, "read": ["team"]}}))
    agents.chmod(0o600)
    with running(clone.brain, "--agents", str(agents), "--gaps", "gaps.sqlite") as server:
        for _ in range(3):
            server.call("brain_search", SCOUT, query="who keeps the `unicycles`; $(touch x)")
        (row,) = server.call("brain_gaps")["gaps"]
        command = row["command"].replace("NAME", "first")
    program, *arguments = shlex.split(command)
    assert program == "manent"
    done = subprocess.run(
        [sys.executable, "-m", "manent", *arguments],
        cwd=clone.brain,
        env={**os.environ},
        capture_output=True,
        text=True,
    )
    # It is judged with the asker's eyes, and not refused for want of them.
    assert "add --agents" not in done.stderr and done.returncode in (0, 1), done.stderr
    assert done.returncode == 0 or "scout" in done.stderr, done.stderr
