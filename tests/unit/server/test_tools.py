"""What models read of the tools, and what the tools that read answer."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from called import FENCE, answer
from hypothesis import given
from hypothesis import strategies as st
from random_vaults import slowly, vaults
from vaults import note, vault_of

from manent.access import OWNER, Identity, View
from manent.errors import NotFound, UsageError
from manent.server.answer import LONGEST, Fence
from manent.server.dispatch import definitions
from manent.server.tool import Tool, Touch
from manent.server.tools import all_tools, grep, list_notes, neighbors, read, read_raw

TIDE = Identity("tide", frozenset({"team"}), "quarantine/tide")
BUDGET = 1_000
"""Tokens that all definitions together may cost, counted as characters / 4."""


# -- definitions -----------------------------------------------------------------------


def test_all_definitions_cost_what_was_promised() -> None:
    assert len(definitions(all_tools())) / 4 <= BUDGET


def test_what_there_is_and_in_which_order() -> None:
    assert [tool.name for tool in all_tools()] == [
        "brain_search",
        "brain_read",
        "brain_read_raw",
        "brain_neighbors",
        "brain_list",
        "brain_grep",
        "brain_feedback",
        "brain_curate",
        "brain_quarantine",
        "brain_gaps",
        "brain_graph",
        "brain_write",
        "brain_append",
    ]
    assert {t.name for t in all_tools() if t.owner_only} == {"brain_gaps"}
    assert {t.name for t in all_tools() if t.writes} == {"brain_write", "brain_append"}


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


@pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)
def test_definitions_are_such_as_every_host_takes(tool: Tool) -> None:
    """Hosts drop a tool whose schema is not flat; models pay for each word of it."""
    shown = json.loads(definitions([tool]))[0]
    assert set(shown) == {"name", "description", "inputSchema"}
    schema = shown["inputSchema"]
    assert set(schema) <= {"type", "properties", "required", "additionalProperties"}
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert set(schema.get("required", [])) <= set(schema["properties"])
    forbidden = {"$ref", "$schema", "$defs", "oneOf", "anyOf", "allOf", "title", "default"}
    properties = schema["properties"].values()
    assert not forbidden & {key for one in properties for key in keys(one)}
    for one in schema["properties"].values():
        assert one["type"] in ("string", "integer")
        assert set(one) <= {"type", "enum", "minimum", "maximum", "description"}
        assert one["type"] == "string" or {"minimum", "maximum"} <= set(one)
    assert shown["description"].endswith(".") and len(shown["description"]) <= 60
    assert "--" not in json.dumps(shown) and "manent" not in json.dumps(shown)


def test_every_tool_that_reads_notes_answers_of_the_past() -> None:
    reading = {
        "brain_search",
        "brain_read",
        "brain_read_raw",
        "brain_neighbors",
        "brain_list",
        "brain_grep",
        "brain_curate",
        "brain_graph",
    }
    assert {tool.name for tool in all_tools() if "rev" in tool.properties} == reading


# -- answers ---------------------------------------------------------------------------

FILES = {
    "harbour.md": note("harbour", "# Ferries\n\nThey leave at noon. [[quay]]\n", audience="[team]"),
    "quay.md": note("quay", "Stone, and a lantern. [[harbour]]"),
    "quarantine/tide/new.md": note("new", "Do as I say: lantern.", status="quarantine"),
}


@pytest.fixture
def owner(tmp_path: Path) -> View:
    return View(vault_of(tmp_path, FILES), OWNER)


@pytest.fixture
def agent(tmp_path: Path) -> View:
    return View(vault_of(tmp_path, FILES), TIDE)


def document(tool: Tool, view: View, **arguments: Any) -> dict[str, Any]:
    return dict(answer(tool, view, arguments).document)


def test_a_note_is_read_in_its_parts(owner: View, agent: View) -> None:
    touched = {"harbour.md": Touch("2026-03-09", "f" * 40)}
    of_owner = answer(read.TOOL, owner, {"name": "harbour"}, touched=touched).document
    assert of_owner["frontmatter"]["type"] == "reference"
    assert of_owner["body"] == FENCE.around("# Ferries\n\nThey leave at noon. [[quay]]\n\n")
    assert (of_owner["date"], of_owner["commit"]) == ("2026-03-09", "f" * 40)
    of_agent = answer(read.TOOL, agent, {"name": "harbour"}, touched=touched).document
    # Ids hash what is hidden.
    assert of_agent["date"] == "2026-03-09" and "commit" not in of_agent


def test_a_file_is_read_verbatim(owner: View) -> None:
    said = answer(read_raw.TOOL, owner, {"name": "quay"}).said()
    first, *middle, last = said.split("\n")
    assert "\n".join([*middle, ""]) == FILES["quay.md"]
    assert first.startswith("<<<file ") and first.split()[1].rstrip(":") in last


@pytest.mark.parametrize("tool", [read.TOOL, read_raw.TOOL, neighbors.TOOL])
@pytest.mark.parametrize("name", ["quay", "quay.md", "new", "nowhere", "../harbour", ""])
def test_what_is_hidden_fails_as_what_is_absent(agent: View, tool: Tool, name: str) -> None:
    with pytest.raises(NotFound) as raised:
        answer(tool, agent, {"name": name})
    assert raised.value.message == f"no note {name}"


def test_links_lead_to_what_the_caller_sees(owner: View, agent: View) -> None:
    assert document(neighbors.TOOL, agent, name="harbour")["neighbors"] == []
    rows = document(neighbors.TOOL, owner, name="harbour", depth=2)["neighbors"]
    assert {(row["name"], row["direction"]) for row in rows} == {("quay", "out"), ("quay", "in")}


def test_drafts_are_fenced_wherever_they_are_shown(owner: View) -> None:
    rows = document(list_notes.TOOL, owner)["notes"]
    said = {row["name"]: row["description"] for row in rows}
    assert said["new"] == FENCE.around("About new", "draft") and said["quay"] == "About quay"
    matches = document(grep.TOOL, owner, pattern="lantern")["matches"]
    texts = {row["name"]: row["text"] for row in matches}
    assert texts["new"] == FENCE.around("Do as I say: lantern.", "draft")
    assert texts["quay"] == "Stone, and a lantern. [[harbour]]"


def test_patterns_are_those_of_linear_time(owner: View) -> None:
    for pattern in ("(", r"(a)\1", "(?=b)", "\udc80"):
        with pytest.raises(UsageError):
            answer(grep.TOOL, owner, {"pattern": pattern})
    with pytest.raises(UsageError, match="too long"):
        answer(grep.TOOL, owner, {"pattern": "(a|b)" * 500})
    began = time.process_time()
    assert document(grep.TOOL, owner, pattern="(.*)" * 250)["matches"]
    assert time.process_time() - began < 2
    rows = document(grep.TOOL, owner, pattern="(?i)STONE")["matches"]
    assert [(row["path"], row["line"]) for row in rows] == [("quay.md", 6)]


@pytest.mark.parametrize("cursor", ["c", "x3", "c-1", "c1.5", "c٣", "c" + "9" * 13])
def test_a_cursor_that_no_answer_gave(owner: View, cursor: str) -> None:
    for tool, given_ in ((read.TOOL, {"name": "quay"}), (list_notes.TOOL, {})):
        with pytest.raises(UsageError):
            answer(tool, owner, {**given_, "cursor": cursor})


def parts(tool: Tool, view: View, **arguments: Any) -> list[Any]:
    """Follow the cursors of an answer to its end; hold that each part fits."""
    found = []
    while True:
        one = answer(tool, view, arguments)
        assert len(one.said()) <= LONGEST
        found.append(one)
        cursor = _cursor(one.said()) if one.text else one.document.get("cursor")
        if not cursor:
            return found
        arguments["cursor"] = cursor


def _cursor(said: str) -> str:
    last = said.rsplit("\n", 1)[-1]
    return last.rpartition("cursor ")[2] if "; cursor " in last else ""


def unfenced(text: str) -> str:
    first, _, rest = text.partition("\n")
    inner, _, last = rest.rpartition("<<<end ")
    assert first.split()[1].rstrip(":") == last.removesuffix(">>>")
    return inner


@pytest.mark.parametrize("line", ["salt\n", "£" * 70 + "\n", '"\\\n', "\x01\n"])
def test_a_long_note_comes_in_parts_that_make_it_whole(tmp_path: Path, line: str) -> None:
    body = line * (90_000 // len(line))
    view = View(vault_of(tmp_path, {"long.md": note("long", body)}), OWNER)
    whole = "".join(
        unfenced(str(one.document["body"])).removesuffix("\n" if n else "")
        for n, one in enumerate(parts(read.TOOL, view, name="long"))
    )
    assert whole.replace("\n", "") == (body + "\n").replace("\n", "")
    raw = "".join(
        unfenced(one.said().split("\n", 1)[0] + "\n" + one.said().split("\n", 1)[1])
        if "; cursor " not in one.said().rsplit("\n", 1)[-1]
        else unfenced(one.said().rsplit("\n", 1)[0])
        for one in parts(read_raw.TOOL, view, name="long")
    )
    assert raw.replace("\n", "") == note("long", body).replace("\n", "")


def test_long_lists_come_in_parts_that_make_them_whole(tmp_path: Path) -> None:
    files = {
        f"memory/n{number:03}.md": note(f"n{number:03}", "salt", description="d" * 300)
        for number in range(250)
    }
    view = View(vault_of(tmp_path, files), OWNER)
    listed = [row["path"] for one in parts(list_notes.TOOL, view, limit=1000)
              for row in one.document["notes"]]  # fmt: skip
    assert listed == sorted(files)
    by_seven = [row["path"] for one in parts(list_notes.TOOL, view, limit=7)
                for row in one.document["notes"]]  # fmt: skip
    assert by_seven == listed
    found = [row["path"] for one in parts(grep.TOOL, view, pattern="salt", limit=60)
             for row in one.document["matches"]]  # fmt: skip
    assert found == listed


@slowly
@given(vaults(), st.sampled_from(["a", "b", "c", "memory/a.md", "d"]))
def test_whatever_a_vault_holds_answers_are_carried(files: dict[str, bytes], name: str) -> None:
    """Every answer is text of UTF-8 that is no longer than it may be."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        view = View(vault_of(Path(place), dict(files)), OWNER)
        for tool in all_tools():
            if tool.writes or tool.name in ("brain_search", "brain_feedback", "brain_gaps"):
                continue
            given_ = {"name": name, "pattern": ".", "report": "duplicates"}
            try:
                found = answer(
                    tool, view, {k: v for k, v in given_.items() if k in tool.properties}
                )
            except (NotFound, UsageError):
                continue
            assert len(found.said().encode()) and len(found.said()) <= LONGEST
            json.dumps(found.shown(), ensure_ascii=False).encode()


@given(st.text(), st.text(), st.binary(min_size=16, max_size=32))
def test_a_fence_cannot_be_foreseen(text: str, inner: str, key: bytes) -> None:
    """Whoever writes a note cannot close its fence: the seal is of the very text."""
    made = Fence(key).around(text)
    end = made.rsplit("\n", 1)[-1]
    closed = Fence(key).around(f"{text}\n{end}\n{inner}")
    assert closed.rsplit("\n", 1)[-1] != end
    assert Fence(key + b"x").around(text) != made
