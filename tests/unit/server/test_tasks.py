"""Tasks: whose they are, how they end, who takes them up."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from postgres import running

from manent.server import task_store
from manent.server.protocol import CAPABILITIES
from manent.server.task import CANCELLED, COMPLETED, FAILED, WORKING, Task
from manent.server.task_store import TaskStore
from manent.server.tasks import EXTENSION, Board, Running, _One, _Update

HOUR = 3_600_000

MOST_KEPT, MOST_KEPT_CHARACTERS = 64, 1 << 20


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'tasks.sqlite'}"


@pytest.fixture
def store(address: str) -> Iterator[TaskStore]:
    held = TaskStore(address, "one")
    yield held
    held.close()


def context(owner: str = "owner", declared: bool = True, version: str = "2026-07-28") -> Any:
    extensions: dict[str, Any] = {EXTENSION: {}} if declared else {}
    params = {"_meta": {CAPABILITIES: {"extensions": extensions}}}
    return SimpleNamespace(protocol_version=version, params=params, request=None, owner=owner)


def board(store: TaskStore, **options: Any) -> Board:
    return Board(lambda: store, lambda asked: str(asked.owner), **options)


async def until(held: Board, task: str, *statuses: str, owner: str = "owner") -> dict[str, Any]:
    for _ in range(200):
        row = await held._get(context(owner), _One(taskId=task))
        if row["status"] in statuses:
            return row
        await asyncio.sleep(0.02)
    raise AssertionError(row)


# -- the store ---------------------------------------------------------------------


def test_a_task_is_there_for_everybody_once_begun(store: TaskStore, address: str) -> None:
    store.begin("t", "ines", {"tool": "x"}, 1, HOUR)
    other = TaskStore(address, "two")
    found = other.get("t", "ines", 2)
    assert found is not None and found.payload == {"tool": "x"} and found.status == WORKING


def test_a_task_is_its_owners(store: TaskStore) -> None:
    store.begin("t", "ines", {}, 1, HOUR)
    assert store.get("t", "tide", 2) is None


def test_a_task_expires_at_its_time_and_no_earlier(store: TaskStore) -> None:
    store.begin("t", "ines", {}, 1, HOUR)
    assert store.get("t", "ines", HOUR) is not None
    assert store.get("t", "ines", HOUR + 1) is None


@pytest.mark.parametrize("first", [COMPLETED, FAILED, CANCELLED])
@pytest.mark.parametrize("second", [COMPLETED, FAILED, CANCELLED])
def test_what_ended_a_task_first_holds(store: TaskStore, first: str, second: str) -> None:
    store.begin("t", "ines", {}, 1, HOUR)
    assert store.end("t", first, {"n": 1}, 2)
    assert not store.end("t", second, {"n": 2}, 3)
    assert not store.ask("t", {"k": {}}, 3)
    found = store.get("t", "ines", 4)
    assert found is not None and found.status == first and found.outcome == {"n": 1}


def test_answers_come_one_at_a_time_and_strange_ones_are_ignored(store: TaskStore) -> None:
    store.begin("t", "ines", {}, 1, HOUR)
    store.ask("t", {"a": {}, "b": {}}, 2)
    store.answer("t", {"a": 1, "c": 3}, 3)
    found = store.get("t", "ines", 4)
    assert found is not None and set(found.requests) == {"b"} and found.status == "input_required"
    store.answer("t", {"a": 9, "b": 2}, 5)
    found = store.get("t", "ines", 6)
    assert found is not None and found.status == WORKING and found.responses == {"a": 1, "b": 2}


def test_only_one_server_takes_up_what_was_left_behind(store: TaskStore, address: str) -> None:
    store.begin("t", "ines", {}, 1_000, HOUR)
    two, three = TaskStore(address, "two"), TaskStore(address, "three")
    assert two.take_up(500, 1_400) == []
    taken = [*two.take_up(500, 2_000), *three.take_up(500, 2_000)]
    assert [task.id for task in taken] == ["t"]


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database that several servers have."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'shared.sqlite'}"
        return
    with running() as address:
        yield address


def test_the_most_holds_for_those_that_begin_at_once_at_several_servers(shared: str) -> None:
    stores = [TaskStore(shared, f"server-{n}") for n in range(4)]

    def begin(n: int) -> bool:
        return stores[n % 4].begin(f"t{n}", "ines", {}, 1, HOUR, 16) is not None

    with ThreadPoolExecutor(24) as pool:
        begun = sum(pool.map(begin, range(96)))
    assert begun == 16 == stores[0].under_way("ines", 2)
    assert stores[1].begin("other", "tide", {}, 1, HOUR, 16) is not None
    for store in stores:
        store.close()


def test_the_oldest_that_ended_give_way_of_one_owner_alone(
    shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_store, "MOST_KEPT", MOST_KEPT)
    monkeypatch.setattr(task_store, "MOST_KEPT_CHARACTERS", MOST_KEPT_CHARACTERS)
    store = TaskStore(shared, "one")
    store.begin("tides", "tide", {}, 1, HOUR)
    store.end("tides", COMPLETED, {}, 1)
    for n in range(MOST_KEPT + 9):
        store.begin(f"t{n}", "ines", {}, 1, HOUR)
        store.end(f"t{n}", COMPLETED, {}, n + 2)
    kept = [n for n in range(MOST_KEPT + 9) if store.get(f"t{n}", "ines", 2)]
    assert kept == list(range(9, MOST_KEPT + 9)) and store.get("tides", "tide", 2)
    for n in range(4):
        store.begin(f"long{n}", "ines", {}, 1, HOUR)
        store.end(f"long{n}", FAILED, {"text": "x" * (MOST_KEPT_CHARACTERS // 3)}, 900 + n)
    assert [n for n in range(4) if store.get(f"long{n}", "ines", 2)] == [2, 3]
    assert store.begin("under-way", "ines", {}, 1, HOUR)
    store.begin("book", "ines", {}, 1, HOUR)
    store.end("book", COMPLETED, {"text": "x" * 2 * MOST_KEPT_CHARACTERS}, 999)
    assert store.get("book", "ines", 2) and store.get("under-way", "ines", 2)
    assert not store.get("long3", "ines", 2)
    store.close()


def test_a_newer_database_is_refused(store: TaskStore, address: str) -> None:
    import sqlite3

    from manent.errors import EnvironmentFault

    with sqlite3.connect(address.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE manent_task_schema SET version = 99")
    with pytest.raises(EnvironmentFault, match="newer manent"):
        TaskStore(address, "two")


# -- the board ---------------------------------------------------------------------


def test_a_task_ends_with_what_its_work_returns(store: TaskStore) -> None:
    async def story() -> None:
        held = board(store)

        async def work(running: Running) -> Any:
            return {"content": [{"type": "text", "text": "done"}]}

        begun = await held.begin(context(), {}, work)
        assert begun is not None and begun["resultType"] == "task" and "result" not in begun
        row = await until(held, begun["taskId"], COMPLETED)
        assert row["result"]["content"][0]["text"] == "done"

    asyncio.run(story())


def test_another_identity_hears_that_there_is_none(store: TaskStore) -> None:
    async def story() -> None:
        held = board(store)

        async def work(running: Running) -> Any:
            await asyncio.sleep(60)

        begun = await held.begin(context("ines"), {}, work)
        assert begun is not None
        said = []
        for task in (begun["taskId"], "unknown"):
            for ask in (held._get, held._cancel):
                with pytest.raises(MCPError) as refused:
                    await ask(context("tide"), _One(taskId=task))
                said.append((refused.value.code, refused.value.message))
            with pytest.raises(MCPError) as refused:
                await held._update(context("tide"), _Update(taskId=task, inputResponses={}))
            said.append((refused.value.code, refused.value.message))
        assert set(said) == {(-32602, "No such task")}
        assert (await held._get(context("ines"), _One(taskId=begun["taskId"])))["status"] == WORKING
        await held.close()

    asyncio.run(story())


def test_cancelling_tells_the_work_and_no_result_comes_after(store: TaskStore) -> None:
    async def story() -> None:
        held, told = board(store), []

        async def work(running: Running) -> Any:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                told.append(running.cancelled.is_set())
                return {"content": []}  # one that does not stop when it is asked to

        begun = await held.begin(context(), {}, work)
        assert begun is not None
        task = begun["taskId"]
        await asyncio.sleep(0.05)
        for _ in range(2):
            assert await held._cancel(context(), _One(taskId=task)) == {"resultType": "complete"}
        await asyncio.sleep(0.2)
        row = await until(held, task, CANCELLED)
        assert told == [True] and "result" not in row

    asyncio.run(story())


@pytest.mark.parametrize("hours", [1, -1, 24 * 3650, -24 * 3650])
def test_a_task_lasts_as_long_as_was_said_whatever_the_clock_does(
    store: TaskStore, hours: int
) -> None:
    """A clock that is set neither ends a task that runs nor keeps one that is over for years."""

    async def story() -> None:
        wall, gone = [datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)], [100.0]

        def passes(seconds: float) -> None:
            wall[0] += datetime.timedelta(seconds=seconds)
            gone[0] += seconds

        held = board(store, now=lambda: wall[0], clock=lambda: gone[0])
        ends = asyncio.Event()

        async def work(running: Running) -> Any:
            await ends.wait()
            return {"content": []}

        begun = await held.begin(context(), {}, work)
        assert begun is not None
        task = begun["taskId"]
        wall[0] += datetime.timedelta(hours=hours)
        asked = [held._get(context(), _One(taskId=task)) for _ in range(4)]
        for row in await asyncio.gather(*asked):
            assert row["status"] == WORKING and row["ttlMs"] == HOUR
        ends.set()
        assert (await until(held, task, COMPLETED))["result"] == {"content": []}
        passes(HOUR / 1000 - 10)
        await held._get(context(), _One(taskId=task))
        wall[0] -= datetime.timedelta(hours=hours)
        await held._get(context(), _One(taskId=task))
        passes(20)
        with pytest.raises(MCPError, match="No such task"):
            await held._get(context(), _One(taskId=task))
        await held.close()

    asyncio.run(story())


@pytest.mark.parametrize("task", ["", "a\0b", "\ud800", "x" * 5_000, "a b", "'; --"])
def test_what_is_no_id_is_no_task(store: TaskStore, task: str) -> None:
    async def story() -> None:
        with pytest.raises(MCPError, match="No such task"):
            await board(store)._get(context(), _One(taskId=task))

    asyncio.run(story())


def test_a_task_whose_owner_is_not_who_that_was_any_more_is_stopped(store: TaskStore) -> None:
    """Also while it runs; and what a dead server left of it stays where it is."""

    async def story() -> None:
        now = int(datetime.datetime.now(datetime.UTC).timestamp() * 1000)
        store.begin("left", "ines", {}, now - 60_000, HOUR)
        holds = True
        held = board(store, holds=lambda task: holds, resume=lambda task: None)
        stopped = asyncio.Event()

        async def work(running: Running) -> Any:
            try:
                await asyncio.sleep(60)
            finally:
                stopped.set()

        begun = await held.begin(context(), {}, work)
        assert begun is not None
        await held._look()
        assert not stopped.is_set()
        holds = False
        store.begin("later", "ines", {}, now - 60_000, HOUR)
        await held._look()
        await asyncio.wait_for(stopped.wait(), 5)
        later = store.get("later", None, now)
        assert later is not None and later.status == WORKING
        await held.close()

    asyncio.run(story())


def test_a_client_that_declares_nothing_gets_no_task(store: TaskStore) -> None:
    async def story() -> None:
        held = board(store)

        async def work(running: Running) -> Any:
            return {}

        assert await held.begin(context(declared=False), {}, work) is None
        assert await held.begin(context(version="2025-11-25"), {}, work) is None
        with pytest.raises(MCPError) as refused:
            await held._get(context(declared=False), _One(taskId="t"))
        assert refused.value.code == -32021

    asyncio.run(story())


def test_past_the_most_a_call_is_answered_in_line(store: TaskStore) -> None:
    async def story() -> None:
        held = board(store, most=1)

        async def work(running: Running) -> Any:
            await asyncio.sleep(60)

        assert await held.begin(context(), {}, work) is not None
        assert await held.begin(context(), {}, work) is None
        assert await held.begin(context("other"), {}, work) is not None
        await held.close()

    asyncio.run(story())


def test_what_a_dead_server_left_is_done_by_another(store: TaskStore, address: str) -> None:
    async def story() -> None:
        past = int(datetime.datetime.now(datetime.UTC).timestamp() * 1000) - 60_000
        TaskStore(address, "dead").begin("left", "ines", {"n": 7}, past, HOUR)

        def resume(task: Task) -> Any:
            async def work(running: Running) -> Any:
                return {"n": task.payload["n"]}

            return work

        held = board(store, resume=resume)
        held.tick()
        row = await until(held, "left", COMPLETED, owner="ines")
        assert row["result"] == {"n": 7}
        await held.close()

    asyncio.run(story())


def test_a_stop_leaves_what_is_under_way_to_another_server(store: TaskStore, address: str) -> None:
    async def story() -> str:
        held = board(store)

        async def work(running: Running) -> Any:
            await asyncio.sleep(60)

        begun = await held.begin(context(), {}, work)
        assert begun is not None
        await asyncio.sleep(0.05)
        await held.close()
        return str(begun["taskId"])

    task = asyncio.run(story())
    later = int(datetime.datetime.now(datetime.UTC).timestamp() * 1000) + 60_000
    assert [found.id for found in TaskStore(address, "two").take_up(1_000, later)] == [task]
