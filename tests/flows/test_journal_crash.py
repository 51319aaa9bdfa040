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
from manent.journal import staged
from manent.journal.store import Store

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
        assert not place(folder).exists()
    assert cut_short, "no kill hit the append: the test has shown nothing"
    assert journal(folder, "note", "after").returncode == 0
    assert journal(folder, "verify").stdout.startswith("All is well")


def place(folder: Path) -> Path:
    return Path(staged.place(str(folder)))


def broken_off(folder: Path, count: int) -> bytes:
    """Leave behind what a crash leaves: records staged, none of them in the log yet."""
    base = length(folder)
    rows = (record.log_record(base + i, "2099-01-01", f"imported {i}") for i in range(count))
    meant = b"".join(rows)
    staged._stage(staged.place(str(folder)), str(folder / "LOG.txt"), [meant])
    return meant


def hole(raw: bytes, start: int, end: int) -> bytes:
    return raw[:start] + bytes(end - start) + raw[end:]


@pytest.mark.parametrize("command", [["note", "next"], ["wake"], ["recall", "before"], ["sleep"]])
@pytest.mark.parametrize("arrived", ["nothing", "a part", "torn", "a hole", "zeros", "all"])
def test_what_a_crash_left_is_told_from_what_was_staged(
    folder: Path, arrived: str, command: list[str]
) -> None:
    meant = broken_off(folder, 40)
    there = {
        "nothing": b"", "a part": meant[: 320 * 7], "torn": meant[: 320 * 7 + 11],
        "a hole": hole(meant, 4096, 8192), "zeros": bytes(len(meant)), "all": meant,
    }[arrived]  # fmt: skip
    with open(folder / "LOG.txt", "ab") as log:
        log.write(there)
    assert journal(folder, *command).returncode == 0
    kept = 41 if arrived == "all" else 1
    assert length(folder) == kept + (command[0] == "note")
    assert not place(folder).exists()
    assert journal(folder, "verify").returncode == 0


def test_what_another_tool_wrote_after_the_crash_is_not_cut(folder: Path) -> None:
    """It knows nothing of what was staged: its memory stands, and so does what stands before it."""
    meant = broken_off(folder, 40)
    with open(folder / "LOG.txt", "ab") as log:
        log.write(meant[: 320 * 7] + record.log_record(8, "2099-01-01", "acknowledged elsewhere"))
    assert journal(folder, "note", "next").stdout.startswith("Saved as #9.")
    assert "acknowledged elsewhere" in journal(folder, "export").stdout
    assert journal(folder, "verify").returncode == 0


def test_a_crash_before_the_first_record_was_staged(folder: Path) -> None:
    broken_off(folder, 4)
    os.truncate(staged.place(str(folder)), 2)
    assert journal(folder, "note", "next").stdout.startswith("Saved as #1.")
    assert not place(folder).exists()


def test_an_import_at_work_is_left_alone(folder: Path) -> None:
    broken_off(folder, 4)
    with Store(str(folder)).locked():
        assert journal(folder, "wake").returncode == 0
        assert place(folder).exists()
    assert journal(folder, "wake").returncode == 0
    assert not place(folder).exists()


# ---------------------------------------------------------------- whose it is


def git(top: Path, *argv: str) -> str:
    done = subprocess.run(["git", *argv], cwd=top, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=["alone", "in a repository"])
def kept(request: pytest.FixtureRequest, folder: Path) -> Path:
    if request.param != "alone":
        git(folder.parent, "init", "-q")
        git(folder.parent, "add", "journal")
        git(folder.parent, "commit", "-q", "-m", "begin")
    return folder


READING = ["wake", "recall", "sleep", "export", "verify"]


@pytest.mark.parametrize("name", [staged.FORMER, staged.NAME])
@pytest.mark.parametrize("made", ["former", "copied"])
def test_a_file_that_came_with_the_journal_cuts_nothing(kept: Path, name: str, made: str) -> None:
    """A push, a copy or an earlier version may bring one: no record goes, and it is told."""
    raw = (kept / "LOG.txt").read_bytes()
    for i in range(1, 9):
        journal(kept, "note", f"accepted {i}")
    whole = (kept / "LOG.txt").read_bytes()
    if made == "copied":
        (kept / "LOG.txt").write_bytes(raw)
        broken_off(kept, 40)
        copy = kept.parent / "copy"
        copy.write_bytes(place(kept).read_bytes())
        place(kept).unlink()
        with open(kept / "LOG.txt", "ab") as log:
            log.write(whole[len(raw) :])
    else:
        first = len(raw)
        rows = [record.log_record(1 + i, "2099-01-01", f"accepted {i}") for i in range(40)]
        copy = kept.parent / "copy"
        copy.write_bytes(whole[first : first + 320] + rows[1] + b"".join(rows))
    copy.rename(kept / name)
    for command in READING:
        done = journal(kept, command, *(["accepted"] if command == "recall" else []))
        assert f"{name} beside " in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert (kept / "LOG.txt").read_bytes() == whole
    assert f"remove {name}" in journal(kept, "verify").stdout
    assert journal(kept, "note", "next").stdout.startswith("Saved as #9.")
    order = journal(kept, "wake").stderr.partition("Run: ")[2]
    assert subprocess.run(["sh", "-c", order], check=False).returncode == 0
    assert journal(kept, "verify").stdout.startswith("All is well")
    assert journal(kept, "wake").stderr == ""


def test_a_log_that_was_replaced_since_is_not_cut(kept: Path) -> None:
    """As a checkout does it: another file, though what it begins with is the same."""
    meant = broken_off(kept, 40)
    other = kept / "other"
    other.write_bytes((kept / "LOG.txt").read_bytes() + meant[: 320 * 7])
    other.replace(kept / "LOG.txt")
    assert journal(kept, "wake").returncode == 0
    assert length(kept) == 8


@pytest.mark.parametrize("how", ["added", "committed", "pushed and reset"])
def test_what_git_has_of_a_broken_import_is_not_cut(folder: Path, how: str) -> None:
    """By accident: `git add -A` after a crash. What is committed may be accepted by now."""
    top = folder.parent
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "journal")
    git(top, "commit", "-q", "-m", "begin")
    meant = broken_off(folder, 40)
    with open(folder / "LOG.txt", "ab") as log:
        log.write(meant[: 320 * 7])
    git(top, "add", "-A", ".")
    assert "journal/.lock" not in git(top, "ls-files")
    if how != "added":
        git(top, "commit", "-q", "-m", "all")
    if how.startswith("pushed"):
        git(top, "clone", "-q", "--bare", ".", str(top / "b.git"))
        git(top, "remote", "add", "brain", str(top / "b.git"))
        git(top, "fetch", "-q", "brain")
        git(top, "branch", "-q", "-u", "brain/main")
        git(top, "reset", "-q", "HEAD~1")
    assert journal(folder, "wake").returncode == 0
    assert length(folder) == 8
    assert not place(folder).exists()
    assert journal(folder, "note", "next").stdout.startswith("Saved as #8.")
    assert journal(folder, "verify").returncode == 0


def test_a_broken_import_that_git_knows_nothing_of_is_taken_back(folder: Path) -> None:
    top = folder.parent
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "journal")
    git(top, "commit", "-q", "-m", "begin")
    meant = broken_off(folder, 40)
    with open(folder / "LOG.txt", "ab") as log:
        log.write(meant[: 320 * 7])
    assert ".lock" not in git(top, "status", "--porcelain")
    assert journal(folder, "wake").returncode == 0
    assert length(folder) == 1


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
    # As many as the level would summarise, had it arrived whole: or records were lost.
    batch = "".join(f"{text}\n" for text in ("two", "three", "four", *"56789abc"))
    journal(folder, "note", "--batch", stdin=batch.encode())
    journal(folder, "sleep", "0-1", "one and two")
    path = folder / name
    kept = path.read_bytes()
    lost = b"".join(
        record.log_record(12 + i, "2099-01-01", "x" * 250) if width == 320
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
