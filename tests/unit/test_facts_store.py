"""A derived store may be thrown away, damaged, refused or shared, and nothing is lost."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from manent.errors import EnvironmentFault, StoreDamaged, StoreRemoved
from manent.facts.store import PAGE_BYTES, Store, fault_of

TABLE = "CREATE TABLE fact (a)"


def opened(path: Path, version: str = "1") -> Store:
    store = Store(path)
    store.tables("facts", version, TABLE, ("fact",))
    return store


def rows(store: Store) -> list[int]:
    return [row[0] for row in store.db.execute("SELECT a FROM fact ORDER BY a")]


def put(store: Store, value: int, keep: bool = True) -> None:
    with store.transaction(keep):
        store.db.execute("INSERT INTO fact VALUES (?)", (value,))


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    put(opened(tmp_path / "state" / "v.sqlite"), 1)
    assert rows(opened(tmp_path / "state" / "v.sqlite")) == [1]
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_another_version_makes_the_tables_anew(tmp_path: Path) -> None:
    put(opened(tmp_path / "v.sqlite"), 1)
    assert rows(opened(tmp_path / "v.sqlite", "2")) == []


def test_an_overlay_and_a_failure_leave_nothing(tmp_path: Path) -> None:
    store = opened(tmp_path / "v.sqlite")
    with store.transaction(keep=False):
        put(store, 1)  # nested: part of the outer one
        assert rows(store) == [1]
    with pytest.raises(KeyError), store.transaction():
        put(store, 2)
        raise KeyError
    assert rows(store) == []


@pytest.mark.parametrize("content", [b"no database at all, " * 100, b"\0" * 4096, b"x"])
def test_a_file_that_is_no_database_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(content)
    store = opened(path)
    put(store, 1)
    assert rows(store) == [1]


def test_damage_found_later_throws_the_file_away(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    store = opened(path)
    with store.transaction():
        store.db.executemany("INSERT INTO fact VALUES (?)", [(n,) for n in range(9000)])
    store.close()
    content = bytearray(path.read_bytes())
    content[2 * PAGE_BYTES :] = b"\xa5" * (len(content) - 2 * PAGE_BYTES)
    path.write_bytes(content)
    store = Store(path)
    with pytest.raises(sqlite3.DatabaseError) as broken:
        store.db.execute("SELECT sum(a) FROM fact").fetchall()
    with pytest.raises(StoreDamaged), store.transaction():
        store.db.execute("DELETE FROM fact")
    store.close()
    assert isinstance(fault_of(broken.value, path), StoreRemoved)
    assert not path.exists()
    assert rows(opened(path)) == []


def filled(path: Path) -> bytes:
    store = opened(path)
    with store.transaction():
        store.db.executemany("INSERT INTO fact VALUES (?)", [(n,) for n in range(9000)])
    store.close()
    return path.read_bytes()


@pytest.mark.parametrize("place", [20, 30, 100, PAGE_BYTES + 3, 2 * PAGE_BYTES + 999, -1])
def test_one_byte_that_somebody_else_changed_and_nothing_is_believed(
    tmp_path: Path, place: int
) -> None:
    """SQLite reads most of them as if they had been written."""
    content = bytearray(filled(tmp_path / "v.sqlite"))
    content[place] ^= 0x55
    (tmp_path / "v.sqlite").write_bytes(content)
    assert rows(opened(tmp_path / "v.sqlite")) == []


def test_the_store_of_another_vault_is_not_believed(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine" / "v.sqlite", tmp_path / "other" / "v.sqlite"
    for path in (mine, other):
        path.parent.mkdir()
        filled(path)
    other.replace(mine)
    assert rows(opened(mine)) == []


def test_what_another_process_has_open_is_left_to_it(tmp_path: Path) -> None:
    """While it writes, the file is not as anybody noted it."""
    filled(tmp_path / "v.sqlite")
    holder = opened(tmp_path / "v.sqlite")
    os.utime(tmp_path / "v.sqlite")
    assert len(rows(opened(tmp_path / "v.sqlite"))) == 9000
    holder.close()
    assert len(rows(opened(tmp_path / "v.sqlite"))) == 9000


KILLED = """
import os, signal, sys
from pathlib import Path
from manent.facts.store import Store
store = Store(Path(sys.argv[1]))
store.tables("facts", "1", "CREATE TABLE fact (a)", ("fact",))
for n in range(3):
    with store.transaction():  # more than the journal holds before it is copied back
        store.db.executemany("INSERT INTO fact VALUES (?)", [("x" * 900,)] * 30_000)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_wrote_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert path.stat().st_size > 10 << 20
    assert len(rows(opened(path))) == 90_000


@pytest.mark.parametrize("let_go", ["store.close()", "del store", "pass"])
def test_whoever_lets_go_of_it_leaves_it_as_noted(tmp_path: Path, let_go: str) -> None:
    path = tmp_path / "v.sqlite"
    program = KILLED[: KILLED.index("for n")] + f"store.set_stamp('a', 'b')\n{let_go}\n"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert opened(path).stamp("a") == "b"


def test_what_sqlite_says_of_the_machine_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    store, other = opened(path), opened(path)
    other.db.execute("PRAGMA busy_timeout = 0")
    with (
        store.transaction(),
        pytest.raises(EnvironmentFault, match="locked") as taken,
        other.transaction(),
    ):
        pass
    assert not isinstance(taken.value, StoreDamaged)
    for sql in ("SELECT b FROM fact", "SELECT a FROM other"):
        with pytest.raises(StoreDamaged), store.transaction():
            store.db.execute(sql)
    store.db.execute("INSERT INTO stamp VALUES ('text', CAST(x'ff41' AS TEXT))")
    with pytest.raises(StoreDamaged):
        store.stamp("text")


def test_a_row_nobody_wrote_is_held_against_the_file_once(tmp_path: Path) -> None:
    """Met again on a new file the error is a bug, and is reported as one."""
    path = tmp_path / "v.sqlite"
    filled(path)
    assert fault_of(KeyError("x"), tmp_path / "absent.sqlite") is None
    assert isinstance(fault_of(ValueError("no JSON"), path), StoreRemoved)
    filled(path)
    assert fault_of(ValueError("no JSON"), path) is None and path.exists()


def test_a_mistake_of_ours_is_no_damage(tmp_path: Path) -> None:
    store = opened(tmp_path / "v.sqlite")
    with pytest.raises(sqlite3.ProgrammingError) as mistake:
        store.db.execute("SELECT ?", ())
    assert fault_of(mistake.value, tmp_path / "v.sqlite") is None
    assert (tmp_path / "v.sqlite").exists()


def test_a_symlinked_folder_or_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentFault, match="symlink"):
        Store(tmp_path / "state" / "v.sqlite")
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "v.sqlite").symlink_to(tmp_path / "elsewhere" / "theirs")
    with pytest.raises(EnvironmentFault, match="symlink"):
        Store(tmp_path / "real" / "v.sqlite")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o755)
    opened(tmp_path / "state" / "v.sqlite")
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder of another user")
    (tmp_path / "state").mkdir()
    os.chown(tmp_path / "state", 65534, 65534)
    with pytest.raises(EnvironmentFault, match="another user"):
        Store(tmp_path / "state" / "v.sqlite")


@pytest.mark.parametrize("what", ["a file in the way", "a folder that stays read-only"])
def test_where_nothing_can_be_written_it_says_so(tmp_path: Path, what: str) -> None:
    path = tmp_path / "state" / "v.sqlite"
    if what == "a file in the way":
        (tmp_path / "state").write_text("x")
    else:
        path = Path("/proc/self/manent/v.sqlite")
    with pytest.raises(EnvironmentFault, match="cannot use"):
        Store(path)


def test_a_full_disk_keeps_all_or_nothing(tmp_path: Path) -> None:
    """The limit on a file's size stands for it: SQLite sees a write that fails."""
    import signal

    store = opened(tmp_path / "v.sqlite")
    put(store, 1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    heard = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, before[1]))
    try:
        with pytest.raises(EnvironmentFault, match="cannot write"), store.transaction():
            store.db.execute("PRAGMA cache_size = 10")
            for n in range(200_000):
                store.db.execute("INSERT INTO fact VALUES (?)", (f"{n} of many",))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, heard)
    assert rows(store) == [1]
    put(store, 2)
    assert rows(opened(tmp_path / "v.sqlite")) == [1, 2]


WRITER = """
import sys
from pathlib import Path
from manent.facts.store import Store
store = Store(Path(sys.argv[1]))
store.tables("facts", "1", "CREATE TABLE fact (a)", ("fact",))
for n in range(40):
    with store.transaction():
        most = store.db.execute("SELECT coalesce(max(a), 0) FROM fact").fetchone()[0]
        store.db.execute("INSERT INTO fact VALUES (?)", (most + 1,))
"""


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "state" / "v.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) for _ in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert rows(opened(path)) == list(range(1, 81))


def test_a_reader_goes_on_seeing_what_was(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "v.sqlite"), opened(tmp_path / "v.sqlite")
    put(one, 1)
    with one.transaction():
        one.db.execute("INSERT INTO fact VALUES (2)")
        assert rows(other) == [1]
    assert rows(other) == [1, 2]


AT_ONCE = """
import sys
from pathlib import Path
from manent.facts.store import Store
sys.stdin.read()
for path in sys.argv[1:]:
    store = Store(Path(path))
    store.tables("room", "1", "CREATE TABLE t (a)", ("t",))
    store.close()
"""


def test_several_processes_make_the_same_store_at_once(tmp_path: Path) -> None:
    """None is turned away because another one is switching the new file to its journal."""
    paths = [str(tmp_path / f"{n}" / "state" / "v.sqlite") for n in range(40)]
    for n in range(40):
        (tmp_path / f"{n}").mkdir()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", AT_ONCE, *paths],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(6)
    ]  # fmt: skip
    for process in started:
        assert process.stdin is not None
        process.stdin.close()
    said = [process.stderr.read() for process in started if process.stderr]
    assert [process.wait() for process in started] == [0] * 6, said
