"""What a command of the journal costs does not grow with the life; what it says is on the disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eval.bench.journal import build

YOUNG, OLD = 2_000, 100_000

MEASURED = """
import resource, sys
from manent.journal.command import run
code = run(sys.argv[1:], stdout=open("/dev/null", "wb"))
read = next(int(line.split()[1]) for line in open("/proc/self/io") if line.startswith("rchar"))
print(code, read, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A young journal and one fifty times as old, every summary built."""
    top = tmp_path_factory.mktemp("lives")
    for memories in (YOUNG, OLD):
        build(top / str(memories), memories)
    return {memories: top / str(memories) for memories in (YOUNG, OLD)}


def measured(folder: Path, *argv: str) -> tuple[int, int]:
    """Run a command in a process of its own; return the bytes it read, and its peak in kB."""
    asked = [sys.executable, "-c", MEASURED, "--dir", str(folder), *argv]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    code, read, peak = (int(word) for word in done.stdout.split())
    assert code == 0, done.stderr
    return read, peak


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="this system does not count reads")
@pytest.mark.parametrize("argv", [["wake"], ["note", "x"], ["zoom", "0-1023"], ["sleep"]])
def test_what_is_asked_all_day_reads_the_same_at_any_age(
    lives: dict[int, Path], argv: list[str]
) -> None:
    (read, peak), (later, peak_later) = (measured(lives[age], *argv) for age in (YOUNG, OLD))
    # A level more has a few summaries more to read; the log is 32 MB.
    assert later < read + (64 << 10)
    assert peak_later < peak + 4096


@pytest.mark.parametrize(
    "argv", [["recall", "memory 7"], ["recall", "."], ["export"], ["verify"], ["wake"]]
)
def test_what_reads_it_all_holds_a_run_of_it_at_a_time(
    lives: dict[int, Path], argv: list[str]
) -> None:
    peaks = [measured(lives[age], *argv)[1] for age in (YOUNG, OLD)]
    # 32 MB of log, of which a run of 1.3 MB is held; a young log is not a run long.
    assert peaks[1] < peaks[0] + (12 << 10), peaks


# ---------------------------------------------------------------- on the disk

TRACED = """
import os, sys
from manent.journal import files, store
from manent.journal.command import run

dirty, faults = {}, []
write, fsync, truncate = os.write, os.fsync, os.ftruncate

def where(handle):
    return os.readlink(f"/proc/self/fd/{handle}")

def writing(handle, raw):
    dirty[where(handle)] = True
    return write(handle, raw)

def syncing(handle):
    fsync(handle)
    dirty.pop(where(handle), None)

def cutting(handle, length):
    dirty[where(handle)] = True
    return truncate(handle, length)

os.write, os.fsync, os.ftruncate = writing, syncing, cutting

class Answer:
    said = b""
    def write(self, raw):
        # Whatever is said, what was written before it has reached the disk.
        faults.extend(name for name in dirty if os.path.exists(name) and "staged" not in name)
        self.said += bytes(raw)
    def flush(self):
        pass

answer = Answer()
code = run(sys.argv[1:], stdin=sys.stdin.buffer, stdout=answer)
print(code, answer.said[:12], sorted(faults))
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system names no open files")
@pytest.mark.parametrize("torn", [b"", b"#4 2026-11-30 to", bytes(320)])
@pytest.mark.parametrize(
    "argv, said",
    [(["note", "x"], b"Saved as #4."), (["note", "--batch"], b"Saved as #4 "),
     (["import", "-"], b"Imported 2 m"), (["sleep", "0-1", "x"], b"0-1 saved."),
     (["forget", "0-1"], b"Forgot 1 sum"), (["config", "WAKE_LINES=9"], b"WAKE_LINES  ")],
)  # fmt: skip
def test_what_is_acknowledged_has_reached_the_disk(
    tmp_path: Path, argv: list[str], said: bytes, torn: bytes
) -> None:
    folder = tmp_path / "journal"
    asked = [sys.executable, "-m", "manent", "journal", "--dir", str(folder)]
    subprocess.run([*asked, "init"], check=True, capture_output=True)
    subprocess.run(
        [*asked, "note", "--batch"], check=True, capture_output=True, input=b"a\nb\nc\nd"
    )
    if argv[0] == "forget":
        subprocess.run([*asked, "sleep", "0-1", "ab"], check=True, capture_output=True)
    with open(folder / "LOG.txt", "ab") as log:
        log.write(torn)
    done = subprocess.run(
        [sys.executable, "-c", TRACED, "--dir", str(folder), *argv],
        input=b"2099-01-01 one\n2099-01-01 two\n", capture_output=True, check=True,
    )  # fmt: skip
    code, rest = done.stdout.split(b" ", 1)
    assert code == b"0" and rest.startswith(b"b'" + said[:9]), done.stdout + done.stderr
    assert rest.rstrip().endswith(b"[]"), done.stdout
