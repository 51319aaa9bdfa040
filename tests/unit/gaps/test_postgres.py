"""The register in PostgreSQL: a real server, started and ended by these tests."""

from __future__ import annotations

import datetime
import threading
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from manent.cli.main import run
from manent.errors import EnvironmentFault, NotFound, Refused
from manent.gaps.grouping import Meaning
from manent.gaps.home import Home
from manent.gaps.register import Read, Register, Search

NOW = datetime.datetime(2026, 11, 30, 9, 0, tzinfo=datetime.UTC)


@pytest.fixture
def address(postgres_database: str) -> str:
    """The address of an empty register."""
    return postgres_database


def asked(query: str, seconds: int = 0, asker: str = "tide") -> Search:
    at = NOW + datetime.timedelta(seconds=seconds)
    return Search(query, asker, at, ("memory/a.md",), "bm25", "")


def test_every_verb_works_as_in_a_file(address: str) -> None:
    with Register(Home(address)) as register:
        one = register.record(asked("When does the ferry leave?"))
        two = register.record(asked("the ferry, when does it leave", 1, "scout"))
        three = register.record(asked("when leave does the ferry", 2))
        assert one and two and three and one.gap == three.gap != two.gap
        assert (
            register.follow(Read("memory/a.md", "tide", NOW + datetime.timedelta(seconds=3))) == 2
        )
        register.feedback(one.search, "tide", False, NOW, "no")
        assert {g.id: (g.asked, g.read) for g in register.gaps()} == {
            one.gap: (2, 1), two.gap: (1, 0),
        }  # fmt: skip
        assert register.close(one.gap, "memory/a.md", NOW).status == "closed"
        with pytest.raises(Refused):
            register.dismiss(one.gap, NOW)
        assert register.reopen(one.gap).status == "open"
        assert register.dismiss(two.gap, NOW, "not ours").reason == "not ours"
        assert [f.helpful for f in register.said()] == [False]
        with pytest.raises(NotFound):
            register.searches("g_0")


def test_servers_at_once_record_one_gap(address: str) -> None:
    homes = [Home(address) for _ in range(4)]

    def work(home: Home) -> None:
        register = Register(home)
        for n in range(20):
            register.record(asked(f"question {n}", n))

    threads = [threading.Thread(target=work, args=(home,)) for home in homes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Register(Home(address)) as register:
        assert {g.query: g.asked for g in register.gaps()} == {
            f"question {n}": 4 for n in range(20)
        }
    for home in homes:
        home.close()


def test_questions_of_one_meaning_are_one_gap(address: str) -> None:
    rows = {"boat": (1.0, 0.0), "ship": (0.95, 0.3122), "train": (0.0, 1.0)}
    meaning = Meaning("toy", lambda texts: np.array([rows[t.split()[0]] for t in texts], "f4"))
    with Register(Home(address), meaning) as register:
        boat, ship = register.record(asked("boat times")), register.record(asked("ship times"))
        train = register.record(asked("train times"))
        assert boat and ship and train and boat.gap == ship.gap != train.gap


def add_column(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE manent_gap ADD COLUMN colour TEXT DEFAULT 'blue'"))


def fail(connection: sa.Connection) -> None:
    add_column(connection)
    raise EnvironmentFault("the step failed")


def test_migration_and_backup(address: str, tmp_path: Path) -> None:
    with Register(Home(address)) as register:
        register.record(asked("one"))
        register.backup(tmp_path / "copy")
    with Register(Home(tmp_path / "copy")) as copy:
        copy.record(asked("two"))
        assert {g.query for g in copy.gaps()} == {"one", "two"}
    backups = tmp_path / "backups"
    with pytest.raises(EnvironmentFault, match="a backup before"):
        Home(address, version=2, steps=[add_column])
    with pytest.raises(EnvironmentFault, match="the step failed"):
        Home(address, version=2, steps=[fail], backups=backups)
    with Register(Home(address)) as register:
        assert len(register.gaps()) == 1
    newer = Home(address, version=2, steps=[add_column], backups=backups)
    with newer.reading() as connection:
        assert connection.execute(sa.text("SELECT colour FROM manent_gap")).scalar() == "blue"
    newer.close()
    with Register(Home(backups / "gaps.v1.backup")) as saved:
        assert [g.query for g in saved.gaps()] == ["one"]
    with pytest.raises(EnvironmentFault, match="newer manent"):
        Home(address)


def test_the_command_line_over_it(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text("---\nname: a\ndescription: d\ntype: reference\n---\nText.\n")
    for query in ("when does the ferry leave", "who pays the wages"):
        search = ["search", str(tmp_path), query, "--gaps", address, "--retriever", "bm25"]
        assert run(search) in (0, 1)
    capsys.readouterr()
    assert run(["gaps", str(tmp_path), "--gaps", address]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_server_that_is_gone_is_an_error_without_its_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(EnvironmentFault) as caught:
        Home("postgresql://u:hidden-word@localhost:1/x?connect_timeout=1")
    assert "hidden-word" not in str(caught.value)
