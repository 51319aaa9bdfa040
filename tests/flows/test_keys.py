"""The JSON of promote, curate and gaps: every key is spelled one way, words joined by ``_``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asked import ask
from vaults import note, write

from manent.curate.duplicates import WHOLE

KEY = re.compile(r"[a-z]+(_[a-z]+)*")
TEXT = " ".join(f"word{i}" for i in range(40))
EXPECTED = {
    "age_days", "linked_from", "dry_run", "duplicates_untold", "twins", "jaccard", "edge", "hub",
    "searches", "askers", "feedback", "backup", "warnings", "diff",
}  # fmt: skip
"""What the commands below must have printed, or they showed too little."""


def keys(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        yield from document
        document = list(document.values())
    if isinstance(document, list):
        for one in document:
            yield from keys(one)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    assert ask("init", str(root)).code == 0
    names = ["quay", "rope", "sail"]
    write(
        root,
        {
            **{f"same/n{n}.md": note(f"n{n}", TEXT) for n in range(WHOLE + 1)},
            **{
                f"memory/{name}.md": note(name, " ".join(f"[[{n}]]" for n in names if n != name))
                for name in names
            },
            "memory/lost.md": note("lost", "[[draft]]", supersedes="[[gone]]"),
            "quarantine/tide/draft.md": note("draft", "A draft.", status="quarantine"),
        },
    )
    return root


def test_every_key_is_spelled_one_way(root: Path, tmp_path: Path) -> None:
    register, where = str(tmp_path / "gaps.sqlite"), str(root)
    for query in ("where is the tide table kept", "tide tables"):
        ask("search", where, query, "--gaps", register, "--retriever", "bm25")
    (gap, *_) = ask("gaps", where, "--gaps", register, "--json").json["gaps"]
    gaps = ("gaps", where, "--gaps", register)
    commands: list[tuple[str, ...]] = [
        ("promote", where),
        ("promote", where, "--note", "draft", "--to", "memory", "--dry-run"),
        ("promote", where, "--reject", "draft", "--reason", "twice", "--dry-run"),
        ("curate", where),
        ("curate", where, "--duplicates", "--dense", "--model", "hash"),
        ("curate", where, "--supersede", "quay", "rope", "--dry-run"),
        ("curate", where, "--acknowledge", "quay", "rope", "--reason", "so", "--dry-run"),
        ("curate", where, "--write-map", "1", "--dry-run"),
        gaps,
        (*gaps, "--show", gap["id"]),
        (*gaps, "--close", gap["id"], "--note", "quay", "--golden", f"{root}/g.json", "--dry-run"),
        (*gaps, "--feedback"),
        (*gaps, "--backup", str(tmp_path / "copy.sqlite")),
        (*gaps, "--dismiss", gap["id"]),
        (*gaps, "--reopen", gap["id"]),
    ]
    seen: set[str] = set()
    for command in commands:
        said = ask(*command, "--json")
        assert said.code in (0, 1), (command, said.errors)
        found = set(keys(said.json))
        assert {key for key in found if not KEY.fullmatch(key)} == set(), command
        seen |= found
    assert seen >= EXPECTED
