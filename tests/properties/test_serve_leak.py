"""What is hidden changes no byte that an agent is told by the server.

Each call is made of a server of a vault and of one of the same vault from which
everything hidden was deleted: over a folder, a working tree and a bare brain, of now and
of a day in the past, through the official client. Key, clock and ids are the same.
"""

from __future__ import annotations

import contextlib
import datetime
import itertools
import json
import logging
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from hidden_notes import AGENTS, ASKED_DAYS, DAYS, history, shown
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from random_vaults import EXAMPLES, PATHS, QUERIES, TARGETS, applied, edits, lay, slowly, vaults

from manent.access import Identity, load_agents
from manent.cli.opening import locate
from manent.server.asked import Questions
from manent.server.brain import Brain
from manent.server.dispatch import Dispatcher, Parts
from manent.server.journals import lines
from manent.server.protocol import BrainOffer, Page, build
from manent.server.served import Served
from manent.server.touched import Touched
from manent.server.writing import Writing

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
KEY = b"k" * 32
KINDS = ("folder", "tree", "brain")
PAGES = (
    Page("ui://manent/graph", "graph", "<p>"),
    Page("ui://manent/gaps", "gaps", "<p>", {}, True),
)
_SHOWN_PAGES = 3
"""Parts of one long answer that are asked for."""

Asked = tuple[str, dict[str, Any]]

names = st.sampled_from((*PATHS, *TARGETS, "README", ".manentignore", "memory/a", "", "no/../a"))
limits = st.sampled_from((1, 2, 100))
reading = st.one_of(
    st.tuples(
        st.just("brain_search"),
        st.fixed_dictionaries(
            {"query": st.sampled_from((*QUERIES, "salt", "nothing of the kind"))},
            optional={"k": st.sampled_from((1, 3, 50))},
        ),
    ),
    st.tuples(st.just("brain_read"), st.fixed_dictionaries({"name": names})),
    st.tuples(st.just("brain_read_raw"), st.fixed_dictionaries({"name": names})),
    st.tuples(
        st.sampled_from(("brain_neighbors", "brain_graph")),
        st.fixed_dictionaries({"name": names}, optional={"depth": st.integers(1, 3)}),
    ),
    st.tuples(
        st.just("brain_list"),
        st.fixed_dictionaries(
            {}, optional={"type": st.sampled_from(("moc", "reference")), "limit": limits}
        ),
    ),
    st.tuples(
        st.just("brain_grep"),
        st.fixed_dictionaries(
            {"pattern": st.sampled_from(("harbour|rope", ".", "(?i)ZANZ", "(", "[[]"))},
            optional={"limit": limits},
        ),
    ),
    st.tuples(
        st.just("brain_curate"),
        st.fixed_dictionaries(
            {"report": st.sampled_from(("duplicates", "contradictions", "communities"))}
        ),
    ),
)
reporting = st.one_of(
    st.tuples(st.just("brain_quarantine"), st.fixed_dictionaries({}, optional={"limit": limits})),
    st.tuples(
        st.just("brain_feedback"),
        st.fixed_dictionaries(
            {"verdict": st.sampled_from(("wrong", "helpful"))},
            optional={"note": names, "searchId": st.sampled_from(("id-1", "id-2", "none"))},
        ),
    ),
    st.just(("brain_gaps", {})),
    st.just(("brain_read", {"name": "a", "cursor": "c7"})),
    st.just(("brain_list", {"cursor": "c999999"})),
    st.just(("brain_search", {"query": "salt", "cursor": "c1"})),
    st.just(("brain_list", {"rev": "HEAD"})),
)
slugs = st.sampled_from(("a", "b", "c", "d", "e", "x", "con", "readme", "new-one", "t"))
bodies = st.sampled_from(
    (
        "Plain words of the quay.\n",
        "See [[a]], [[b]] and [[memory/c]].\n",
        "[[nowhere]] ![[d#none]] [x](../b.md)\n",
        "supersedes [[tide/d]]\n",
        "",
    )
)
writing = st.one_of(
    st.tuples(
        st.just("brain_write"),
        st.fixed_dictionaries(
            {
                "name": slugs,
                "description": st.sampled_from(("About b", "New words")),
                "type": st.sampled_from(("reference", "moc", "odd")),
                "body": bodies,
            },
            optional={
                "mode": st.sampled_from(("create", "overwrite")),
                "dir": st.sampled_from(("memory", "quarantine/tide", "a.md", "deep/secrets", "..")),
            },
        ),
    ),
    st.tuples(st.just("brain_append"), st.fixed_dictionaries({"name": slugs, "body": bodies})),
)


_AUDIENCE = re.compile(rb"^audience:.*\n", re.M)


@st.composite
def readable(draw: st.DrawFn, most: int) -> dict[str, bytes]:
    """A random vault of whose notes about half are for somebody."""
    files = draw(vaults(most)) | draw(vaults(most))
    for path, content in files.items():
        label = draw(st.sampled_from((b"team", b"team", b"team, ops", b"ops, public", b"")))
        if label and content.startswith(b"---\n"):
            rest = _AUDIENCE.sub(b"", content)[4:]
            files[path] = b"---\naudience: [" + label + b"]\n" + rest
    return files


class Heard(logging.Handler):
    """What the server logs."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.getMessage()}")


@contextlib.contextmanager
def serving(root: Path, register: Path, writable: bool) -> Iterator[Dispatcher]:
    """Serve what stands at ``root`` with all its parts, none of them random."""
    place = locate(str(root))
    repository = place.repository
    branch = "" if repository is None else repository.head_branch
    served = Served(place.root, repository, place.prefix, branch, place.state, retriever="bm25")
    count = itertools.count(1)
    with contextlib.ExitStack() as stack:
        brain = Brain(served)
        stack.callback(brain.close)
        touched = Touched(served.reopened(), served.prefix, served.state, served.root)
        stack.callback(touched.close)
        questions = Questions(str(register), new_id=lambda: f"id-{next(count)}")
        stack.callback(questions.close)
        parts = Parts(register=questions, lines=lines, touches=touched.touches, key=KEY)
        parts.now, parts.new_id = lambda: NOW, lambda: "an-id"
        if writable:
            parts.writer = Writing(brain, git=repository is not None)
            stack.callback(parts.writer.close)
        brain.start()
        yield Dispatcher(brain, parts)


async def told(dispatcher: Dispatcher, identity: Identity, asked: Sequence[Asked]) -> list[str]:
    """Return every byte that an agent is told: of lists, resources, answers, errors."""
    offer = BrainOffer(dispatcher, PAGES, quick=1, slow=1)
    server = build(offer, lambda context: identity)
    said: list[str] = []
    try:
        async with Client(server, mode="auto") as client:
            said.append((await client.list_tools()).model_dump_json())
            said.append((await client.list_resources()).model_dump_json())
            for page in (*PAGES, Page("ui://manent/none", "", "")):
                try:
                    said.append((await client.read_resource(page.uri)).model_dump_json())
                except MCPError as error:
                    said.append(str(error.error))
            for name, arguments in asked:
                said += await _called(client, name, arguments)
    finally:
        offer.close()
    return said


async def _called(client: Client, name: str, arguments: Mapping[str, Any]) -> list[str]:
    said = []
    given = dict(arguments)
    for _ in range(_SHOWN_PAGES):
        try:
            result = await client.call_tool(name, given)
        except MCPError as error:
            return [*said, str(error.error)]
        said.append(result.model_dump_json())
        text = result.content[0].text if result.content else ""  # type: ignore[union-attr]
        document = json.loads(text) if text.startswith("{") and not result.is_error else {}
        if "cursor" not in document:
            break
        given["cursor"] = document["cursor"]
    return said


def answers(
    root: Path, identity: Identity, asked: Sequence[Asked], writable: bool
) -> tuple[list[str], list[str]]:
    heard = Heard()
    log = logging.getLogger("manent.server")
    log.addHandler(heard)
    try:
        with (
            tempfile.TemporaryDirectory() as aside,
            serving(root, Path(aside) / "register.sqlite", writable) as dispatcher,
        ):
            return anyio.run(told, dispatcher, identity, asked), heard.lines
    finally:
        log.removeHandler(heard)


def compared(
    kind: str,
    worlds: Sequence[list[dict[str, bytes]]],
    identity: Identity,
    asked: Sequence[Asked],
    writable: bool = False,
) -> None:
    """Hold that both worlds, each the steps of a history, are told of in the same bytes."""
    with tempfile.TemporaryDirectory() as place:
        # In the same place one after the other: not even a path in an error may differ.
        root, found = Path(place) / "vault", []
        for steps in worlds:
            shutil.rmtree(root, ignore_errors=True)
            if kind == "folder":
                root.mkdir()
                lay(root, steps[-1])
            else:
                history(root, steps, bare=kind == "brain")
            found.append(answers(root, identity, asked, writable))
        (one, logged), (other, logged_too) = found
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            assert a == b, (number, asked)
        assert logged == logged_too


def steps_of(
    data: st.DataObject, files: dict[str, bytes], agent: str, own: bool = False
) -> tuple[Identity, list[list[dict[str, bytes]]]]:
    """Draw a history; return who asks, and the history with and without what is hidden.

    own: the drafts of who asks stay, which nobody reads but an owner: whoever wrote them
    knows that they are there.
    """
    steps = [files]
    for _ in DAYS[1:]:
        steps.append(applied(steps[-1], data.draw(edits(steps[-1]))))
    identity = load_agents(json.dumps(AGENTS))[agent]
    looks = []
    for step in steps:
        with tempfile.TemporaryDirectory() as place:
            lay(Path(place), step)
            looks.append(shown(Path(place), identity))
    today = set(looks[-1].values())
    kept = []
    for step, look in zip(steps, looks, strict=True):
        drafts = {p: c for p, c in step.items() if own and p.startswith(f"{identity.write}/")}
        seen = {p: c for p, c in look.items() if c in today or p == ".manentignore"}
        kept.append(drafts | seen)
    return identity, [steps, kept]


agents = st.sampled_from(sorted(AGENTS))
named = st.sampled_from(("brain_read", "brain_read_raw", "brain_neighbors", "brain_graph"))


def calls(data: st.DataObject, files: Mapping[str, bytes], drawn: Any, most: int) -> list[Asked]:
    """Draw calls; every file of the vault is asked for by one of them."""
    asked: list[Asked] = data.draw(st.lists(drawn, min_size=6, max_size=most))
    return asked + [(data.draw(named), {"name": path}) for path in files]


@slowly
@given(readable(8), agents, st.sampled_from(KINDS), st.data())
def test_a_hidden_note_changes_no_byte(
    files: dict[str, bytes], agent: str, kind: str, data: st.DataObject
) -> None:
    own = data.draw(st.booleans())
    identity, worlds = steps_of(data, files, agent, own)
    asked = calls(data, worlds[0][-1], st.one_of(reading, reading, reporting), 24)
    if not own:  # the queue shows an agent its own drafts
        asked = [one for one in asked if one[0] != "brain_quarantine"]
    compared(kind, worlds, identity, asked)


@settings(slowly, max_examples=max(4, EXAMPLES // 3))
@given(
    readable(6), st.sampled_from(["tide", "moss", "none"]), st.sampled_from(KINDS[1:]), st.data()
)
def test_of_the_past_an_agent_is_told_what_it_sees_today(
    files: dict[str, bytes], agent: str, kind: str, data: st.DataObject
) -> None:
    identity, worlds = steps_of(data, files, agent)
    asked = [
        (name, {**arguments, "rev": data.draw(st.sampled_from(ASKED_DAYS))})
        for name, arguments in calls(data, files, reading, 14)
    ]
    compared(kind, worlds, identity, asked)


@settings(slowly, max_examples=max(4, EXAMPLES // 3))
@given(readable(6), st.sampled_from(KINDS), st.data())
def test_who_writes_learns_nothing_of_what_is_hidden(
    files: dict[str, bytes], kind: str, data: st.DataObject
) -> None:
    identity, worlds = steps_of(data, files, "tide", own=True)
    asked = data.draw(st.lists(st.one_of(writing, writing, reading), min_size=3, max_size=8))
    compared(kind, worlds, identity, asked, writable=True)
