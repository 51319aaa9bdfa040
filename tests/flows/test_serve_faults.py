"""A server whose disk is full or cannot be written: plain errors, nothing lost, and an end."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served_process import OWNER, Server, running
from vaults import note, write
from writes import git

SCOUT = "scout-" + "s" * 20
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
NOTES = {f"memory/n{n}.md": note(f"n{n}", f"Ferry {n}.", audience="[team]") for n in range(30)}
_SECONDS = 60


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of a few megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def laid(root: Path, kind: str) -> Path:
    """Lay a vault below ``root``; return what is to be served of it."""
    vault = write(root / "vault", NOTES)
    if kind == "folder":
        return vault
    git(vault, "init", "-q")
    _named(vault)
    git(vault, "add", ".")
    git(vault, "commit", "-q", "-m", "first")
    if kind == "tree":
        return vault
    git(root, "clone", "-q", "--bare", "vault", "brain.git")
    _named(root / "brain.git")
    return root / "brain.git"


def _named(repository: Path) -> None:
    git(repository, "config", "user.name", "Keeper")
    git(repository, "config", "user.email", "keeper@example.org")


def told(server: Server, tool: str, token: str = OWNER, **arguments: Any) -> tuple[bool, str]:
    """Return whether a call failed, and what it was told; it is told in time, and plainly."""
    began = time.monotonic()
    answer = server.send("tools/call", tool, token, {}, name=tool, arguments=arguments)
    assert time.monotonic() - began < 15, tool
    result = answer["result"]
    text = str(result["content"][0]["text"])
    assert "Traceback" not in text and len(text.splitlines()) == 1
    return result["isError"], text


DRAFT = {"description": "A note", "type": "reference", "body": "Text. " * 500}
READING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("brain_search", {"query": "ferry"}),
    ("brain_read", {"name": "n3"}),
    ("brain_list", {}),
    ("brain_grep", {"pattern": "Ferry 7"}),
    ("brain_curate", {}),
    ("brain_quarantine", {}),
)


@pytest.mark.parametrize("kind", ["tree", "brain"])
def test_a_full_disk_costs_writes_alone_and_only_while_it_is_full(
    disk: Path, tmp_path: Path, kind: str
) -> None:
    served, log, agents = laid(disk, kind), tmp_path / "log", tmp_path / "agents.json"
    row = {"token": SCOUT, "read": ["team"], "write": "quarantine/scout"}
    agents.write_text(json.dumps({"scout": row}))
    agents.chmod(0o600)
    options = ["--writable", "--retriever", "bm25", "--agents", str(agents)]
    options += ["--git"] * (kind == "tree") + ["--gaps", str(disk / "gaps")]
    options += ["--audit", str(disk / "audit"), "--database", f"sqlite:///{disk / 'tasks'}"]
    with log.open("wb") as said, running(served, *options, log=said) as server:
        assert told(server, "brain_write", name="before", **DRAFT)[0] is False
        tip = git(served, "rev-parse", "HEAD")
        _filled(disk / "fill")
        for _ in range(2):
            for tool, arguments in READING:
                for token in (OWNER, SCOUT):
                    assert told(server, tool, token, **arguments)[0] is False, tool
            task = server.send(
                "tools/call", "brain_curate", OWNER, TASKS, name="brain_curate", arguments={}
            )
            assert task["result"]["resultType"] == "complete", (
                "no task can be kept: answered at once"
            )
            failed, text = told(server, "brain_write", name="during", **DRAFT)
            assert failed and "full" in text
            failed, text = told(server, "brain_write", SCOUT, name="during", **DRAFT)
            assert failed and str(disk) not in text, "where it lies is the operator's to know"
            failed, text = told(server, "brain_gaps")
            assert failed and "full" in text
        assert git(served, "rev-parse", "HEAD") == tip
        (disk / "fill").unlink()
        time.sleep(2)
        assert told(server, "brain_write", name="during", **DRAFT)[0] is False
        assert told(server, "brain_write", SCOUT, name="during", **DRAFT)[0] is False
        assert "ferry" in told(server, "brain_gaps")[1], "what waited meanwhile is filed"
    git(served, "fsck", "--strict")
    assert git(served, "rev-list", "--count", f"{tip}..HEAD") == "2"
    if kind == "tree":
        assert git(served, "status", "--porcelain", "-uall") == ""
    lines = (disk / "audit").read_text().splitlines()
    assert all(json.loads(line) for line in lines if line.startswith("{") and line.endswith("}"))
    assert '"bug"' not in log.read_text() and "Traceback" not in log.read_text()


def _filled(file: Path) -> None:
    with file.open("wb", buffering=0) as filling, contextlib.suppress(OSError):
        while True:
            filling.write(b"x" * 4096)


@pytest.mark.parametrize("kind", ["folder", "tree", "brain"])
def test_what_cannot_be_written_at_all_is_refused_in_one_line(disk: Path, kind: str) -> None:
    served = laid(disk, kind)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for options in ((), ("--http", "0", "--token", OWNER)):
        done = subprocess.run(
            [sys.executable, "-m", "manent", "serve", str(served), *options],
            input=b"", capture_output=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, b"")
        (line,) = done.stderr.decode().splitlines()
        assert line.startswith("manent: cannot ") and "ead-only" in line


def test_what_can_never_be_read_is_said_soon_and_keeps_nobody(tmp_path: Path) -> None:
    """Whoever asks is told why, and the server ends when it is told to."""
    vault = laid(tmp_path, "folder")
    (vault / ".manent" / "vault.sqlite").mkdir(parents=True)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "brain_list", "arguments": {}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "manent", "serve", str(vault)],
        input=json.dumps(call).encode() + b"\n", capture_output=True, timeout=_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and time.monotonic() - began < _SECONDS / 2
    result = json.loads(done.stdout)["result"]
    assert result["isError"] and ".manent" in result["content"][0]["text"]
    assert b"Traceback" not in done.stderr
