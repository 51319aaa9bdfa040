"""What signing in remembers: once is once, in a file and in PostgreSQL."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from postgres import empty, running

from manent.errors import EnvironmentFault, UsageError
from manent.server.oauth import store as module
from manent.server.oauth.store import DAY_MS, Grant, Registered, Store

NOW = 1_900_000_000_000
CLIENT = Registered("client", "Test", ("http://127.0.0.1/callback",))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running() as found:
        yield found


@pytest.fixture(params=["file", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "file":
        yield f"sqlite:///{tmp_path / 'oauth.db'}"
        return
    found: str = request.getfixturevalue("server")
    yield found
    empty(found)


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
    assert store.register(CLIENT, NOW)
    assert store.client("client") == CLIENT


def test_idle_clients_make_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CLIENTS", 3)
    for n in range(3):
        assert store.register(Registered(f"c{n}", "", ()), NOW)
    assert not store.register(Registered("c3", "", ()), NOW)
    store.keep_code("d", "c0", {}, NOW + 1000, NOW)
    assert store.use_code("d", "c0", NOW) == {}
    assert store.begin(Grant("g", "scout", "c0", NOW + 9 * DAY_MS, 0, NOW), "d", NOW)
    assert store.register(Registered("c3", "", ()), NOW + 2 * DAY_MS)
    assert store.client("c1") is None and store.client("c0") is not None


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
    first.register(CLIENT, NOW)
    begun(first)
    first.close()
    again = Store(address)
    assert again.client("client") == CLIENT and again.grant("g") == grant()
    again.close()


def test_an_older_schema_is_brought_up_and_a_newer_one_refused(address: str) -> None:
    first = Store(address)
    first.register(CLIENT, NOW)
    first.close()

    def step(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE manent_oauth_client ADD COLUMN extra TEXT"))

    newer = Store(address, version=2, steps=(step,))
    with newer._database.writing() as connection:
        columns = {c["name"] for c in sa.inspect(connection).get_columns("manent_oauth_client")}
    newer.close()
    assert "extra" in columns
    with pytest.raises(EnvironmentFault, match="newer manent"):
        Store(address)
    Store(address, version=2, steps=(step,)).close()


def test_a_file_is_its_owners_alone_and_copied_before_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "oauth.db"
    Store(f"sqlite:///{file}").close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def broken(connection: sa.Connection) -> None:
        connection.execute(sa.text("DROP TABLE manent_oauth_client"))
        raise EnvironmentFault("the step does not work")

    with pytest.raises(EnvironmentFault, match="does not work"):
        Store(f"sqlite:///{file}", version=2, steps=(broken,))
    copy = tmp_path / "oauth.db.v1.backup"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600 and copy.stat().st_size > 0
    store = Store(f"sqlite:///{file}")
    assert store.client("client") is None
    store.close()


@pytest.mark.parametrize("address", ["", "oauth.db", "mysql://x/y", "sqlite:///"])
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
