"""A vault follows its tree, and says what changed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from random_vaults import found, rows
from vaults import note, vault_of, write

from manent.access import View
from manent.errors import NotFound
from manent.facts.derive import ALONE, CHUNK
from manent.facts.store import Store
from manent.lint.subject import Policy
from manent.repo.open import discover
from manent.scan.span import Context
from manent.search.index import SearchIndex
from manent.tree import RACY_NS, WorkTree
from manent.vault.commit import sync_commit
from manent.vault.record import Conventions
from manent.vault.sync import sync
from manent.vault.vault import Vault


def paths(vault: Vault) -> list[str]:
    return [n.path for n in vault.notes()]


def test_one_edit_is_all_that_is_said_to_have_changed(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {f"n{i}.md": note(f"n{i}", "[[n0]]") for i in range(5)})
    before = {n.path: n for n in vault.notes()}
    write(tmp_path, {"n3.md": note("n3", "No link.")})
    delta = sync(vault, WorkTree(tmp_path))
    after = {n.path: n for n in vault.notes()}
    assert not delta.everything
    assert delta.files == {"n3.md"}
    assert delta.notes == {after["n3.md"].id} == {before["n3.md"].id}
    assert delta.linked == {after["n0.md"].id}
    assert (delta.docs_gone, delta.docs_new) == ({before["n3.md"].doc}, {after["n3.md"].doc})
    assert after["n3.md"].doc > max(n.doc for n in before.values())
    assert not delta.keys and not delta.outward and not delta.relinked


def test_nothing_changed_is_nothing_done(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"a.md": note("a")})
    generation = vault.store.stamp("vault:generation")
    assert not sync(vault, WorkTree(tmp_path)).files
    assert vault.store.stamp("vault:generation") == generation


def test_a_link_leads_elsewhere_when_names_come_and_go(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"from.md": note("from", "[[port]]"), "a/port.md": note("port")})
    source = vault.note("from.md").id

    def target() -> str | None:
        edges = vault.edges_from(source)
        found = vault.note_by_id(edges[0].target) if edges else None
        return found.path if found else None

    assert target() == "a/port.md"
    write(tmp_path, {"b/port.md": note("port")})
    assert sync(vault, WorkTree(tmp_path)).relinked == {source}
    assert target() is None
    (tmp_path / "a" / "port.md").unlink()
    assert sync(vault, WorkTree(tmp_path)).relinked == {source}
    assert target() == "b/port.md"
    write(tmp_path, {".manentignore": "b\n"})
    assert sync(vault, WorkTree(tmp_path)).everything
    assert target() is None and paths(vault) == ["from.md"]


def test_a_followers_delta_is_all_since_it_looked(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"a.md": note("a"), "b.md": note("b")})
    assert vault.since("").everything
    seen = vault.store.stamp("vault:generation")
    first = vault.note("a.md")
    for text in ("One.", "Two."):
        write(tmp_path, {"a.md": note("a", text)})
        sync(vault, WorkTree(tmp_path))
    delta = vault.since(seen)
    assert delta.files == {"a.md"} and not delta.everything
    assert delta.docs_new == {vault.note("a.md").doc}
    assert first.doc in delta.docs_gone and vault.note("a.md").doc not in delta.docs_gone
    write(tmp_path, {".manentignore": "b.md"})
    sync(vault, WorkTree(tmp_path))
    assert vault.since(seen).everything


def test_other_conventions_read_everything_anew(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "---\nname: b\naudience: [team]\n---\n[[x|a]]\n"})
    store = Store(None)
    seen = []
    for conventions in (Conventions(), Conventions(True), Conventions(False, True)):
        vault = Vault(store, conventions)
        assert sync(vault, WorkTree(tmp_path)).everything
        found = vault.note("a.md")
        seen.append((found.name, found.readers, vault.facts(found).outline.links[0].target))
    assert seen == [("b", "team", "x"), ("a", "", "x"), ("b", "team", "a")]


def test_two_files_of_one_content_are_two_notes(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"a/x.md": note("x"), "b/x.md": note("x")})
    assert len({n.id for n in vault.notes()}) == len({n.doc for n in vault.notes()}) == 2
    (tmp_path / "a" / "x.md").unlink()
    sync(vault, WorkTree(tmp_path))
    assert paths(vault) == ["b/x.md"]


def test_a_file_that_goes_while_it_is_read_is_no_note(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": note("a"), "b.md": note("b")})
    tree = WorkTree(tmp_path)
    assert [e.path for e in tree.entries()] == ["a.md", "b.md"]
    (tmp_path / "b.md").unlink()
    vault = Vault(Store(None))
    sync(vault, tree)
    assert paths(vault) == ["a.md"]
    write(tmp_path, {"b.md": note("b")})
    sync(vault, WorkTree(tmp_path, known=vault.known()))
    assert paths(vault) == ["a.md", "b.md"]


@pytest.mark.parametrize("scanned", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_a_file_that_changes_while_it_is_read_is_put_right_next_time(
    tmp_path: Path, scanned: bool, known: bool
) -> None:
    """known: its listed content was parsed before, so that only the scanners read it."""
    vault = Vault(Store(None))
    if known:
        write(tmp_path, {"twin.md": note("a")})
        sync(vault, WorkTree(tmp_path))
    write(tmp_path, {"a.md": note("a")})
    tree = WorkTree(tmp_path, now_ns=(tmp_path / "a.md").stat().st_mtime_ns + 2 * RACY_NS)
    assert tree.get("a.md") is not None
    write(tmp_path, {"a.md": note("a", "Changed meanwhile, to the scanners' surprise.")})
    sync(vault, tree, context_of=(lambda path: Context()) if scanned else None)
    assert vault.note_at("a.md") is not None
    sync(vault, WorkTree(tmp_path, known=vault.known()))
    found = vault.note("a.md")
    assert b"Changed" in vault.content(found)
    fresh = Vault(Store(None))
    sync(fresh, WorkTree(tmp_path))
    assert found.oid == fresh.note("a.md").oid
    assert vault.facts(found) == fresh.facts(fresh.note("a.md"))


def test_missing_facts_are_parsed_anew(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"a.md": note("a", "# Head"), "b.md": note("b")})
    vault.store.db.execute("DELETE FROM blob")
    write(tmp_path, {".manentignore": "b.md"})
    sync(vault, WorkTree(tmp_path))
    assert paths(vault) == ["a.md"]
    assert [h.text for h in vault.facts(vault.note("a.md")).outline.headings] == ["Head"]


def test_texts_that_sqlite_would_not_take(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "caf\udce9.md": note("x", "[[a]]"),
        "a.md": b"---\nname: a\n---\ncaf\xe9 [[caf%E9]] [x](caf%E9.md)\n",
    }
    vault = vault_of(tmp_path, files)
    assert [n.path for n in vault.notes()] == ["a.md", "caf\udce9.md"]
    assert vault.note("caf\udce9.md").stem == "caf\udce9"
    assert [e.path for e in vault.files()] == ["a.md", "caf\udce9.md"]


def test_moving_between_commits_opens_what_differs(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=tmp_path, capture_output=True, check=True)
        return done.stdout.decode().strip()

    git("init", "-q")
    trees = []
    for files in ({"a.md": note("a"), "x/b.md": note("b")}, {"x/b.md": note("b", "[[a]]")}):
        write(tmp_path, files)
        git("add", "-A")
        git("commit", "-qm", "step")
        trees.append(git("rev-parse", "HEAD^{tree}"))
    repository = discover(tmp_path, os.environ)
    assert repository is not None
    vault = Vault(Store(None))
    assert sync_commit(vault, repository, trees[0]).everything
    delta = sync_commit(vault, repository, trees[1])
    assert (delta.files, vault.stamp) == ({"x/b.md"}, trees[1])
    assert sync_commit(vault, repository, trees[1]).files == set()
    assert sync_commit(vault, repository, trees[0]).files == {"x/b.md"}
    vault.store.set_stamp("vault:tree", "0" * 40)  # a tree that is gone: all is compared
    assert sync_commit(vault, repository, trees[1]).files == {"x/b.md"}


def test_asking_for_what_is_not_there(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"a.md": note("a"), "b.txt": "x"})
    for path in ("nowhere.md", "b.txt", ""):
        with pytest.raises(NotFound):
            vault.note(path)
        assert vault.note_at(path) is None
    assert vault.note_by_id(99) is None
    assert vault.counts() == (1, 2)


def test_what_several_processes_read_is_what_one_reads(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    bodies = ["[[n0]]", "[[n7|there]] and [[nowhere]]", "ann@example.org", "[a](n3.md)"]
    # So many that workers are started, and the files lie in several chunks.
    write(root, {f"n{i}.md": note(f"n{i}", bodies[i % 4]) for i in range(ALONE + 2 * CHUNK + 1)})

    def read(processes: int) -> tuple[dict[str, Any], list[Any], list[Any]]:
        vault = Vault(Store(None))
        sync(vault, WorkTree(root), context_of=Policy().context, processes=processes)
        index = SearchIndex(vault, tmp_path / f"search-{processes}")
        index.update(processes)
        hits = [index.search(View(vault), word, 9) for word in ("n77", "there", "note nowhere")]
        return rows(vault), found(vault), hits

    alone, apart = read(1), read(2)
    assert alone == apart
    assert all(alone[2])
    assert {finding.rule for finding in alone[1]} >= {"link-unresolved", "orphan"}
