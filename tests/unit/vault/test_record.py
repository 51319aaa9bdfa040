"""Who may read a note, what it is called, and what others see of it."""

from __future__ import annotations

import pytest

from manent.facts.facts import parse
from manent.vault.record import Conventions, NoteRecord, record_of

HEAD = "name: a\ndescription: About a\ntype: reference\n"
OPTIONAL = Conventions(frontmatter_optional=True)


def record(
    header: str, path: str = "memory/a.md", conventions: Conventions | None = None
) -> NoteRecord:
    facts = parse(f"---\n{header}---\nText.\n".encode())
    return record_of(path, "0" * 40, facts, conventions)


@pytest.mark.parametrize(
    ("audience", "readers"),
    [
        ("audience: [ops, team]", "ops team"),
        ("audience: [team, ops, team]", "ops team"),
        ("audience:\n  - public", "public"),
        ("", ""),
        ("audience:", ""),
        ("audience: []", ""),
        ("audience: team", ""),
        ("audience: [Team]", ""),
        ("audience: [team, 5]", ""),
        ("audience: [team, [ops]]", ""),
        ("audience: {team: yes}", ""),
        ("audience: [private]", ""),
        ("audience: [private, team]", ""),
        ("audience: [team, '*']", ""),
        ("audience: [team ops]", ""),
        ("Audience: [team]", ""),
        ("audience: [team]\naudience: [ops]", ""),
    ],
)
def test_anything_but_a_list_of_labels_is_private(audience: str, readers: str) -> None:
    found = record(HEAD + audience + "\n")
    assert found.readers == readers
    assert found.labels == frozenset(readers.split())


@pytest.mark.parametrize("field", ["name", "description", "type"])
@pytest.mark.parametrize("value", ["", "''", "' '", "3", "[a]", "{a: b}", "true"])
def test_where_frontmatter_is_optional_a_field_that_says_nothing_is_lacking(
    field: str, value: str
) -> None:
    fields = {"name": "a", "description": "About a", "type": "reference", field: value}
    header = "".join(f"{key}: {said}\n" for key, said in fields.items())
    found = record(header + "audience: [public]\n", "memory/file.md", OPTIONAL)
    assert (found.readers, found.name) == ("", "file")
    assert record(HEAD + "audience: [public]\n", conventions=OPTIONAL).readers == "public"


@pytest.mark.parametrize("path", ["README.md", "agents.md", "CLAUDE.MD", "Gemini.md"])
def test_root_files_are_private_whatever_they_say(path: str) -> None:
    assert record(HEAD + "audience: [public]\n", path).readers == ""
    assert record(HEAD + "audience: [public]\n", f"docs/{path}").readers == "public"


@pytest.mark.parametrize(
    "status", ["quarantine", "Quarantine", "' QUARANTINE '", "[quarantine]", "[x, Quarantine]"]
)
def test_a_quarantined_note_is_the_owners(status: str) -> None:
    """However loosely it is written: whoever wrote it did not mean it to be seen."""
    found = record(HEAD + f"audience: [public]\nstatus: {status}\n")
    assert found.quarantined and found.readers == ""


def test_a_draft_is_quarantined_by_where_it_stands() -> None:
    header = HEAD + "audience: [public]\nstatus: active\n"
    for path in ("quarantine/tide/a.md", "quarantine/a.md"):
        found = record(header, path)
        assert found.quarantined and found.readers == ""
    assert not record(header, "quarantined/a.md").quarantined


@pytest.mark.parametrize("status", ["", "draft", "[archived]", "5", "Active"])
def test_another_status_is_active(status: str) -> None:
    found = record(HEAD + f"audience: [team]\nstatus: {status}\n")
    assert (found.status, found.quarantined, found.readers) == ("active", False, "team")


def test_an_unreadable_header_grants_and_names_nothing() -> None:
    found = record("name: b\naudience: [public]\nname: c\n")
    assert (found.name, found.readers, found.type) == ("a", "", "")


@pytest.mark.parametrize("name", ["name:", "name: 5", "name: [b]", "name: '  '", "title: b"])
def test_a_note_without_a_readable_name_is_named_by_its_file(name: str) -> None:
    assert record(f"{name}\ntype: reference\n").name == "a"


@pytest.mark.parametrize("lacking", ["name", "description", "type"])
def test_where_frontmatter_is_optional_half_of_one_grants_nothing(lacking: str) -> None:
    fields = {"name": "b", "description": "About b", "type": "reference"}
    del fields[lacking]
    header = "".join(f"{k}: {v}\n" for k, v in fields.items()) + "audience: [team]\n"
    optional, required = record(header, conventions=OPTIONAL), record(header)
    assert (optional.name, optional.readers) == ("a", "")
    assert required.readers == "team"
    assert required.name == ("a" if lacking == "name" else "b")
    whole = record(HEAD.replace("a\n", "b\n", 1) + "audience: [team]\n", conventions=OPTIONAL)
    assert (whole.name, whole.readers) == ("b", "team")


def test_what_others_see_of_a_note_is_told_from_what_they_do_not() -> None:
    before = record(HEAD + "audience: [team]\n")
    for header in (
        HEAD,
        HEAD + "audience: [ops]\n",
        HEAD.replace("name: a", "name: b") + "audience: [team]\n",
        HEAD + "audience: [team]\nstatus: deprecated\n",
        HEAD + "audience: [team]\nsupersedes: [b]\n",
    ):
        assert record(header).outward != before.outward
    plain = HEAD.replace("About a", "Another word") + "audience: [team]\ntitle: A\n"
    assert record(plain).outward == before.outward


def test_losing_a_field_is_seen_where_it_makes_the_note_private() -> None:
    header = HEAD + "audience: [team]\n"
    whole = record(header, conventions=OPTIONAL)
    half = record(header.replace("description: About a\n", ""), conventions=OPTIONAL)
    assert (whole.readers, half.readers) == ("team", "")
    assert whole.outward != half.outward
