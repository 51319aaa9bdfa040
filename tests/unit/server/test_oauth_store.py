"""What signing in remembers: once is once, in a file and in PostgreSQL."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from manent.errors import EnvironmentFault, UsageError
from manent.server.oauth import store as module
from manent.server.oauth.store import DAY_MS, STEPS, Grant, Registered, Session, Store
from manent.values import replace

NOW = 1_900_000_000_000
NET = "a network"
CLIENT = Registered("client", "Test", ("http://127.0.0.1/callback",))


@pytest.fixture
def address(any_database: str) -> str:
    return any_database


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    found = Store(address)
    yield found
    found.close()


def grant(identity: str = "g", expires_ms: int = NOW + DAY_MS) -> Grant:
    return Grant(identity, "scout", "client", expires_ms, 0, NOW)


def begun(store: Store, identity: str = "g") -> None:
    store.keep_code(identity, "client", {}, NOW + 1000, NOW)
    assert store.use_code(identity, "client", NOW) == {}
    assert store.begin(grant(identity), identity, NOW)


def at_once(work: Callable[[], object], times: int = 8) -> list[object]:
    """Return what comes of doing the same thing in several threads."""
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(work())) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == times
    return found


def test_a_client_comes_back(store: Store) -> None:
    assert store.client("client") is None
    assert store.register(CLIENT, NET, NOW)
    assert store.client("client") == CLIENT


def register(store: Store, name: str, network: str = NET, now_ms: int = NOW) -> bool:
    return store.register(Registered(name, "", ()), network, now_ms)


def signed_in(store: Store, client: str, now_ms: int = NOW) -> None:
    store.keep_code(f"code of {client}", client, {}, now_ms + 1000, now_ms)
    assert store.use_code(f"code of {client}", client, now_ms) == {}
    found = Grant(f"grant of {client}", "scout", client, now_ms + 9 * DAY_MS, 0, now_ms)
    assert store.begin(found, f"code of {client}", now_ms)


def those(store: Store, *names: str) -> list[str]:
    return [name for name in names if store.client(name) is not None]


def test_what_nobody_signed_in_with_for_a_day_is_forgotten(store: Store) -> None:
    for name in ("c0", "c1"):
        assert register(store, name)
    signed_in(store, "c0")
    assert register(store, "c3", now_ms=NOW + 2 * DAY_MS)
    assert those(store, "c0", "c1", "c3") == ["c0", "c3"]


def test_who_registers_without_end_takes_the_places_of_its_own(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_OF_ONE", 3)
    assert register(store, "mine", "other") and register(store, "first")
    signed_in(store, "first")
    for n in range(9):
        assert register(store, f"c{n}", now_ms=NOW + n)
    assert those(store, "mine", "first", *(f"c{n}" for n in range(9))) == [
        "mine", "first", "c7", "c8",
    ]  # fmt: skip
    signed_in(store, "c7")
    signed_in(store, "c8")
    assert not register(store, "c9"), "its share is in use"
    assert register(store, "c9", "other")


def test_a_full_list_makes_room_in_the_fullest_network(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_CLIENTS", 6)
    for n, network in enumerate(("few", "many", "many", "one", "many", "few")):
        assert register(store, f"c{n}", network, NOW + n)
    signed_in(store, "c1")
    assert register(store, "c6", "new", NOW + 6)
    assert register(store, "c7", "new", NOW + 7)
    # Of two that have two each, the oldest; a place in use is kept.
    assert those(store, *(f"c{n}" for n in range(8))) == ["c1", "c3", "c4", "c5", "c6", "c7"]


def test_a_list_that_is_all_in_use_shuts_nobody_out(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_CLIENTS", 3)
    for n, network in enumerate(("one", "many", "many")):
        assert register(store, f"c{n}", network)
        signed_in(store, f"c{n}", NOW + 10 - n)
    assert register(store, "c3", "new")
    assert those(store, "c0", "c1", "c2", "c3") == ["c0", "c1", "c3"], "c2 was used longest ago"


def test_many_that_register_at_once_are_no_more_than_there_are_places(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_OF_ONE", 3)
    monkeypatch.setattr(module, "MOST_CLIENTS", 5)
    names = [f"c{n}" for n in range(16)]
    left = iter(names)
    assert all(at_once(lambda: register(store, name := next(left), name[-1:]), 16))
    assert len(those(store, *names)) == 5
    monkeypatch.setattr(module, "MOST_CLIENTS", 99)
    left = iter(names := [f"d{n}" for n in range(16)])
    assert all(at_once(lambda: register(store, next(left), "d"), 16))
    assert len(those(store, *names)) == 3


def test_a_code_is_used_once_by_one_of_many(store: Store) -> None:
    store.keep_code("digest", "client", {"identity": "scout"}, NOW + 1000, NOW)
    found = at_once(lambda: store.use_code("digest", "client", NOW))
    assert [row for row in found if row is not None] == [{"identity": "scout"}]
    # It came again: whatever it gave does not count.
    assert not store.begin(grant(), "digest", NOW)


def test_codes_of_others_and_of_the_past(store: Store) -> None:
    store.keep_code("digest", "client", {}, NOW + 1000, NOW)
    assert store.use_code("digest", "other", NOW) is None
    assert store.use_code("other", "client", NOW) is None
    assert store.use_code("digest", "client", NOW + 1000) is None
    assert store.use_code("digest", "client", NOW + 999) == {}
    store.keep_code("late", "client", {}, NOW + 3 * DAY_MS, NOW + 2 * DAY_MS)
    assert store.use_code("digest", "client", NOW) is None


def test_a_grant_is_turned_once_by_one_of_many(store: Store) -> None:
    begun(store)
    found = at_once(lambda: store.turn("g", 0, NOW + DAY_MS, NOW))
    assert found.count(True) == 1
    assert store.grant("g") == Grant("g", "scout", "client", NOW + DAY_MS, 1, NOW)
    assert not store.turn("g", 0, NOW + DAY_MS, NOW)
    assert not store.turn("g", 1, NOW + DAY_MS, NOW + DAY_MS)
    store.revoke("g")
    assert not store.turn("g", 1, NOW + DAY_MS, NOW)
    revoked = store.grant("g")
    assert revoked is not None and revoked.revoked


def test_a_code_that_comes_again_ends_its_grant_alone(store: Store) -> None:
    begun(store, "one")
    begun(store, "two")
    assert store.use_code("one", "client", NOW) is None
    found = {name: store.grant(name) for name in ("one", "two")}
    assert {name: each and each.revoked for name, each in found.items()} == {
        "one": True,
        "two": False,
    }


def test_what_is_kept_stays(address: str) -> None:
    first = Store(address)
    first.register(CLIENT, NET, NOW)
    begun(first)
    first.close()
    again = Store(address)
    assert again.client("client") == CLIENT and again.grant("g") == grant()
    again.close()


def test_an_older_schema_is_brought_up_and_a_newer_one_refused(address: str) -> None:
    first = Store(address)
    first.register(CLIENT, NET, NOW)
    first.close()

    def step(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE manent_oauth_client ADD COLUMN extra TEXT"))

    newer = Store(address, steps=(*STEPS, step))
    with newer._database.writing() as connection:
        columns = {c["name"] for c in sa.inspect(connection).get_columns("manent_oauth_client")}
    newer.close()
    assert "extra" in columns
    with pytest.raises(EnvironmentFault, match="newer manent"):
        Store(address)
    Store(address, steps=(*STEPS, step)).close()


def session(name: str, bound: str, audience: str = "here") -> Session:
    return Session(name, "scout", NOW + DAY_MS, bound, audience)


def test_a_session_lasts_until_it_is_ended_or_expires(store: Store) -> None:
    store.keep_session(session("one", "b"), NOW)
    store.keep_session(session("two", "b"), NOW)
    store.end_session("one")
    store.end_session("never begun")
    assert not store.keeps_session("one") and store.keeps_session("two")
    store.keep_session(session("three", "b"), NOW + 3 * DAY_MS)
    assert not store.keeps_session("two") and store.keeps_session("three")


def test_what_hangs_on_a_token_ends_with_it_and_nothing_else(store: Store) -> None:
    def begin(name: str, bound: str, audience: str) -> None:
        row = {"identity": "scout", "bound": bound, "audience": audience}
        store.keep_code(name, "client", {}, NOW + 1000, NOW)
        assert store.use_code(name, "client", NOW) == {}
        kept = replace(grant(name), bound=bound, audience=audience)
        assert store.begin(kept, name, NOW)
        store.keep_code(f"code of {name}", "client", row, NOW + 1000, NOW)
        store.keep_session(session(name, bound, audience), NOW)

    begun(store, "of before")
    begin("old", "b1", "here")
    begin("new", "b2", "here")
    begin("elsewhere", "b1", "there")
    assert store.bindings("here") == {("scout", "b1"), ("scout", "b2")}
    store.end_bound("here", "scout", "b1")
    store.end_bound("here", "clerk", "b2")
    assert store.bindings("here") == {("scout", "b2")}
    assert store.bindings("there") == {("scout", "b1")}
    for name in ("of before", "old", "new", "elsewhere"):
        found = store.grant(name)
        assert found is not None and found.revoked == (name == "old")
    for name in ("old", "new", "elsewhere"):
        assert store.keeps_session(name) == (name != "old")
        assert (store.use_code(f"code of {name}", "client", NOW) is not None) == (name != "old")


def test_a_grant_of_before_is_bound_once_it_is_turned(store: Store) -> None:
    begun(store)
    assert store.bindings("here") == set()
    assert store.turn("g", 0, NOW + DAY_MS, NOW, "b1", "here")
    assert store.bindings("here") == {("scout", "b1")}


OLD = """
CREATE TABLE manent_oauth_client (id TEXT PRIMARY KEY, name TEXT NOT NULL,
  redirects TEXT NOT NULL, made_ms BIGINT NOT NULL);
CREATE TABLE manent_oauth_code (digest TEXT PRIMARY KEY, client TEXT NOT NULL,
  row TEXT NOT NULL, expires_ms BIGINT NOT NULL, used_ms BIGINT, replayed BOOLEAN NOT NULL,
  gave TEXT NOT NULL);
CREATE TABLE manent_oauth_grant (id TEXT PRIMARY KEY, identity TEXT NOT NULL,
  client TEXT NOT NULL, expires_ms BIGINT NOT NULL, generation INTEGER NOT NULL,
  turned_ms BIGINT NOT NULL, revoked BOOLEAN NOT NULL);
CREATE TABLE manent_oauth_schema (version INTEGER NOT NULL);
INSERT INTO manent_oauth_schema VALUES (1);
INSERT INTO manent_oauth_client VALUES ('client', 'Test', '["http://127.0.0.1/callback"]', 1);
"""
"""What version 1 made."""


def test_what_version_1_kept_is_there_in_this_one(address: str) -> None:
    scheme = "postgresql+psycopg:" if address.startswith("postgresql") else "sqlite:"
    engine = sa.create_engine(scheme + address.partition(":")[2])
    with engine.begin() as connection:
        for statement in OLD.split(";\n"):
            connection.execute(sa.text(statement))
        row = {"e": NOW + DAY_MS, "n": NOW, "no": False}
        connection.execute(
            sa.text(
                "INSERT INTO manent_oauth_grant VALUES ('g', 'scout', 'client', :e, 0, :n, :no)"
            ),
            row,
        )
    engine.dispose()
    store = Store(address)
    assert store.client("client") == CLIENT and store.grant("g") == grant()
    assert store.turn("g", 0, NOW + DAY_MS, NOW)
    begun(store, "another")
    store.close()


def test_a_file_is_its_owners_alone_and_copied_before_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "oauth.db"
    Store(f"sqlite:///{file}").close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def broken(connection: sa.Connection) -> None:
        connection.execute(sa.text("DROP TABLE manent_oauth_client"))
        raise EnvironmentFault("the step does not work")

    with pytest.raises(EnvironmentFault, match="does not work"):
        Store(f"sqlite:///{file}", steps=(*STEPS, broken))
    copy = tmp_path / f"oauth.db.sign-ins.v{len(STEPS) + 1}.backup"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600 and copy.stat().st_size > 0
    store = Store(f"sqlite:///{file}")
    assert store.client("client") is None
    store.close()


@pytest.mark.parametrize("address", ["", "oauth:/x", "mysql://x/y", "sqlite:///"])
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises((UsageError, EnvironmentFault)):
        Store(address)


def test_a_database_that_cannot_be_reached_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot open"):
        Store(f"sqlite:///{tmp_path}/absent/oauth.db")
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(EnvironmentFault, match="database of sign-ins"):
        Store(f"sqlite:///{tmp_path / 'text.db'}")
    with pytest.raises(EnvironmentFault, match="database of sign-ins"):
        Store("postgresql://nobody@127.0.0.1:1/nothing")
