"""A register survives what happens to files, processes and versions."""

from __future__ import annotations

import contextlib
import datetime
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from manent.errors import EnvironmentFault, UsageError
from manent.gaps.home import Home
from manent.gaps.register import Register, Search

NOW = datetime.datetime(2026, 11, 30, 9, 0, tzinfo=datetime.UTC)


def record(home: Home, query: str) -> None:
    Register(home).record(Search(query, "tide", NOW))


def counts(home: Home) -> dict[str, int]:
    return {gap.query: gap.asked for gap in Register(home).gaps(every=True)}


def test_a_register_is_its_owners_alone(tmp_path: Path) -> None:
    record(Home(tmp_path / "g"), "q")
    assert (tmp_path / "g").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"\0" * 5000])
def test_another_file_is_no_register(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "g").write_bytes(content)
    with pytest.raises(EnvironmentFault):
        Home(tmp_path / "g")
    assert (tmp_path / "g").read_bytes() == content


def test_another_programs_database_is_no_register(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "g") as other:
        other.execute("CREATE TABLE theirs (a)")
    with pytest.raises(EnvironmentFault, match="another program's"):
        Home(tmp_path / "g")


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize("make", [False, True])
def test_what_is_no_register_is_left_byte_for_byte(tmp_path: Path, mode: str, make: bool) -> None:
    file = tmp_path / "theirs"
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute(f"PRAGMA journal_mode = {mode}")
        other.execute("CREATE TABLE theirs (a)")
    before = file.read_bytes()
    with pytest.raises(EnvironmentFault, match="another program's"):
        Home(file, make=make)
    assert file.read_bytes() == before
    assert not [p for p in tmp_path.iterdir() if p != file and p.stat().st_size]


def test_an_empty_file_is_made_a_register_only_to_record(tmp_path: Path) -> None:
    (tmp_path / "g").touch()
    with pytest.raises(EnvironmentFault, match="no register"):
        Home(tmp_path / "g", make=False)
    assert (tmp_path / "g").read_bytes() == b""
    Home(tmp_path / "g").close()
    Home(tmp_path / "g", make=False).close()


def test_a_register_that_is_not_there_is_made_only_to_record(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="no register"):
        Home(tmp_path / "g", make=False)
    for place in (tmp_path, tmp_path / "absent/g"):
        with pytest.raises(EnvironmentFault):
            Home(place)
    with pytest.raises(UsageError):
        Home("mysql://localhost/x")


def test_a_backup_is_a_register(tmp_path: Path) -> None:
    home = Home(tmp_path / "g")
    record(home, "one")
    home.backup(tmp_path / "copy")
    record(home, "two")
    assert counts(Home(tmp_path / "copy")) == {"one": 1}
    home.backup(tmp_path / "more")
    assert counts(Home(tmp_path / "more")) == {"one": 1, "two": 1}
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for standing in ("g", "copy", "link"):
        with pytest.raises(UsageError):
            home.backup(tmp_path / standing)
    assert counts(Home(tmp_path / "copy")) == {"one": 1}
    with pytest.raises(EnvironmentFault):
        home.backup(tmp_path / "absent/copy")
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def add_column(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE manent_gap ADD COLUMN colour TEXT DEFAULT 'blue'"))


def fail(connection: sa.Connection) -> None:
    add_column(connection)
    raise EnvironmentFault("the step failed")


@pytest.mark.parametrize("versions", [[], [1, 1], [0], [-1], ["one"], [None], [b"1"]])
def test_a_register_that_does_not_say_its_schema_is_named(
    tmp_path: Path, versions: list[object]
) -> None:
    Home(tmp_path / "g").close()
    with contextlib.closing(sqlite3.connect(tmp_path / "g")) as connection:
        connection.execute("DROP TABLE manent_register")
        connection.execute("CREATE TABLE manent_register (version)")
        connection.executemany("INSERT INTO manent_register VALUES (?)", [(v,) for v in versions])
        connection.commit()
    with pytest.raises(EnvironmentFault, match="damaged: it does not say its schema"):
        Home(tmp_path / "g")


def test_a_newer_register_is_refused_by_older_code(tmp_path: Path) -> None:
    home = Home(tmp_path / "g")
    record(home, "one")
    home.close()
    Home(tmp_path / "g", version=2, steps=[add_column]).close()
    before = (tmp_path / "g").read_bytes()
    with pytest.raises(EnvironmentFault, match="newer manent: schema 2, and this one knows 1"):
        Home(tmp_path / "g")
    assert (tmp_path / "g").read_bytes() == before


def test_an_older_register_is_backed_up_and_brought_up(tmp_path: Path) -> None:
    home = Home(tmp_path / "g")
    record(home, "one")
    home.close()
    newer = Home(tmp_path / "g", version=3, steps=[add_column, lambda connection: None])
    with newer.reading() as connection:
        query = sa.text("SELECT query, colour FROM manent_gap")
        assert connection.execute(query).all() == [("one", "blue")]
    assert counts(Home(tmp_path / "g.v1.backup")) == {"one": 1}


def test_a_migration_that_fails_leaves_the_old_register(tmp_path: Path) -> None:
    home = Home(tmp_path / "g")
    record(home, "one")
    home.close()
    with pytest.raises(EnvironmentFault, match="the step failed"):
        Home(tmp_path / "g", version=2, steps=[fail])
    assert counts(Home(tmp_path / "g")) == {"one": 1}
    Home(tmp_path / "g", version=2, steps=[add_column]).close()


WRITER = """
import datetime, sys
from manent.gaps.home import Home
from manent.gaps.register import Register, Search
register = Register(Home(sys.argv[1]))
now = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)
for n in range(int(sys.argv[2])):
    register.record(Search(f"question {sys.argv[3]} {n}", "tide", now))
    print(n, flush=True)
"""


def test_what_was_recorded_stays_when_the_process_is_killed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "g"), "100000", "k"], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    last = -1
    for line in process.stdout:
        last = int(line)
        if last == 40:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = counts(Home(tmp_path / "g"))
    assert {f"question k {n}" for n in range(last + 1)} <= set(kept)


def test_processes_and_threads_record_at_once(tmp_path: Path) -> None:
    home = Home(tmp_path / "g")
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "g"), "25", "same"],
                         stdout=subprocess.DEVNULL)
        for _ in range(3)
    ]  # fmt: skip
    threads = [
        threading.Thread(target=lambda: [record(home, f"question same {n}") for n in range(25)])
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in running] == [0, 0, 0]
    assert counts(home) == {f"question same {n}": 6 for n in range(25)}
