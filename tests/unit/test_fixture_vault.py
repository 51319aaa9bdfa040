"""The shipped vault keeps the contract, by a second reading that shares no code with lint.

Links are found with regular expressions and resolved by name alone, which is
enough here because every name is unique; what lint makes of the vault is
tested where lint is.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from manent import data, schema

ROOT = data.path("fixture-vault")
SLUG = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")
NO_LINKS = re.compile(r"```.*?```|`[^`\n]*`|<!--.*?-->|%%.*?%%", re.S)
WIKILINK = re.compile(r"(!?)\[\[([^\[\]|#\\]*)(?:#([^\[\]|\\]*))?\\?(?:\|[^\[\]]*)?\]\]")
MARKDOWN = re.compile(r"\[[^\[\]]*\]\(<?([^()<>\s]+\.md)(?:#([^()<>\s]*))?>?(?: \"[^\"]*\")?\)")


class Note(NamedTuple):
    path: str
    front: dict[str, Any]
    body: str

    @property
    def name(self) -> str:
        return Path(self.path).stem

    @property
    def labels(self) -> frozenset[str]:
        """Who may read it besides the owner."""
        if self.front.get("status") == "quarantine" or self.front.get("audience") == ["private"]:
            return frozenset()
        return frozenset(self.front.get("audience", []))

    def targets(self) -> list[tuple[str, str]]:
        """(name, anchor) of everything the note points at."""
        text = NO_LINKS.sub("", self.body)
        found = [
            (m[2].removesuffix(".md").split("/")[-1], m[3] or "") for m in WIKILINK.finditer(text)
        ]
        for match in MARKDOWN.finditer(text):
            target = urllib.parse.unquote(match[1]).split("/")[-1].removesuffix(".md")
            found.append((target, urllib.parse.unquote(match[2] or "")))
        for field in schema.EDGES:
            found += [(name, "") for name in self.front.get(field, [])]
        found += [(m[2], "") for m in WIKILINK.finditer(str(self.front.get("related", "")))]
        return [(name or self.name, anchor) for name, anchor in found]


def read(path: Path) -> Note:
    text = path.read_bytes().decode("utf-8")
    assert text.startswith("---\n"), path
    header, body = text[4:].split("\n---\n", 1)
    loaded = yaml.load(header, Loader=yaml.BaseLoader)
    return Note(path.relative_to(ROOT).as_posix(), loaded, body)


NOTES = {
    note.name: note
    for note in map(read, sorted(ROOT.rglob("*.md")))
    if not note.path.startswith("templates/")
}


def test_is_large_and_varied_enough() -> None:
    types = Counter(note.front["type"] for note in NOTES.values())
    assert len(NOTES) >= 84
    assert set(types) == set(schema.TYPES)
    statuses = Counter(note.front.get("status", "active") for note in NOTES.values())
    assert set(statuses) == set(schema.STATUSES)
    assert statuses["quarantine"] == 3
    labels = {label for note in NOTES.values() for label in note.labels}
    assert {"public", "team", "ops", "clinic", "board"} <= labels
    assert sum(not note.labels for note in NOTES.values()) >= 6
    for edge in schema.EDGES:
        assert any(note.front.get(edge) for note in NOTES.values())


def test_about_a_third_is_italian() -> None:
    little_words = re.compile(r"\b(?:il|gli|della|che|sono|di|è|non)\b")
    italian = [n.name for n in NOTES.values() if len(little_words.findall(n.body)) > 9]
    assert 0.25 < len(italian) / len(NOTES) < 0.45


def test_names_are_slugs_equal_to_the_file_and_unique() -> None:
    files = [path.stem for path in ROOT.rglob("*.md") if "templates" not in path.parts]
    assert len(files) == len(set(files)) == len(NOTES)
    for note in NOTES.values():
        assert note.front["name"] == note.name
        assert SLUG.fullmatch(note.name) or note.path in ("MEMORY.md", "HOME.md")


@pytest.mark.parametrize("name", sorted(NOTES))
def test_note_keeps_the_contract(name: str) -> None:
    note = NOTES[name]
    kind = note.front["type"]
    assert schema.faults(note.front) == []
    for mark in schema.body_marks(kind):
        assert f"\n{mark} " in note.body
    pattern = schema.path_pattern(kind)
    assert pattern is None or pattern.search(note.path)
    words = len(note.body.split())
    assert 80 <= words <= 300 or note.path == "MEMORY.md", words


@pytest.mark.parametrize("name", sorted(NOTES))
def test_every_link_leads_somewhere_its_readers_may_go(name: str) -> None:
    note = NOTES[name]
    for target_name, anchor in note.targets():
        target = NOTES.get(target_name)
        assert target is not None, target_name
        if anchor.startswith("^"):
            assert re.search(re.escape(anchor) + r"$", target.body, re.M), anchor
        elif anchor:
            assert re.search(rf"^#+ {re.escape(anchor)}$", target.body, re.M), anchor
        closed = note.labels - target.labels
        assert not closed or "public" in target.labels or target is note, (target_name, closed)


def test_everything_is_linked_from_somewhere_else_than_the_index() -> None:
    linked = {t for n in NOTES.values() if n.path != "MEMORY.md" for t, _ in n.targets()}
    exempt = ("moc", "index")
    lonely = [
        n.name
        for n in NOTES.values()
        if n.labels and n.front["type"] not in exempt and n.name not in linked
    ]
    assert lonely == []


def test_a_replaced_note_is_deprecated_and_a_contradiction_is_declared_by_both() -> None:
    for note in NOTES.values():
        for old in note.front.get("supersedes", []):
            assert NOTES[old].front["status"] == "deprecated"
        for other in note.front.get("contradicts", []):
            assert note.name in NOTES[other].front["contradicts"]


def test_links_come_in_all_forms() -> None:
    text = "\n".join(note.body for note in NOTES.values())
    for form in (
        r"\[\[[a-z0-9-]+\]\]",
        r"\[\[[a-z0-9-]+\|[^\]]+\]\]",
        r"\[\[[a-z0-9-]+#[^\]^]+\]\]",
        r"\[\[[a-z0-9-]+#\^[^\]]+\]\]",
        r"\[\[[a-z0-9-]+\\\|[^\]]+\]\]",
        r"\[\[(?:\.\./)+[^\]]+\]\]",
        r"\[\[\w+/[^\]]+\.md\|[^\]]+\]\]",
        r"!\[\[[a-z0-9-]+\]\]",
        r"!\[\[[a-z0-9-]+#[^\]]+\]\]",
        r"\]\([^)<>]+\.md\)",
        r"\]\([^)<>]+\.md \"[^)]+\"\)",
        r"\]\([^)<>]+%2D[^)]+\.md\)",
        r"\]\([^)<>]+\.md#[^)]*%20[^)]*\)",
        r"\]\(<[^)]+\.md>\)",
        r"```\w+\n[^`]*\[\[",
        r"%%[^%]*\[\[",
        r"\$[^$]+\$",
    ):
        assert re.search(form, text), form
    assert any("related" in note.front for note in NOTES.values())


def test_only_reserved_addresses_are_used() -> None:
    for path in ROOT.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert set(re.findall(r"[\w.]+@([\w.]+\w)", text)) <= {"example.org"}, path
            assert not re.findall(r"https?://", text), path
            assert all(n.startswith("555-01") for n in re.findall(r"\b\d{3}-\d{4}\b", text)), path


def test_there_is_a_template_for_every_type_in_a_declared_folder() -> None:
    assert "templates: templates" in (ROOT / ".manentignore").read_text().splitlines()
    assert {path.stem for path in (ROOT / "templates").iterdir()} == set(schema.TYPES)
    for path in (ROOT / "templates").iterdir():
        front = read(path).front
        assert front["type"] == path.stem
        assert set(schema.REQUIRED) <= set(front)
        for mark in schema.body_marks(path.stem):
            assert mark in path.read_text()


def test_the_editor_is_told_the_kind_of_every_known_field() -> None:
    types = json.loads((ROOT / ".obsidian/types.json").read_text())["types"]
    assert set(types) == set(schema.FIELDS)
    assert {field for field, kind in types.items() if kind == "date"} == set(schema.DAYS)


class TestGoldenSet:
    document = json.loads(data.path("eval/golden/fixture.json").read_text(encoding="utf-8"))
    queries: list[dict[str, Any]] = document["queries"]

    def test_is_large_enough_and_well_formed(self) -> None:
        assert self.document["name"] == "fixture"
        sources = Counter(query["source"] for query in self.queries)
        assert set(sources) == {"curated", "oblique"}
        assert sources["curated"] >= 60
        assert sources["oblique"] >= 40
        asked = [query["query"].casefold() for query in self.queries]
        assert len(asked) == len(set(asked))

    def test_expects_only_notes_that_the_vault_has(self) -> None:
        for query in self.queries:
            assert query["expected"], query
            assert set(query["expected"]) <= set(NOTES), query

    def test_asks_for_most_of_the_vault(self) -> None:
        expected = {name for query in self.queries for name in query["expected"]}
        assert len(expected) > 0.75 * len(NOTES)

    def test_oblique_queries_avoid_the_words_by_which_a_note_calls_itself(self) -> None:
        little = {"what", "when", "with", "that", "come", "because", "into", "which", "made"}
        little |= {"making", "della", "dove", "before", "every", "could", "where", "they", "this"}
        little |= {"does", "still", "after", "than", "must", "have", "about", "should", "which"}
        little |= {"from", "there", "their", "quando", "perché", "senza", "been", "whom", "over"}
        for query in self.queries:
            for name in query["expected"] if query["source"] == "oblique" else ():
                note = NOTES[name]
                headings = re.findall(r"^#+ (.*)$", note.body, re.M)
                calls = [note.name, note.front["description"], note.front["title"], *headings]
                shared = words(" ".join(calls)) & words(query["query"]) - little
                assert not shared, (query["query"], name)


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{4,}", text.lower()))
