"""The database that servers share: copies before it changes, and answers that do not come."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from postgres import hanging

from manent.errors import EnvironmentFault
from manent.gaps.address import DatabaseFault
from manent.server import database as module
from manent.server.audit import Entry, open_audit
from manent.server.database import Database, Schema, standing_table
from manent.server.task_store import TaskStore
from manent.values import replace


def schema_of(what: str, name: str) -> Schema:
    tables = sa.MetaData()
    sa.Table(name, tables, sa.Column("id", sa.Text, primary_key=True))
    return Schema(what, tables, standing_table(f"{name}_schema", tables), 1, 7_000 + len(what))


ONE, TWO = schema_of("sign-ins", "made_one"), schema_of("used approvals", "made_two")


def newer(schema: Schema, version: int = 2) -> Schema:
    name = schema.standing.name.removesuffix("_schema")

    def step(number: int) -> module.Step:
        said = f"ALTER TABLE {name} ADD COLUMN column_{number} TEXT"
        return lambda connection: connection.execute(sa.text(said)) and None

    return replace(schema, version=version, steps=[step(n) for n in range(1, version)])


def broken(schema: Schema) -> Schema:
    def step(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE made_one ADD COLUMN half TEXT"))
        raise EnvironmentFault("the step failed")

    return replace(schema, version=2, steps=[step])


def add(database: Database, name: str, value: str) -> None:
    with database.writing() as connection:
        connection.execute(sa.text(f"INSERT INTO {name} (id) VALUES ('{value}')"))


@pytest.fixture
def address(postgres_database: str) -> str:
    return postgres_database


def copies(folder: Path) -> dict[str, list[str]]:
    """Return the columns of the first table by the name of a copy."""
    found = {}
    for file in sorted(folder.glob("*.backup*")):
        table = "made_one" if "sign-ins" in file.name else "made_two"
        with sqlite3.connect(file) as rows:
            found[file.name] = [row[1] for row in rows.execute(f"PRAGMA table_info({table})")]
        rows.close()
    return found


def test_each_schema_of_a_file_has_a_copy_of_its_own_from_before_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "m.sqlite"
    for schema in (ONE, TWO, newer(ONE), newer(TWO), newer(ONE, 3)):
        Database(f"sqlite:///{file}", schema).close()
    assert copies(tmp_path) == {
        "m.sqlite.sign-ins.v1.backup": ["id"],
        "m.sqlite.sign-ins.v2.backup": ["id", "column_1"],
        "m.sqlite.used-approvals.v1.backup": ["id"],
    }
    modes = {file.stat().st_mode & 0o777 for file in tmp_path.glob("*.backup*")}
    assert modes == {0o600}
    with pytest.raises(DatabaseFault, match="newer manent: schema 3, and this one knows 1"):
        Database(f"sqlite:///{file}", ONE)


def test_a_copy_is_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "m.sqlite"
    for n in range(3):
        with pytest.raises(EnvironmentFault, match="the step failed"):
            Database(f"sqlite:///{file}", ONE).close()
            Database(f"sqlite:///{file}", broken(ONE))
        database = Database(f"sqlite:///{file}", ONE)
        add(database, "made_one", str(n))
        database.close()
    held = {}
    for copy in sorted(tmp_path.glob("*.backup*")):
        with sqlite3.connect(copy) as rows:
            held[copy.name] = rows.execute("SELECT count(*) FROM made_one").fetchone()[0]
        rows.close()
    first = "m.sqlite.sign-ins.v1.backup"
    assert held == {first: 0, f"{first}.2": 1, f"{first}.3": 2}
    assert not list(tmp_path.glob(".*"))


def test_servers_that_start_at_once_bring_a_file_up_once(tmp_path: Path) -> None:
    file = tmp_path / "m.sqlite"
    old = Database(f"sqlite:///{file}", ONE)
    add(old, "made_one", "kept")
    old.close()
    with ThreadPoolExecutor(12) as pool:
        opened = list(pool.map(lambda n: Database(f"sqlite:///{file}", newer(ONE, 3)), range(12)))
    for database in opened:
        database.close()
    assert copies(tmp_path) == {"m.sqlite.sign-ins.v1.backup": ["id"]}


def test_a_server_s_database_is_copied_within_itself_before_it_changes(address: str) -> None:
    old = Database(address, ONE)
    add(old, "made_one", "kept")
    old.close()
    with pytest.raises(EnvironmentFault, match="the step failed"):
        Database(address, broken(ONE))
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda n: Database(address, newer(ONE)), range(6)))
    with opened[0].writing() as connection:
        names = {n for n in sa.inspect(connection).get_table_names() if "backup" in n}
        assert names == {"made_one_v1_backup", "made_one_schema_v1_backup"}
        rows = connection.execute(sa.text("SELECT * FROM made_one_v1_backup")).all()
        assert [tuple(row) for row in rows] == [("kept",)]
        connection.execute(sa.text("UPDATE made_one_schema SET version = 1"))
        connection.execute(sa.text("ALTER TABLE made_one DROP COLUMN column_1"))
    Database(address, newer(ONE)).close()
    with opened[0].writing() as connection:
        assert "made_one_v1_backup_2" in sa.inspect(connection).get_table_names()
    for database in opened:
        database.close()


def test_what_brings_a_database_up_takes_as_long_as_it_takes(address: str) -> None:
    """Also for another server that starts meanwhile; then answers are waited for as ever."""
    Database(address, ONE).close()

    def slowly(connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT pg_sleep(3)"))

    schema = replace(ONE, version=2, steps=[slowly])
    with ThreadPoolExecutor(3) as pool:
        opened = list(pool.map(lambda n: Database(address, schema, 1.0), range(3)))
    for database in opened:
        with pytest.raises(DatabaseFault), database.writing() as connection:
            connection.execute(sa.text("SELECT pg_sleep(3)"))
        database.close()


@pytest.mark.parametrize("versions", ["", "(1), (1)", "(0)", "(-3)"])
def test_one_that_does_not_say_its_schema_is_damaged(tmp_path: Path, versions: str) -> None:
    file = tmp_path / "m.sqlite"
    Database(f"sqlite:///{file}", ONE).close()
    with sqlite3.connect(file) as rows:
        rows.execute("DELETE FROM made_one_schema")
        if versions:
            rows.execute(f"INSERT INTO made_one_schema VALUES {versions}")
    rows.close()
    with pytest.raises(DatabaseFault, match="does not say its schema"):
        Database(f"sqlite:///{file}", ONE)


def test_a_server_that_hangs_is_waited_for_so_long_and_by_few(address: str) -> None:
    """Then what is asked fails in plain words, at once; and goes on once it answers again."""
    store = TaskStore(address, "one")
    store.begin("t", "ines", {}, 1, 10**12)
    with hanging(address):
        began = time.monotonic()
        with pytest.raises(DatabaseFault, match="the database of tasks: it ") as silent:
            store.get("t", "ines", 2)
        first = time.monotonic() - began
        assert first < module.ANSWER_SECONDS + 6 and "host" not in str(silent.value)
        began = time.monotonic()
        for _ in range(20):
            with pytest.raises(DatabaseFault):
                store.get("t", "ines", 2)
        assert time.monotonic() - began < 1
    time.sleep(module.AWAY_SECONDS)
    deadline = time.monotonic() + 20
    while True:
        try:
            assert store.get("t", "ines", 2) is not None
            break
        except DatabaseFault:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    store.close()


def test_a_lock_that_is_not_let_go_of_is_waited_for_so_long(address: str) -> None:
    one, other = Database(address, ONE), Database(address, ONE, 1.0)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with one.writing(alone=True):
            entered.set()
            leave.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert entered.wait(10)
    began = time.monotonic()
    with pytest.raises(DatabaseFault), other.writing(alone=True):
        pass
    assert time.monotonic() - began < 4
    leave.set()
    thread.join()
    time.sleep(module.AWAY_SECONDS)
    with other.writing(alone=True):
        pass
    one.close()
    other.close()


def test_while_the_audit_s_database_hangs_one_call_waits_and_no_line_is_lost(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    from called import NOW

    audit = open_audit(address)
    with hanging(address):
        began = time.monotonic()
        for n in range(50):
            audit.record(Entry(NOW, "tide", "brain_search", {"query": f"q{n}"}))
        assert time.monotonic() - began < 8
        time.sleep(2)
    records = [record for record in caplog.records if "cannot be written" in record.msg]
    assert len(records) == 1 and str(records[0].__dict__["cause"]).startswith("it ")
    deadline = time.monotonic() + 30
    while True:
        audit.record(Entry(NOW, "tide", "brain_search", {"query": "after"}))
        if any("written again" in record.msg for record in caplog.records):
            break
        assert time.monotonic() < deadline
        time.sleep(0.2)
    audit.close()
    engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        held = connection.execute(sa.text("SELECT line FROM manent_audit ORDER BY id")).scalars()
        asked = [json.loads(line)["arguments"]["query"] for line in held]
    engine.dispose()
    assert [query for query in asked if query != "after"] == [f"q{n}" for n in range(50)]
