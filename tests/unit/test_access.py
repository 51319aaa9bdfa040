"""Who may see what, and what the agents file may say."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from vaults import note, vault_of

from manent.access import OWNER, Identity, View, agent, load_agents
from manent.errors import EnvironmentFault, NotFound, UsageError

TOKEN = "a token of at least sixteen characters"
DIGEST = hashlib.sha256(TOKEN.encode()).hexdigest()


def loaded(**entry: Any) -> Identity:
    return load_agents(json.dumps({"tide": entry}))["tide"]


def test_an_agents_file_is_read() -> None:
    identity = loaded(
        token=TOKEN,
        read=["ops", "public"],
        write="quarantine/tide",
        git=True,
        history=True,
        journal="journal/tide",
    )
    assert identity == Identity(
        "tide",
        frozenset({"ops", "public"}),
        "quarantine/tide",
        git=True,
        history=True,
        journal="journal/tide",
        token_sha256=DIGEST,
    )
    assert loaded(token_sha256=DIGEST).token_sha256 == DIGEST
    assert not identity.is_owner and not identity.sees_all


def test_what_is_not_said_is_not_granted() -> None:
    assert loaded() == Identity("tide")
    assert not Identity("tide").may_read("public")
    assert loaded(read="*").sees_all and not loaded(read="*").is_owner
    assert loaded(write="*").is_owner and not loaded(write="*").sees_all


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"read": "ops"}, "list of labels"),
        ({"read": [1]}, "list of labels"),
        ({"read": {"ops": True}}, "list of labels"),
        ({"read": None}, "list of labels"),
        ({"read": ["Ops"]}, "no slug"),
        ({"read": ["ops "]}, "no slug"),
        ({"read": ["ops\n"]}, "no slug"),
        ({"read": ["*"]}, "no slug"),
        ({"read": ["private"]}, "never granted"),
        ({"write": "quarantine/moss"}, "write must be"),
        ({"write": "quarantine/tide/"}, "write must be"),
        ({"write": "quarantine/../memory"}, "write must be"),
        ({"write": True}, "write must be"),
        ({"journal": "journal/moss"}, "journal must be"),
        ({"git": "yes"}, "true or false"),
        ({"history": 1}, "true or false"),
        ({"token": "short"}, "16 characters"),
        ({"token": 1234567890123456}, "16 characters"),
        ({"token_sha256": DIGEST.upper()}, "64 hexadecimal"),
        ({"token_sha256": "abc"}, "64 hexadecimal"),
        ({"token": TOKEN, "token_sha256": DIGEST}, "not both"),
        ({"raed": ["ops"]}, "unknown field raed"),
        ([], "must be an object"),
        ("*", "must be an object"),
    ],
)
def test_what_is_written_otherwise_is_refused(entry: Any, said: str) -> None:
    with pytest.raises(EnvironmentFault) as fault:
        load_agents(json.dumps({"tide": entry}), "agents.json")
    assert said in str(fault.value) and "agents.json" in str(fault.value)
    assert TOKEN not in str(fault.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("[]", "must be an object"),
        ("{'tide': {}}", "no JSON"),
        ('{"tide": {}, "tide": {}}', "stands twice"),
        ('{"tide": {"read": ["ops"], "read": "*"}}', "stands twice"),
        ("[" * 100_000, "no JSON"),
        ('{"Tide": {}}', "slug"),
        ('{"": {}}', "slug"),
        ('{"../tide": {}}', "slug"),
        (
            json.dumps({"tide": {"token": TOKEN}, "moss": {"token_sha256": DIGEST}}),
            "same token",
        ),
    ],
)
def test_a_file_at_fault_is_refused_whole(text: str, said: str) -> None:
    with pytest.raises(EnvironmentFault, match=said) as fault:
        load_agents(text)
    assert TOKEN not in str(fault.value) and DIGEST not in str(fault.value)


def test_an_agent_is_found_by_name() -> None:
    agents = load_agents('{"tide": {}}')
    assert agent(agents, "tide").name == "tide"
    for name in ("moss", ""):
        with pytest.raises(UsageError):
            agent(agents, name)


# -- views ------------------------------------------------------------------

FILES = {
    "README.md": note("readme", "[[ops-map]]", audience="[team]"),
    "ops/ops-map.md": note("ops-map", "[[team-map]] [[port]]", audience="[ops]"),
    "team/team-map.md": note("team-map", "[[ops-map]] [[port]]", audience="[team]"),
    "team/port.md": note("port", "[[team-map]]", audience="[team, public]"),
    "ops/port.md": note("port", audience="[ops]"),
    "front.md": note("front", "[[port]]", audience="[team]"),
    "lone.md": note("lone", "[[port]]"),
    "mixed.md": note("mixed", "[[lone]]", audience="[team, private]"),
    "quarantine/tide/draft.md": note("draft", "[[team-map]]", audience="[team]"),
    "picture.png": "x",
}
TEAM = Identity("tide", frozenset({"team"}))


def shown(view: View) -> list[str]:
    return [n.path for n in view.notes()]


def test_a_view_holds_what_the_labels_open(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)
    assert shown(View(vault)) == sorted(p for p in FILES if p.endswith(".md"))
    assert shown(View(vault, TEAM)) == ["front.md", "team/port.md", "team/team-map.md"]
    assert shown(View(vault, Identity("x", frozenset({"public"})))) == ["team/port.md"]
    for nothing in (frozenset[str](), frozenset({"private"}), frozenset({"other"})):
        assert shown(View(vault, Identity("x", nothing))) == []
    assert View(vault).whole and not View(vault, TEAM).whole


def test_what_is_hidden_is_as_absent(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)
    view = View(vault, TEAM)
    for name in ("ops-map", "ops/ops-map.md", "lone", "README", "mixed", "draft", "picture.png"):
        with pytest.raises(NotFound) as hidden:
            view.find(name)
        with pytest.raises(NotFound) as absent:
            view.find("nowhere")
        assert str(hidden.value) == str(absent.value).replace("nowhere", name)
    secret = vault.note("ops/ops-map.md")
    for read in (view.text, view.content):
        with pytest.raises(NotFound):
            read(secret)
    assert list(view.notes_of({secret.id})) == []


def test_names_resolve_as_if_the_hidden_were_gone(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)
    with pytest.raises(NotFound, match="several notes answer to port") as several:
        View(vault).find("port")
    assert "ops/port.md, team/port.md" in several.value.hint
    assert View(vault, TEAM).find("port").path == "team/port.md"


def test_links_lead_and_come_only_where_both_ends_are_seen(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)
    view = View(vault, TEAM)
    team, port = vault.note("team/team-map.md"), vault.note("team/port.md")
    # To the owner [[port]] at the root is ambiguous; to the team it is not.
    front = vault.note("front.md")
    assert View(vault).edges_from(front) == []
    assert [e.target for e in view.edges_from(front)] == [port.id]
    ops = vault.note("ops/ops-map.md")
    assert [e.target for e in View(vault).edges_from(team)] == [ops.id, port.id]
    assert [e.target for e in view.edges_from(team)] == [port.id]
    assert [e.source for e in view.edges_to(team)] == [port.id]
    assert {e.source for e in view.edges_to(port)} == {front.id, team.id}


def test_of_the_past_only_what_is_unchanged_is_seen(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)
    now = {n.path: n for n in vault.notes()}
    past = frozenset({now["team/port.md"].oid, now["ops/ops-map.md"].oid})
    view = View(vault, TEAM, past)
    assert shown(view) == ["team/port.md"]
    with pytest.raises(NotFound):
        view.find("team-map")
    assert view.edges_to(now["team/port.md"]) == []
    # An owner's own scope over a past is bounded too: whoever gave one meant it.
    assert shown(View(vault, OWNER, past)) == ["ops/ops-map.md", "team/port.md"]


def test_only_an_owner_is_called_owner() -> None:
    with pytest.raises(EnvironmentFault, match="only an owner is called owner"):
        load_agents('{"owner": {"read": ["team"]}}')
    assert load_agents('{"owner": {"read": "*", "write": "*"}}')["owner"].is_owner
