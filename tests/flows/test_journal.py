"""A journal lived in: real processes, real locks, real crashes, a full disk, real git."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from manent import record

PYTHON = [sys.executable, "-m", "manent", "journal"]


def journal(
    *argv: str, cwd: Path | None = None, stdin: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PYTHON, *argv],
        cwd=cwd,
        input=stdin.decode(),
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
        check=False,
    )


def noted(*argv: str, cwd: Path | None = None) -> str:
    done = journal(*argv, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines_of(folder: Path) -> list[str]:
    raw = (folder / "LOG.txt").read_bytes()
    assert len(raw) % 320 == 0
    return [record.log_line(raw[i * 320 :][:320], i) for i in range(len(raw) // 320)]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault under git, its journal begun."""
    top = tmp_path / "my vault"
    top.mkdir()
    git(top, "init", "-q")
    noted("init", cwd=top)
    return top


def git(top: Path, *argv: str, check: bool = True) -> str:
    done = subprocess.run(["git", *argv], cwd=top, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, f"git {argv}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


# ------------------------------------------------------------------ one life


def orders(text: str) -> list[str]:
    return [line.rpartition("un: ")[2] for line in text.splitlines() if "un: " in line]


def obeyed(order: str, cwd: Path, line: str = "what it says") -> subprocess.CompletedProcess[str]:
    """Run a printed command exactly as printed, in a shell that knows nothing of this test."""
    for place in ("<your line>", "<one line>"):
        order = order.replace(place, line)
    done = subprocess.run(
        ["/bin/sh", "-c", order],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={"HOME": os.environ["HOME"], "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert "not found" not in done.stderr and "Usage" not in done.stderr, order
    return done


def test_every_command_that_is_printed_runs_as_printed(vault: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    missing = journal("wake", "--dir", "it's not here", cwd=vault)
    assert missing.returncode == 2 and obeyed(orders(missing.stderr)[0], elsewhere).returncode == 0
    assert (vault / "it's not here" / "LOG.txt").exists()

    empty = noted("wake", cwd=vault)
    assert obeyed(orders(empty)[0], elsewhere, "the first").returncode == 0
    assert lines_of(vault / "journal")[-1].endswith(" the first")
    begun = orders(noted("init", cwd=vault))
    assert " hooks install --repo " in begun[0]
    assert [order.split(str(vault))[1].split()[1] for order in begun[1:]] == ["wake", "note"]
    for order in begun:
        assert obeyed(order, elsewhere).returncode == 0

    noted("config", "WAKE_LINES=4", cwd=vault)
    for i in range(9):
        answer = noted("note", f"memory {i}", cwd=vault)
    refused = journal("wake", cwd=vault)
    assert refused.returncode == 1 and orders(refused.stdout)[0].endswith(" wake")
    order = orders(answer)[0]
    for _ in range(30):
        done = obeyed(order, elsewhere)
        assert done.returncode == 0, done.stderr
        if not orders(done.stdout):
            break
        order = orders(done.stdout)[0]
    assert done.stdout.endswith("Nothing left to compress.\n")

    noted("config", "PART_LINES=2", cwd=vault)
    read = noted("wake", cwd=vault)
    for _ in range(9):
        if read.endswith("You are awake.\n"):
            break
        read = obeyed(orders(read)[0], elsewhere).stdout
    assert read.endswith("You are awake.\n")

    forgotten = noted("forget", "0-3", cwd=vault)
    assert obeyed(orders(forgotten)[0], elsewhere).returncode == 0
    for argv in (["wake", "1", "999"], ["zoom", "1024-2047"], ["dream"]):
        wrong = journal(*argv, cwd=vault)
        assert wrong.returncode == 2 and obeyed(orders(wrong.stderr)[0], elsewhere).returncode < 2


def test_the_folder_is_found_from_within_the_vault_and_named_by_memory_dir(vault: Path) -> None:
    deep = vault / "notes" / "deep"
    deep.mkdir(parents=True)
    noted("note", "from below", cwd=deep)
    assert lines_of(vault / "journal")[0].endswith(" from below")
    other = vault / "other"
    assert journal("init", cwd=deep, MEMORY_DIR=str(other)).returncode == 0
    assert journal("note", "elsewhere", cwd=deep, MEMORY_DIR=str(other)).returncode == 0
    assert journal("note", "at home", cwd=deep, MEMORY_DIR="~/life").returncode == 2
    assert journal("init", cwd=deep, MEMORY_DIR="~/life").returncode == 0
    assert (Path(os.environ["HOME"]) / "life" / "LOG.txt").exists()
    assert len(lines_of(other)) == 1 and len(lines_of(vault / "journal")) == 1
    again = journal("export", "--dir", str(vault / "journal"), MEMORY_DIR=str(other))
    assert again.stdout.endswith(" from below\n")


def marked(folder: Path, *marks: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for mark in marks:
        (folder / mark).mkdir() if mark == ".git" else (folder / mark).write_text("x")
    return folder


@pytest.mark.parametrize("mark", ["MEMORY.md", ".manentignore"])
def test_a_vault_within_a_repository_has_its_own_journal(tmp_path: Path, mark: str) -> None:
    top = marked(tmp_path / "repository", ".git")
    inner = marked(top / "docs" / "vault", mark)
    deep = marked(inner / "notes" / "deep")
    begun = noted("init", cwd=deep)
    assert f"Created {inner}/journal" in begun
    assert f"A brain judges the journals in {top}/journal; here it is a file like any." in begun
    noted("note", "within", cwd=deep)
    noted("note", "within too", cwd=inner)
    assert len(lines_of(inner / "journal")) == 2 and not (top / "journal").exists()
    # Beside it, the repository is the vault; and there is room for both.
    begun = noted("init", cwd=marked(top / "docs"))
    assert f"Created {top}/journal" in begun and "A brain judges" not in begun
    noted("note", "at the top", cwd=top / "docs")
    noted("note", "within, three", cwd=deep)
    assert len(lines_of(inner / "journal")) == 3 and len(lines_of(top / "journal")) == 1


def test_a_journal_that_exists_goes_before_a_nearer_vault_without_one(tmp_path: Path) -> None:
    top = marked(tmp_path / "repository", ".git")
    noted("init", cwd=top)
    inner = marked(top / "agents" / "ada", "MEMORY.md")
    noted("note", "the same identity", cwd=inner)
    assert f"Found {top}/journal: 1 memory" in noted("init", cwd=inner)
    assert not (inner / "journal").exists()


def test_the_search_for_a_vault_ends_at_the_repository(tmp_path: Path) -> None:
    marked(tmp_path, "MEMORY.md")
    noted("init", cwd=tmp_path)
    top = marked(tmp_path / "repository", ".git")
    assert f"no journal at {top}/journal" in journal("note", "x", cwd=top).stderr
    # Where there is no repository the nearest vault is meant, and no other.
    nearer = marked(tmp_path / "plain" / "vault", "MEMORY.md")
    assert f"no journal at {nearer}/journal" in journal("note", "x", cwd=nearer).stderr
    assert journal("note", "x", cwd=marked(tmp_path / "plain" / "other")).returncode == 0


def test_the_command_table_lists_it_and_options_may_come_first(vault: Path) -> None:
    run = [sys.executable, "-m", "manent"]
    page = subprocess.run([*run, "--help"], capture_output=True, text=True, check=True).stdout
    assert "journal" in page
    done = subprocess.run([*run, "-q", "journal", "note", "x"], cwd=vault, capture_output=True)
    assert done.returncode == 0 and done.stdout == b"Saved as #0.\n"
    done = subprocess.run([*run, "-q", "journal", "zoom"], cwd=vault, capture_output=True)
    assert done.returncode == 2


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_text_is_utf8_whatever_the_locale_says(vault: Path, locale: str) -> None:
    done = subprocess.run(
        [*PYTHON, "note", "perché → 10 €"],
        cwd=vault,
        capture_output=True,
        env={**os.environ, "LC_ALL": locale, "PYTHONIOENCODING": "latin-1"},
        check=True,
    )
    assert done.stdout == b"Saved as #0.\n"
    shown = subprocess.run(
        [*PYTHON, "wake"],
        cwd=vault,
        capture_output=True,
        env={**os.environ, "LC_ALL": locale},
        check=True,
    )
    assert "perché → 10 €" in shown.stdout.decode("utf-8")


# ------------------------------------------------------------------ many writers

WRITER = """
import io, sys
from manent.journal.command import run
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for i in range(count):
    out = io.BytesIO()
    code = run(["--dir", folder, "note", f"{name} {i}"], stdout=out)
    said = out.getvalue().split(b"\\n")[0]
    assert code == 0 and said.startswith(b"Saved as #"), said
    sys.stdout.write(said[10:-1].decode() + f" {name} {i}\\n"); sys.stdout.flush()
"""


def other_tool(folder: Path, name: str, count: int) -> None:
    """Append as the other tool of this format does, written from the format's description."""
    for i in range(count):
        with open(folder / ".lock", "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with open(folder / "LOG.txt", "ab") as log:
                at = log.tell() // 320
                log.write(
                    f"#{at} {time.strftime('%Y-%m-%d')} {name} {i}".encode().ljust(319) + b"\n"
                )
                log.flush()
                os.fsync(log.fileno())


def test_eight_processes_and_another_tool_write_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    noted("init", "--dir", str(folder))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), f"writer {w}", "1000"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for w in range(8)
    ]
    other_tool(folder, "other tool", 200)
    said = [line for writer in writers for line in writer.communicate()[0].splitlines()]
    assert [writer.returncode for writer in writers] == [0] * 8
    lines = lines_of(folder)
    assert len(lines) == 8200 and len(said) == len({line.split()[0] for line in said}) == 8000
    for line in said:
        number, text = line.split(" ", 1)
        assert lines[int(number)].endswith(f" {text}")
    mine = [line.split(" ", 2)[2] for line in lines if " other tool " in line]
    assert mine == [f"other tool {i}" for i in range(200)]
    assert noted("verify", "--dir", str(folder)).startswith("All is well: 8200 memories")


def test_it_waits_for_a_lock_that_another_tool_holds(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    noted("init", "--dir", str(folder))
    with open(folder / ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = subprocess.Popen([*PYTHON, "--dir", str(folder), "note", "x"])
        noted("wake", "--dir", str(folder))
        time.sleep(0.3)
        assert waiting.poll() is None and (folder / "LOG.txt").stat().st_size == 0
    assert waiting.wait(10) == 0 and len(lines_of(folder)) == 1


def test_a_store_of_the_other_tool_opens_here_and_goes_on_there(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "LOG.txt").write_bytes(b"")
    (folder / "config").write_text("# sizes\n\n# WAKE_LINES   = 96\nPART_LINES = 300\n")
    other_tool(folder, "made elsewhere", 3)
    woken = noted("wake", "--dir", str(folder))
    assert woken.startswith(f"#0 {time.strftime('%Y-%m-%d')} made elsewhere 0\n")
    noted("note", "made here", "--dir", str(folder))
    other_tool(folder, "elsewhere again", 1)
    noted("sleep", "0-1", "two from elsewhere", "--dir", str(folder))
    raw = (folder / "LOG.txt").read_bytes()
    today = time.strftime("%Y-%m-%d")
    assert raw[960:1280] == f"#3 {today} made here".encode().ljust(319) + b"\n"
    assert (folder / "TREE" / "2").read_bytes() == b"two from elsewhere".ljust(287) + b"\n"
    assert noted("verify", "--dir", str(folder)).startswith("All is well: 5 memories, 1 summary")
    assert sorted(p.name for p in folder.iterdir()) == [".lock", "LOG.txt", "TREE", "config"]


# ------------------------------------------------------------------ crashes and full disks


def test_what_was_acknowledged_survives_kill_9_at_any_moment(tmp_path: Path) -> None:
    folder, draw = tmp_path / "crashed", random.Random(8)
    noted("init", "--dir", str(folder))
    acknowledged: dict[int, str] = {}
    for life in range(15):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), f"life {life}", "100000"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(draw.random() * 0.15)
        writer.send_signal(signal.SIGKILL)
        for line in [first, *writer.stdout.read().splitlines(keepends=True)]:
            if line.endswith("\n"):
                number, text = line.rstrip("\n").split(" ", 1)
                acknowledged[int(number)] = text
        writer.wait()
        if draw.random() < 0.5:
            # What a crash in the middle of a write leaves; half of the lives end so.
            with open(folder / "LOG.txt", "ab") as log:
                log.write(b"#9 2026-11-30 torn"[: draw.randrange(1, 18)])
    noted("note", "after all that", "--dir", str(folder))
    lines = lines_of(folder)
    assert len(acknowledged) > 15
    for number, text in acknowledged.items():
        assert lines[number].endswith(f" {text}")
    assert noted("verify", "--dir", str(folder)).startswith("All is well")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB, where this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this user may not mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_one_line_and_loses_nothing(small_disk: Path) -> None:
    folder = small_disk / "journal"
    noted("init", "--dir", str(folder))
    noted("note", "before", "--dir", str(folder))
    (small_disk / "ballast").write_bytes(b"")
    with open(small_disk / "ballast", "ab", buffering=0) as ballast, pytest.raises(OSError):
        while True:
            ballast.write(b"x" * 512)
    batch = b"".join(b"line %d\n" % i for i in range(40))
    for argv in (["note", "--batch"], ["import", "-"]):
        stdin = batch if "--batch" in argv else b"2027-01-01 x\n" * 40
        done = journal(*argv, "--dir", str(folder), stdin=stdin)
        assert done.returncode == 2 and "No space left on device" in done.stderr
        assert done.stderr.count("\n") == 1 and "nothing was saved" in done.stderr
        assert len(lines_of(folder)) == 1
    assert noted("wake", "--dir", str(folder)).endswith("You are awake.\n")
    (small_disk / "ballast").unlink()
    assert journal("note", "--batch", "--dir", str(folder), stdin=batch).returncode == 0
    assert len(lines_of(folder)) == 41


def test_a_file_that_may_not_grow_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    noted("init", "--dir", str(folder))
    for text in ("one", "two"):
        noted("note", text, "--dir", str(folder))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (800, 800))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run(
        [*PYTHON, "note", "three", "--dir", str(folder)],
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "File too large; nothing was saved" in done.stderr
    assert len(lines_of(folder)) == 2


def test_an_answer_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    noted("init", "--dir", str(folder))
    for argv in (["note", "x"], ["wake"], ["verify"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*PYTHON, *argv, "--dir", str(folder)],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        saved = "note #0: saved in the journal; then: " if argv[0] == "note" else ""
        told = f"manent: {saved}cannot write the answer: No space left on device\n"
        assert done.stderr == told
    closed = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.join(PYTHON)} note y --dir {shlex.quote(str(folder))} >&-"],
        check=False,
    )
    assert closed.returncode == 0 and len(lines_of(folder)) == 2
    quitting = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.join(PYTHON)} export --dir {shlex.quote(str(folder))} | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert quitting.stderr == ""


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Path]:
    """A journal of one memory, on a disk that is read-only, or else of mode 0555."""
    folder = tmp_path / "disk" / "journal"
    folder.mkdir(parents=True)
    disk = str(folder.parent)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]
    mounted = not subprocess.run(mount, capture_output=True, check=False).returncode
    noted("init", "--dir", str(folder))
    noted("note", "kept", "--dir", str(folder))
    if mounted:
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    elif os.getuid() == 0:
        pytest.skip("this root may not mount a disk, and no mode stops it from writing")
    for path in [] if mounted else (*folder.iterdir(), folder):
        path.chmod(0o555)
    yield folder
    if mounted:
        subprocess.run(["umount", disk], check=True)
    else:
        folder.chmod(0o755)


def test_a_read_only_store_reads_and_refuses_to_write_in_a_line(sealed: Path) -> None:
    for argv in (["wake"], ["recall", "kept"], ["verify"], ["export"], ["zoom", "0-1"]):
        noted(*argv, "--dir", str(sealed))
    writing = ["note", "x"], ["sleep", "0-1", "x"], ["forget", "0-1"], ["config", "WAKE_LINES=9"]
    for argv in (*writing, ["import", "-"]):
        done = journal(*argv, "--dir", str(sealed), stdin=b"2027-01-01 x\n")
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        assert "Read-only file system" in done.stderr or "Permission denied" in done.stderr
        assert str(sealed) in done.stderr
    assert len(lines_of(sealed)) == 1


# ------------------------------------------------------------------ commits


def committed(top: Path) -> list[str]:
    return git(top, "log", "--format=%s|%ae", "--name-only").split("\n")


def test_each_note_summary_and_forget_is_a_commit_of_exactly_its_paths(vault: Path) -> None:
    (vault / "other.md").write_text("unrelated, staged")
    git(vault, "add", "other.md")
    noted("note", "one", "--commit", cwd=vault)
    git(vault, "config", "manent.journalCommit", "true")
    noted("note", "two", cwd=vault)
    noted("sleep", "0-1", "one and two", cwd=vault)
    noted("forget", "0-1", cwd=vault)
    done = journal("note", "--batch", cwd=vault, stdin=b"three\nfour\nfive\n")
    assert done.returncode == 0
    told = [line for line in committed(vault) if line]
    assert told == [
        "journal: note #2 to #4|ada@example.org", "journal/LOG.txt",
        "journal: forget #0-1, 1 summary|ada@example.org", "journal/TREE/2",
        "journal: summary of #0-1|ada@example.org", "journal/TREE/2",
        "journal: note #1|ada@example.org", "journal/LOG.txt",
        "journal: note #0|ada@example.org", "journal/LOG.txt",
    ]  # fmt: skip
    assert git(vault, "diff", "--cached", "--name-only") == "other.md\n"
    git(vault, "config", "manent.journalCommit", "false")
    noted("note", "six", cwd=vault)
    assert len(git(vault, "log", "--format=%h").split()) == 5
    assert ".lock" not in git(vault, "status", "--porcelain", "-uall")


def test_a_note_that_git_will_not_commit_is_saved_and_said(vault: Path) -> None:
    hook = vault / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho 'fatal: refused by the hook' >&2\nexit 1\n")
    hook.chmod(0o755)
    done = journal("note", "one", "--commit", cwd=vault)
    assert (
        done.returncode == 2 and "note #0: saved in the journal, but not committed" in done.stderr
    )
    assert "refused by the hook" in done.stderr and done.stderr.count("\n") == 1
    assert len(lines_of(vault / "journal")) == 1
    hook.unlink()
    noted("note", "two", "--commit", cwd=vault)
    assert git(vault, "show", "HEAD:journal/LOG.txt").count("#") == 2
    away = vault.parent / "no repository"
    noted("init", "--dir", str(away))
    assert "in no git repository" in journal("note", "x", "--commit", "--dir", str(away)).stderr


@pytest.mark.parametrize("rule", ["journal/", "*.txt", "/journal/LOG.txt"])
def test_a_journal_that_git_ignores_is_told_as_not_committed(vault: Path, rule: str) -> None:
    (vault / ".gitignore").write_text(rule + "\n")
    for asked in (["note", "one"], ["note", "two"], ["sleep", "0-1", "both"], ["forget", "0-1"]):
        done = journal(*asked, "--commit", cwd=vault)
        assert done.returncode == 2 and "saved in the journal, but not committed" in done.stderr
        assert f"LOG.txt, by the line {rule} (" in done.stderr or rule == "journal/", done.stderr
        assert "git ignores " in done.stderr and done.stderr.count("\n") == 1
    assert len(lines_of(vault / "journal")) == 2
    assert git(vault, "ls-files", "journal/LOG.txt") == ""


def test_a_summary_is_committed_with_the_notes_it_is_of(vault: Path) -> None:
    for text in ("one", "two", "three", "four"):
        noted("note", text, cwd=vault)
    noted("sleep", "0-1", "one and two", "--commit", cwd=vault)
    assert git(vault, "show", "HEAD:journal/LOG.txt").count("#") == 4
    noted("sleep", "2-3", "three and four", cwd=vault)
    noted("note", "five", cwd=vault)
    noted("sleep", "0-3", "all four", cwd=vault)
    noted("forget", "0-3", "--commit", cwd=vault)
    assert git(vault, "show", "HEAD:journal/LOG.txt").count("#") == 5


@pytest.mark.parametrize("trouble", ["a bad setting", "no git", "the gate", "a damaged record"])
def test_whatever_fails_after_a_note_is_saved_its_number_is_told(vault: Path, trouble: str) -> None:
    assert journal("note", "--batch", cwd=vault, stdin=b"1\n2\n3\n4\n").returncode == 0
    asked, text, said = ["note"], "five", ""
    environ: dict[str, str] = {}
    if trouble == "a bad setting":
        git(vault, "config", "manent.journalCommit", "perhaps")
        said = "but not committed: git config manent.journalCommit: fatal: bad boolean"
    elif trouble == "no git":
        asked.append("--commit")
        environ["PATH"] = str(vault / "nowhere")
        said = "but not committed: git is not installed"
    elif trouble == "the gate":
        subprocess.run([sys.executable, "-m", "manent", "hooks", "install"], cwd=vault, check=True)
        asked.append("--commit")
        text = "ask m.rossi" + "@" + "posta-privata" + ".it"
        said = "but not committed: journal/LOG.txt:5:19: error: in record #4: personal data"
    else:
        log = vault / "journal" / "LOG.txt"
        log.write_bytes(log.read_bytes()[:340] + b"\xff" + log.read_bytes()[341:])
        said = "record #1 is damaged"
    done = journal(*asked, text, cwd=vault, **environ)
    assert done.returncode == 2 and done.stdout.startswith("Saved as #4."), done
    assert done.stderr.startswith("manent: note #4: saved in the journal") and said in done.stderr
    assert done.stderr.count("\n") == 1
    assert (vault / "journal" / "LOG.txt").stat().st_size == 5 * 320
    if trouble == "the gate":
        assert "[pii] [pii:" in done.stderr and text not in done.stderr


def test_a_summary_and_an_import_that_cannot_be_committed_are_told_as_saved(vault: Path) -> None:
    git(vault, "config", "manent.journalCommit", "perhaps")
    done = journal("import", "-", cwd=vault, stdin=b"2026-01-01 one\n2026-01-01 two\n")
    assert done.returncode == 2 and "Imported 2 memories, #0 to #1." in done.stdout
    assert "import #0 to #1: saved in the journal, but not committed" in done.stderr
    done = journal("sleep", "0-1", "both", cwd=vault)
    assert done.returncode == 2 and "summary of #0-1: saved in the journal, but" in done.stderr
    done = journal("forget", "0-1", cwd=vault)
    assert done.returncode == 2 and "forget #0-1, 1 summary: saved" in done.stderr


def test_a_log_that_git_still_has_is_not_begun_anew(vault: Path, tmp_path: Path) -> None:
    noted("note", "kept", "--commit", cwd=vault)
    log = vault / "journal" / "LOG.txt"
    log.unlink()
    for argv in (["init"], ["wake"], ["note", "x"], ["verify"]):
        done = journal(*argv, cwd=vault)
        assert done.returncode == 2 and "has lost its LOG.txt, and git still has it" in done.stderr
        assert done.stderr.count("\n") == 1 and not log.exists()
    assert obeyed(orders(done.stderr)[0], tmp_path).returncode == 0
    assert lines_of(vault / "journal")[0].endswith(" kept")
    # Taken out on purpose, it may be begun again.
    git(vault, "rm", "-q", "journal/LOG.txt")
    assert "no journal at" in journal("wake", cwd=vault).stderr
    assert "Created" in noted("init", cwd=vault)


def test_writers_that_commit_at_once_all_land(vault: Path) -> None:
    git(vault, "config", "manent.journalCommit", "true")
    running = [
        subprocess.Popen([*PYTHON, "note", f"writer {w}"], cwd=vault, stdout=subprocess.DEVNULL)
        for w in range(6)
    ]
    assert [one.wait() for one in running] == [0] * 6
    assert len(git(vault, "log", "--format=%h").split()) == 6
    assert git(vault, "status", "--porcelain", "journal/LOG.txt") == ""
