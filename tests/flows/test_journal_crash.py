"""An import that a crash cuts short: all of it is there in the end, or none."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from manent import record
from manent.journal.store import STAGED, Store

PYTHON = [sys.executable, "-m", "manent", "journal"]
MANY = 60_000


def journal(folder: Path, *argv: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PYTHON, "--dir", str(folder), *argv],
        input=stdin.decode(), capture_output=True, text=True, check=False,
    )  # fmt: skip


def length(folder: Path) -> int:
    return (folder / "LOG.txt").stat().st_size // record.LOG_BYTES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "journal"
    assert journal(made, "init").returncode == 0
    assert journal(made, "note", "before").returncode == 0
    (tmp_path / "life.txt").write_text("".join(f"2099-01-01 memory {i}\n" for i in range(MANY)))
    return made


def test_an_import_killed_at_any_moment_leaves_all_or_none(folder: Path) -> None:
    draw, cut_short = random.Random(10), 0
    for _ in range(12):
        before = length(folder)
        asked = [*PYTHON, "--dir", str(folder), "import", str(folder.parent / "life.txt")]
        importing = subprocess.Popen(asked, stdout=subprocess.DEVNULL)
        # Waits for a moment in the middle of the append, where there is one to be caught.
        until = before + draw.randrange(1, MANY)
        while importing.poll() is None and length(folder) < until:
            time.sleep(0.0005)
        importing.send_signal(signal.SIGKILL)
        importing.wait()
        cut_short += length(folder) not in (before, before + MANY)
        assert journal(folder, "export").stdout.count("\n") in (before, before + MANY)
        assert length(folder) in (before, before + MANY)
        assert not (folder / STAGED).exists()
    assert cut_short, "no kill hit the append: the test has shown nothing"
    assert journal(folder, "note", "after").returncode == 0
    assert journal(folder, "verify").stdout.startswith("All is well")


def broken_off(folder: Path, count: int) -> bytes:
    """Leave behind what a crash leaves: records staged, none of them in the log yet."""
    base = length(folder)
    rows = (record.log_record(base + i, "2099-01-01", f"imported {i}") for i in range(count))
    staged = b"".join(rows)
    (folder / STAGED).write_bytes(staged)
    return staged


def hole(raw: bytes, start: int, end: int) -> bytes:
    return raw[:start] + bytes(end - start) + raw[end:]


@pytest.mark.parametrize("command", [["note", "next"], ["wake"], ["recall", "before"], ["sleep"]])
@pytest.mark.parametrize("arrived", ["nothing", "a part", "torn", "a hole", "zeros", "all"])
def test_what_a_crash_left_is_told_from_what_was_staged(
    folder: Path, arrived: str, command: list[str]
) -> None:
    staged = broken_off(folder, 40)
    there = {
        "nothing": b"", "a part": staged[: 320 * 7], "torn": staged[: 320 * 7 + 11],
        "a hole": hole(staged, 4096, 8192), "zeros": bytes(len(staged)), "all": staged,
    }[arrived]  # fmt: skip
    with open(folder / "LOG.txt", "ab") as log:
        log.write(there)
    assert journal(folder, *command).returncode == 0
    kept = 41 if arrived == "all" else 1
    assert length(folder) == kept + (command[0] == "note")
    assert not (folder / STAGED).exists()
    assert journal(folder, "verify").returncode == 0


def test_what_another_tool_wrote_after_the_crash_is_not_cut(folder: Path) -> None:
    """It knows nothing of what was staged: its memory stands, and so does what stands before it."""
    staged = broken_off(folder, 40)
    with open(folder / "LOG.txt", "ab") as log:
        log.write(staged[: 320 * 7] + record.log_record(8, "2099-01-01", "acknowledged elsewhere"))
    assert journal(folder, "note", "next").stdout.startswith("Saved as #9.")
    assert "acknowledged elsewhere" in journal(folder, "export").stdout
    assert journal(folder, "verify").returncode == 0


def test_a_crash_before_the_first_record_was_staged(folder: Path) -> None:
    (folder / STAGED).write_bytes(b"#1 20"[:2])
    assert journal(folder, "note", "next").stdout.startswith("Saved as #1.")
    assert not (folder / STAGED).exists()


def test_an_import_at_work_is_left_alone(folder: Path) -> None:
    broken_off(folder, 4)
    with Store(str(folder)).locked():
        assert journal(folder, "wake").returncode == 0
        assert (folder / STAGED).exists()
    assert journal(folder, "wake").returncode == 0
    assert not (folder / STAGED).exists()


@pytest.mark.parametrize("how", ["-", "/dev/stdin", "fifo"])
def test_an_import_takes_a_pipe(folder: Path, how: str) -> None:
    name = how
    if how == "fifo":
        name = str(folder.parent / "pipe")
        os.mkfifo(name)
        writer = subprocess.Popen(["sh", "-c", f"echo 2099-01-01 piped >'{name}'"])
    done = journal(folder, "import", name, stdin=b"2099-01-01 piped\n")
    assert done.returncode == 0, done.stderr
    if how == "fifo":
        assert writer.wait() == 0
    assert journal(folder, "export").stdout.endswith("2099-01-01 piped\n")


# ---------------------------------------------------------------- holes at the end


@pytest.mark.parametrize("name, width", [("LOG.txt", 320), ("TREE/2", 288)])
@pytest.mark.parametrize("start, end", [(-200, 0), (-320, -100), (-1000, -9), (-300, -280)])
def test_a_record_with_a_hole_at_the_end_was_never_acknowledged(
    folder: Path, name: str, width: int, start: int, end: int
) -> None:
    """A block of the disk that did not arrive: the file's length did, its content did not."""
    for text in ("two", "three", "four"):
        journal(folder, "note", text)
    journal(folder, "sleep", "0-1", "one and two")
    path = folder / name
    kept = path.read_bytes()
    lost = b"".join(
        record.log_record(4 + i, "2099-01-01", "x" * 250) if width == 320
        else record.tree_record("y" * 250) for i in range(5)
    )  # fmt: skip
    path.write_bytes(kept + hole(lost, len(lost) + start, len(lost) + end)[: len(lost)])
    assert journal(folder, "verify").returncode == 1
    assert journal(folder, "wake").returncode == 0
    assert journal(folder, "recall", "two").returncode == 0
    assert journal(folder, "export").returncode == 0
    writing = ["note", "next"] if width == 320 else ["forget", "2-3"]
    assert journal(folder, *writing).returncode == 0
    told = journal(folder, "verify")
    assert told.returncode == 0, told.stdout
    assert path.read_bytes().startswith(kept) and b"\0" not in path.read_bytes()
