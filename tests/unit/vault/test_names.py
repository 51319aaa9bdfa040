"""Names, over all notes and through a View."""

from __future__ import annotations

from pathlib import Path

from vaults import note, vault_of

from manent.links.resolve import resolve
from manent.vault.names import Named, Names

FILES = {
    "a/Port.md": note("port"),
    "b/port.md": note("quay"),
    "quarantine/tide/port.md": note("port"),
    "citta\u0300.md": note("citta"),
    "caf\udce9.md": note("cafe"),
    "x.md": note("a/b"),
}


def test_a_note_is_found_by_its_name_and_by_its_file(tmp_path: Path) -> None:
    names = vault_of(tmp_path, FILES).names
    assert names.named("port") == ["a/Port.md", "quarantine/tide/port.md"]
    assert names.filed("port") == ["b/port.md", "quarantine/tide/port.md"]
    assert names.filed("Port") == ["a/Port.md"]
    assert names.folded("port") == ["a/Port.md", "b/port.md", "quarantine/tide/port.md"]
    assert names.folded("citt\u00e0") == ["citta\u0300.md"]
    assert names.is_note("caf\udce9.md") and not names.is_note("caf\u00e9.md")
    assert names.quarantined("quarantine/tide/port.md") and not names.quarantined("a/Port.md")
    assert not names.quarantined("nowhere.md")


def test_all_names_in_memory_answer_as_the_store_does(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)
    keys = ("port", "quay", "citta", "citt\u00e0", "caf\udce9", "nowhere", "a/b", "b")
    asked = [vault.lookup(key) for key in keys]
    targets = ("port", "Port", "a/Port", "quay", "a/b", "b", "CITT\u00c0", "caf\udce9", "tide/port")
    ends = [vault.destination(target, "x.md", "wikilink") for target in targets]
    vault.load_names()
    assert [list(vault.lookup(key)) for key in keys] == asked
    assert [vault.destination(target, "x.md", "wikilink") for target in targets] == ends
    vault.drop_names()
    assert [vault.lookup(key) for key in keys] == asked


def test_through_a_view_what_is_hidden_is_absent(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, FILES)

    def visible(row: Named) -> bool:
        return row.path != "a/Port.md"

    names = Names(vault.lookup, visible)
    assert names.named("port") == ["quarantine/tide/port.md"]
    assert not names.is_note("a/Port.md")
    assert resolve("port", "", names).path == "b/port.md"
    assert resolve("a/Port", "", names).path is None


def test_a_name_borne_in_quarantine_alone_yields_to_a_file_outside(tmp_path: Path) -> None:
    files = {
        "from.md": note("from", "[[port]]"),
        "b/port.md": note("quay"),
        "quarantine/tide/x.md": note("port"),
    }
    vault = vault_of(tmp_path, files)
    edges = vault.edges_from(vault.note("from.md").id)
    assert [vault.note_by_id(e.target).path for e in edges] == ["b/port.md"]  # type: ignore[union-attr]
