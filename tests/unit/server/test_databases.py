"""Audit and questions of several servers in one PostgreSQL."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from called import NOW, call_of
from vaults import note, vault_of

from manent.access import Identity, View
from manent.errors import EnvironmentFault, NotFound
from manent.search.rank import Hit
from manent.search.ranker import Ranked
from manent.server.asked import Questions
from manent.server.audit import Entry, open_audit
from manent.server.tool import Call, Found

FOUND = Found([Ranked(Hit("a", "a.md", "", "", "active", 1.0, {}), 1.0)], "bm25")


@pytest.fixture
def address(postgres_database: str) -> str:
    return postgres_database


def rows(address: str, query: str) -> list[Any]:
    engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        found = connection.execute(sa.text(query)).all()
    engine.dispose()
    return list(found)


def test_several_servers_write_one_audit(address: str) -> None:
    audits = [open_audit(address) for _ in range(3)]

    def write(n: int) -> None:
        for k in range(30):
            entry = Entry(NOW, f"agent-{n}", "brain_search", {"query": f"q{k} \u0000 \U0001f40b"})
            audits[n].record(entry)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(3) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = rows(address, "SELECT identity, line FROM manent_audit")
    assert len(found) == 180
    assert json.loads(found[0][1])["arguments"]["query"].startswith("q")
    for audit in audits:
        audit.close()


def test_a_database_out_of_reach_is_said_at_the_start(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(EnvironmentFault, match="the database of audit lines"):
        open_audit(f"postgresql://manent@/none?host={tmp_path}")


def test_searches_readings_and_feedback_may_go_to_any_server(address: str, tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"a.md": note("a")})

    def calling(name: str) -> Call:
        return call_of(View(vault, Identity(name, frozenset({"team"}))))

    one, other = Questions(address), Questions(address)
    mine = one.searched(calling("tide"), "high tide", FOUND)
    one.searched(calling("moss"), "low tide", FOUND)
    one.flush()
    other.read(calling("tide"), "a.md")
    other.flush()
    found = rows(address, "SELECT asker, followed FROM manent_search ORDER BY id")
    assert [tuple(row) for row in found] == [("tide", "a.md"), ("moss", "")]
    with pytest.raises(NotFound):
        other.feedback(calling("moss"), "helpful", "", mine, "")
    assert other.feedback(calling("tide"), "wrong", "", mine, "") == "kept in the register"
    assert [row["query"] for row in one.gaps()] == ["high tide", "low tide"]
    assert "high tide" not in one.gaps()[0]["command"]
    one.close()
    other.close()
