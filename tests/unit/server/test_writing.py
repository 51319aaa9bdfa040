"""What becomes of a draft: where it goes, what it says, who may read it, what is refused."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vaults import note, refused_values
from vaults import write as write_files
from writes import NOW, SCOUT, TIDE, Desk, reply, yes

from manent.access import OWNER, Identity
from manent.errors import ManentError, NotFound, Refused, UsageError
from manent.facts.facts import parse
from manent.note import read
from manent.server.answer import LONGEST, Question
from manent.server.draft import CREATE, OVERWRITE
from manent.server.drafting import CONTRIBUTORS
from manent.server.tool import Asked
from manent.vault.record import record_of

FILES = {
    "MEMORY.md": note("MEMORY", "- [[first]]", type="index"),
    "memory/first.md": note("first", "See [[second]].", audience="[ops]", tags="[tide]"),
    "memory/second.md": note("second", audience="[ops]"),
    "memory/secret-plan.md": note("secret-plan", "Nobody but the owner reads this."),
    "projects/wiki/ports.md": note("ports"),
    "quarantine/tide/idea.md": note("idea", status="quarantine", author="tide"),
    "notes.canvas": "{}",
}
FORM = Asked(True)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A small vault without a repository."""
    made = Desk(write_files(tmp_path / "vault", FILES))
    yield made
    made.close()


def snapshot(root: Path) -> dict[str, bytes]:
    """Return every file of a vault but those of derived data."""
    found = {}
    for place in sorted(root.rglob("*")):
        path = place.relative_to(root).as_posix()
        if place.is_file() and path.split("/")[0] not in (".manent", ".git"):
            found[path] = place.read_bytes()
    return found


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Return the paths that differ."""
    return {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}


# -- an agent's ------------------------------------------------------------------------


def test_a_draft_goes_to_quarantine_stamped_and_private(desk: Desk) -> None:
    said = desk.write(SCOUT, name="port-map", description="Ports: all", body="Port 8080.")
    assert said == {
        "written": True,
        "status": "created",
        "name": "port-map",
        "path": "quarantine/scout/port-map.md",
        "message": "created quarantine/scout/port-map.md: it is in quarantine and awaits "
        "promotion by an owner",
    }
    assert desk.text("quarantine/scout/port-map.md") == (
        '---\nname: port-map\ndescription: "Ports: all"\ntype: reference\ncreated: 2026-03-09\n'
        "status: quarantine\nauthor: scout\n---\nPort 8080.\n"
    )


def test_what_an_agent_asks_for_counts_for_nothing(desk: Desk) -> None:
    body = "---\nstatus: active\naudience: [public]\nauthor: owner\n---\nText."
    said = desk.write(SCOUT, name="sly", dir="../../memory", body=body)
    front = read((desk.folder / said["path"]).read_bytes()).frontmatter
    assert said["path"] == "quarantine/scout/sly.md"
    assert front["status"] == "quarantine"
    assert front["author"] == "scout"
    assert "audience" not in front


def test_an_agent_replaces_its_own_draft_alone(desk: Desk) -> None:
    desk.write(SCOUT, name="idea", body="Mine.")
    before = snapshot(desk.folder)
    said = desk.write(SCOUT, name="idea", body="Better.", mode=OVERWRITE)
    assert said["status"] == "overwritten"
    assert changed(before, snapshot(desk.folder)) == {"quarantine/scout/idea.md"}
    desk.write(SCOUT, name="first", body="Not the owner's.", mode=OVERWRITE)
    assert desk.text("memory/first.md") == FILES["memory/first.md"]


def test_a_draft_remembers_the_day_it_was_made(desk: Desk) -> None:
    desk.write(SCOUT, name="idea", body="Mine.")
    desk.now = NOW.replace(day=20)
    desk.write(SCOUT, name="idea", body="Better.", mode=OVERWRITE)
    front = read(desk.text("quarantine/scout/idea.md").encode()).frontmatter
    assert (front["created"], front["updated"]) == ("2026-03-09", "2026-03-20")
    desk.now = NOW.replace(day=25)
    assert desk.write(SCOUT, name="idea", body="Better.", mode=OVERWRITE)["status"] == "unchanged"


def test_create_never_replaces(desk: Desk) -> None:
    desk.write(SCOUT, name="idea", body="Mine.")
    with pytest.raises(Refused, match="a note idea exists already"):
        desk.write(SCOUT, name="idea", body="Other.")
    assert desk.text("quarantine/scout/idea.md").endswith("Mine.\n")


def test_a_file_nobody_has_indexed_yet_is_not_replaced_either(desk: Desk) -> None:
    write_files(desk.folder, {"quarantine/scout/fresh.md": "Saved this very moment.\n"})
    with pytest.raises(Refused, match="exists already"):
        desk.write(SCOUT, name="fresh")
    assert desk.text("quarantine/scout/fresh.md") == "Saved this very moment.\n"


def test_an_agent_appends_to_its_own_notes_alone(desk: Desk) -> None:
    desk.write(SCOUT, name="log", body="One.")
    said = desk.append(SCOUT, name="log", body="Two.")
    assert said["status"] == "appended"
    assert desk.text("quarantine/scout/log.md").endswith("---\nOne.\nTwo.\n")
    for name in ("first", "secret-plan", "no-such-note", "idea"):
        with pytest.raises(NotFound, match=f"no note {name} of yours"):
            desk.append(SCOUT, name=name, body="Two.")


def test_an_agent_that_may_not_write_does_not(desk: Desk) -> None:
    before = snapshot(desk.folder)
    with pytest.raises(Refused):
        desk.write(Identity("guest", frozenset({"ops"})), name="port-map")
    assert snapshot(desk.folder) == before


def test_an_append_is_judged_by_the_stamps_that_stand(desk: Desk) -> None:
    desk.write(SCOUT, name="log", body="One.")
    place = desk.folder / "quarantine/scout/log.md"
    place.write_text(place.read_text().replace("status: quarantine\n", "audience: [public]\n"))
    said = desk.append(SCOUT, name="log", body="Two.")
    assert not said["written"]
    assert {row["rule"] for row in said["refused"]} == {"identity"}
    assert "Two." not in place.read_text()


def test_a_name_that_is_taken_where_it_cannot_look_is_as_good_as_free(tmp_path: Path) -> None:
    seen = {p: c for p, c in FILES.items() if p in ("memory/first.md", "memory/second.md")}
    whole = Desk(write_files(tmp_path / "whole", FILES))
    parts = Desk(write_files(tmp_path / "parts", seen))
    for name in ("secret-plan", "ports", "first", "idea", "no-such-note", "memory"):
        answers = []
        for desk in (whole, parts):
            row = [desk.write(SCOUT, name=name, body=f"See [[{name}]] and [[secret-plan]].")]
            row.append(desk.write(SCOUT, name=name, body="Again.", mode=OVERWRITE))
            row.append(desk.append(SCOUT, name=name, body="More."))
            answers.append(json.dumps(row))
        assert answers[0] == answers[1]
    whole.close()
    parts.close()


NAMES = st.one_of(
    st.sampled_from(["idea", "first", "secret-plan", "port-map", "MEMORY", "", ".", "..", "a/b"]),
    st.sampled_from(["../up", "con", "readme", "x" * 200, "x" * 300, "a\0b", "-", "ä", "sly.md"]),
    st.text(max_size=12),
    st.from_regex(r"[a-z0-9]{1,6}(-[a-z0-9]{1,6}){0,2}", fullmatch=True),
)
HEADERS = ["---\naudience: [public]\n---\n", "---\n", "\n---\nstatus: active\n---\n", "\ufeff---\n"]
TEXTS = st.one_of(st.text(max_size=60), st.builds(str.__add__, st.sampled_from(HEADERS), st.text()))
CALLS = st.fixed_dictionaries(
    {
        "name": NAMES,
        "description": st.one_of(st.text(max_size=40), st.just("A: note\nstatus: active")),
        "type": st.one_of(st.sampled_from(["reference", "index", "moc", "raw-source"]), st.text()),
        "body": TEXTS,
        "dir": st.one_of(
            st.sampled_from(
                ["", "memory", "/", "..", "../..", "quarantine/tide", ".git", "secrets"]
            )
        ),
        "mode": st.sampled_from([CREATE, OVERWRITE, "append"]),
    }
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One vault that all examples of a law write into."""
    made = Desk(write_files(tmp_path_factory.mktemp("shared") / "vault", FILES))
    yield made
    made.close()


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(sent=CALLS)
def test_whatever_an_agent_sends_only_its_own_folder_changes(
    shared: Desk, sent: dict[str, Any]
) -> None:
    before = snapshot(shared.folder)
    mode = sent.pop("mode")
    try:
        if mode == "append":
            shared.append(SCOUT, name=sent["name"], body=sent["body"])
        else:
            shared.write(SCOUT, mode=mode, **sent)
    except ManentError:
        assert snapshot(shared.folder) == before, "what is refused leaves no trace"
        return
    after = snapshot(shared.folder)
    for path in changed(before, after):
        assert path.startswith("quarantine/scout/")
        content = after[path]
        front = read(content).frontmatter
        assert front["status"] == "quarantine"
        assert front["author"] == "scout"
        assert record_of(path, "", parse(content)).readers == ""
        assert record_of(path.rpartition("/")[2], "", parse(content)).readers == ""


# -- an owner's ------------------------------------------------------------------------


def test_an_owners_note_is_private_until_it_says_otherwise(desk: Desk) -> None:
    said = desk.write(name="port-map", body="Port 8080.")
    assert said["path"] == "memory/port-map.md"
    assert desk.text("memory/port-map.md") == (
        "---\nname: port-map\ndescription: A note\ntype: reference\ncreated: 2026-03-09\n"
        "author: owner\n---\nPort 8080.\n"
    )
    assert desk.write(name="wiki", dir="projects/wiki")["path"] == "projects/wiki/wiki.md"
    assert desk.write(name="top", dir=".")["path"] == "top.md"


def test_an_owner_replaces_a_note_where_it_stands_and_for_whom(desk: Desk) -> None:
    said = desk.write(name="first", body="New.", dir="projects", mode=OVERWRITE)
    assert said["path"] == "memory/first.md"
    assert desk.text("memory/first.md") == (
        "---\nname: first\ndescription: A note\ntype: reference\naudience: [ops]\ntags: [tide]\n"
        "author: owner\nupdated: 2026-03-09\n---\nNew.\n"
    )


def test_a_note_that_says_so_already_is_left_alone(desk: Desk) -> None:
    desk.write(name="first", body="New.", mode=OVERWRITE)
    before = (desk.folder / "memory/first.md").stat()
    desk.now = NOW.replace(day=20)
    said = desk.write(name="first", body="New.", mode=OVERWRITE)
    assert (said["written"], said["status"]) == (False, "unchanged")
    assert (desk.folder / "memory/first.md").stat() == before


def test_to_overwrite_what_is_not_there_makes_it(desk: Desk) -> None:
    assert desk.write(name="port-map", mode=OVERWRITE)["status"] == "created"


def test_a_name_is_the_owners_once(desk: Desk) -> None:
    with pytest.raises(Refused, match=r"a note ports exists already: projects/wiki/ports\.md"):
        desk.write(name="ports")
    assert desk.write(name="idea")["path"] == "memory/idea.md", "a draft's name is not taken"


def test_an_unreadable_header_is_replaced_by_a_private_one(desk: Desk) -> None:
    write_files(desk.folder, {"memory/broken.md": "---\nname: broken\naudience: [ops\n---\nOld.\n"})
    desk.brain.reload()
    said = desk.write(name="broken", body="New.", mode=OVERWRITE)
    content = (desk.folder / said["path"]).read_bytes()
    assert record_of(said["path"], "", parse(content)).readers == ""


def test_a_note_that_was_private_in_effect_stays_so(desk: Desk) -> None:
    """An audience beside `private`, or in a draft, opened nothing: to replace does not either."""
    files = {
        "memory/both.md": note("both", audience="[ops, private]"),
        "memory/draft.md": note("draft", audience="[ops]", status="quarantine"),
    }
    write_files(desk.folder, files)
    desk.brain.reload()
    for name in ("both", "draft"):
        said = desk.write(name=name, body="New.", mode=OVERWRITE)
        content = (desk.folder / said["path"]).read_bytes()
        assert record_of(said["path"], "", parse(content)).readers == ""


ENDS = st.sampled_from(["", "\n", "\r\n", "\n\n", "  ", "```", "no end"])


@settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(body=st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), max_size=30), end=ENDS)
def test_to_append_keeps_every_byte(shared: Desk, body: str, end: str) -> None:
    head = (
        '---\r\nname:   "odd"\r\ndescription: kept # as it is\r\ntype: reference\r\n'
        "author: owner\r\n---\r\n"
    )
    before = (head + body + end).encode()
    (shared.folder / "memory/odd.md").write_bytes(before)
    shared.brain.reload()
    said = shared.append(name="odd", body="Added.")
    if not said["written"]:
        assert (shared.folder / "memory/odd.md").read_bytes() == before
        return
    after = (shared.folder / "memory/odd.md").read_bytes()
    assert after.startswith(before)
    assert after.removeprefix(before) in (b"Added.\n", b"\r\nAdded.\n")
    assert before[-1:] == b"\n" or after.removeprefix(before).startswith(b"\r\n")


def test_an_owner_appends_to_any_note(desk: Desk) -> None:
    assert desk.append(name="idea", body="Good.")["path"] == "quarantine/tide/idea.md"
    assert desk.append(name="first", body="More.")["path"] == "memory/first.md"
    stamped = FILES["memory/first.md"].replace("\n---\n", "\nauthor: owner\n---\n")
    assert desk.text("memory/first.md") == stamped + "More.\n"
    assert desk.append(name="first", body="Again.")["status"] == "appended"
    assert desk.text("memory/first.md") == stamped + "More.\nAgain.\n"
    with pytest.raises(UsageError, match="nothing to append"):
        desk.append(name="first", body=" \n")


def test_what_an_owner_adds_to_a_draft_passes_as_nobodys_alone(desk: Desk) -> None:
    """It is the owner's from then on, says who wrote the rest, and no agent changes it."""
    desk.append(name="idea", body="Good.")
    path = "quarantine/tide/idea.md"
    content = (desk.folder / path).read_bytes()
    front = read(content).frontmatter
    assert (front["author"], front[CONTRIBUTORS], front["status"]) == (
        "owner", ["tide"], "quarantine",
    )  # fmt: skip
    desk.append(name="idea", body="Very.")
    assert read((desk.folder / path).read_bytes()).frontmatter[CONTRIBUTORS] == ["tide"]
    before = desk.text(path)
    said = "somebody else has written into your draft idea"
    with pytest.raises(Refused, match=said):
        desk.append(TIDE, name="idea", body="Mine too.")
    with pytest.raises(Refused, match=said):
        desk.write(TIDE, name="idea", body="Mine alone.", mode=OVERWRITE)
    assert desk.text(path) == before
    assert desk.write(TIDE, name="idea-2", body="Mine.")["written"]


def test_an_owner_of_some_labels_is_told_no_path_of_what_it_does_not_see(desk: Desk) -> None:
    keeper = Identity("keeper", frozenset({"ops"}), "*")
    files = {
        "deep/plan.md": note("plan"), "far/plan.md": note("plan"),
        "near/map.md": note("map", audience="[ops]"), "far/map.md": note("map"),
        "near/rope.md": note("rope"),
    }  # fmt: skip
    write_files(desk.folder, files)
    desk.brain.reload()
    said = []
    for name in ("plan", "map", "rope"):
        for call in (desk.write, desk.append):
            for mode in ({"mode": OVERWRITE}, {}) if call == desk.write else ({},):
                with pytest.raises(ManentError) as told:
                    call(keeper, name=name, body="New.", **mode)
                said.append(str(told.value))
    assert "near/map.md" in " ".join(said)
    assert not [line for line in said if "far/" in line or "deep/" in line or "near/rope" in line]


def test_whoever_wrote_before_is_named_once(desk: Desk) -> None:
    marta = Identity("marta", None, "*")
    files = {
        "memory/of-two.md": note("of-two", author="marta", contributors="[jonas]"),
        "memory/odd.md": note("odd", author="marta", contributors="{jonas: half}"),
    }
    write_files(desk.folder, files)
    desk.brain.reload()
    desk.append(name="of-two", body="One.")
    desk.append(marta, name="of-two", body="Two.")
    desk.append(name="of-two", body="Three.")
    front = read((desk.folder / "memory/of-two.md").read_bytes()).frontmatter
    assert (front["author"], front[CONTRIBUTORS]) == ("owner", ["jonas", "marta"])
    desk.append(name="odd", body="One.")
    front = read((desk.folder / "memory/odd.md").read_bytes()).frontmatter
    assert (front["author"], front[CONTRIBUTORS]) == ("owner", {"jonas": "half"})


def test_a_stamp_changes_no_reader_and_no_header_that_cannot_be_edited(desk: Desk) -> None:
    files = {
        "memory/both.md": note("both", audience="[ops, private]"),
        "memory/flow.md": "---\n{name: flow, description: x, type: reference}\n---\nText.\n",
    }
    write_files(desk.folder, files)
    desk.brain.reload()
    for name, path in (("both", "memory/both.md"), ("flow", "memory/flow.md")):
        desk.append(name=name, body="More.")
        content = (desk.folder / path).read_bytes()
        assert record_of(path, "", parse(content)).readers == ""
        assert content.endswith(b"More.\n")


def test_a_body_that_is_too_large_is_refused_unread(desk: Desk) -> None:
    """Parsing brackets by the million would keep whoever writes next."""
    began = time.process_time()
    for identity in (OWNER, SCOUT):
        said = desk.write(identity, name="large", body="[" * 4_000_000)
        (row,) = said["refused"]
        assert (row["rule"], row["in"]) == ("file-size", "body") and "1048576" in row["message"]
    assert time.process_time() - began < 3
    assert desk.write(name="large", body="Line.\n" * 20_000)["written"]


@pytest.mark.parametrize(
    "name", ["", "Port Map", "a/b", "../a", "a.md", "Ä", "-a", "a--b", "x" * 201, "a\nb", "a\0"]
)
def test_a_name_is_a_slug_and_never_a_path(desk: Desk, name: str) -> None:
    before = snapshot(desk.folder)
    for identity in (OWNER, SCOUT):
        with pytest.raises(UsageError, match="no slug"):
            desk.write(identity, name=name)
        with pytest.raises(UsageError, match="no slug"):
            desk.append(identity, name=name, body="x")
    assert snapshot(desk.folder) == before


@pytest.mark.parametrize(
    "folder",
    [
        "..",
        "a/../b",
        "/etc",
        "quarantine",
        "quarantine/tide",
        "Quarantine/x",
        "secrets",
        "a/Secrets",
        ".git",
        ".obsidian",
        "a/.b",
        ".manent",
        "a\\b",
        "a\0b",
        "attic",
        "attic/old",
        "notes.canvas",
    ],
)
def test_a_folder_is_one_of_the_vaults(desk: Desk, folder: str) -> None:
    write_files(desk.folder, {".manentignore": "attic\n"})
    desk.brain.reload()
    before = snapshot(desk.folder)
    with pytest.raises(Refused):
        desk.write(name="port-map", dir=folder)
    assert snapshot(desk.folder) == before


def test_a_symlink_is_never_written_through(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (desk.folder / "quarantine/scout").symlink_to(outside)
    (desk.folder / "links").symlink_to(outside)
    with pytest.raises(Refused, match="symlink"):
        desk.write(SCOUT, name="port-map")
    with pytest.raises(Refused):
        desk.write(name="port-map", dir="links")
    assert list(outside.iterdir()) == []


def test_a_note_equal_but_for_case_is_in_the_way(desk: Desk) -> None:
    write_files(desk.folder, {"memory/Port-Map.md": note("other-name")})
    desk.brain.reload()
    with pytest.raises(Refused, match="exists already"):
        desk.write(name="port-map")


def test_an_owner_who_reads_little_learns_of_nothing_more(desk: Desk) -> None:
    marta = Identity("marta", frozenset({"ops"}), "*")
    with pytest.raises(Refused, match="a note secret-plan exists already") as refused:
        desk.write(marta, name="secret-plan", mode=OVERWRITE)
    assert "memory/" not in str(refused.value)
    assert desk.text("memory/secret-plan.md") == FILES["memory/secret-plan.md"]
    refused_note = desk.write(marta, name="first", body="[[secret-plan]]", mode=OVERWRITE)
    assert "secret-plan" not in json.dumps(refused_note)
    said = desk.write(marta, name="by-marta")
    assert "author: marta" in desk.text(said["path"])


# -- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["email", "phone", "token", "injection"])
@pytest.mark.parametrize("where", ["body", "description"])
def test_a_refusal_is_mended_by_sending_what_it_says(desk: Desk, kind: str, where: str) -> None:
    value = refused_values()[kind]
    before = snapshot(desk.folder)
    sent: dict[str, Any] = {
        "name": "contact",
        "description": "Who to ask",
        "body": "First.\n\nLast.\n",
    }
    sent[where] = f"Ask: {value}" if where == "description" else f"First.\n\nAsk: {value}\nLast.\n"
    said = desk.write(SCOUT, **sent)
    assert snapshot(desk.folder) == before
    assert not said["written"]
    row = said["refused"][0]
    assert row["in"] == where
    assert row.get("line") == (3 if where == "body" else None)
    assert row["rule"] in ("pii", "secret", "injection")
    assert row["fix"]
    assert value not in json.dumps(said)
    again = said["with"]
    assert set(again) == {where}
    assert desk.write(SCOUT, **(sent | again))["written"]
    kept = desk.text("quarantine/scout/contact.md")
    assert "First." in kept and "Last." in kept and value not in kept


def test_an_append_is_refused_and_mended_too(desk: Desk) -> None:
    desk.write(SCOUT, name="log", body="One.")
    value = refused_values()["email"]
    said = desk.append(SCOUT, name="log", body=f"Two.\nAsk {value}\n")
    assert (said["refused"][0]["in"], said["refused"][0]["line"]) == ("body", 2)
    assert desk.append(SCOUT, name="log", **said["with"])["written"]


def test_a_long_refused_text_comes_back_by_the_line(desk: Desk) -> None:
    value = refused_values()["email"]
    body = "A line of text that is no trouble.\n" * 900 + f"Ask {value}\n"
    said = desk.write(SCOUT, name="long", body=body)
    assert said["lines"] == [{"line": 901, "text": "Ask ma**********"}]
    assert len(json.dumps(said)) < LONGEST


def test_a_flood_of_faults_is_cut(desk: Desk) -> None:
    body = "\n".join(f"Ask {refused_values(n)['phone']}" for n in range(60))
    said = desk.write(SCOUT, name="flood", body=body)
    assert len(said["refused"]) == 20
    assert said["more"] >= 40
    assert desk.write(SCOUT, name="flood", **said["with"])["written"]


@pytest.mark.parametrize(
    ("sent", "rule", "field"),
    [
        ({"type": "refrence"}, "schema", "type"),
        ({"description": "two\nlines"}, "schema", "description"),
        ({"description": ""}, "schema", "description"),
        ({"body": "a\0b"}, "", "body"),
        ({"body": refused_values()["conflict"]}, "encoding", "body"),
        ({"name": "con"}, "path-unportable", "name"),
    ],
    ids=["type", "lines", "empty", "nul", "conflict", "reserved"],
)
def test_the_note_itself_is_linted(desk: Desk, sent: dict[str, Any], rule: str, field: str) -> None:
    before = snapshot(desk.folder)
    for identity in (OWNER, SCOUT):
        said = desk.write(identity, **({"name": "linted"} | sent))
        assert not said["written"]
        rows = said["refused"]
        assert rows[0]["in"] == field, rows
        assert not rule or rule in {row["rule"] for row in rows}
        assert "with" not in said
    assert snapshot(desk.folder) == before


def test_a_name_that_says_too_much_is_refused(desk: Desk) -> None:
    words = refused_values()["injection"].lower().split()[:4]
    said = desk.write(SCOUT, name="-".join(words))
    assert said["refused"][0]["in"] == "name"
    assert said["refused"][0]["fix"] == "choose another name"


def test_half_a_character_is_refused_plainly(desk: Desk) -> None:
    with pytest.raises(UsageError, match="half a character"):
        desk.write(SCOUT, name="half", body="\ud800")


def test_a_note_too_large_is_refused_by_the_limit_it_is_over(desk: Desk) -> None:
    said = desk.write(SCOUT, name="large", body="word " * 300_000)
    assert said["refused"][0]["rule"] == "file-size"


def test_an_owner_hears_of_readers_who_could_not_follow(desk: Desk) -> None:
    """As with a push: who may read the note may not read what it points at."""
    said = desk.write(name="first", body="See [[secret-plan]].", mode=OVERWRITE)
    assert not said["written"]
    assert said["refused"][0]["rule"] == "audience-leak"
    assert "fingerprint" in said["refused"][0]
    assert desk.write(name="first", body="See [[second]].", mode=OVERWRITE)["written"]


def test_a_new_name_that_makes_another_note_leak_is_refused(desk: Desk) -> None:
    write_files(
        desk.folder, {"memory/index.md": note("index", "See [[plan-b]].", audience="[ops]")}
    )
    desk.brain.reload()
    said = desk.write(name="plan-b")
    assert said["refused"][0]["rule"] == "audience-leak"
    assert said["refused"][0]["in"] == "memory/index.md"


def test_an_owner_is_told_what_is_only_a_warning(desk: Desk) -> None:
    said = desk.write(name="port-map", body="See [[no-such-note]].")
    assert said["written"]
    assert any(remark.startswith("link-unresolved") for remark in said["remarks"])
    assert "remarks" not in desk.write(SCOUT, name="port-map", body="See [[no-such-note]].")


def test_a_fault_that_stood_before_keeps_nobody_from_writing(desk: Desk) -> None:
    write_files(desk.folder, {"memory/odd.md": note("odd", type="nonsense", tags="[a b]")})
    desk.brain.reload()
    assert desk.append(name="odd", body="More.")["written"]


# -- approval --------------------------------------------------------------------------


def asked(desk: Desk, identity: Identity = SCOUT, **sent: Any) -> Question:
    """Write where a form can be shown; return the question."""
    found = desk.write(identity, FORM, **sent)
    assert isinstance(found, Question)
    return found


def test_a_person_is_shown_the_note_and_asked_once(desk: Desk) -> None:
    before = snapshot(desk.folder)
    sent: dict[str, Any] = {
        "name": "port-map",
        "description": "Ports",
        "body": "Port 8080.\n\x1b[2Jgone\u202e",
    }
    question = asked(desk, body="Port 8080.", name="port-map")
    assert snapshot(desk.folder) == before
    assert question.schema["required"] == ["write"]
    assert set(question.schema["properties"]) == {"write"}
    shown = asked(desk, **sent).message
    for part in ("port-map", "quarantine/scout/port-map.md", "Ports", "Port 8080.", "private"):
        assert part in shown
    assert "\x1b" not in shown and "\u202e" not in shown
    assert desk.write(SCOUT, yes(question), name="port-map", body="Port 8080.")["written"]


@pytest.mark.parametrize("identity", [OWNER, SCOUT], ids=["owner", "agent"])
def test_every_kind_of_write_asks(desk: Desk, identity: Identity) -> None:
    sent: dict[str, Any] = {"name": "port-map", "body": "One."}
    first = desk.write(identity, yes(asked(desk, identity, **sent)), **sent)
    assert first["status"] == "created"
    sent = {"name": "port-map", "body": "Two.", "mode": OVERWRITE}
    assert desk.write(identity, yes(asked(desk, identity, **sent)), **sent)["written"]
    question = desk.append(identity, FORM, name="port-map", body="Three.")
    assert "Add this text" in question.message
    desk.append(identity, yes(question), name="port-map", body="Three.")
    assert desk.text(first["path"]).endswith("Two.\nThree.\n")


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "decline"},
        {"action": "cancel"},
        {"action": "accept", "content": {"write": False}},
    ],
    ids=["decline", "cancel", "unticked"],
)
def test_a_no_writes_nothing_and_is_no_error(desk: Desk, answer: dict[str, Any]) -> None:
    before = snapshot(desk.folder)
    question = asked(desk, name="port-map")
    said = desk.write(SCOUT, reply(question, answer), name="port-map")
    assert (said["written"], said["status"]) == (False, "declined")
    assert isinstance(desk.write(SCOUT, yes(question), name="port-map"), Question), "no is no"
    assert snapshot(desk.folder) == before


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "yes",
        {},
        {"action": "accept"},
        {"action": "accept", "content": {}},
        {"action": "ok"},
        {"action": "accept", "content": {"write": "true"}},
        {"action": "accept", "content": [1]},
    ],
)
def test_an_answer_that_is_none_is_asked_for_again(desk: Desk, answer: Any) -> None:
    question = asked(desk, name="port-map")
    again = desk.write(SCOUT, reply(question, answer), name="port-map")
    assert isinstance(again, Question)
    assert desk.write(SCOUT, yes(again), name="port-map")["written"]


def test_a_yes_to_one_thing_is_none_to_another(desk: Desk) -> None:
    question = asked(desk, name="port-map", body="Harmless.")
    others: list[tuple[Identity, dict[str, Any]]] = [
        (SCOUT, {"name": "port-map", "body": "Other."}),
        (SCOUT, {"name": "other", "body": "Harmless."}),
        (SCOUT, {"name": "port-map", "body": "Harmless.", "description": "Other"}),
        (SCOUT, {"name": "port-map", "body": "Harmless.", "mode": OVERWRITE}),
        (TIDE, {"name": "port-map", "body": "Harmless."}),
        (OWNER, {"name": "port-map", "body": "Harmless."}),
    ]
    before = snapshot(desk.folder)
    for identity, sent in others:
        assert isinstance(desk.write(identity, yes(question), **sent), Question)
    assert snapshot(desk.folder) == before


def test_a_yes_to_replace_one_note_is_none_to_replace_what_stands_there_later(desk: Desk) -> None:
    sent: dict[str, Any] = {"name": "first", "body": "New.", "mode": OVERWRITE}
    question = asked(desk, OWNER, **sent)
    desk.append(name="first", body="Added meanwhile.")
    again = desk.write(OWNER, yes(question), **sent)
    assert isinstance(again, Question)
    assert desk.text("memory/first.md").endswith("Added meanwhile.\n")


def test_a_used_yes_writes_nothing_also_after_a_restart(desk: Desk) -> None:
    desk.write(SCOUT, name="log", body="One.")
    question = desk.append(SCOUT, FORM, name="log", body="Two.")
    assert desk.append(SCOUT, yes(question), name="log", body="Two.")["written"]
    assert isinstance(desk.append(SCOUT, yes(question), name="log", body="Two."), Question)
    desk.close()
    restarted = Desk(desk.folder)
    assert isinstance(restarted.append(SCOUT, yes(question), name="log", body="Two."), Question)
    assert restarted.text("quarantine/scout/log.md").count("Two.") == 1
    restarted.close()


def test_a_yes_outlives_a_restart(desk: Desk) -> None:
    question = asked(desk, name="port-map")
    desk.close()
    restarted = Desk(desk.folder)
    assert restarted.write(SCOUT, yes(question), name="port-map")["written"]
    restarted.close()


def test_an_expired_yes_is_asked_again(desk: Desk) -> None:
    question = asked(desk, name="port-map")
    desk.now = NOW.replace(hour=13)
    assert isinstance(desk.write(SCOUT, yes(question), name="port-map"), Question)


def test_what_the_gate_refuses_is_shown_to_nobody(desk: Desk) -> None:
    said = desk.write(SCOUT, FORM, name="port-map", body=refused_values()["email"])
    assert not said["written"] and said["refused"]


def test_a_long_note_says_what_it_does_not_show(desk: Desk) -> None:
    question = asked(desk, name="long", body="A line of text.\n" * 5_000)
    assert len(question.message) <= LONGEST
    assert "more characters are not shown; SHA-256" in question.message


# -- many at once ----------------------------------------------------------------------


def test_two_writers_at_once_lose_nothing(desk: Desk) -> None:
    desk.write(SCOUT, name="log", body="Begin.")
    faults: list[Exception] = []

    def work(identity: Identity, number: int) -> None:
        try:
            for n in range(3):
                desk.write(identity, name=f"note-{number}-{n}", body=f"By {number}.")
                desk.append(SCOUT, name="log", body=f"line {number}-{n}")
        except Exception as fault:  # the test fails with it below
            faults.append(fault)

    threads = [
        threading.Thread(target=work, args=(i, n)) for n, i in enumerate((SCOUT, TIDE, OWNER))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    lines = desk.text("quarantine/scout/log.md").splitlines()
    assert {f"line {a}-{b}" for a in range(3) for b in range(3)} <= set(lines)
    assert len(list(desk.folder.rglob("note-*.md"))) == 9


def test_one_name_asked_for_at_once_is_given_once(desk: Desk) -> None:
    answers: list[str] = []

    def work(text: str) -> None:
        try:
            answers.append(desk.write(name="port-map", body=text)["status"])
        except Refused:
            answers.append("refused")

    threads = [threading.Thread(target=work, args=(f"Text {n}.",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == ["created", "refused", "refused", "refused"]


def test_what_was_written_is_found_at_once(desk: Desk) -> None:
    desk.write(name="port-map", body="Port 8080.")
    with desk.brain.lease() as lane:
        assert lane.view(OWNER).find("port-map").path == "memory/port-map.md"
