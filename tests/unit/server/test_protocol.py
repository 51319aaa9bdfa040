"""The server object: what it says of itself, to whom, and what clients cannot make it do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.shared.exceptions import MCPError

from manent.access import OWNER, Identity
from manent.server.answer import Answer, Question
from manent.server.protocol import TASKS, UI, Page, asked_in, build, result_of
from manent.server.tool import Asked

AGENT = Identity("tide", frozenset({"team"}), "quarantine/tide")
KEEPER = Identity("keeper", frozenset({"team"}), "*")
FREE = Page("ui://manent/graph", "graph", "<p>graph</p>", {"prefersBorder": True})
OWNERS = Page("ui://manent/gaps", "gaps", "<p>gaps</p>", {}, owner_only=True)
MODERN, LEGACY = "auto", "legacy"


class Offers:
    """Pages, and one tool that answers with what it was asked."""

    pages: Sequence[Page] = (FREE, OWNERS)

    def __init__(self) -> None:
        self.asked: list[Asked] = []

    def tools(self, identity: Identity) -> list[types.Tool]:
        return [types.Tool(name="a", description="A.", input_schema={"type": "object"})]

    async def call(
        self, context: Any, identity: Identity, params: types.CallToolRequestParams
    ) -> Any:
        self.asked.append(asked_in(context, params))
        return result_of(Answer({"who": identity.name}))


def drive(
    work: Callable[[Client], Awaitable[Any]],
    identity: Identity = OWNER,
    mode: str = MODERN,
    offer: Offers | None = None,
    bus: InMemorySubscriptionBus | None = None,
    **given: Any,
) -> Any:
    async def run() -> Any:
        server = build(offer or Offers(), lambda context: identity, bus=bus, **given)
        async with Client(server, mode=mode) as client:
            return await work(client)

    return anyio.run(run)


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_pages_are_announced_in_both_eras(mode: str) -> None:
    """Hosts render no page where the extension is missing from ``initialize``."""

    async def work(client: Client) -> Any:
        return client.server_capabilities.extensions

    assert drive(work, mode=mode) == {UI: {"mimeTypes": ["text/html;profile=mcp-app"]}}


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_no_revision_is_offered_what_it_refuses(mode: str) -> None:
    """Tasks are not there with the handshake."""

    async def work(client: Client) -> Any:
        return client.server_capabilities.extensions

    offered = drive(work, mode=mode, extensions={TASKS: {}, UI: {}, "org.example/other": {}})
    assert set(offered) == {UI, "org.example/other"} | ({TASKS} if mode == MODERN else set())


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
@pytest.mark.parametrize(
    ("identity", "uris"),
    [(OWNER, {FREE.uri, OWNERS.uri}), (AGENT, {FREE.uri}), (KEEPER, {FREE.uri})],
)
def test_pages_are_shown_to_whom_they_are_for(
    mode: str, identity: Identity, uris: set[str]
) -> None:
    async def work(client: Client) -> Any:
        listed = {str(found.uri) for found in (await client.list_resources()).resources}
        read = {}
        for uri in (FREE.uri, OWNERS.uri, "ui://manent/none", "file:///etc/passwd"):
            try:
                read[uri] = (await client.read_resource(uri)).contents[0]
            except MCPError as error:
                read[uri] = error.error.model_dump(mode="json")
        return listed, read

    listed, read = drive(work, identity, mode)
    assert listed == uris
    assert read[FREE.uri].meta == {"ui": {"prefersBorder": True}}
    refused = {uri: said for uri, said in read.items() if isinstance(said, dict)}
    assert set(refused) == {OWNERS.uri, "ui://manent/none", "file:///etc/passwd"} - uris
    # What is not for the asker fails as what is not there fails.
    for uri, said in refused.items():
        assert said["code"] == (-32602 if mode == MODERN else -32002)
        assert (said["message"], said["data"]) == ("Resource not found", {"uri": uri})


@pytest.mark.parametrize(
    ("identity", "told"),
    # That a page changed says that something was there: to whom notes are hidden, nothing.
    [(OWNER, [OWNERS.uri, FREE.uri]), (AGENT, [])],
)
def test_nobody_waits_for_word_of_what_is_hidden(identity: Identity, told: list[str]) -> None:
    bus = InMemorySubscriptionBus()
    wanted = [OWNERS.uri, FREE.uri, "note://hidden"]

    async def work(client: Client) -> Any:
        heard = []
        async with client.listen(resource_subscriptions=wanted) as stream:
            honoured = stream.honored.resource_subscriptions
            for uri in wanted:
                await bus.publish(ResourceUpdated(uri=uri))
            with anyio.move_on_after(0.5):
                async for event in stream:
                    heard.append(event)
        return honoured, heard

    honoured, heard = drive(work, identity, bus=bus)
    assert [str(uri) for uri in honoured or ()] == told
    assert {str(event.uri) for event in heard} == set(told)


def test_lists_are_cached_for_nobody_else() -> None:
    """What is listed depends on who asks: a shared cache must not keep it."""

    async def work(client: Client) -> Any:
        return [
            await client.list_tools(),
            await client.list_resources(),
            await client.list_resource_templates(),
            await client.read_resource(FREE.uri),
        ]

    for found in drive(work):
        assert found.cache_scope == "private" and found.ttl_ms >= 0


def test_what_a_client_declared_holds_for_the_call_that_carries_it() -> None:
    offer = Offers()

    async def work(client: Client) -> None:
        await client.call_tool("a", {})

    async def asks(context: Any, params: Any) -> Any:
        return types.ElicitResult(action="decline")

    async def run(mode: str, **given: Any) -> None:
        server = build(offer, lambda context: OWNER)
        async with Client(server, mode=mode, **given) as client:
            await work(client)

    asyncio.run(run(MODERN))
    asyncio.run(run(MODERN, elicitation_callback=asks))
    asyncio.run(run(LEGACY, elicitation_callback=asks))
    # The legacy wire has no such round: there nothing counts as declared.
    assert [asked.form for asked in offer.asked] == [False, True, False]


def test_answers_and_questions_as_the_wire_has_them() -> None:
    said = result_of(Answer({"a": "città"}, structured=True))
    assert isinstance(said, types.CallToolResult)
    assert said.structured_content == {"a": "città"} and not said.is_error
    assert json.loads(said.content[0].text) == {"a": "città"}  # type: ignore[union-attr]
    plain = result_of(Answer(text="no", failed=True))
    assert isinstance(plain, types.CallToolResult)
    assert plain.is_error and plain.structured_content is None
    schema = {"type": "object", "properties": {"yes": {"type": "boolean"}}}
    question = result_of(Question("confirm", "Write?", schema, "sealed"))
    assert isinstance(question, types.InputRequiredResult)
    shown = question.model_dump(by_alias=True, mode="json", exclude_none=True)
    assert shown["resultType"] == "input_required" and shown["requestState"] == "sealed"
    asked = shown["inputRequests"]["confirm"]
    assert asked["method"] == "elicitation/create"
    assert asked["params"]["requestedSchema"] == schema and asked["params"]["mode"] == "form"
