"""Contradictions and communities, over vaults small enough to see through."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from vaults import note, vault_of, write

from manent.access import OWNER, Identity, View
from manent.curate.communities import communities
from manent.curate.contradictions import contradictions
from manent.curate.edges import Edges, edges_of
from manent.curate.pairs import alike_notes
from manent.facts.store import Store


def edges(root: Path, files: dict[str, str], identity: Identity = OWNER) -> Edges:
    return edges_of(View(vault_of(root, files), identity))


def disagreements(root: Path, files: dict[str, str]) -> list[tuple[str, ...]]:
    return [
        (row.kind, *(n.name for n in row.notes), *((row.edge, row.target) if row.edge else ()))
        for row in contradictions(edges(root, files))
    ]


def test_what_two_notes_declare_of_each_other(tmp_path: Path) -> None:
    files = {
        "a.md": note("a", contradicts="[b]"),
        "b.md": note("b", contradicts="[a]"),
        "c.md": note("c", contradicts="[a]"),
    }
    assert disagreements(tmp_path, files) == [("declared", "a", "b"), ("one-sided", "c", "a")]


def test_a_note_that_builds_on_both_reconciles_them(tmp_path: Path) -> None:
    files = {
        "a.md": note("a", contradicts="[b]"),
        "b.md": note("b", contradicts="[a]"),
        "both.md": note("both", supersedes="[a]", provenance="[b]"),
    }
    assert disagreements(tmp_path / "1", files) == [("superseded-active", "a", "both")]
    one = files | {"both.md": note("both", provenance="[b]")}
    assert disagreements(tmp_path / "2", one) == [("declared", "a", "b")]


def test_a_draft_reconciles_nothing_and_maps_nothing(tmp_path: Path) -> None:
    draft = {"status": "quarantine"}
    files = {
        "a.md": note("a", contradicts="[b]"),
        "b.md": note("b", contradicts="[a]"),
        "quarantine/x/both.md": note("both", provenance="[a, b]", **draft),
    }
    assert disagreements(tmp_path / "1", files) == [("declared", "a", "b")]
    mapped = cluster("c") | {"quarantine/x/m.md": note("m", "[[c0]] [[c1]]", type="moc", **draft)}
    (group,) = communities(edges(tmp_path / "2", mapped))
    assert group.maps == ()


def test_a_deprecated_side_ends_a_contradiction(tmp_path: Path) -> None:
    files = {
        "a.md": note("a", contradicts="[b]"),
        "b.md": note("b", contradicts="[a]", status="deprecated"),
    }
    assert disagreements(tmp_path, files) == []


def test_superseded_and_still_active(tmp_path: Path) -> None:
    files = {
        "old.md": note("old"),
        "gone.md": note("gone", status="archived"),
        "new.md": note("new", supersedes="[old, gone, nowhere]"),
        "quarantine/x/draft.md": note("draft", supersedes="[new]", status="quarantine"),
    }
    assert disagreements(tmp_path, files) == [
        ("superseded-active", "old", "new"),
        ("edge-gone", "new", "supersedes", "nowhere"),
    ]


def test_a_ring_of_supersedes_is_one_row_however_long(tmp_path: Path) -> None:
    ring = {f"n{i}.md": note(f"n{i}", supersedes=f"[n{(i + 1) % 5}]") for i in range(5)}
    found = [row for row in disagreements(tmp_path, ring) if row[0] == "supersedes-cycle"]
    assert found == [("supersedes-cycle", "n0", "n1", "n2", "n3", "n4")]


# -- communities -------------------------------------------------------------


def test_a_note_that_supersedes_itself_is_a_ring_of_one(tmp_path: Path) -> None:
    files = {"a.md": note("a", supersedes="[a]"), "b.md": note("b", contradicts="[b]")}
    assert disagreements(tmp_path, files) == [("supersedes-cycle", "a")]


def cluster(letter: str, size: int = 5) -> dict[str, str]:
    names = [f"{letter}{i}" for i in range(size)]
    return {
        f"{name}.md": note(name, " ".join(f"[[{other}]]" for other in names if other != name))
        for name in names
    }


def test_a_map_covers_the_community_that_holds_most_of_its_links(tmp_path: Path) -> None:
    files = cluster("a") | cluster("b", 4) | cluster("c", 3)
    files["map.md"] = note("map", "[[a0]] [[a1]] [[b0]] [[nowhere]]", type="moc")
    # A third of these lie in one community, but most of them in none that counts.
    files["thin.md"] = note(
        "thin", "[[c0]] " + " ".join(f"[[lone{i}]]" for i in range(5)), type="moc"
    )
    files |= {f"lone{i}.md": note(f"lone{i}") for i in range(5)}
    found = communities(edges(tmp_path, files))
    assert [(c.number, c.hub.name, len(c.notes), [m.name for m in c.maps]) for c in found] == [
        (1, "b0", 4, []),
        (2, "c0", 3, []),
        (3, "a0", 5, ["map"]),
    ]


def test_communities_with_open_gaps_come_first(tmp_path: Path) -> None:
    files = cluster("a") | cluster("b", 4) | cluster("c", 3)
    asked = [["c0.md", "c1.md", "a0.md"], ["c2.md"], ["b0.md", "nowhere.md"], ["nowhere.md"]]
    found = communities(edges(tmp_path, files), asked)
    assert [(c.hub.name, c.gaps) for c in found] == [("c0", 2), ("b0", 1), ("a0", 0)]


def test_a_vault_without_links_has_no_communities(tmp_path: Path) -> None:
    assert communities(edges(tmp_path, {"a.md": note("a")})) == []


def test_a_store_made_in_another_order_has_the_same_communities(tmp_path: Path) -> None:
    draw = random.Random(5)
    names = [f"n{i:02}" for i in range(60)]
    files = {
        f"{name}.md": note(name, " ".join(f"[[{draw.choice(names)}]]" for _ in range(3)))
        for name in names
    }

    def groups(root: Path, order: list[str]) -> list[list[str]]:
        store = Store(None)
        for path in order:  # each note gets the next number
            vault = vault_of(root, {path: files[path]}, store=store)
        return [[n.path for n in c.notes] for c in communities(edges_of(View(vault, OWNER)))]

    paths = list(files)
    there, back = groups(tmp_path / "1", paths), groups(tmp_path / "2", paths[::-1])
    assert there == back and len(there) > 1


def test_two_runs_agree_in_any_locale(tmp_path: Path) -> None:
    files: dict[str, str] = {}
    for letter in "abcdéz":
        files |= cluster(letter)
    files["a0.md"] = note("a0", "[[b0]] [[c0]] [[a1]] [[é1]]")
    write(tmp_path, files)
    command = [sys.executable, "-m", "manent", "curate", str(tmp_path), "--json"]
    said = set()
    for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("2", "POSIX")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale}
        said.add(subprocess.run(command, capture_output=True, check=False, env=environment).stdout)
    (only,) = said
    assert b'"communities"' in only


# -- views and copies --------------------------------------------------------


def test_a_hidden_note_is_in_no_report(tmp_path: Path) -> None:
    text = " ".join(f"word{i}" for i in range(40))
    files = cluster("a", 4) | {
        "open.md": note("open", text, audience="[team]", contradicts="[shut, nowhere]"),
        "twin.md": note("twin", text, audience="[team]"),
        "shut.md": note("shut", text, contradicts="[open]", supersedes="[twin]"),
    }
    agent = Identity("tide", frozenset({"team"}))
    without = {path: content for path, content in files.items() if "[team]" in content}

    def reports(root: Path, files: dict[str, str]) -> object:
        view = View(vault_of(root, files), agent)
        found = edges_of(view)
        return (
            [(p.a.path, p.b.path, p.score) for p in alike_notes(view, found)],
            [(c.kind, [n.path for n in c.notes], c.target) for c in contradictions(found)],
            [[n.path for n in c.notes] for c in communities(found)],
        )

    assert reports(tmp_path / "1", files) == reports(tmp_path / "2", without)
    pairs, rows, _ = reports(tmp_path / "3", files)
    assert pairs == [("open.md", "twin.md", 1.0)]
    assert rows == [("edge-gone", ["open.md"], "nowhere"), ("edge-gone", ["open.md"], "shut")]


def test_what_is_settled_is_no_copy(tmp_path: Path) -> None:
    text = " ".join(f"word{i}" for i in range(40))
    files = {
        "a.md": note("a", text),
        "b.md": note("b", text, supersedes="[a]"),
        "c.md": note("c", text, status="deprecated"),
        "list.md": note("list", text, type="moc"),
    }
    view = View(vault_of(tmp_path, files), OWNER)
    assert alike_notes(view, edges_of(view)) == []
