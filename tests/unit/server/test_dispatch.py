"""Who may call what, what is refused before anything runs, and what failures say."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vaults import note, write

from manent.access import OWNER, Identity
from manent.errors import EnvironmentFault, NotFound, Refused
from manent.server.answer import Answer, Question
from manent.server.brain import Brain
from manent.server.dispatch import LONGEST_ARGUMENTS, Dispatcher, Parts, UnknownTool
from manent.server.protocol import LONG, BrainOffer
from manent.server.served import Served
from manent.server.tool import Asked, Call, Tool

TIDE = Identity("tide", frozenset({"team"}), "quarantine/tide")
READER = Identity("reader", frozenset({"team"}))
KEEPER = Identity("keeper", frozenset({"team"}), "*")
WRITING = {"brain_write", "brain_append"}


class Kept:
    """An audit that remembers."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, bool]] = []

    def called(
        self,
        identity: Identity,
        tool: str,
        arguments: Mapping[str, Any],
        answer: Answer | Question,
        elapsed_ms: float,
    ) -> None:
        assert elapsed_ms >= 0
        failed = isinstance(answer, Answer) and answer.failed
        self.calls.append((identity.name, tool, failed))


@pytest.fixture
def brain(tmp_path: Path) -> Iterator[Brain]:
    root = write(
        tmp_path / "vault",
        {
            "harbour.md": note("harbour", "The ferry. [[quay]]", audience="[team]"),
            "quay.md": note("quay", "Stone."),
            "a/twin.md": note("twin"),
            "b/twin.md": note("twin"),
        },
    )
    made = Brain(Served(root, None, "", "", root / ".manent", retriever="bm25"))
    made.start().result()
    yield made
    made.close()


@pytest.fixture
def dispatcher(brain: Brain) -> Dispatcher:
    return Dispatcher(brain)


def said(dispatcher: Dispatcher, name: str, identity: Identity = OWNER, /, **arguments: Any) -> str:
    found = dispatcher.call(identity, name, arguments)
    assert isinstance(found, Answer)
    return ("! " if found.failed else "") + found.said()


class Writes:
    """A writer that is there."""

    def write(self, call: Call, draft: Any) -> Any:
        raise Refused("not today")


def names(dispatcher: Dispatcher, identity: Identity) -> set[str]:
    return {tool.name for tool in dispatcher.listed(identity)}


def test_who_may_call_what(brain: Brain) -> None:
    plain, writable = Dispatcher(brain), Dispatcher(brain, Parts(writer=Writes()))
    everything = names(writable, OWNER)
    assert len(everything) == 13 and names(plain, OWNER) == everything - WRITING
    assert names(writable, TIDE) == everything - {"brain_gaps"}
    assert names(writable, READER) == everything - {"brain_gaps"} - WRITING
    # Who writes everywhere and sees only its labels is no owner of what it does not see.
    assert names(writable, KEEPER) == everything - {"brain_gaps"}


@pytest.mark.parametrize("name", ["brain_gaps", "brain_write", "brain_erase", "", "BRAIN_READ"])
def test_what_is_not_listed_cannot_be_called(dispatcher: Dispatcher, name: str) -> None:
    with pytest.raises(UnknownTool):
        dispatcher.call(READER, name, {})


class TestArguments:
    @pytest.mark.parametrize(
        ("name", "arguments", "wrong"),
        [
            ("brain_read", {}, '"name" is a required property'),
            ("brain_read", {"name": 7}, "name: 7 is not of type"),
            ("brain_read", {"name": None}, "name: null is not of type"),
            ("brain_read", {"name": "a", "path": "b"}, "Additional properties"),
            ("brain_search", {"query": "a", "k": 0}, "k: 0 is less than the minimum"),
            ("brain_search", {"query": "a", "k": 51}, "k: 51 is greater"),
            ("brain_search", {"query": "a", "k": 1.5}, "k: 1.5 is not of type"),
            ("brain_search", {"query": "a", "k": True}, "k: true is not of type"),
            ("brain_curate", {"report": "everything"}, "report: "),
            ("brain_read", {"name": "\ud800"}, "half a character"),
            ("brain_search", {"query": "q" * (LONGEST_ARGUMENTS + 1)}, "too long"),
        ],
    )
    def test_are_checked_before_anything_runs(
        self, dispatcher: Dispatcher, name: str, arguments: dict[str, Any], wrong: str
    ) -> None:
        text = said(dispatcher, name, **arguments)
        assert text.startswith(f"! {name}: ") and wrong in text and len(text) < 500

    @settings(max_examples=60, deadline=None)
    @given(
        arguments=st.dictionaries(
            st.sampled_from(["name", "depth", "rev", "cursor", "x"]),
            st.recursive(
                st.one_of(
                    st.none(),
                    st.booleans(),
                    st.integers(),
                    st.floats(),
                    st.text(st.characters(codec=None), max_size=9),
                ),
                lambda inner: st.one_of(
                    st.lists(inner, max_size=3),
                    st.dictionaries(st.text(max_size=3), inner, max_size=3),
                ),
            ),
        )
    )
    def test_of_any_kind_get_an_answer(self, arguments: dict[str, Any]) -> None:
        dispatcher = _unmoved()
        for name in ("brain_read", "brain_neighbors", "brain_list"):
            found = dispatcher.call(OWNER, name, arguments)
            assert isinstance(found, Answer) and "server failed" not in found.said()
            found.said().encode()

    def test_as_deep_as_can_be_are_refused(self, dispatcher: Dispatcher) -> None:
        nested: Any = "a"
        for _ in range(100_000):
            nested = [nested]
        assert said(dispatcher, "brain_read", name=nested).startswith("! brain_read: ")
        while isinstance(nested, list):  # taken apart by hand: the garbage collector recurses
            nested = nested.pop()


_kept: list[Dispatcher] = []


def _unmoved() -> Dispatcher:
    """Return a dispatcher over a vault of nothing, one for all examples of a law."""
    if not _kept:
        import tempfile

        root = Path(tempfile.mkdtemp())
        brain = Brain(Served(root, None, "", "", root / ".manent", retriever="bm25"))
        brain.start().result()
        _kept.append(Dispatcher(brain))
    return _kept[0]


class TestFailures:
    def test_hints_are_for_who_calls_tools(self, dispatcher: Dispatcher) -> None:
        hint = "(brain_list and brain_search show what there is)"
        assert said(dispatcher, "brain_read", name="none") == f"! no note none {hint}"
        twins = said(dispatcher, "brain_read", name="twin")
        assert "a/twin.md" in twins and "b/twin.md" in twins

    def test_of_the_machine_are_told_to_owners_alone(
        self, brain: Brain, caplog: pytest.LogCaptureFixture
    ) -> None:
        dispatcher = Dispatcher(brain)
        fault = EnvironmentFault("/srv/vault is on fire", "call somebody")
        _replace(dispatcher, "brain_list", fault)
        assert said(dispatcher, "brain_list") == "! /srv/vault is on fire (call somebody)"
        for identity in (READER, KEEPER):
            text = said(dispatcher, "brain_list", identity)
            assert text == "! the server cannot do this now (try again in a moment)"
        assert "/srv" not in caplog.text

    @pytest.mark.parametrize("fault", [KeyError("secret"), RecursionError(), MemoryError()])
    def test_that_are_bugs_say_nothing_and_are_logged(
        self, dispatcher: Dispatcher, caplog: pytest.LogCaptureFixture, fault: Exception
    ) -> None:
        _replace(dispatcher, "brain_list", fault)
        assert said(dispatcher, "brain_list") == "! the server failed; its log says why"
        assert [r.levelno for r in caplog.records] == [logging.ERROR]
        assert "harbour" in said(dispatcher, "brain_read", name="harbour")

    def test_a_note_that_goes_while_it_is_read_is_read_anew(
        self, brain: Brain, dispatcher: Dispatcher
    ) -> None:
        root = brain.served.root
        assert root is not None
        assert "Stone." in said(dispatcher, "brain_read", name="quay")
        (root / "quay.md").write_text(note("quay", "Sand, and more of it."))
        assert "Sand" in said(dispatcher, "brain_read", name="quay")
        (root / "quay.md").unlink()
        assert "no note quay" in said(dispatcher, "brain_read", name="quay")

    def test_a_note_that_became_hidden_is_hidden_at_once(
        self, brain: Brain, dispatcher: Dispatcher
    ) -> None:
        """No reload is waited for: what is read is judged as it is now."""
        root = brain.served.root
        assert root is not None
        assert "ferry" in said(dispatcher, "brain_read", READER, name="harbour")
        (root / "harbour.md").write_text(note("harbour", "A secret ferry.", audience="[ops]"))
        text = said(dispatcher, "brain_read", READER, name="harbour")
        assert text.startswith("! no note harbour")


def _replace(dispatcher: Dispatcher, name: str, fault: Exception) -> None:
    def fails(call: Call) -> Answer:
        raise fault

    dispatcher._tools[name] = Tool(name, "Fails.", {}, fails)


def test_every_call_that_ran_is_kept(brain: Brain) -> None:
    kept = Kept()
    dispatcher = Dispatcher(brain, Parts(audit=[kept]))
    said(dispatcher, "brain_read", name="harbour")
    said(dispatcher, "brain_read", READER, name="quay")
    said(dispatcher, "brain_read", READER)
    with pytest.raises(UnknownTool):
        dispatcher.call(READER, "brain_gaps", {})
    assert kept.calls == [
        ("owner", "brain_read", False),
        ("reader", "brain_read", True),
        ("reader", "brain_read", True),
    ]


def test_a_call_that_nobody_waits_for_ends(brain: Brain) -> None:
    dispatcher, gone = Dispatcher(brain), threading.Event()
    gone.set()
    began = time.monotonic()
    found = dispatcher.call(OWNER, "brain_grep", {"pattern": "."}, cancelled=gone.is_set)
    assert isinstance(found, Answer) and found.document["matches"] == []
    assert time.monotonic() - began < 5


class TestThePast:
    def test_a_folder_has_none(self, dispatcher: Dispatcher) -> None:
        assert "no history" in said(dispatcher, "brain_list", rev="2026-03-09")

    def test_who_may_not_ask_for_it(self, dispatcher: Dispatcher) -> None:
        assert "not for you" in said(dispatcher, "brain_list", READER, rev="2026-03-09")


def test_not_found_is_an_unknown_tool_too() -> None:
    assert issubclass(UnknownTool, NotFound)


def test_a_question_never_waits_for_what_may_take_long(dispatcher: Dispatcher) -> None:
    offer = BrainOffer(dispatcher, slow=1)
    tool, free, held = dispatcher.tool(OWNER, "brain_search"), threading.Event(), threading.Event()

    def search(**given: Any) -> asyncio.Task[Any]:
        return asyncio.ensure_future(offer.run(tool, OWNER, given, Asked()))

    async def asked() -> None:
        # The one thread for slow calls is taken: as by a grep over all notes.
        offer._slow.submit(lambda: (held.set(), free.wait(60)))
        assert await asyncio.to_thread(held.wait, 60)
        long = search(query="ferry " * (LONG // 6 + 1))
        short = await asyncio.wait_for(search(query="ferry"), 30)
        assert "harbour" in short.said() and not long.done()
        free.set()
        assert "harbour" in (await asyncio.wait_for(long, 30)).said()

    try:
        asyncio.run(asked())
    finally:
        free.set()
        offer.close()
