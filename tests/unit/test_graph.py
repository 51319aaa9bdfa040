"""Walks along links, both ways, within a View."""

from __future__ import annotations

from pathlib import Path

from vaults import note, vault_of

from manent.access import Identity, View
from manent.graph import Walk, edge_kind
from manent.links.link import LinkKind

FILES = {
    "a.md": note("a", "[[b]] [[b]] ![[b]] [[a]]", audience="[team]", supersedes="[c]"),
    "b.md": note("b", "[[a]] [t](d.md)", audience="[team]"),
    "c.md": note("c", audience="[team]", contradicts="[a]", provenance="'[[d]]'"),
    "d.md": note("d", "[[e]]", audience="[team]"),
    "e.md": note("e", audience="[team]"),
    "hub.md": note("hub", "[[a]] [[e]]"),
    "f.md": note("f", "[[hub]]", audience="[team]"),
}


def walked(view: View, start: str, depth: int = 1) -> list[tuple[str, str, str, int]]:
    found = Walk(view, view.notes_of).neighbours(view.find(start), depth)
    return [(n.note.path, n.kind, n.direction, n.depth) for n in found]


def test_each_neighbour_once_a_kind_and_direction(tmp_path: Path) -> None:
    view = View(vault_of(tmp_path, FILES))
    assert walked(view, "a") == [
        ("b.md", "wikilink", "in", 1),
        ("b.md", "wikilink", "out", 1),
        ("c.md", "contradicts", "in", 1),
        ("c.md", "supersedes", "out", 1),
        ("hub.md", "wikilink", "in", 1),
    ]


def test_nearest_first_and_no_further_than_asked(tmp_path: Path) -> None:
    view = View(vault_of(tmp_path, FILES))
    two = walked(view, "a", 2)
    assert two[:5] == walked(view, "a")
    assert two[5:] == [
        ("d.md", "provenance", "out", 2),
        ("d.md", "wikilink", "out", 2),
        ("e.md", "wikilink", "out", 2),
        ("f.md", "wikilink", "in", 2),
    ]
    assert {p for p, _, _, _ in walked(view, "a", 9)} == {
        "b.md",
        "c.md",
        "d.md",
        "e.md",
        "f.md",
        "hub.md",
    }


def test_no_walk_passes_through_what_is_hidden(tmp_path: Path) -> None:
    view = View(vault_of(tmp_path, FILES), Identity("tide", frozenset({"team"})))
    assert ("hub.md", "wikilink", "in", 1) not in walked(view, "a")
    assert walked(view, "f", 3) == []
    assert next(row for row in walked(view, "e", 3) if row[0] == "a.md")[3] == 3


def test_a_walk_says_by_which_note_it_came(tmp_path: Path) -> None:
    view = View(vault_of(tmp_path, FILES))
    found = Walk(view, view.notes_of).neighbours(view.find("a"), 2)
    assert {(n.note.path, n.via) for n in found if n.depth == 2} == {
        ("d.md", "b.md"),
        ("d.md", "c.md"),
        ("e.md", "hub.md"),
        ("f.md", "hub.md"),
    }


def test_three_kinds_are_typed_and_the_rest_are_wikilinks() -> None:
    kinds = {edge_kind(kind) for kind in LinkKind}
    assert kinds == {"wikilink", "provenance", "supersedes", "contradicts"}
