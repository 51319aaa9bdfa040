"""The shared cases that broke other tools, each with its right answer."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from manent.errors import Refused
from manent.links.anchors import anchor_found
from manent.links.link import Link, LinkKind, Outline
from manent.links.markdown import outline
from manent.links.resolve import Resolution, is_attachment, resolve, stem_of
from manent.links.table import NameTable
from manent.note import aliases, edit, labels, read, tags, title

AREAS = {"frontmatter", "yaml", "links", "resolve", "headings", "tags", "comments", "names"}


def _cases() -> list[dict[str, Any]]:
    root = os.environ.get("MANENT_DATA")
    if not root:
        return []
    lines = (Path(root).parent / "cases" / "notes.jsonl").read_text("utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["area"] in AREAS]


CASES = _cases()


def case_test(*areas: str) -> Any:
    chosen = [case for case in CASES if case["area"] in areas]
    if not chosen:
        return pytest.mark.skip("MANENT_DATA is unset: the shared inputs are not here")
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


class Vault:
    """The files of a case, their outlines, and what their links come to."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        notes = {path: read(text.encode()) for path, text in files.items() if path[-3:] == ".md"}
        self.notes = notes
        self.outlines: dict[str, Outline] = {path: outline(note) for path, note in notes.items()}
        self.names = NameTable((path, "") for path in notes)

    def resolve(self, source: str, link: Link) -> Resolution:
        return resolve(link.target, source, self.names, link.kind)

    def broken(self) -> list[str]:
        found = []
        for source, lines in self.outlines.items():
            for link in lines.links:
                path = self.resolve(source, link).path
                anchor = link.target + (f"#^{link.block}" if link.block else f"#{link.heading}")
                if path is None:
                    if not is_attachment(link.target, link.kind):
                        found.append(link.target)
                elif not anchor_found(link, self.outlines[path]):
                    found.append(anchor)
        return found


def _first(case: dict[str, Any]) -> str:
    return next(iter(case["input_files"]))


@case_test("frontmatter", "yaml")
def test_frontmatter_case(case: dict[str, Any]) -> None:
    files = {path: text.encode() for path, text in case["input_files"].items()}
    path = _first(case)
    note = read(files[path])
    expected = case["expected"]
    checks = {
        "frontmatter": lambda want: note.frontmatter == want,
        "body": lambda want: note.body == want,
        "audience": lambda want: (labels(note.frontmatter) or ("private",)) == tuple(want),
        "finding_line": lambda want: [p.line for p in note.problems] == [want],
        "frontmatter_json": lambda want: json.loads(json.dumps(note.frontmatter)) == want,
        "frontmatter_has": lambda want: want.items() <= note.frontmatter.items(),
        "title": lambda want: title(note.frontmatter, stem_of(path)) == want,
        "aliases": lambda want: aliases(note.frontmatter) == tuple(want),
        "tags": lambda want: tags(note.frontmatter) == tuple(want),
        "links": lambda want: (
            [link.target for link in outline(note).links] == [w["target"] for w in want]
        ),
        "crash": lambda want: want is False,
        "notes_loaded": lambda want: len([read(data) for data in files.values()]) == want,
        "rewrite_keeps_crlf": lambda want: (
            edit(files[path], {"type": "retro"}) == files[path].replace(b"lesson", b"retro")
        ),
        "bad.md": lambda want: (
            note.frontmatter == want["frontmatter"]
            and [p.line for p in note.problems] == [want["finding_line"]]
            and labels(note.frontmatter) == ()
            and _refuses(files[path])
        ),
        # The body is what search reads; finding the word there is search's own test.
        "search": lambda want: all(word in note.body for word in want),
        "or_finding": lambda want: True,
    }
    for name, want in expected.items():
        assert checks[name](want), name


def _refuses(data: bytes) -> bool:
    try:
        edit(data, {"title": "x"})
    except Refused:
        return True
    return False


@case_test("links", "headings", "comments", "resolve", "names")
def test_link_case(case: dict[str, Any]) -> None:
    vault = Vault(case["input_files"])
    expected = case["expected"]
    lines = vault.outlines[_first(case)] if _first(case) in vault.outlines else Outline()
    if "links" in expected:
        assert len(lines.links) == len(expected["links"])
        for link, want in zip(lines.links, expected["links"], strict=True):
            want = dict(want)
            assert (link.kind is LinkKind.EMBED) == want.pop("embed", False)
            assert {key: getattr(link, key) for key in want} == want
    if "broken" in expected:
        assert vault.broken() == expected["broken"]
    if "headings" in expected:
        assert [heading.text for heading in lines.headings] == expected["headings"]
    if "tasks" in expected:
        counted = {"open": lines.tasks_open, "done": lines.tasks_done}
        assert counted == expected["tasks"]
    if "distinct_ids" in expected:
        found = {
            vault.resolve("a.md", Link(LinkKind.WIKILINK, stem_of(path))).path
            for path in vault.notes
        }
        assert len(found - {None}) == expected["distinct_ids"]
    for source, targets in expected.get("resolved", {}).items():
        for target, path in targets.items():
            assert resolve(target, source, vault.names).path == path
    for source, targets in expected.get("unresolved", {}).items():
        for target, want in targets.items():
            found_nothing = resolve(target, source, vault.names)
            assert found_nothing.path is None
            assert found_nothing.obsidian == want["obsidian_opens"]


@case_test("tags")
def test_tag_case(case: dict[str, Any]) -> None:
    note = read(next(iter(case["input_files"].values())).encode())
    assert list(outline(note).tags) == case["expected"]["tags"]
    if "frontmatter" in case["expected"]:
        assert note.frontmatter == case["expected"]["frontmatter"]
